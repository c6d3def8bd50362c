// SPDX-License-Identifier: Apache-2.0
// b_transport: at which edge a call is seen, in which order, when it returns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <tuple>

#include "tests/mem/support/bench.h"
#include "tests/mem/support/fixed_controller.h"

namespace weft::mem::test {
namespace {

using sc_core::sc_time;
using testing::ElementsAre;

template <unsigned BusWidth>
void call(PlainInitiator<BusWidth>& initiator, tlm::tlm_command command, std::uint64_t address, std::uint32_t& value,
          sc_time delay = sc_core::SC_ZERO_TIME) {
  tlm::tlm_generic_payload payload;
  set_access(payload, command, address, reinterpret_cast<unsigned char*>(&value), 4);
  initiator.socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
}

template <unsigned BusWidth>
void write_and_read_back() {
  set_time_resolution();
  FixedController controller(5);
  PortBench<BusWidth> bench(controller, 1);
  bench.thread([&] {
    std::uint32_t value = 0xCAFE1234;
    call(bench.initiator(0), tlm::TLM_WRITE_COMMAND, 4094, value);  // across two pages of the storage
    EXPECT_EQ(present(), 1U + 5U);                                  // seen at edge 1
    std::uint32_t read = 0;
    call(bench.initiator(0), tlm::TLM_READ_COMMAND, 4094, read);
    EXPECT_EQ(read, value);
    EXPECT_EQ(present(), 7U + 5U);
    call(bench.initiator(0), tlm::TLM_READ_COMMAND, 4096, read);
    EXPECT_EQ(read, 0xCAFEU);
  });
  bench.run();
  EXPECT_EQ(bench.storage.pages(), 2U);
  EXPECT_EQ(bench.port.core.figures().accepted, 3U);
}

TEST(BlockingTransport, writes_and_reads_back) { write_and_read_back<32>(); }
TEST(BlockingTransport, writes_and_reads_back_with_64_bits) { write_and_read_back<64>(); }

// Edges lie at whole ns. A call at t with delay d is seen strictly after t + d.
TEST(BlockingTransport, is_seen_by_the_first_edge_strictly_after_call_and_delay) {
  set_time_resolution();
  FixedController controller(3);
  PortBench<> bench(controller, 1);
  const std::vector<std::tuple<double, double, Cycle>> calls = {
      {0, 0, 1},       {10, 0, 11},   {20.5, 0, 21},      {30, 0.25, 31},     {40, 1, 42},
      {50.5, 0.5, 52}, {60.5, 7, 68}, {80.999999, 0, 81}, {90, 0.000001, 91}, {100, 20, 121},
  };
  std::uint32_t value = 0;
  for (const auto& [at, delay, edge] : calls) {
    bench.thread([&bench, &value, at = at, delay = delay, edge = edge] {
      sc_core::wait(ns(at));
      call(bench.initiator(0), tlm::TLM_READ_COMMAND, 4 * static_cast<std::uint64_t>(at), value, ns(delay));
      EXPECT_EQ(sc_core::sc_time_stamp(), ns(static_cast<double>(edge + 3))) << at;
    });
  }
  bench.run();
  ASSERT_EQ(controller.taken.size(), calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(controller.taken[i].at, std::get<2>(calls[i])) << i;
}

// Three initiators call for one edge, in every order of deltas: they are taken in the order of their sockets.
TEST(BlockingTransport, arrivals_at_one_edge_are_taken_by_socket) {
  set_time_resolution();
  FixedController controller(4);
  PortBench<> bench(controller, 3);
  const std::vector<std::vector<int>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  std::uint32_t value = 0;
  for (int i = 0; i < 3; ++i) {
    bench.thread([&, i] {
      for (std::size_t round = 0; round < orders.size(); ++round) {
        sc_core::wait(ns(20.0 * static_cast<double>(round + 1)) - sc_core::sc_time_stamp());
        for (int delta = 0; delta < orders[round][static_cast<std::size_t>(i)]; ++delta)
          sc_core::wait(sc_core::SC_ZERO_TIME);
        call(bench.initiator(i), tlm::TLM_WRITE_COMMAND, 0x100, value);
      }
    });
  }
  bench.run();
  ASSERT_EQ(controller.taken.size(), 18U);
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(controller.taken[i].initiator, i % 3) << i;
    EXPECT_EQ(controller.taken[i].at, 20 * (i / 3 + 1) + 1) << i;
  }
}

// Calls of one socket for one edge keep the order in which they were made; several threads may wait at a time.
TEST(BlockingTransport, threads_of_one_initiator_wait_side_by_side) {
  set_time_resolution();
  FixedController controller(6);
  PortBench<> bench(controller, 1);
  std::uint32_t value = 0;
  std::vector<Cycle> returned;
  for (std::uint64_t i = 0; i < 4; ++i) {
    bench.thread([&, i] {
      call(bench.initiator(0), tlm::TLM_READ_COMMAND, 64 * i, value);
      returned.push_back(present());
    });
  }
  bench.run();
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(controller.taken[i].physical, 64 * i);
  EXPECT_THAT(returned, ElementsAre(7, 7, 7, 7));
}

// A temporally decoupled initiator runs ahead of time: the later call comes with the smaller t + d.
TEST(BlockingTransport, decoupled_initiators_are_put_in_the_order_of_their_time) {
  set_time_resolution();
  FixedController controller(2);
  PortBench<> bench(controller, 2);
  std::uint32_t value = 0;
  bench.thread([&] { call(bench.initiator(0), tlm::TLM_READ_COMMAND, 0, value, ns(50)); });
  bench.thread([&] {
    sc_core::wait(ns(10));
    call(bench.initiator(1), tlm::TLM_READ_COMMAND, 64, value, ns(5));
  });
  bench.run();
  ASSERT_EQ(controller.taken.size(), 2U);
  EXPECT_EQ(controller.taken[0].initiator, 1U);
  EXPECT_EQ(controller.taken[0].at, 16U);
  EXPECT_EQ(controller.taken[1].at, 51U);
}

// A thread that is killed while it waits takes its payload along; the memory goes on without.
TEST(BlockingTransport, a_killed_thread_leaves_nothing_behind) {
  set_time_resolution();
  FixedController controller(10);
  PortBench<> bench(controller, 2);
  std::uint32_t value = 0;
  for (const double kill_at : {0.5, 5.0}) {  // before and after the access was accepted
    sc_core::sc_process_handle victim = sc_core::sc_spawn([&bench] {
      std::uint32_t own = 1;
      call(bench.initiator(0), tlm::TLM_WRITE_COMMAND, 0, own);
    });
    bench.thread([victim, kill_at]() mutable {
      sc_core::wait(ns(kill_at));
      victim.kill();
    });
  }
  bench.thread([&] {
    sc_core::wait(ns(20));
    call(bench.initiator(1), tlm::TLM_READ_COMMAND, 0, value);
  });
  sc_core::sc_start();
  EXPECT_EQ(value, 0U);
  EXPECT_EQ(controller.taken.size(), 1U);
  EXPECT_EQ(present(), 31U);
}

/// Wakes the port at every edge: as if it never slept.
class Waker final : public Block {
 public:
  Waker(ClockDomain& domain, const Block& block, Cycle until) : domain_(domain), block_(block), until_(until) {
    domain.add(*this);
  }
  void step(Cycle now) override { domain_.wake(block_, now + 1); }
  Cycle next_work(Cycle now) const override { return now < until_ ? now + 1 : kNever; }

 private:
  ClockDomain& domain_;
  const Block& block_;
  Cycle until_;
};

/// Three initiators with pauses and delays; keeps the instants at which their calls returned.
struct Busy {
  Busy(const std::string& prefix, bool is_awake) : controller(7), bench(controller, 3, {}, nullptr, prefix) {
    if (is_awake) waker = std::make_unique<Waker>(bench.domain, bench.port.core, 400);
    for (int i = 0; i < 3; ++i) bench.thread([this, i] { body(i); });
  }
  void body(int i) {
    for (int k = 0; k < 20; ++k) {
      sc_core::wait(ns(0.3 * (i + 1) * (k % 5)));
      call(bench.initiator(i), tlm::TLM_READ_COMMAND, 4 * static_cast<std::uint64_t>(k), value, ns(0.4 * (k % 3)));
      returned[i].push_back(sc_core::sc_time_stamp().value());
    }
  }
  FixedController controller;
  PortBench<> bench;
  std::unique_ptr<Waker> waker;
  std::vector<Cycle> returned[3];
  std::uint32_t value = 0;
};

TEST(BlockingTransport, sleeping_changes_nothing) {
  set_time_resolution();
  Busy asleep("asleep_", false);
  Busy awake("awake_", true);
  sc_core::sc_start();
  EXPECT_EQ(asleep.controller.taken.size(), 60U);
  EXPECT_TRUE(asleep.controller.taken == awake.controller.taken);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(asleep.returned[i], awake.returned[i]);
  asleep.bench.expect_protocol_kept();
  awake.bench.expect_protocol_kept();
}

}  // namespace
}  // namespace weft::mem::test
