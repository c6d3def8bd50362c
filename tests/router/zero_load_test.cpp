// SPDX-License-Identifier: Apache-2.0
// Latency of a packet that meets nobody, for every pair of nodes, against the closed form: with H routers on the way
// and P flits, head sent to tail received takes 4 H + 1 + P cycles, and one cycle per router more or less for each
// delay.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/router/support/region_harness.h"

namespace weft::router {
namespace {

using test::Arrived;
using test::RegionHarness;

FabricSpec mesh(int size_x, int size_y) {
  FabricSpec fabric;
  fabric.kind = FabricKind::kMesh;
  fabric.size_x = size_x;
  fabric.size_y = size_y;
  fabric.routing = "xy";
  return fabric;
}

FabricSpec torus(int size_x, int size_y) {
  FabricSpec fabric = mesh(size_x, size_y);
  fabric.kind = FabricKind::kTorus;
  fabric.routing = "dimension_order";
  return fabric;
}

int along(int from, int to, int size, bool wraps) {
  const int straight = std::abs(to - from);
  return wraps ? std::min(straight, size - straight) : straight;
}

/// Routers on the shortest way, both ends included.
Cycle routers_between(const FabricSpec& fabric, int src, int dst) {
  const bool wraps = fabric.kind == FabricKind::kTorus;
  const int x = along(src % fabric.size_x, dst % fabric.size_x, fabric.size_x, wraps);
  const int y = along(src / fabric.size_x, dst / fabric.size_x, fabric.size_y, wraps);
  return static_cast<Cycle>(x + y + 1);
}

bool turns(const FabricSpec& fabric, int src, int dst) {
  return src % fabric.size_x != dst % fabric.size_x && src / fabric.size_x != dst / fabric.size_x;
}

/// Cycles from the head's sending to the tail's arrival of one packet in an empty fabric.
Cycle latency(const FabricSpec& fabric, int src, int dst, std::uint32_t flits) {
  RegionHarness harness(fabric);
  const auto from = static_cast<NodeId>(src);
  const auto to = static_cast<NodeId>(dst);
  harness.send(from, to, flits, 0, 10);
  harness.run_empty();
  const std::vector<Arrived>& arrived = harness.arrived(to);
  EXPECT_EQ(arrived.size(), flits);
  EXPECT_EQ(harness.sent(from, 0), 10u);
  return arrived.back().at - harness.sent(from, 0);
}

/// Checks every pair against per_router * H + 1 + P + per_turn * (does it turn).
void expect_all_pairs(const FabricSpec& fabric, Cycle per_router, Cycle per_turn = 0) {
  const int nodes = fabric.size_x * fabric.size_y;
  for (const std::uint32_t flits : {1U, 5U}) {
    for (int src = 0; src < nodes; ++src) {
      for (int dst = 0; dst < nodes; ++dst) {
        const Cycle turn = turns(fabric, src, dst) ? per_turn : 0;
        EXPECT_EQ(latency(fabric, src, dst, flits), per_router * routers_between(fabric, src, dst) + 1 + flits + turn)
            << src << " to " << dst << ", " << flits << " flits";
      }
    }
  }
}

TEST(ZeroLoad, ref4_on_a_mesh) { expect_all_pairs(mesh(4, 4), 4); }
TEST(ZeroLoad, ref4_on_a_torus) { expect_all_pairs(torus(5, 3), 4); }

TEST(ZeroLoad, routing_delay_costs_a_cycle_per_router) {
  for (FabricSpec fabric : {mesh(4, 4), torus(5, 3)}) {
    fabric.router.routing_delay = 1;
    expect_all_pairs(fabric, 5);
  }
}

TEST(ZeroLoad, speculation_saves_a_cycle_per_router) {
  for (FabricSpec fabric : {mesh(4, 4), torus(5, 3)}) {
    fabric.router.speculative = true;
    expect_all_pairs(fabric, 3);
  }
}

TEST(ZeroLoad, every_other_delay_counts_once_per_router) {
  FabricSpec fabric = mesh(3, 2);
  fabric.router.vc_alloc_delay = 3;  // + 2
  expect_all_pairs(fabric, 6);
  fabric = mesh(3, 2);
  fabric.router.switch_alloc_delay = 2;  // + 1
  expect_all_pairs(fabric, 5);
  fabric = mesh(3, 2);
  fabric.router.traversal_delay = 3;  // + 2
  expect_all_pairs(fabric, 6);
}

TEST(ZeroLoad, a_turn_costs_its_cycles_once) {
  FabricSpec fabric = mesh(3, 3);
  fabric.router.turn_cycles = 2;
  expect_all_pairs(fabric, 4, 2);
}

// H - 1 links of latency L, two local links of latency 1: 4 H + 1 + P + (H - 1)(L - 1).
TEST(ZeroLoad, links_add_their_latency) {
  FabricSpec fabric = mesh(4, 1);
  fabric.link.latency_cycles = 20;
  for (int dst = 0; dst < 4; ++dst) {
    const Cycle hops = static_cast<Cycle>(dst);
    EXPECT_EQ(latency(fabric, 0, dst, 5), 4 * (hops + 1) + 1 + 5 + hops * 19) << dst;
  }
  fabric.local.latency_cycles = 3;
  EXPECT_EQ(latency(fabric, 0, 3, 5), 4u * 4 + 1 + 5 + 3 * 19 + 2 * 2);
}

// A stream moves at one flit per cycle through buffers that cover the round trip.
TEST(ZeroLoad, the_flits_of_a_packet_follow_each_other) {
  RegionHarness harness(mesh(4, 1));
  harness.send(NodeId{0}, NodeId{3}, 40);
  harness.run_empty();
  const std::vector<Arrived>& arrived = harness.arrived(NodeId{3});
  ASSERT_EQ(arrived.size(), 40u);
  for (std::size_t i = 0; i < arrived.size(); ++i) EXPECT_EQ(arrived[i].at, arrived[0].at + i);
}

}  // namespace
}  // namespace weft::router
