// SPDX-License-Identifier: Apache-2.0
// Phases of training as flows between nodes, and the search for a placement without conflicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "switch/fabric/flow_compiler.h"
#include "switch/fabric/placement_search.h"
#include "switch/fabric/training_flows.h"

namespace weft::fred {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<NodeId> nodes(std::initializer_list<std::uint32_t> numbers) {
  std::vector<NodeId> list;
  for (const std::uint32_t number : numbers) list.push_back(NodeId{number});
  return list;
}

std::vector<NodeId> in_order(int count) {
  std::vector<NodeId> list;
  for (int i = 0; i < count; ++i) list.push_back(NodeId{static_cast<std::uint32_t>(i)});
  return list;
}

/// One switch with these NPUs.
FabricSpec one_switch(int npus, int m) {
  FabricSpec fabric;
  fabric.kind = FabricKind::kFred;
  fabric.size_x = npus;
  fabric.size_y = 1;
  fabric.flit_bytes = 32;
  fabric.fred.m = m;
  fabric.fred.levels.resize(1);
  fabric.fred.levels[0].ports = npus;
  return fabric;
}

// 12 ranks = MP 2 x PP 3 x DP 2; rank = mp + 2 (pp + 3 dp).
TEST(TrainingFlows, mp_first_then_pp_then_dp) {
  const std::vector<FabricPhase> phases = training_flows({2, 3, 2}, in_order(12));
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].name, "mp");
  ASSERT_EQ(phases[0].flows.size(), 6u);
  EXPECT_EQ(phases[0].flows[1].inputs, nodes({2, 3}));
  EXPECT_EQ(phases[0].flows[1].outputs, nodes({2, 3}));
  EXPECT_EQ(phases[1].name, "pp");
  ASSERT_EQ(phases[1].flows.size(), 8u);  // two of the three stages send
  EXPECT_EQ(phases[1].flows[0].inputs, nodes({0}));
  EXPECT_EQ(phases[1].flows[0].outputs, nodes({2}));
  EXPECT_EQ(phases[1].flows[7].inputs, nodes({9}));
  EXPECT_EQ(phases[1].flows[7].outputs, nodes({11}));
  EXPECT_EQ(phases[2].name, "dp");
  ASSERT_EQ(phases[2].flows.size(), 6u);
  EXPECT_EQ(phases[2].flows[5].inputs, nodes({5, 11}));
}

TEST(TrainingFlows, follow_the_placement) {
  const std::vector<FabricPhase> phases = training_flows({2, 1, 2}, nodes({7, 1, 4, 0}));
  ASSERT_EQ(phases.size(), 2u);  // no pipeline
  EXPECT_EQ(phases[0].flows[0].inputs, nodes({1, 7}));
  EXPECT_EQ(phases[0].flows[1].inputs, nodes({0, 4}));
  EXPECT_EQ(phases[1].flows[0].inputs, nodes({4, 7}));
}

TEST(TrainingFlows, ways_that_are_not_the_ranks_bad) {
  try {
    training_flows({2, 2, 2}, in_order(12));
    FAIL() << "8 ranks were found among 12";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "parallelism MP 2 x PP 2 x DP 2 is 8 ranks, but 12 are placed; legal: ways whose product "
                 "is 12");
  }
  EXPECT_THROW(training_flows({0, 1, 1}, {}), InputError);
  EXPECT_THROW(training_flows({1 << 30, 1 << 30, 16}, in_order(12)), InputError);
}

/// The four groups that conflict on Fred_3(12) and route with m = 4.
const std::vector<NodeId>& four_groups() {
  static const std::vector<NodeId> placement = nodes({0, 2, 4, 1, 6, 8, 3, 7, 10, 5, 9, 11});
  return placement;
}

TEST(PlacementSearch, leaves_a_placement_without_conflicts_as_it_is) {
  const FredTopology topology(one_switch(12, 3), 4);
  EXPECT_EQ(count_conflicts(topology, training_flows({3, 1, 4}, in_order(12))), 0u);
  EXPECT_EQ(search_placement(topology, {3, 1, 4}, in_order(12), 10), in_order(12));
  const FredTopology more(one_switch(12, 4), 4);
  EXPECT_EQ(search_placement(more, {3, 1, 4}, four_groups(), 10), four_groups());
}

TEST(PlacementSearch, finds_a_placement_for_groups_that_conflict) {
  const FredTopology topology(one_switch(12, 3), 4);
  EXPECT_EQ(count_conflicts(topology, training_flows({3, 1, 4}, four_groups())), 1u);
  const auto found = search_placement(topology, {3, 1, 4}, four_groups(), 1000);
  ASSERT_TRUE(found.has_value());
  EXPECT_NE(*found, four_groups());
  EXPECT_TRUE(std::is_permutation(found->begin(), found->end(), four_groups().begin()));
  EXPECT_EQ(count_conflicts(topology, training_flows({3, 1, 4}, *found)), 0u);
  EXPECT_EQ(search_placement(topology, {3, 1, 4}, four_groups(), 0), std::nullopt);
}

// Ranks 0 and 1, and 2 and 3, have to share an L1 switch with one uplink. NPUs 1 and 5 are free.
TEST(PlacementSearch, moves_ranks_to_free_npus) {
  FabricSpec fabric;
  fabric.kind = FabricKind::kFred;
  fabric.size_x = 2;
  fabric.size_y = 3;
  fabric.flit_bytes = 16;
  fabric.fred.levels.resize(2);
  for (FredLevelSpec& level : fabric.fred.levels) level.buffer_flits = 16;
  fabric.fred.levels[0].groups = 3;
  fabric.fred.levels[0].uplinks = 1;
  const FredTopology topology(fabric, 4);
  const auto phases = [](const std::vector<NodeId>& at) {
    const auto pair = [&](int a, int b) {
      std::vector<NodeId> both = {at[static_cast<std::size_t>(a)], at[static_cast<std::size_t>(b)]};
      std::sort(both.begin(), both.end());
      return FabricFlow{both, both};
    };
    return std::vector<FabricPhase>{{"pairs", {pair(0, 1), pair(2, 3)}}};
  };
  const std::vector<NodeId> start = nodes({0, 2, 3, 4});  // both pairs need the uplink of NPUs 2 and 3
  EXPECT_EQ(count_conflicts(topology, phases(start)), 1u);
  const auto found = search_placement(topology, phases, start, 1000);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 4u);
  EXPECT_EQ(count_conflicts(topology, phases(*found)), 0u);
  EXPECT_TRUE(
      std::any_of(found->begin(), found->end(), [](NodeId node) { return node == NodeId{1} || node == NodeId{5}; }));
}

TEST(FlowName, says_who_gives_and_who_gets) {
  EXPECT_EQ(name_of(FabricFlow{nodes({0, 3}), nodes({0, 3})}), "{0,3}");
  EXPECT_EQ(name_of(FabricFlow{nodes({0, 3}), nodes({3})}), "{0,3}->{3}");
}

/// The pairs of NPUs 0 and n, each a phase of its own.
std::vector<FabricFlow> pair_with(std::uint32_t n) {
  const std::vector<NodeId> nodes{NodeId{0}, NodeId{n}};
  return {{nodes, nodes}};
}

TEST(FlowCompiler, threads_that_ask_in_any_order_are_told_the_same_numbers) {
  const FredTopology topology(one_switch(20, 3), 4);
  FlowCompiler compiler(topology, "serialize");
  constexpr std::uint32_t kNpus = 20;
  constexpr std::uint32_t kThreads = 4;
  std::vector<std::vector<std::uint32_t>> numbers(kThreads, std::vector<std::uint32_t>(kNpus));
  std::vector<std::vector<std::string>> names(kThreads, std::vector<std::string>(kNpus));
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < kNpus - 1; ++i) {
        const std::uint32_t npu = 1 + (i + t * 5) % (kNpus - 1);
        numbers[t][npu] = compiler.number_of(pair_with(npu), 0);
        const CompiledFlow& flow = compiler.flow(numbers[t][npu]);
        names[t][npu] = flow.name + (compiler.setting(flow.stripes.front()).flows.empty() ? " nowhere" : "");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiler.flows(), kNpus - 1);
  for (std::uint32_t npu = 1; npu < kNpus; ++npu) {
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      EXPECT_EQ(numbers[t][npu], numbers[0][npu]);
      EXPECT_EQ(names[t][npu], "{0," + std::to_string(npu) + "}");
    }
  }
}

constexpr std::uint32_t kUplinks = 4;

/// Two L1 switches of four NPUs, one plane, four uplinks each of 1/8 flit per cycle, eight I/O controllers whose lines
/// have `line` flits per cycle.
FabricSpec two_switches(Rational line) {
  FabricSpec fabric = one_switch(8, 3);
  fabric.fred.levels.resize(2);
  fabric.fred.levels[0].groups = 2;
  fabric.fred.levels[0].ports = 12;
  fabric.fred.levels[0].uplinks = kUplinks;
  fabric.fred.levels[0].uplink_rate = {1, 8};
  fabric.fred.levels[1].groups = 1;
  fabric.fred.levels[1].ports = 8;
  fabric.io.controllers = 8;
  fabric.io.rate = line;
  return fabric;
}

/// Ports of the first L1 switch by which the stripes of flow `which` of a phase go up.
std::vector<std::uint32_t> ports_up(FlowCompiler& compiler, const FredTopology& topology,
                                    const std::vector<FabricFlow>& phase, std::size_t which = 0) {
  std::vector<std::uint32_t> ports;
  const std::uint32_t l1 = topology.position(topology.chiplet({0, 0, 0, 0}));
  const auto first_uplink = static_cast<std::uint32_t>(topology.chiplets()[topology.chiplet_at(l1, 0)].down_ports);
  const CompiledFlow& flow = compiler.flow(compiler.number_of(phase, which));
  for (const std::uint32_t stripe : flow.stripes) {
    for (const Flow& part : compiler.setting(stripe).flows[l1]) {
      if (part.name != flow.name) continue;
      for (const PortId output : part.outputs) {
        const std::uint32_t uplink = index(output) - first_uplink;
        if (uplink < kUplinks) ports.push_back(uplink);  // the ports of I/O controllers come behind
      }
    }
  }
  return ports;
}

// An NPU's link has one flit per cycle, so that all uplinks together carry half of it.
TEST(FlowCompiler, flows_of_npus_have_stripes_over_all_slow_uplinks) {
  const FredTopology topology(two_switches({1, 8}), 4);
  FlowCompiler compiler(topology, "serialize");
  EXPECT_THAT(ports_up(compiler, topology, {{in_order(8), in_order(8)}}), ElementsAre(0, 1, 2, 3));
}

// A line of 1/8 flit per cycle fills one uplink. NPUs 0 to 7 come before the controllers, of which the last four are at
// the second switch: what is summed for them goes up from the first one.
TEST(FlowCompiler, sums_for_io_controllers_take_one_uplink_after_the_other) {
  const FredTopology topology(two_switches({1, 8}), 4);
  FlowCompiler compiler(topology, "serialize");
  std::vector<std::uint32_t> first;
  for (std::uint32_t controller = 4; controller < 8; ++controller) {
    const std::vector<std::uint32_t> up = ports_up(compiler, topology, {{in_order(8), {NodeId{8 + controller}}}});
    ASSERT_EQ(up.size(), 1u);
    first.push_back(up.front());
  }
  EXPECT_THAT(first, ElementsAre(0, 1, 2, 3));
}

// 3/16 of a flit per cycle need two uplinks of 1/8; loads come from the controller, stores go to it.
TEST(FlowCompiler, a_line_faster_than_an_uplink_takes_two) {
  const FredTopology topology(two_switches({3, 16}), 4);
  FlowCompiler compiler(topology, "serialize");
  EXPECT_THAT(ports_up(compiler, topology, {{{NodeId{8}}, in_order(8)}}), ElementsAre(0, 1));
  EXPECT_THAT(ports_up(compiler, topology, {{{NodeId{9}}, in_order(8)}}), ElementsAre(2, 3));
  EXPECT_THAT(ports_up(compiler, topology, {{in_order(8), {NodeId{9}}}}), ElementsAre(2, 3));
}

// Two groups meet in both switches, so that each needs an uplink of its own. The phases of controllers 4 and 5, the
// first ones at the second switch, and of 5 and 6 begin with uplinks 4 * 2 % 4 and 5 * 2 % 4.
TEST(FlowCompiler, groups_that_store_at_once_take_uplinks_beside_each_other) {
  const FredTopology topology(two_switches({1, 8}), 4);
  FlowCompiler compiler(topology, "serialize");
  const std::vector<NodeId> one = nodes({0, 1, 4, 5});
  const std::vector<NodeId> other = nodes({2, 3, 6, 7});
  for (const std::uint32_t controller : {4U, 5U}) {
    const std::vector<FabricFlow> phase{{one, {NodeId{8 + controller}}}, {other, {NodeId{9 + controller}}}};
    const std::uint32_t first = controller == 4 ? 0 : 2;
    EXPECT_THAT(ports_up(compiler, topology, phase, 0), ElementsAre(first)) << controller;
    EXPECT_THAT(ports_up(compiler, topology, phase, 1), ElementsAre(first + 1)) << controller;
  }
}

// A line that is faster than an NPU's link gives no more than that.
TEST(FlowCompiler, a_fast_line_needs_what_the_npus_need) {
  const FredTopology topology(two_switches({2, 1}), 4);
  FlowCompiler compiler(topology, "serialize");
  EXPECT_THAT(ports_up(compiler, topology, {{{NodeId{9}}, in_order(8)}}), ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace weft::fred
