// SPDX-License-Identifier: Apache-2.0
// Credits, packet boundaries and VC re-use, cycle by cycle. Expected values follow by hand from the pipeline: switch
// allocation in S, arrival in S + 3, a head's own switch allocation one cycle after its arrival, a body flit's in its
// arrival cycle S', the credit received in S' + 2 and usable `credit_delay` cycles later.
#include <gtest/gtest.h>

#include "tests/router/support/region_harness.h"

namespace weft::router {
namespace {

using test::Arrived;
using test::RegionHarness;

constexpr NodeId kFirst{0};

/// A row of routers with one VC.
FabricSpec row(int routers, int buffer_flits) {
  FabricSpec fabric;
  fabric.kind = FabricKind::kMesh;
  fabric.size_x = routers;
  fabric.size_y = 1;
  fabric.routing = "xy";
  fabric.router.vcs = 1;
  fabric.router.buffer_flits = buffer_flits;
  return fabric;
}

/// Arrivals at the far end of a row of `fabric.size_x` routers of a stream of packets that always has a flit to send.
std::vector<Arrived> stream(const FabricSpec& fabric, std::uint32_t packets, std::uint32_t flits) {
  RegionHarness harness(fabric);
  const auto last = static_cast<NodeId>(fabric.size_x - 1);
  for (std::uint32_t i = 0; i < packets; ++i) harness.send(kFirst, last, flits);
  harness.run_empty();
  return harness.arrived(last);
}

/// Checks that from some start on every flit comes `period` cycles after the one `distance` flits earlier.
void expect_period(const std::vector<Arrived>& arrived, std::size_t distance, Cycle period) {
  constexpr std::size_t kWarmUp = 40;
  ASSERT_GT(arrived.size(), 3 * kWarmUp);
  for (std::size_t i = kWarmUp + distance; i < arrived.size(); ++i) {
    ASSERT_EQ(arrived[i].at - arrived[i - distance].at, period) << "flit " << i;
  }
}

struct RoundTrip {
  Cycle credit_delay;
  int buffer_flits;
};

class CreditLoop : public testing::TestWithParam<RoundTrip> {};

// Between two routers `buffer` body flits can be on their way per round trip of 5 + credit_delay: 1/7, 2/7, 4/7 of a
// flit per cycle with buffers of 1, 2, 4 and credit_delay 2, all of it with 8.
TEST_P(CreditLoop, bounds_the_rate_of_a_stream) {
  FabricSpec fabric = row(3, GetParam().buffer_flits);
  fabric.router.credit_delay = GetParam().credit_delay;
  const Cycle round_trip = 5 + GetParam().credit_delay;
  const auto buffer = static_cast<std::size_t>(GetParam().buffer_flits);
  const std::vector<Arrived> arrived = stream(fabric, 1, 400);
  if (buffer >= round_trip) {
    expect_period(arrived, 1, 1);
  } else {
    expect_period(arrived, buffer, round_trip);
  }
}

INSTANTIATE_TEST_SUITE_P(Router, CreditLoop,
                         testing::Values(RoundTrip{2, 1}, RoundTrip{2, 2}, RoundTrip{2, 4}, RoundTrip{2, 6},
                                         RoundTrip{2, 7}, RoundTrip{2, 8}, RoundTrip{0, 1}, RoundTrip{0, 4},
                                         RoundTrip{0, 5}, RoundTrip{6, 8}, RoundTrip{6, 10}, RoundTrip{6, 11}),
                         [](const auto& point) {
                           return "delay_" + std::to_string(point.param.credit_delay) + "_buffer_" +
                                  std::to_string(point.param.buffer_flits);
                         });

// A head needs one cycle more in the next router: S, S + 3, S' = S + 4, S' + 2, + credit_delay 2 = S + 8.
TEST(CreditLoop, a_head_takes_one_cycle_more) { expect_period(stream(row(3, 1), 200, 1), 1, 8); }

// The same with the longer link both ways: 5 + 2 + 2 * (20 - 1) = 45 for body flits.
TEST(CreditLoop, link_latency_counts_twice) {
  FabricSpec fabric = row(3, 9);
  fabric.link.latency_cycles = 20;
  expect_period(stream(fabric, 1, 600), 9, 45);
}

// The source uses a credit in S' + 2 and its flits reach the router two cycles after they are sent: with one slot a
// body flit sent in I leaves the buffer in I + 2, so that the next goes in I + 4.
TEST(CreditLoop, of_the_source_is_four_cycles) {
  FabricSpec fabric = row(1, 1);
  fabric.router.credit_delay = 0;  // ejection: S, arrival S + 3, credit S + 5: a round trip of 5
  expect_period(stream(fabric, 1, 200), 1, 5);
  RegionHarness harness(row(1, 2));
  harness.send(kFirst, kFirst, 3);
  harness.run_empty();
  const std::vector<Arrived>& arrived = harness.arrived(kFirst);
  // Head sent in 0, in the router in 2, switch in 3; its credit is at the source in 5. The third flit goes then, is in
  // the router in 7, has its credit (head: arrival 6, credit 8, usable 10) and leaves in 10.
  ASSERT_EQ(arrived.size(), 3u);
  EXPECT_EQ(arrived[0].at, 6u);
  EXPECT_EQ(arrived[1].at, 7u);
  EXPECT_EQ(arrived[2].at, 13u);
}

// A tail in S lets the next head of its VC win the switch in S + 2: P flits take P + 1 cycles.
TEST(PacketBoundary, leaves_one_bubble_per_packet_and_vc) {
  for (const std::uint32_t flits : {1U, 2U, 5U, 8U}) {
    expect_period(stream(row(3, 16), 200, flits), flits, flits + 1);
  }
}

TEST(PacketBoundary, routing_delay_widens_the_bubble) {
  FabricSpec fabric = row(3, 16);
  fabric.router.routing_delay = 1;
  expect_period(stream(fabric, 100, 5), 5, 7);
}

// Packets that alternate between two VCs hide the bubble: the head of the second VC has done its VC allocation while
// the first packet was sent.
TEST(PacketBoundary, of_another_vc_leaves_no_bubble) {
  FabricSpec fabric = row(3, 16);
  fabric.router.vcs = 2;
  RegionHarness harness(fabric);
  for (int i = 0; i < 60; ++i) harness.send(kFirst, NodeId{2}, 5, i % 2);
  harness.run_empty();
  expect_period(harness.arrived(NodeId{2}), 1, 1);
}

// Two inputs of the middle router want its only VC to the east. Both heads ask in the same cycle; the loser asks again
// in S + 1 of the winner's tail and wins the switch in S + 2: one bubble at the output.
TEST(PacketBoundary, a_freed_vc_serves_another_input_after_one_bubble) {
  RegionHarness harness(row(3, 8));
  harness.send(NodeId{0}, NodeId{2}, 5, 0, 0);  // in the middle router from cycle 6 on
  harness.send(NodeId{1}, NodeId{2}, 5, 0, 4);  // as well: 4 + 2
  harness.run_empty();
  const std::vector<Arrived>& arrived = harness.arrived(NodeId{2});
  ASSERT_EQ(arrived.size(), 10u);
  // The first packet: asks in 6, switch in 7 to 11, next router from 10 on, switch there 11 to 15, out in 14 to 18.
  for (Cycle i = 0; i < 5; ++i) {
    EXPECT_EQ(arrived[i].at, 14 + i);
    EXPECT_EQ(arrived[i].src, arrived[0].src);
  }
  // Its tail leaves the middle router in 11; the second head asks in 12, has the switch in 13: out from 20 on.
  for (Cycle i = 0; i < 5; ++i) {
    EXPECT_EQ(arrived[5 + i].at, 20 + i);
    EXPECT_NE(arrived[5 + i].src, arrived[0].src);
  }
}

// The freed VC of `tail_credit` waits for the tail's credit: tail switched in S, a one-flit packet's S' = S + 4, credit
// usable in S + 8; the next head asks then and has the switch in S + 9.
TEST(VcReuse, tail_credit_waits_for_the_round_trip) {
  FabricSpec fabric = row(3, 8);
  fabric.router.vc_reuse = VcReuse::kTailCredit;
  expect_period(stream(fabric, 150, 1), 1, 9);
}

// The head's extra cycle in the next router holds up all flits behind it, so that S' = S + 4 for the tail, too: 4 + 9
// cycles for five flits.
TEST(VcReuse, tail_credit_of_a_longer_packet) {
  FabricSpec fabric = row(3, 8);
  fabric.router.vc_reuse = VcReuse::kTailCredit;
  expect_period(stream(fabric, 60, 5), 5, 13);
}

/// Arrival times, counted from the first, of one packet of 8 flits through two routers, where it gathers behind its
/// head for `routing_delay` cycles.
std::vector<Cycle> gathered(Rational link, Rational local, Cycle routing_delay) {
  FabricSpec fabric = row(2, 16);
  fabric.router.routing_delay = routing_delay;
  fabric.link.flits_per_cycle = link;
  fabric.local.flits_per_cycle = local;
  RegionHarness harness(fabric);
  harness.send(kFirst, NodeId{1}, 8);
  harness.run_empty();
  std::vector<Cycle> times;
  for (const Arrived& flit : harness.arrived(NodeId{1})) times.push_back(flit.at - harness.arrived(NodeId{1})[0].at);
  return times;
}

// The buffers behind a link of one flit per cycle deliver one flit per cycle, though the way out could take two.
TEST(WideLinks, an_input_delivers_what_its_link_can_carry) {
  EXPECT_EQ(gathered({1, 1}, {2, 1}, 6), (std::vector<Cycle>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// With two flits per cycle everywhere the flits that have gathered leave in pairs.
TEST(WideLinks, two_flits_per_cycle_leave_in_pairs) {
  EXPECT_EQ(gathered({2, 1}, {2, 1}, 6), (std::vector<Cycle>{0, 0, 1, 1, 2, 2, 3, 3}));
}

// Two flits in three cycles: flits start at the first edge at or after every 1.5 cycles, 0 2 3 5 6 8 9 11. The head
// waits one cycle more in the second router, so that the others come one cycle closer to it.
TEST(WideLinks, a_fraction_keeps_its_rate_exactly) {
  EXPECT_EQ(gathered({2, 3}, {1, 1}, 0), (std::vector<Cycle>{0, 1, 2, 4, 5, 7, 8, 10}));
}

// A VC may be given away while it has no credit: the second packet's head gets the VC one cycle after the first tail
// and waits there for the credit of slot one, not for a VC.
TEST(VcReuse, tail_sent_allocates_without_credit) {
  // One slot: the credit loop of heads alone, 8 cycles; VC allocation after the credit would make it 9.
  expect_period(stream(row(4, 1), 150, 1), 1, 8);
}

}  // namespace
}  // namespace weft::router
