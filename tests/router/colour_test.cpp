// SPDX-License-Identifier: Apache-2.0
// Set-up routes: time per hop and turn, copies, turns of messages, sharing of links, merging, and what is refused.
// Times follow from the contract of ColourPlane; the harness takes 1 + local latency = 2 cycles into the first router.
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "router/colour/colour_plane.h"
#include "tests/router/support/region_harness.h"

namespace weft::router {
namespace {

using test::Arrived;
using test::Execution;
using test::RegionHarness;

constexpr std::uint8_t kE = 1U << 0;
constexpr std::uint8_t kW = 1U << 1;
constexpr std::uint8_t kN = 1U << 2;
constexpr std::uint8_t kS = 1U << 3;
constexpr std::uint8_t kL = 1U << 4;
constexpr int kColour0 = kFirstColourVc;
constexpr int kColour1 = kFirstColourVc + 1;

/// Builds plans in the words of a test: node, colour, positions.
class Plan {
 public:
  Plan& stop(std::uint32_t node, std::uint8_t colour, const std::vector<ColourPosition>& positions) {
    stops_[{node, colour}] = positions;
    return *this;
  }
  ColourPlan make() const {
    ColourPlan plan;
    for (const auto& [key, positions] : stops_) {
      plan.stops.push_back({NodeId{key.first}, key.second, static_cast<std::uint32_t>(plan.positions.size()),
                            static_cast<std::uint32_t>(positions.size())});
      plan.positions.insert(plan.positions.end(), positions.begin(), positions.end());
    }
    return plan;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<ColourPosition>> stops_;
};

ColourPosition pass(std::uint8_t input, std::uint8_t outputs, std::uint32_t messages = 1) {
  return {input, outputs, false, messages};
}
ColourPosition merge(std::uint8_t inputs, std::uint8_t output) { return {inputs, output, true, 1}; }

FabricSpec row(int size_x, int size_y = 1) {
  FabricSpec fabric;
  fabric.size_x = size_x;
  fabric.size_y = size_y;
  fabric.router.colours = 2;
  return fabric;
}

std::vector<Cycle> times(RegionHarness& harness, std::uint32_t node) {
  std::vector<Cycle> all;
  for (const Arrived& flit : harness.arrived(NodeId{node})) all.push_back(flit.at);
  return all;
}

TEST(ColourPlane, a_hop_takes_the_latency_of_its_link_and_nothing_else) {
  const ColourPlan plan =
      Plan().stop(0, 0, {pass(kL, kE)}).stop(1, 0, {pass(kW, kE)}).stop(2, 0, {pass(kW, kL)}).make();
  for (const Cycle latency : {1, 5}) {
    for (const Cycle extra : {0, 3}) {
      FabricSpec fabric = row(3);
      fabric.link.latency_cycles = latency;
      fabric.router.hop_cycles = extra;
      RegionHarness harness(fabric, {true, 0, 1, &plan});
      harness.send(NodeId{0}, NodeId{2}, 4, kColour0);
      harness.run_empty();
      const Cycle first = 2 + 2 * (latency + extra) + 1;
      EXPECT_EQ(times(harness, 2), (std::vector<Cycle>{first, first + 1, first + 2, first + 3}));
    }
  }
}

TEST(ColourPlane, a_turn_costs_its_cycles_once_and_does_not_slow_the_stream) {
  // (0,0) east, then north to (1,1).
  const ColourPlan plan =
      Plan().stop(0, 0, {pass(kL, kE)}).stop(1, 0, {pass(kW, kN)}).stop(3, 0, {pass(kS, kL)}).make();
  FabricSpec fabric = row(2, 2);
  fabric.router.turn_cycles = 20;
  fabric.router.buffer_flits = 32;
  RegionHarness harness(fabric, {true, 0, 1, &plan});
  harness.send(NodeId{0}, NodeId{3}, 40, kColour0);
  harness.run_empty();
  const std::vector<Cycle> found = times(harness, 3);
  ASSERT_EQ(found.size(), 40U);
  EXPECT_EQ(found.front(), 2U + 1 + 20 + 1 + 1);
  EXPECT_EQ(found.back(), found.front() + 39);
}

TEST(ColourPlane, copies_that_go_straight_on_do_not_wait_for_those_that_turn) {
  // From (0,0) to all of a 3x3: along the row, and from each of its routers up the column.
  Plan plan;
  for (std::uint32_t x = 0; x < 3; ++x) {
    const std::uint8_t from = x > 0 ? kW : kL;
    const auto on = static_cast<std::uint8_t>(x < 2 ? kE : 0);
    plan.stop(x, 0, {pass(from, static_cast<std::uint8_t>(kN | kL | on))});
    plan.stop(3 + x, 0, {pass(kS, kN | kL)});
    plan.stop(6 + x, 0, {pass(kS, kL)});
  }
  const ColourPlan made = plan.make();
  FabricSpec fabric = row(3, 3);
  fabric.router.turn_cycles = 20;
  fabric.router.buffer_flits = 32;
  RegionHarness harness(fabric, {true, 0, 1, &made});
  harness.send(NodeId{0}, NodeId{0}, 5, kColour0);
  harness.run_empty();
  for (std::uint32_t y = 0; y < 3; ++y) {
    for (std::uint32_t x = 0; x < 3; ++x) {
      const std::vector<Cycle> found = times(harness, y * 3 + x);
      const Cycle first = 2 + x + y + 1 + (x > 0 && y > 0 ? 20 : 0);
      EXPECT_EQ(found, (std::vector<Cycle>{first, first + 1, first + 2, first + 3, first + 4})) << x << ", " << y;
    }
  }
}

TEST(ColourPlane, copies_go_to_all_outputs_in_one_cycle) {
  // Node 1 of 3 sends to both sides and to itself back.
  const ColourPlan plan =
      Plan().stop(1, 0, {pass(kL, kE | kW | kL)}).stop(0, 0, {pass(kE, kL)}).stop(2, 0, {pass(kW, kL)}).make();
  RegionHarness harness(row(3), {true, 0, 1, &plan});
  harness.send(NodeId{1}, NodeId{0}, 3, kColour0);
  harness.run_empty();
  EXPECT_EQ(times(harness, 1), (std::vector<Cycle>{3, 4, 5}));
  EXPECT_EQ(times(harness, 0), (std::vector<Cycle>{4, 5, 6}));
  EXPECT_EQ(times(harness, 2), (std::vector<Cycle>{4, 5, 6}));
  for (const std::uint32_t node : {0, 1, 2}) {
    EXPECT_TRUE(harness.arrived(NodeId{node}).front().head);
    EXPECT_TRUE(harness.arrived(NodeId{node}).back().tail);
  }
}

TEST(ColourPlane, messages_take_turns_at_switching_points) {
  // All send to node 0: each router lets its own message pass first, then what comes from the east.
  const ColourPlan plan = Plan()
                              .stop(0, 0, {pass(kE, kL, 3)})
                              .stop(1, 0, {pass(kL, kW), pass(kE, kW, 2)})
                              .stop(2, 0, {pass(kL, kW), pass(kE, kW, 1)})
                              .stop(3, 0, {pass(kL, kW)})
                              .make();
  RegionHarness harness(row(4), {true, 0, 1, &plan});
  for (const std::uint32_t node : {1, 2, 3}) harness.send(NodeId{node}, NodeId{0}, 10, kColour0);
  harness.run_empty();
  const std::vector<Cycle> found = times(harness, 0);
  ASSERT_EQ(found.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(found[i], 4 + i) << "the last link must never be idle";
    EXPECT_EQ(index(harness.arrived(NodeId{0})[i].src), 1 + i / 10);
  }
}

TEST(ColourPlane, positions_start_again_after_the_last) {
  const ColourPlan plan =
      Plan().stop(0, 0, {pass(kE, kL, 2)}).stop(1, 0, {pass(kL, kW), pass(kE, kW)}).stop(2, 0, {pass(kL, kW)}).make();
  RegionHarness harness(row(3), {true, 0, 1, &plan});
  for (int round = 0; round < 3; ++round) {
    harness.send(NodeId{1}, NodeId{0}, 2, kColour0);
    harness.send(NodeId{2}, NodeId{0}, 2, kColour0);
  }
  harness.run_empty();
  const auto& arrived = harness.arrived(NodeId{0});
  ASSERT_EQ(arrived.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(index(arrived[i].src), i / 2 % 2 == 0 ? 1U : 2U);
}

TEST(ColourPlane, colours_share_a_link_flit_by_flit) {
  Plan plan;
  for (const std::uint8_t colour : {std::uint8_t{0}, std::uint8_t{1}}) {
    plan.stop(1, colour, {colour == 0 ? pass(kL, kW) : pass(kE, kW)}).stop(0, colour, {pass(kE, kL)});
  }
  const ColourPlan made = plan.stop(2, 1, {pass(kL, kW)}).make();
  RegionHarness harness(row(3), {true, 0, 1, &made});
  harness.send(NodeId{1}, NodeId{0}, 20, kColour0);
  harness.send(NodeId{2}, NodeId{0}, 20, kColour1);
  harness.run_empty();
  const auto& arrived = harness.arrived(NodeId{0});
  ASSERT_EQ(arrived.size(), 40U);
  EXPECT_EQ(arrived.back().at - arrived.front().at, 39U) << "a shared link must not be idle";
  for (std::size_t i = 2; i < 36; ++i) EXPECT_NE(arrived[i].src, arrived[i + 1].src) << "flit " << i;
}

TEST(ColourPlane, vcs_wait_for_colours_and_lose_nothing) {
  const ColourPlan plan = Plan().stop(1, 0, {pass(kL, kW)}).stop(0, 0, {pass(kE, kL)}).make();
  RegionHarness harness(row(3), {true, 0, 1, &plan});
  harness.send(NodeId{2}, NodeId{0}, 20, 0);
  harness.send(NodeId{1}, NodeId{0}, 50, kColour0);
  harness.run_empty();
  std::vector<Cycle> coloured;
  std::size_t others = 0;
  for (const Arrived& flit : harness.arrived(NodeId{0})) {
    if (is_colour(flit.vc)) coloured.push_back(flit.at);
    if (!is_colour(flit.vc)) ++others;
  }
  ASSERT_EQ(coloured.size(), 50U);
  EXPECT_EQ(others, 20U);
  EXPECT_EQ(coloured.back() - coloured.front(), 49U);
}

TEST(ColourPlane, two_flows_merge_to_one_flit_per_cycle) {
  const ColourPlan plan = Plan().stop(1, 0, {pass(kL, kW)}).stop(0, 0, {merge(kE | kL, kL)}).make();
  for (const Cycle latency : {1, 4}) {
    FabricSpec fabric = row(2);
    fabric.router.merge_cycles = latency;
    RegionHarness harness(fabric, {true, 0, 1, &plan});
    harness.send(NodeId{0}, NodeId{0}, 30, kColour0);
    harness.send(NodeId{1}, NodeId{0}, 30, kColour0);
    harness.run_empty();
    const std::vector<Cycle> found = times(harness, 0);
    ASSERT_EQ(found.size(), 30U) << "two operands make one result";
    EXPECT_EQ(found.front(), 3 + latency + 1);
    EXPECT_EQ(found.back(), found.front() + 29);
  }
}

TEST(ColourPlane, three_flows_take_two_cycles_for_each_result) {
  const ColourPlan plan =
      Plan().stop(1, 0, {merge(kE | kW | kL, kL)}).stop(0, 0, {pass(kL, kE)}).stop(2, 0, {pass(kL, kW)}).make();
  FabricSpec fabric = row(3);
  RegionHarness harness(fabric, {true, 0, 1, &plan});
  for (const std::uint32_t node : {0, 1, 2}) harness.send(NodeId{node}, NodeId{1}, 30, kColour0);
  harness.run_empty();
  const std::vector<Cycle> found = times(harness, 1);
  ASSERT_EQ(found.size(), 30U);
  EXPECT_EQ(found.front(), 3U + 2 * 1 + 1) << "two merges, one behind the other";
  EXPECT_EQ(found.back() - found.front(), 29U * 2);
}

// Node 2 lets its own message pass before what comes from the west. Its flit is at the router in cycle 32, those of
// node 1 from cycle 3 on: so long its output waits for the turn. Node 1 has sent all places full by then, and the copy
// to itself waits with the one to the east.
TEST(ColourPlane, stalls_are_turns_and_credits_of_all_copies) {
  const ColourPlan plan = Plan().stop(1, 0, {pass(kL, kE | kL)}).stop(2, 0, {pass(kL, kL), pass(kW, kL)}).make();
  const FabricSpec fabric = row(3);
  RegionHarness harness(fabric, {true, 0, 1, &plan});
  const auto places = static_cast<std::size_t>(fabric.router.buffer_flits);
  harness.send(NodeId{1}, NodeId{2}, static_cast<std::uint32_t>(places) + 5, kColour0);
  harness.send(NodeId{2}, NodeId{2}, 1, kColour0, 30);
  harness.run_empty();
  EXPECT_EQ(harness.link_values(NodeId{2}, kLocal).count(LinkQuantity::kLostArbitration), 29U);
  EXPECT_EQ(harness.link_values(NodeId{2}, kLocal).count(LinkQuantity::kNoCredit), 0U);
  const std::vector<Cycle> copies = times(harness, 1);
  const Cycle gap = copies[places] - copies[places - 1] - 1;
  EXPECT_GT(gap, 20U);
  for (const PortId port : {kEast, kLocal}) {
    EXPECT_EQ(harness.link_values(NodeId{1}, port).count(LinkQuantity::kNoCredit), gap) << index(port);
    EXPECT_EQ(harness.link_values(NodeId{1}, port).count(LinkQuantity::kLostArbitration), 0U) << index(port);
  }
}

// The flit of node 0 is at its router in cycle 2, that of node 1 in cycle 10 + 3.
TEST(ColourPlane, a_merge_waits_for_its_other_operand) {
  const ColourPlan plan = Plan().stop(1, 0, {pass(kL, kW)}).stop(0, 0, {merge(kE | kL, kL)}).make();
  RegionHarness harness(row(2), {true, 0, 1, &plan});
  harness.send(NodeId{0}, NodeId{0}, 1, kColour0);
  harness.send(NodeId{1}, NodeId{0}, 1, kColour0, 10);
  harness.run_empty();
  EXPECT_EQ(harness.link_values(NodeId{0}, kLocal).count(LinkQuantity::kWaitingOperand), 11U);
  EXPECT_EQ(harness.link_values(NodeId{0}, kLocal).count(LinkQuantity::kLostArbitration), 0U);
}

// Two streams of 20 flits share the link to the west, which is never idle; one of them is copied to the east, where
// nothing goes in the cycles that the other one takes.
TEST(ColourPlane, copies_lose_together) {
  const ColourPlan plan = Plan()
                              .stop(0, 0, {pass(kE, kL)})
                              .stop(1, 0, {pass(kL, kE | kW)})
                              .stop(2, 0, {pass(kW, kL)})
                              .stop(0, 1, {pass(kE, kL)})
                              .stop(1, 1, {pass(kE, kW)})
                              .stop(2, 1, {pass(kL, kW)})
                              .make();
  RegionHarness harness(row(3), {true, 0, 1, &plan});
  harness.send(NodeId{1}, NodeId{0}, 20, kColour0);
  harness.send(NodeId{2}, NodeId{0}, 20, kColour1);
  harness.run_empty();
  const std::vector<Cycle> copies = times(harness, 2);
  ASSERT_EQ(copies.size(), 20U);
  const Cycle gaps = copies.back() - copies.front() + 1 - 20;
  EXPECT_GE(gaps, 18U);
  EXPECT_EQ(harness.link_values(NodeId{1}, kEast).count(LinkQuantity::kLostArbitration), gaps);
  EXPECT_EQ(harness.link_values(NodeId{1}, kWest).count(LinkQuantity::kLostArbitration), 0U);
}

TEST(ColourPlane, results_do_not_depend_on_cut_or_order) {
  // A column of merges towards (0,0), fed by rows, and a broadcast back on the other colour.
  Plan plan;
  for (std::uint32_t y = 0; y < 4; ++y) {
    for (std::uint32_t x = 0; x < 3; ++x) {
      std::uint8_t inputs = kL;
      if (x < 2) inputs |= kE;
      if (x == 0 && y < 3) inputs |= kN;
      const std::uint8_t up = static_cast<std::uint8_t>(x > 0 ? kW : y > 0 ? kS : kL);
      plan.stop(y * 3 + x, 0, {inputs == kL ? pass(kL, up) : merge(inputs, up)});
      std::uint8_t down = kL;
      if (x < 2) down |= kE;
      if (x == 0 && y < 3) down |= kN;
      plan.stop(y * 3 + x, 1, {pass(x > 0 ? kW : y > 0 ? kS : kL, down)});
    }
  }
  const ColourPlan made = plan.make();
  std::map<int, std::vector<std::vector<Cycle>>> all;
  std::map<int, std::uint64_t> hashes;
  for (const int parts : {1, 2, 4}) {
    RegionHarness harness(row(3, 4), {true, parts == 2 ? 77U : 0U, parts, &made});
    for (std::uint32_t node = 0; node < 12; ++node) harness.send(NodeId{node}, NodeId{0}, 9, kColour0);
    harness.send(NodeId{0}, NodeId{0}, 9, kColour1, 5);
    harness.run_to(14);
    hashes[parts] = harness.state_hash();
    harness.run_empty();
    for (std::uint32_t node = 0; node < 12; ++node) all[parts].push_back(times(harness, node));
  }
  EXPECT_EQ(all[1], all[2]);
  EXPECT_EQ(all[1], all[4]);
  EXPECT_EQ(hashes[1], hashes[2]);
  EXPECT_EQ(hashes[1], hashes[4]);
  EXPECT_EQ(all[1][0].size(), 18U);
  EXPECT_EQ(all[1][11].size(), 9U);
}

std::string refusal(const ColourPlan& plan, const FabricSpec& fabric) {
  try {
    check_colour_plan(plan, fabric);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ColourPlan, is_refused_where_it_cannot_work_bad) {
  const FabricSpec fabric = row(2);
  EXPECT_EQ(refusal(Plan().stop(0, 0, {pass(kL, kE)}).stop(1, 0, {pass(kW, kL)}).make(), fabric), "accepted");
  EXPECT_EQ(refusal(Plan().stop(0, 2, {pass(kL, kL)}).make(), fabric),
            "colour 2 at router [0,0]: the routers have colours 0 to 1: fabric.router.colours is 2");
  EXPECT_EQ(refusal(Plan().stop(0, 0, {pass(kL, kW)}).make(), fabric),
            "colour 0 at router [0,0]: the route leaves the wafer by west");
  EXPECT_EQ(refusal(Plan().stop(0, 0, {pass(kL, kE)}).make(), fabric),
            "colour 0 at router [0,0]: router [1,0] has no route for what comes from here");
  EXPECT_EQ(refusal(Plan().stop(0, 0, {pass(kL, kE)}).stop(1, 0, {pass(kW, kW)}).make(), fabric),
            "colour 0 at router [1,0]: the route goes back to where it comes from, west");
  EXPECT_EQ(refusal(Plan().stop(0, 0, {{kL | kE, kL, false, 1}}).make(), fabric),
            "colour 0 at router [0,0]: two inputs at once that are not merged");
  FabricSpec wide = fabric;
  wide.link.flits_per_cycle = {2, 1};
  EXPECT_NE(refusal(Plan().stop(0, 0, {pass(kL, kL)}).make(), wide).find("exactly one flit per cycle, found 2"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::router
