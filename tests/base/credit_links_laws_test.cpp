// SPDX-License-Identifier: Apache-2.0
// Links with credits under random traffic, and the hash of their state.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tests/base/credit_links_bench.h"

namespace weft {
namespace {

/// A link in the middle of its work: a flit in its buffer, a slot held, a flit and a credit on the way.
struct Scene {
  Cycle start = 100;
  Rational rate{1, 4};
  int waiting = 5;
  bool held = true;
  int under_way = 6;
  std::uint32_t flit_vc = 1;
  Cycle flit_in = 6;
  std::uint32_t credit_vc = 1;
  Cycle credit_in = 8;
  std::uint32_t sender_lacks = 1;  ///< credits of VC 0

  std::uint64_t hash() const {
    Links links(2, name_of);
    links.add({rate, 9, 5, 3}, 0, 0);
    links.flit_comes(0, 1, start);
    links.flit_comes(0, waiting, start);
    for (std::uint32_t i = 0; i < sender_lacks; ++i) links.send_out(0, start - 50 + 10 * i);
    arrivals(links, start);
    links.take(0);
    if (!held) links.give_back_out(0, start);
    links.send_out(1, start);
    links.flit_comes(flit_vc, under_way, start + flit_in);
    if (credit_in > 0) links.credit_comes(credit_vc, start + credit_in);
    return links.state_hash(start, [](int flit) { return static_cast<std::uint64_t>(flit); });
  }
};

TEST(CreditLinksLaws, the_hash_is_relative_to_now_and_sees_every_difference) {
  const std::uint64_t reference = Scene{}.hash();
  Scene moved;
  moved.start = 1'000'003;
  EXPECT_EQ(moved.hash(), reference);
  std::vector<Scene> others(10);
  others[0].rate = {1, 5};
  others[1].waiting = 7;
  others[2].held = false;
  others[3].under_way = 7;
  others[4].flit_vc = 0;
  others[5].flit_in = 7;
  others[6].credit_vc = 0;
  others[7].credit_in = 9;
  others[8].credit_in = 0;
  others[9].sender_lacks = 2;
  for (std::size_t i = 0; i < others.size(); ++i) EXPECT_NE(others[i].hash(), reference) << "difference " << i;
}

// Random traffic over links of all sorts: each flit arrives when its delay is over, in order, and in every cycle each
// slot of a buffer is a credit at home, a flit on the way, a flit in the buffer, a slot that is held or a credit on the
// way.
RC_GTEST_PROP(CreditLinksLaws, lose_no_flit_and_no_credit, ()) {
  const auto vcs = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 4);
  Links links(vcs, name_of);
  std::vector<CreditLinkSpec> specs;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto delays = *rc::gen::pair(rc::gen::inRange<Cycle>(1, 90), rc::gen::inRange<Cycle>(1, 90));
    const auto slots = *rc::gen::inRange<std::uint32_t>(1, 6);
    specs.push_back(
        {*rc::gen::element(Rational{1, 1}, Rational{2, 3}, Rational{5, 2}), delays.first, delays.second, slots});
    links.add(specs.back(), i, i);
  }
  struct Vc {
    std::deque<std::pair<Cycle, int>> flits;  // on the way: when they arrive
    std::deque<int> buffer;
    std::uint32_t held = 0;
    std::deque<Cycle> credits;  // on the way
  };
  std::vector<Vc> all(std::size_t{vcs} * count);
  const auto random = *rc::gen::container<std::vector<std::uint8_t>>(200, rc::gen::arbitrary<std::uint8_t>());
  int next_flit = 0;
  for (Cycle now = 1; now <= random.size(); ++now) {
    links.deliver(
        now,
        [&](std::uint32_t node, std::uint32_t vc) {
          RC_ASSERT(node == vc / vcs && all[vc].credits.front() == now);
          all[vc].credits.pop_front();
        },
        [&](std::uint32_t node, std::uint32_t vc) {
          RC_ASSERT(node == vc / vcs && all[vc].flits.front().first == now);
          all[vc].buffer.push_back(all[vc].flits.front().second);
          all[vc].flits.pop_front();
        });
    for (std::uint32_t vc = 0; vc < all.size(); ++vc) {
      Vc& at = all[vc];
      const CreditLinkSpec& spec = specs[vc / vcs];
      const unsigned what = random[now - 1] >> vc % 3 & 7;
      RC_ASSERT(links.waiting(vc) == at.buffer.size());
      if ((what & 1) != 0 && links.can_send(vc, now)) {
        links.send(vc, next_flit, now);
        at.flits.emplace_back(now + spec.flit_delay, next_flit++);
      }
      if ((what & 2) != 0 && !links.empty(vc)) {
        RC_ASSERT(links.front(vc) == at.buffer.front());
        RC_ASSERT(links.take(vc) == at.buffer.front());
        at.buffer.pop_front();
        ++at.held;
      }
      if ((what & 4) != 0 && at.held > 0) {
        links.give_back(vc, now);
        --at.held;
        at.credits.push_back(now + spec.credit_delay);
      }
      RC_ASSERT(links.credits(vc) + at.flits.size() + at.buffer.size() + at.held + at.credits.size() ==
                spec.buffer_flits);
    }
  }
}

}  // namespace
}  // namespace weft
