// SPDX-License-Identifier: Apache-2.0
// A million accesses of eight initiators, many under way at a time, while grants come and go at random: every answer
// is that of a plain list of pages, and every revocation ends exactly when the last earlier access does.
#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "base/random.h"
#include "mem/access/validation_unit.h"
#include "tests/mem/access/pages.h"
#include "tests/mem/access/plain_grants.h"

namespace weft::mem {
namespace {

using test::kPage;

constexpr std::size_t kPages = 64;
constexpr std::uint32_t kInitiators = 8;
constexpr std::size_t kAccesses = 1'000'000;

class Storm {
 public:
  Storm(const ValidationSpec& spec, std::uint64_t seed)
      : unit_(spec, GrantTable(kPage, {{"pool", {0, kPages * kPage}}})),
        plain_(kPage, kPages),
        random_(seed, NodeId{1}) {}

  void run() {
    for (std::size_t i = 0; i < kAccesses && !testing::Test::HasFailure(); ++i) {
      if (random_.below(50) == 0) change();
      access(i);
      while (open_.size() > 24 || (!open_.empty() && random_.below(3) == 0)) finish(random_.below(open_.size()));
    }
    while (!open_.empty()) finish(0);
    for (const auto& wait : waits_) EXPECT_TRUE(wait->done);
  }

  const ValidationUnit& unit() const { return unit_; }
  std::uint64_t answers(Denial denial) const { return answers_[static_cast<std::size_t>(denial)]; }
  std::uint64_t waited() const { return waited_; }

 private:
  struct Open {
    Request request;
    std::size_t number;
  };
  /// A revocation, and the earlier accesses it waits for.
  struct Wait {
    std::vector<std::size_t> numbers;
    bool done = false;
  };

  void access(std::size_t number) {
    auto open = std::make_unique<Open>();
    Request& request = open->request;
    open->number = number;
    request.initiator = static_cast<Initiator>(random_.below(kInitiators));
    request.command = random_.below(2) == 0 ? Command::kRead : Command::kWrite;
    request.bytes = 1 + random_.below(random_.below(4) == 0 ? 2 * kPage : 64);
    request.address = random_.below(kPages * kPage);
    const std::uint64_t odd = random_.below(100);
    if (odd == 0) request.address = ~std::uint64_t{0} - random_.below(kPage);       // wraps around, mostly
    if (odd == 1) request.address = kPages * kPage - random_.below(64);             // over the end
    if (odd < 20) request.address = request.address / kPage * kPage - odd % 8 - 1;  // around the border of a page
    const Denial expected =
        plain_.judge(request.initiator, request.command == Command::kWrite, request.address, request.bytes);
    const std::uint64_t counted = unit_.refused(request.initiator, expected);
    const Verdict verdict = unit_.judge(request, number);
    ASSERT_EQ(verdict.allowed, expected == Denial::kNone)
        << "access " << number << ": " << verdict.text << "; expected: " << text_of(expected);
    ++answers_[static_cast<std::size_t>(expected)];
    if (verdict.allowed) {
      open_.push_back(std::move(open));
    } else {
      ASSERT_EQ(unit_.refused(request.initiator, expected), counted + 1) << verdict.text;
    }
  }

  void finish(std::size_t which) {
    const std::unique_ptr<Open> open = std::move(open_[which]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    for (const auto& wait : waits_) {
      auto& numbers = wait->numbers;
      numbers.erase(std::remove(numbers.begin(), numbers.end(), open->number), numbers.end());
    }
    unit_.finished(open->request, open->number);
    check_waits();
  }

  void check_waits() {
    for (const auto& wait : waits_) ASSERT_EQ(wait->done, wait->numbers.empty());
    while (!waits_.empty() && waits_.front()->done) waits_.pop_front();
  }

  /// What a revocation from `from` (nobody = everybody) must wait for.
  std::shared_ptr<Wait> wait_for(bool everybody, Initiator from, AddressRange pages) {
    auto wait = std::make_shared<Wait>();
    for (const auto& open : open_) {
      const std::uint64_t first = open->request.address / kPage * kPage;
      const std::uint64_t last = open->request.address + open->request.bytes - 1;
      if ((everybody || open->request.initiator == from) && first <= pages.last() && last >= pages.first)
        wait->numbers.push_back(open->number);
    }
    return wait;
  }

  void change() {
    const std::size_t first = random_.below(kPages);
    const std::size_t count = 1 + random_.below(std::min<std::size_t>(8, kPages - first));
    const AddressRange range{first * kPage, count * kPage};
    const auto who = static_cast<Initiator>(random_.below(kInitiators));
    const Initiator by = random_.below(2) == 0 ? kManager : static_cast<Initiator>(random_.below(kInitiators));
    const std::uint64_t drawn = 1 + random_.below(3);
    const Rights rights{(drawn & 1) != 0, (drawn & 2) != 0};
    const std::uint64_t kind = random_.below(10);
    if (kind == 0) {
      ASSERT_EQ(unit_.claim(who, range), plain_.claim(who, first, count));
    } else if (kind == 1) {
      ASSERT_EQ(unit_.share(by, range, rights), plain_.share(by, first, count, rights));
    } else if (kind < 5) {
      ASSERT_EQ(unit_.grant(by, who, range, rights), plain_.grant(by, who, first, count, rights));
    } else {
      take(kind, by, who, range, rights);
    }
  }

  void take(std::uint64_t kind, Initiator by, Initiator who, AddressRange range, Rights rights) {
    const std::size_t first = range.first / kPage;
    const std::size_t count = range.bytes / kPage;
    const auto wait = wait_for(kind >= 8, who, range);
    const auto done = [wait] { wait->done = true; };
    Denial found = Denial::kNone;
    Denial expected = Denial::kNone;
    if (kind < 8) {
      found = unit_.revoke(by, who, range, rights, done);
      expected = plain_.revoke(by, who, first, count, rights);
    } else if (kind == 8) {
      found = unit_.release(by, range, done);
      expected = plain_.release(by, first, count);
    } else {
      found = unit_.unshare(by, range, rights, done);
      expected = plain_.unshare(by, first, count, rights);
    }
    ASSERT_EQ(found, expected);
    if (found != Denial::kNone) return;
    waited_ += wait->numbers.empty() ? 0 : 1;
    waits_.push_back(wait);
    check_waits();
  }

  ValidationUnit unit_;
  test::PlainGrants plain_;
  RandomStream random_;
  std::vector<std::unique_ptr<Open>> open_;
  std::deque<std::shared_ptr<Wait>> waits_;
  std::array<std::uint64_t, kDenials> answers_{};
  std::uint64_t waited_ = 0;
};

TEST(ValidationStorm, nobody_touches_a_page_without_a_grant) {
  ValidationSpec spec;
  spec.cache = {32, 4, "lru"};  // smaller than what is used
  Storm storm(spec, 20261122);
  storm.run();
  // Everything that can happen did, many times.
  for (const Denial denial : {Denial::kNone, Denial::kNoGrant, Denial::kRevoked, Denial::kReadOnly, Denial::kWriteOnly,
                              Denial::kStraddles, Denial::kWrapsAround, Denial::kOutside}) {
    EXPECT_GT(storm.answers(denial), 1000U) << text_of(denial);
  }
  EXPECT_GT(storm.waited(), 100U);
  EXPECT_GT(storm.unit().cache().hits(), 10'000U);
  EXPECT_GT(storm.unit().cache().misses(), 10'000U);
  EXPECT_EQ(storm.unit().in_flight(), 0U);
  EXPECT_EQ(storm.unit().counters().allowed + storm.unit().counters().refused, kAccesses);
}

}  // namespace
}  // namespace weft::mem
