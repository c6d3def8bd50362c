// SPDX-License-Identifier: Apache-2.0
// Multicast through VCs: who gets a copy, when copies go on, and that nothing is lost or stuck when many trees cross
// each other and unicast packets.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tests/router/support/region_harness.h"

namespace weft::router {
namespace {

using test::all_arrivals;
using test::Arrived;
using test::Flits;
using test::RegionHarness;

/// The tree from `sender` to `receivers`, each reached along x first: a plain walk along every way.
std::vector<MulticastBranch> tree_to(const Grid& grid, NodeId sender, const std::set<std::uint32_t>& receivers) {
  std::map<std::uint32_t, std::uint8_t> outputs;
  for (const std::uint32_t receiver : receivers) {
    Coordinates at = grid.coordinates(sender);
    const Coordinates to = grid.coordinates(NodeId{receiver});
    while (at.x != to.x || at.y != to.y) {
      const std::uint32_t here = index(grid.node(at));
      PortId port = kEast;
      if (at.x != to.x) {
        port = to.x > at.x ? kEast : kWest;
        at.x += to.x > at.x ? 1 : -1;
      } else {
        port = to.y > at.y ? kNorth : kSouth;
        at.y += to.y > at.y ? 1 : -1;
      }
      outputs[here] = static_cast<std::uint8_t>(outputs[here] | 1U << index(port));
    }
    outputs[receiver] = static_cast<std::uint8_t>(outputs[receiver] | 1U << index(kLocal));
  }
  std::vector<MulticastBranch> branches;
  for (const auto& [node, ports] : outputs) branches.push_back({NodeId{node}, ports});
  return branches;
}

FabricSpec mesh(int size_x, int size_y) {
  FabricSpec fabric;
  fabric.size_x = size_x;
  fabric.size_y = size_y;
  return fabric;
}

TEST(Multicast, every_receiver_gets_each_flit_once_at_zero_load_time) {
  const FabricSpec fabric = mesh(4, 3);
  const Grid grid(fabric);
  const std::set<std::uint32_t> receivers{0, 3, 6, 10};
  MulticastPlan plan;
  plan.trees[NodeId{5}] = tree_to(grid, NodeId{5}, receivers);
  RegionHarness harness(fabric, {true, 0, 1, nullptr, &plan});
  harness.send_multicast(NodeId{5}, 3);
  RegionHarness alone(fabric);
  harness.run_empty();
  for (std::uint32_t node = 0; node < 12; ++node) {
    EXPECT_EQ(harness.arrived(NodeId{node}).size(), receivers.count(node) * 3) << node;
  }
  // A copy is no slower than a packet of its own.
  for (const std::uint32_t receiver : receivers) {
    RegionHarness unicast(fabric);
    unicast.send(NodeId{5}, NodeId{receiver}, 3);
    unicast.run_empty();
    EXPECT_EQ(harness.arrived(NodeId{receiver}).front().at, unicast.arrived(NodeId{receiver}).front().at) << receiver;
    EXPECT_EQ(harness.arrived(NodeId{receiver}).back().at, unicast.arrived(NodeId{receiver}).back().at) << receiver;
  }
}

TEST(Multicast, a_busy_branch_does_not_hold_up_another) {
  // From the middle of a row to both ends; long packets keep the way west busy.
  FabricSpec fabric = mesh(5, 1);
  fabric.router.vcs = 1;
  const Grid grid(fabric);
  MulticastPlan plan;
  plan.trees[NodeId{2}] = tree_to(grid, NodeId{2}, {0, 4});
  RegionHarness harness(fabric, {true, 0, 1, nullptr, &plan});
  for (int i = 0; i < 10; ++i) harness.send(NodeId{1}, NodeId{0}, 30);
  harness.send_multicast(NodeId{2}, 8, 0, 20);
  harness.run_empty();
  RegionHarness alone(fabric);
  alone.send(NodeId{2}, NodeId{4}, 8, 0, 20);
  alone.run_empty();
  EXPECT_EQ(harness.arrived(NodeId{4}).back().at, alone.arrived(NodeId{4}).back().at);
  const auto& west = harness.arrived(NodeId{0});
  const auto last = std::find_if(west.rbegin(), west.rend(), [](const Arrived& flit) { return index(flit.src) == 2; });
  EXPECT_GT(last->at, harness.arrived(NodeId{4}).back().at);
}

// Heads wait so long that all of their packets lies in the buffer: then copies go as fast as packets of their own, by
// links of 3/2 flits per cycle, and 2 per cycle from them into a wider port.
TEST(Multicast, copies_fill_links_of_several_flits_per_cycle) {
  FabricSpec fabric = mesh(4, 1);
  fabric.link.flits_per_cycle = {3, 2};
  fabric.local.flits_per_cycle = {6, 1};
  fabric.router.buffer_flits = 24;
  fabric.router.routing_delay = 30;
  MulticastPlan plan;
  plan.trees[NodeId{0}] = tree_to(Grid(fabric), NodeId{0}, {1, 2, 3});
  RegionHarness harness(fabric, {true, 0, 1, nullptr, &plan});
  harness.send_multicast(NodeId{0}, 24);
  harness.run_empty();
  for (const std::uint32_t node : {1U, 2U, 3U}) {
    RegionHarness unicast(fabric);
    unicast.send(NodeId{0}, NodeId{node}, 24);
    unicast.run_empty();
    const auto& flits = harness.arrived(NodeId{node});
    ASSERT_EQ(flits.size(), 24U);
    EXPECT_EQ(flits.front().at, unicast.arrived(NodeId{node}).front().at) << node;
    EXPECT_EQ(flits.back().at, unicast.arrived(NodeId{node}).back().at) << node;
    EXPECT_EQ(flits.back().at - flits.front().at, 11U) << node;
  }
}

// The first packet takes all credits of two long links. The second one is routed in a cycle and gets its VCs in one
// more; in all other cycles in which the links are idle its copies wait for credits.
TEST(Multicast, copies_without_credits_stall_their_links) {
  FabricSpec fabric = mesh(2, 2);
  fabric.router.vcs = 1;
  fabric.router.routing_delay = 1;
  fabric.router.buffer_flits = 8;
  fabric.link.latency_cycles = 20;
  MulticastPlan plan;
  plan.trees[NodeId{0}] = tree_to(Grid(fabric), NodeId{0}, {1, 2});
  RegionHarness harness(fabric, {true, 0, 1, nullptr, &plan});
  for (int i = 0; i < 2; ++i) harness.send_multicast(NodeId{0}, 8);
  harness.run_empty();
  for (const auto& [node, port] : {std::pair{NodeId{1}, kEast}, std::pair{NodeId{2}, kNorth}}) {
    const auto& flits = harness.arrived(node);
    ASSERT_EQ(flits.size(), 16U);
    const Cycle idle = flits[8].at - flits[7].at - 1;
    EXPECT_GT(idle, 20U);
    const LinkValues link = harness.link_values(NodeId{0}, port);
    EXPECT_EQ(link.count(LinkQuantity::kNoCredit), idle - 2);
    EXPECT_EQ(link.count(LinkQuantity::kLostArbitration), 0U);
  }
}

// Packets of eight flits come from both sides at a flit in four cycles, and one of them gets the only VC north. Its
// head leaves two cycles after it has come, a cycle after it has got the VC, and all others leave when they come. The
// other packet waits in the cycle in which the VC is given, one cycle behind the head, and three behind each of six
// flits.
TEST(Multicast, a_copy_without_a_vc_stalls_an_idle_link) {
  FabricSpec fabric = mesh(3, 2);
  fabric.router.vcs = 1;
  fabric.router.routing_delay = 1;
  fabric.router.buffer_flits = 16;
  fabric.link_y = fabric.link;
  fabric.link.flits_per_cycle = {1, 4};
  MulticastPlan plan;
  for (const std::uint32_t sender : {0U, 2U})
    plan.trees[NodeId{sender}] = tree_to(Grid(fabric), NodeId{sender}, {1, 4});
  RegionHarness harness(fabric, {true, 0, 1, nullptr, &plan});
  harness.send_multicast(NodeId{0}, 8);
  harness.send_multicast(NodeId{2}, 8);
  harness.run_empty();
  EXPECT_EQ(harness.arrived(NodeId{4}).size(), 16U);
  const LinkValues north = harness.link_values(NodeId{1}, kNorth);
  EXPECT_EQ(north.count(LinkQuantity::kLostArbitration), 1U + 1U + 6U * 3U);
  EXPECT_EQ(north.count(LinkQuantity::kNoCredit), 0U);
}

// Two senders at the ends of a row: what both bring fills the port in the middle.
TEST(Multicast, copies_of_several_packets_leave_by_one_wide_port_in_one_cycle) {
  FabricSpec fabric = mesh(3, 1);
  fabric.link.flits_per_cycle = {2, 1};
  fabric.local.flits_per_cycle = {4, 1};
  fabric.router.buffer_flits = 16;
  fabric.router.routing_delay = 30;
  MulticastPlan plan;
  plan.trees[NodeId{0}] = tree_to(Grid(fabric), NodeId{0}, {1, 2});
  plan.trees[NodeId{2}] = tree_to(Grid(fabric), NodeId{2}, {0, 1});
  RegionHarness harness(fabric, {true, 0, 1, nullptr, &plan});
  harness.send_multicast(NodeId{0}, 16);
  harness.send_multicast(NodeId{2}, 16);
  harness.run_empty();
  const auto& flits = harness.arrived(NodeId{1});
  ASSERT_EQ(flits.size(), 32U);
  EXPECT_EQ(flits.back().at - flits.front().at, 7U);  // 32 flits, 4 in each cycle
}

// Trees of two message classes may leave one sender by different ways, through VCs of their own.
TEST(Multicast, a_sender_has_a_tree_for_each_message_class) {
  FabricSpec fabric = mesh(3, 3);
  fabric.router.vcs = 2;
  const Grid grid(fabric);
  MulticastPlan plan;
  plan.trees[{NodeId{4}, 0}] = tree_to(grid, NodeId{4}, {0, 1});
  plan.trees[{NodeId{4}, 1}] = tree_to(grid, NodeId{4}, {7, 8});
  RegionHarness harness(fabric, {true, 0, 1, nullptr, &plan, 2});
  harness.send_multicast(NodeId{4}, 3, 0, 0, 0);
  harness.send_multicast(NodeId{4}, 5, 1, 0, 1);
  harness.run_empty();
  for (std::uint32_t node = 0; node < 9; ++node) {
    const std::size_t flits = node < 2 ? 3 : node > 6 ? 5 : 0;
    ASSERT_EQ(harness.arrived(NodeId{node}).size(), flits) << node;
    for (const Arrived& flit : harness.arrived(NodeId{node})) EXPECT_EQ(index(flit.vc), node < 2 ? 0 : 1);
  }
}

RC_GTEST_PROP(Multicast, crossing_trees_lose_nothing_and_never_stick, ()) {
  FabricSpec fabric = mesh(*rc::gen::inRange(2, 6), *rc::gen::inRange(2, 6));
  fabric.router.vcs = *rc::gen::inRange(1, 5);
  fabric.router.buffer_flits = *rc::gen::inRange(1, 7);
  fabric.router.vc_reuse = *rc::gen::element(VcReuse::kTailSent, VcReuse::kTailCredit);
  fabric.router.speculative = *rc::gen::arbitrary<bool>();
  fabric.router.routing_delay = *rc::gen::inRange<Cycle>(0, 3);
  fabric.router.turn_cycles = *rc::gen::inRange<Cycle>(0, 3);
  fabric.link.flits_per_cycle = *rc::gen::element(Rational{1, 1}, Rational{2, 1}, Rational{2, 3});
  const Grid grid(fabric);
  const auto nodes = static_cast<std::uint32_t>(fabric.nodes());
  MulticastPlan plan;
  std::map<std::uint32_t, std::set<std::uint32_t>> receivers;
  for (std::uint32_t sender = 0; sender < nodes; ++sender) {
    const auto chosen = *rc::gen::container<std::vector<std::uint32_t>>(3, rc::gen::inRange<std::uint32_t>(0, nodes));
    receivers[sender] = {chosen.begin(), chosen.end()};
    plan.trees[NodeId{sender}] = tree_to(grid, NodeId{sender}, receivers[sender]);
  }
  struct Sent {
    std::uint32_t src;
    std::uint32_t dst;  // nodes = along the tree
    std::uint32_t flits;
    int vc;
    Cycle start;
  };
  std::vector<Sent> packets;
  const int count = *rc::gen::inRange(1, 80);
  for (int i = 0; i < count; ++i) {
    packets.push_back({*rc::gen::inRange<std::uint32_t>(0, nodes), *rc::gen::inRange<std::uint32_t>(0, 2 * nodes),
                       *rc::gen::inRange<std::uint32_t>(1, static_cast<std::uint32_t>(fabric.router.buffer_flits) + 1),
                       *rc::gen::inRange(0, fabric.router.vcs), *rc::gen::inRange<Cycle>(0, 40)});
  }
  std::vector<Flits> results;
  std::vector<std::uint64_t> hashes;
  for (const test::Execution& execution :
       {test::Execution{true, 0, 1, nullptr, &plan}, test::Execution{true, 99, 2, nullptr, &plan}}) {
    RegionHarness harness(fabric, execution);
    for (const Sent& sent : packets) {
      if (sent.dst < nodes) {
        harness.send(NodeId{sent.src}, NodeId{sent.dst}, sent.flits, sent.vc, sent.start);
      } else {
        harness.send_multicast(NodeId{sent.src}, sent.flits, sent.vc, sent.start);
      }
    }
    harness.run_to(30);
    hashes.push_back(harness.state_hash());
    harness.run_empty(20'000);
    results.push_back(all_arrivals(harness, fabric.nodes()));
  }
  RC_ASSERT(results[0] == results[1]);
  RC_ASSERT(hashes[0] == hashes[1]);
  std::map<std::uint32_t, std::uint64_t> expected;
  for (const Sent& sent : packets) {
    if (sent.dst < nodes) expected[sent.dst] += sent.flits;
    if (sent.dst >= nodes) {
      for (const std::uint32_t receiver : receivers[sent.src]) expected[receiver] += sent.flits;
    }
  }
  std::map<std::uint32_t, std::uint64_t> found;
  std::set<std::pair<std::uint32_t, Cycle>> taken;
  for (const auto& flit : results[0]) {
    ++found[std::get<0>(flit)];
    const bool fresh = taken.insert({std::get<0>(flit), std::get<6>(flit)}).second;
    RC_ASSERT(fresh);  // local links carry one flit per cycle
  }
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace weft::router
