// SPDX-License-Identifier: Apache-2.0
// The validation unit in a TLM memory, end to end: initiators that know nothing of Weft, checked by the protocol
// checker, are let through or refused by the socket that they are bound to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mem/access/end_and_wait.h"
#include "mem/pool/pool_controller.h"
#include "mem/port/refusal.h"
#include "tests/mem/access/pages.h"
#include "tests/mem/support/bench.h"
#include "tests/mem/support/chi_square.h"
#include "tests/mem/support/fixed_controller.h"

namespace weft::mem::test {
namespace {

using sc_core::sc_time;
using testing::HasSubstr;
using Refused = weft::mem::Refusal;

constexpr Initiator kAnn = 0;
constexpr Initiator kBob = 1;

ValidationSpec quick_check() {
  ValidationSpec spec;
  spec.check_cycles = 1;
  spec.miss_cycles = 0;
  return spec;
}

/// A memory of 256 pages, all Ann's, served 20 cycles after it is reached; initiator 0 is Ann, 1 is Bob.
struct GuardedBench {
  explicit GuardedBench(const ValidationSpec& spec = quick_check(), const PortOptions& options = {}, Cycle latency = 20)
      : unit(spec, GrantTable(kPage, {{"pool", pages(0, 256)}})),
        controller(latency, unit.physical_size()),
        bench((set_time_resolution(), controller), 2, with_space(options), &unit) {
    unit.claim(kAnn, pages(0, 256));
    unit.on_dmi_invalidation([this](AddressRange range) { bench.port.core.invalidate_dmi(range.first, range.last()); });
  }
  static PortOptions with_space(PortOptions options) {
    if (options.address_space == 0) options.address_space = 256 * kPage;
    return options;
  }
  /// A blocking access of eight bytes; `payload` keeps the response.
  tlm::tlm_response_status call(Initiator who, tlm::tlm_command command, std::uint64_t address, std::uint64_t& value,
                                unsigned bytes = 8) {
    set_access(payload, command, address, reinterpret_cast<unsigned char*>(&value), bytes);
    sc_time delay;
    bench.initiator(static_cast<int>(who)).socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  std::uint64_t stored(std::uint64_t address) const {
    std::uint64_t value = 0;
    bench.storage.read(address, reinterpret_cast<std::uint8_t*>(&value), 8);
    return value;
  }
  PlainInitiator<>& initiator(Initiator who) { return bench.initiator(static_cast<int>(who)); }
  void run(const std::function<void()>& body) {
    bench.thread(body);
    sc_core::sc_start();
    bench.domain.rethrow_failure();
    for (const auto& checker : bench.checkers) {
      EXPECT_EQ(checker->rules().findings(), std::vector<std::string>{});
      EXPECT_EQ(checker->rules().open(), 0U);
    }
  }

  tlm::tlm_generic_payload payload;
  ValidationUnit unit;
  FixedController controller;
  PortBench<> bench;
};

TEST(GuardedPort, a_refused_write_changes_nothing_and_says_why) {
  GuardedBench memory;
  memory.run([&] {
    std::uint64_t value = 0x1111;
    EXPECT_EQ(memory.call(kAnn, tlm::TLM_WRITE_COMMAND, 0x3000, value), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(Refused::of(memory.payload), nullptr);
    value = 0x2222;
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, 0x3000, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    const Refused* refusal = Refused::of(memory.payload);
    ASSERT_NE(refusal, nullptr);
    EXPECT_EQ(refusal->reason, Reason::kNotGranted);
    EXPECT_EQ(refusal->text, "initiator 1 may not write 8 bytes at 0x3000: no grant for the page");
    EXPECT_EQ(memory.stored(0x3000), 0x1111U);
    EXPECT_EQ(memory.call(kBob, tlm::TLM_READ_COMMAND, 0x3000, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(value, 0x2222U) << "a refused read gave something away";
    memory.unit.grant(kAnn, kBob, pages(3, 1), kMayRead);
    EXPECT_EQ(memory.call(kBob, tlm::TLM_READ_COMMAND, 0x3000, value), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value, 0x1111U);
    EXPECT_EQ(Refused::of(memory.payload), nullptr);
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, 0x3000, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(Refused::of(memory.payload)->reason, Reason::kReadOnly);
  });
  EXPECT_EQ(memory.bench.port.core.figures().refused, 3U);
  EXPECT_EQ(memory.controller.refused.size(), 3U);
  EXPECT_EQ(memory.controller.taken.size(), 2U);
  EXPECT_EQ(memory.unit.log().size(), 3U);
}

TEST(GuardedPort, straddling_and_wrapping_accesses_are_refused_as_a_whole) {
  GuardedBench memory;
  memory.unit.grant(kAnn, kBob, pages(3, 1), kMayReadAndWrite);
  memory.run([&] {
    std::uint64_t value = ~std::uint64_t{0};
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, 0x3FFC, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(Refused::of(memory.payload)->reason, Reason::kStraddles);
    EXPECT_EQ(memory.stored(0x3FF8), 0U);
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, 0x3FF8, value), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, ~std::uint64_t{0} - 3, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, 256 * kPage - 4, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(memory.stored(0), 0U);
  });
}

TEST(GuardedPort, revoke_returns_after_earlier_accesses_and_later_ones_are_refused) {
  GuardedBench memory(quick_check(), {}, 100);
  memory.unit.grant(kAnn, kBob, pages(1, 1), kMayReadAndWrite);
  Cycle earlier_done = 0;
  memory.bench.thread([&] {
    std::uint64_t value = 7;
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, kPage, value), tlm::TLM_OK_RESPONSE);
    earlier_done = present();
    EXPECT_EQ(memory.call(kBob, tlm::TLM_WRITE_COMMAND, kPage, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(Refused::of(memory.payload)->reason, Reason::kRevoked);
  });
  memory.run([&] {
    sc_core::wait(ns(50.5));
    EXPECT_EQ(revoke_and_wait(memory.unit, kAnn, kBob, pages(1, 1), kMayReadAndWrite), Denial::kNone);
    // Accepted at edge 1, checked for a cycle, served after 100.
    EXPECT_EQ(present(), 102U);
    EXPECT_EQ(revoke_and_wait(memory.unit, kBob, kAnn, pages(1, 1), kMayRead), Denial::kNotOwner);
    EXPECT_EQ(revoke_and_wait(memory.unit, kAnn, kBob, pages(2, 1), kMayRead), Denial::kNone);
    EXPECT_EQ(present(), 102U);
  });
  EXPECT_EQ(earlier_done, 102U);
  EXPECT_EQ(memory.unit.in_flight(), 0U);
}

TEST(GuardedPort, nonblocking_accesses_are_judged_by_their_socket) {
  GuardedBench memory;
  memory.unit.grant(kAnn, kBob, pages(9, 1), kMayRead);
  PayloadPool pool;
  std::vector<std::pair<std::uint64_t, tlm::tlm_response_status>> answers;
  for (const Initiator who : {kAnn, kBob}) {
    memory.initiator(who).on_backward = [&](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, auto&) {
      if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
      answers.emplace_back(payload.get_address(), payload.get_response_status());
      return tlm::TLM_COMPLETED;
    };
  }
  std::uint64_t data[4] = {};
  memory.run([&] {
    for (int i = 0; i < 4; ++i) {
      tlm::tlm_generic_payload& payload = pool.take();
      set_access(payload, i % 2 == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, 9 * kPage + 8 * i,
                 reinterpret_cast<unsigned char*>(&data[i]), 8);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay;
      memory.initiator(i < 2 ? kBob : kAnn).socket->nb_transport_fw(payload, phase, delay);
      payload.release();
      sc_core::wait(ns(30));
    }
  });
  using Answer = std::pair<std::uint64_t, tlm::tlm_response_status>;
  EXPECT_THAT(answers, testing::ElementsAre(Answer(9 * kPage, tlm::TLM_OK_RESPONSE),
                                            Answer(9 * kPage + 8, tlm::TLM_COMMAND_ERROR_RESPONSE),
                                            Answer(9 * kPage + 16, tlm::TLM_OK_RESPONSE),
                                            Answer(9 * kPage + 24, tlm::TLM_OK_RESPONSE)));
}

unsigned debug_read(GuardedBench& memory, Initiator who, std::uint64_t address, std::uint64_t& value) {
  tlm::tlm_generic_payload payload;
  set_access(payload, tlm::TLM_READ_COMMAND, address, reinterpret_cast<unsigned char*>(&value), 8);
  return memory.initiator(who).socket->transport_dbg(payload);
}

TEST(GuardedPort, debug_accesses_obey_grants) {
  GuardedBench memory;
  memory.unit.grant(kAnn, kBob, pages(5, 1), kMayRead);
  memory.run([&] {
    std::uint64_t value = 0xABCD;
    memory.call(kAnn, tlm::TLM_WRITE_COMMAND, 5 * kPage, value);
    memory.call(kAnn, tlm::TLM_WRITE_COMMAND, 6 * kPage, value);
    std::uint64_t seen = 0;
    EXPECT_EQ(debug_read(memory, kBob, 5 * kPage, seen), 8U);
    EXPECT_EQ(seen, 0xABCDU);
    seen = 0;
    EXPECT_EQ(debug_read(memory, kBob, 6 * kPage, seen), 0U);
    EXPECT_EQ(debug_read(memory, kBob, 6 * kPage - 4, seen), 0U);
    EXPECT_EQ(seen, 0U);
  });
  EXPECT_EQ(memory.unit.counters().refused, 0U);
}

TEST(GuardedPort, debug_all_lets_everybody_see_everything) {
  PortOptions options;
  options.debug_all = true;
  options.address_space = 512 * kPage;  // half of it outside every region
  GuardedBench memory(quick_check(), options);
  memory.run([&] {
    std::uint64_t value = 0xABCD;
    memory.call(kAnn, tlm::TLM_WRITE_COMMAND, 6 * kPage, value);
    std::uint64_t seen = 0;
    EXPECT_EQ(debug_read(memory, kBob, 6 * kPage, seen), 8U);
    EXPECT_EQ(seen, 0xABCDU);
    EXPECT_EQ(debug_read(memory, kBob, 300 * kPage, seen), 0U);
  });
}

bool pointer(GuardedBench& memory, Initiator who, std::uint64_t address, tlm::tlm_dmi& dmi, bool to_write = false) {
  tlm::tlm_generic_payload payload;
  std::uint64_t unused = 0;
  set_access(payload, to_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
             reinterpret_cast<unsigned char*>(&unused), 8);
  return memory.initiator(who).socket->get_direct_mem_ptr(payload, dmi);
}

TEST(GuardedPort, pointers_reach_only_granted_pages_and_end_with_a_revoke) {
  ValidationSpec spec = quick_check();
  spec.dmi = true;
  PortOptions options;
  options.dmi = true;
  GuardedBench memory(spec, options);
  memory.unit.grant(kAnn, kBob, pages(4, 1), kMayReadAndWrite);
  memory.unit.grant(kAnn, kBob, pages(5, 1), kMayRead);
  memory.run([&] {
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(pointer(memory, kBob, 4 * kPage + 16, dmi, true));
    EXPECT_TRUE(dmi.is_read_write_allowed());
    EXPECT_GE(dmi.get_start_address(), 4 * kPage);
    EXPECT_LT(dmi.get_end_address(), 5 * kPage);
    dmi.get_dmi_ptr()[4 * kPage + 16 - dmi.get_start_address()] = 0x5A;
    EXPECT_EQ(memory.stored(4 * kPage + 16), 0x5AU);
    ASSERT_TRUE(pointer(memory, kBob, 5 * kPage, dmi));
    EXPECT_FALSE(dmi.is_write_allowed());
    EXPECT_FALSE(pointer(memory, kBob, 5 * kPage, dmi, true));
    EXPECT_FALSE(pointer(memory, kBob, 6 * kPage, dmi));
    EXPECT_EQ(revoke_and_wait(memory.unit, kAnn, kBob, pages(4, 1), kMayReadAndWrite), Denial::kNone);
    const auto& ended = memory.initiator(kBob).invalidated;
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0], std::make_pair(4 * kPage, 5 * kPage - 1));
    EXPECT_FALSE(pointer(memory, kBob, 4 * kPage, dmi));
  });
}

TEST(GuardedPort, pointers_end_where_small_pages_do) {
  constexpr std::uint64_t kSmall = 512;
  set_time_resolution();
  ValidationSpec spec = quick_check();
  spec.dmi = true;
  ValidationUnit unit(spec, GrantTable(kSmall, {{"pool", pages(0, 4)}}));
  unit.claim(kAnn, {3 * kSmall, 2 * kSmall});
  FixedController controller(5, 4 * kPage);
  PortOptions options;
  options.dmi = true;
  PortBench<> bench(controller, 1, options, &unit);
  bench.thread([&] {
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    unsigned char byte = 0;
    set_access(payload, tlm::TLM_READ_COMMAND, 3 * kSmall + 10, &byte, 1);
    ASSERT_TRUE(bench.initiator(0).socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_start_address(), 3 * kSmall);
    EXPECT_EQ(dmi.get_end_address(), 5 * kSmall - 1);
  });
  sc_core::sc_start();
  bench.domain.rethrow_failure();
}

TEST(GuardedPort, protected_and_hidden_memories_give_no_pointers) {
  ValidationSpec spec = quick_check();
  spec.dmi = true;
  spec.protection.encryption_cycles = 10;
  PortOptions options;
  options.dmi = true;
  GuardedBench memory(spec, options);
  memory.run([&] {
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(pointer(memory, kAnn, 0, dmi));
  });
}

TEST(GuardedPort, protection_takes_its_time_and_moves_its_tags) {
  ValidationSpec spec = quick_check();
  spec.protection.encryption_cycles = 10;
  spec.protection.integrity_cycles = 5;
  spec.protection.tag_bytes = 8;
  GuardedBench memory(spec);
  memory.run([&] {
    std::uint64_t block[8] = {};
    memory.call(kAnn, tlm::TLM_WRITE_COMMAND, 128, block[0], 64);
    EXPECT_EQ(present(), 1U + 1 + 15 + 20);  // edge, check, engine, memory
    memory.call(kAnn, tlm::TLM_READ_COMMAND, 128, block[0], 64);
    EXPECT_EQ(present(), 37U + 1 + 1 + 20 + 15);
  });
  using Taken = FixedController::Taken;
  EXPECT_THAT(memory.controller.taken, testing::ElementsAre(Taken{kAnn, Command::kWrite, 128, 72, 1, 17},
                                                            Taken{kAnn, Command::kRead, 128, 72, 1, 39}));
}

/// Writes and reads back at addresses of a stream; where the memory saw it.
std::vector<std::uint64_t> bins_at_the_memory(const ValidationSpec& spec,
                                              const std::function<std::uint64_t(std::uint64_t)>& address) {
  GuardedBench memory(spec, {}, 1);
  memory.run([&] {
    for (std::uint64_t i = 0; i < 4096; ++i) {
      std::uint64_t value = i * 3;
      EXPECT_EQ(memory.call(kAnn, tlm::TLM_WRITE_COMMAND, address(i), value), tlm::TLM_OK_RESPONSE);
      value = 0;
      EXPECT_EQ(memory.call(kAnn, tlm::TLM_READ_COMMAND, address(i), value), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(value, i * 3);
    }
  });
  std::vector<std::uint64_t> bins(64, 0);
  for (const FixedController::Taken& taken : memory.controller.taken) {
    EXPECT_EQ(taken.bytes, spec.oblivious.is_on() ? spec.oblivious.block_bytes : 8);
    ++bins[taken.physical * 64 / memory.unit.physical_size()];
  }
  return bins;
}

ValidationSpec hidden() {
  ValidationSpec spec = quick_check();
  spec.oblivious.blocks = 1;
  spec.oblivious.block_bytes = 256;
  spec.oblivious.stash_blocks = 128;
  spec.oblivious.bytes_per_cycle = 1 << 20;
  return spec;
}

TEST(GuardedPort, a_hidden_memory_keeps_its_data_and_shows_uniform_addresses_for_a_constant_one) {
  EXPECT_GT(uniform_p_value(bins_at_the_memory(hidden(), [](std::uint64_t) { return std::uint64_t{0x4560}; })), 0.001);
}

TEST(GuardedPort, a_hidden_memory_shows_uniform_addresses_for_a_stride) {
  EXPECT_GT(uniform_p_value(bins_at_the_memory(hidden(), [](std::uint64_t i) { return i * 768 % (64 * kPage); })),
            0.001);
}

TEST(GuardedPort, an_open_memory_shows_where_the_constant_address_is) {
  EXPECT_LT(uniform_p_value(bins_at_the_memory(quick_check(), [](std::uint64_t) { return std::uint64_t{0x4560}; })),
            1e-9);
}

TEST(GuardedPort, an_open_memory_shows_the_stride) {
  EXPECT_LT(uniform_p_value(bins_at_the_memory(quick_check(), [](std::uint64_t i) { return i * 768 % (64 * kPage); })),
            1e-9);
}

TEST(GuardedPool, initiators_share_a_pool_behind_grants) {
  set_time_resolution();
  PoolSpec pool;
  pool.controllers = 2;
  pool.packet_bytes = pool.interleave_bytes = 4096;
  PoolController controller(pool, 64 * kPage);  // links of one cycle, 50 cycles of memory
  ValidationUnit unit(quick_check(), GrantTable(kPage, {{"pool", pages(0, 64)}}));
  unit.claim(kAnn, pages(0, 64));
  unit.grant(kAnn, kBob, pages(0, 1), kMayRead);
  PortBench<> bench(controller, 2, {}, &unit);
  std::vector<Cycle> ends(2);
  for (int who = 0; who < 2; ++who) {
    bench.thread([&, who] {
      std::vector<unsigned char> data(1024);
      tlm::tlm_generic_payload payload;
      set_access(payload, tlm::TLM_READ_COMMAND, 0, data.data(), 1024);
      sc_time delay;
      bench.initiator(who).socket->b_transport(payload, delay);
      EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
      ends[static_cast<std::size_t>(who)] = present();
      set_access(payload, tlm::TLM_WRITE_COMMAND, 0, data.data(), 1024);
      bench.initiator(who).socket->b_transport(payload, delay);
      EXPECT_EQ(payload.get_response_status(), who == 0 ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    });
  }
  bench.run();
  // Edge 1, a cycle of checking, 3 + 50 + 16 + 3 cycles; the second waits for the first's 16 flits.
  EXPECT_EQ(ends[0], 2 + 72U);
  EXPECT_EQ(ends[1], 2 + 72 + 16U);
  EXPECT_TRUE(controller.fabric().at_rest());
  EXPECT_EQ(controller.fabric().controller(0).written_bytes, 1024U);
  EXPECT_EQ(controller.fabric().controller(1).read_bytes, 1024U);
}

}  // namespace
}  // namespace weft::mem::test
