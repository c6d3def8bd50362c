// SPDX-License-Identifier: Apache-2.0
// Four TLM initiators read and write a guarded memory, by transactions and through pointers, while a fifth process
// grants and revokes at random. Every answer and every byte is compared with a plain model at the edge of acceptance.
#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "mem/access/end_and_wait.h"
#include "tests/mem/access/pages.h"
#include "tests/mem/access/plain_grants.h"
#include "tests/mem/support/bench.h"
#include "tests/mem/support/fixed_controller.h"

namespace weft::mem::test {
namespace {

constexpr std::size_t kPages = 16;
constexpr int kInitiators = 4;
constexpr int kRounds = 250'000;  // rounds per initiator

/// What an initiator asked for, and what the plain model says of it.
struct Pending {
  bool is_write = false;
  std::vector<unsigned char> data;
  bool is_judged = false;
  Denial expected = Denial::kNone;
  std::vector<unsigned char> content;  ///< content of the plain memory at acceptance
};

/// Asks the plain model at the moment at which the unit is asked.
class Witness final : public AccessCheck {
 public:
  Witness(ValidationUnit& unit, const PlainGrants& plain) : unit_(unit), plain_(plain) {}

  Verdict judge(const Request& request, Cycle now) override {
    Verdict verdict = unit_.judge(request, now);
    Pending& pending = asked[request.initiator];
    pending.is_judged = true;
    pending.expected = plain_.judge(request.initiator, pending.is_write, request.address, request.bytes);
    EXPECT_EQ(verdict.allowed, pending.expected == Denial::kNone) << verdict.text;
    if (pending.expected != Denial::kNone) return verdict;
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(request.address);
    if (pending.is_write) std::copy(pending.data.begin(), pending.data.end(), first);
    pending.content.assign(first, first + static_cast<std::ptrdiff_t>(request.bytes));
    return verdict;
  }
  void finished(const Request& request, Cycle now) override { unit_.finished(request, now); }
  Verdict judge_debug(const Request& request) override { return unit_.judge_debug(request); }
  DmiRange dmi_range(const Request& request) override { return unit_.dmi_range(request); }

  std::array<Pending, kInitiators> asked;
  std::vector<unsigned char> memory = std::vector<unsigned char>(kPages * kPage, 0);

 private:
  ValidationUnit& unit_;
  const PlainGrants& plain_;
};

ValidationSpec with_pointers() {
  ValidationSpec spec;
  spec.dmi = true;
  spec.miss_cycles = 5;
  spec.cache = {8, 2, "lru"};
  return spec;
}

PortOptions pointers_allowed() {
  PortOptions options;
  options.dmi = true;
  return options;
}

class GuardedStorm {
 public:
  GuardedStorm()
      : controller_(7, kPages * kPage),
        unit_(with_pointers(), GrantTable(kPage, {{"pool", pages(0, kPages)}})),
        plain_(kPage, kPages),
        witness_(unit_, plain_),
        bench_((set_time_resolution(), controller_), kInitiators, pointers_allowed(), &witness_) {
    unit_.on_dmi_invalidation([this](AddressRange range) {
      bench_.port.core.invalidate_dmi(range.first, range.last());
      drop_pointers();
    });
    for (Initiator who = 0; who < kInitiators; ++who) {
      unit_.claim(who, pages(who * 4, 4));
      plain_.claim(who, who * 4, 4);
    }
  }

  void run() {
    for (int who = 0; who < kInitiators; ++who) bench_.thread([this, who] { initiate(static_cast<Initiator>(who)); });
    bench_.thread([this] { govern(); });
    bench_.run();
    std::vector<unsigned char> stored(witness_.memory.size());
    bench_.storage.read(0, stored.data(), stored.size());
    EXPECT_TRUE(stored == witness_.memory) << "the memory holds something that no allowed access wrote";
  }

  std::array<std::uint64_t, kDenials> answers{};
  std::uint64_t through_pointers = 0;
  std::uint64_t revoked = 0;

 private:
  void initiate(Initiator who) {
    RandomStream random(20261122, NodeId{who});
    for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
      sc_core::wait(ns(0.25 + static_cast<double>(random.below(4))));
      if (random.below(4) == 0) {
        use_pointer(who, random);
      } else {
        use_transaction(who, random);
      }
    }
    ++finished_;
  }

  void use_transaction(Initiator who, RandomStream& random) {
    Pending& pending = witness_.asked[who];
    pending = {};
    pending.is_write = random.below(2) == 0;
    const std::uint64_t bytes = 1 + random.below(64);
    const std::uint64_t around = random.below(2) == 0 ? kPage * (1 + random.below(kPages - 1)) - 32 : 0;
    const std::uint64_t address = around + random.below(around == 0 ? kPages * kPage - 64 : 32);
    for (std::uint64_t i = 0; i < bytes; ++i) pending.data.push_back(static_cast<unsigned char>(random.bits()));
    std::vector<unsigned char> data = pending.data;
    tlm::tlm_generic_payload payload;
    set_access(payload, pending.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, data.data(),
               static_cast<unsigned>(bytes));
    sc_core::sc_time delay;
    bench_.initiator(static_cast<int>(who)).socket->b_transport(payload, delay);
    ASSERT_TRUE(pending.is_judged);
    ++answers[static_cast<std::size_t>(pending.expected)];
    const bool allowed = pending.expected == Denial::kNone;
    ASSERT_EQ(payload.get_response_status(), allowed ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    // A refused read leaves the initiator's buffer alone.
    ASSERT_TRUE(data == (allowed && !pending.is_write ? pending.content : pending.data));
  }

  void use_pointer(Initiator who, RandomStream& random) {
    const std::uint64_t address = random.below(kPages * kPage);
    const bool to_write = random.below(2) == 0;
    tlm::tlm_dmi& dmi = held_[who];
    const bool is_held = dmi.get_dmi_ptr() != nullptr && dmi.get_start_address() <= address &&
                         address <= dmi.get_end_address() &&
                         (to_write ? dmi.is_write_allowed() : dmi.is_read_allowed());
    if (!is_held) {
      tlm::tlm_generic_payload payload;
      unsigned char byte = 0;
      set_access(payload, to_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, &byte, 1);
      const bool given = bench_.initiator(static_cast<int>(who)).socket->get_direct_mem_ptr(payload, dmi);
      ASSERT_EQ(given, plain_.judge(who, to_write, address, 1) == Denial::kNone);
      if (!given) {
        dmi.init();
        return;
      }
    }
    // The whole range must be granted whenever the pointer is still held.
    ASSERT_EQ(plain_.judge(who, to_write, dmi.get_start_address(), dmi.get_end_address() - dmi.get_start_address() + 1),
              Denial::kNone);
    unsigned char& byte = dmi.get_dmi_ptr()[address - dmi.get_start_address()];
    ASSERT_EQ(byte, witness_.memory[address]);
    if (to_write) byte = witness_.memory[address] = static_cast<unsigned char>(random.bits());
    ++through_pointers;
  }

  /// As initiators do: what was taken back is forgotten.
  void drop_pointers() {
    for (int who = 0; who < kInitiators; ++who) {
      auto& ended = bench_.initiator(who).invalidated;
      tlm::tlm_dmi& dmi = held_[static_cast<std::size_t>(who)];
      for (const auto& [first, last] : ended) {
        if (dmi.get_start_address() <= last && first <= dmi.get_end_address()) dmi.init();
      }
      ended.clear();
    }
  }

  /// Owners grant and revoke between edges.
  void govern() {
    RandomStream random(77, NodeId{99});
    while (finished_ < kInitiators) {
      sc_core::wait(ns(static_cast<double>(1 + random.below(8))));
      const std::uint64_t page = random.below(kPages);
      const auto owner = static_cast<Initiator>(page / 4);
      const auto other = static_cast<Initiator>((owner + 1 + random.below(3)) % kInitiators);
      const std::uint64_t drawn = 1 + random.below(3);
      const Rights rights{(drawn & 1) != 0, (drawn & 2) != 0};
      if (random.below(2) == 0) {
        ASSERT_EQ(unit_.grant(owner, other, pages(page, 1), rights), plain_.grant(owner, other, page, 1, rights));
      } else {
        ASSERT_EQ(plain_.revoke(owner, other, page, 1, rights), Denial::kNone);
        ASSERT_EQ(revoke_and_wait(unit_, owner, other, pages(page, 1), rights), Denial::kNone);
        ++revoked;
      }
    }
  }

  FixedController controller_;
  ValidationUnit unit_;
  PlainGrants plain_;
  Witness witness_;
  PortBench<> bench_;
  std::array<tlm::tlm_dmi, kInitiators> held_;
  int finished_ = 0;
};

TEST(GuardedStorm, every_answer_and_every_byte_is_the_plain_models) {
  GuardedStorm storm;
  storm.run();
  for (const Denial denial :
       {Denial::kNone, Denial::kNoGrant, Denial::kRevoked, Denial::kReadOnly, Denial::kWriteOnly, Denial::kStraddles}) {
    EXPECT_GT(storm.answers[static_cast<std::size_t>(denial)], 20U) << text_of(denial);
  }
  EXPECT_GT(storm.through_pointers, 1000U);
  EXPECT_GT(storm.revoked, 1000U);
}

}  // namespace
}  // namespace weft::mem::test
