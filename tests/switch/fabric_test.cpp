// SPDX-License-Identifier: Apache-2.0
// Levels of switches: latency by hand, the order of additions, phases over two levels, striping, conflicts, memory.
//
// Two L1 switches Fred_3(5) (3 nodes, 2 uplinks; 5 stages) below two L2 chiplets Fred_3(2) (1 stage). Node links take 1
// + 3 cycles, uplinks 1 + 7. A packet that arrives in cycle t starts in t + 1, after one cycle of reconfiguration where
// another setting was active, and leaves `stages` cycles later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/switch/support/fabric_bench.h"

namespace weft::fred {
namespace {

using test::FabricBench;
using test::ToSend;
using ::testing::HasSubstr;

constexpr std::size_t kFabricElements = 32;  ///< elements per packet: four flits

FabricSpec fabric_of() {
  FabricSpec spec;
  spec.kind = FabricKind::kFred;
  spec.size_x = 3;
  spec.size_y = 2;
  spec.flit_bytes = 32;
  spec.local = {{1, 1}, 3};
  FredLevelSpec low;
  low.groups = 2;
  low.uplinks = 2;
  low.uplink_latency_cycles = 7;
  spec.fred.levels = {low, FredLevelSpec{}};
  return spec;
}

FabricParameters parameters_of(bool values, DataType type = DataType::kInt32) {
  FabricParameters parameters;
  parameters.packet_bytes = 128;
  parameters.values = values;
  parameters.format = {type, false};
  return parameters;
}

FabricFlow all_of(const std::vector<std::uint32_t>& nodes) {
  FabricFlow flow;
  for (const std::uint32_t node : nodes) flow.inputs.push_back(NodeId{node});
  flow.outputs = flow.inputs;
  return flow;
}

ToSend packet_of(std::uint32_t flow, TrafficClass traffic_class, std::uint64_t offset, Cycle not_before = 0) {
  return {flow, 0, traffic_class, offset, std::vector<std::int32_t>(kFabricElements, 1), not_before};
}

ToSend unicast_to(std::uint32_t dst) {
  return {kNoFlow, dst, TrafficClass::kPp, 0, std::vector<std::int32_t>(8, 1), 0};
}

TEST(FredFabric, unicasts_by_hand) {
  FabricBench near(fabric_of(), parameters_of(false));
  near.send(0, unicast_to(1));
  // Sent in 1, at the switch in 5, starts in 7, leaves in 12, arrives in 16.
  EXPECT_EQ(near.run(1000), 16U);
  near.require_empty();
  FabricBench far(fabric_of(), parameters_of(false));
  far.send(0, unicast_to(3));
  // L2 in 12 + 8 = 20, starts in 22, leaves in 23; L1 in 31, starts in 33, leaves in 38.
  EXPECT_EQ(far.run(1000), 42U);
  far.require_empty();
}

TEST(FredFabric, all_reduce_over_two_levels_by_hand) {
  FabricBench bench(fabric_of(), parameters_of(false));
  const std::uint32_t flow = bench.fabric.compiler().number_of({all_of({0, 1, 2, 3, 4, 5})}, 0);
  for (std::uint32_t node = 0; node < 6; ++node) {
    bench.send(node, {flow, 0, TrafficClass::kDp, 0, std::vector<std::int32_t>(8, 1), 0});
  }
  // As the unicast, but on its way down it finds its setting active.
  EXPECT_EQ(bench.run(1000), 41U);
  bench.require_empty();
}

/// What has one input is copied in the first switch, too: near nodes get it as a near unicast, and nothing comes back
/// over the link that it went up.
TEST(FredFabric, multicast_is_copied_on_its_way_up) {
  FabricBench bench(fabric_of(), parameters_of(false));
  FabricFlow multicast;
  multicast.inputs = {NodeId{0}};
  multicast.outputs = all_of({1, 2, 3, 4, 5}).inputs;
  const std::uint32_t flow = bench.fabric.compiler().number_of({multicast}, 0);
  bench.send(0, {flow, 0, TrafficClass::kPp, 0, std::vector<std::int32_t>(8, 1), 0});
  EXPECT_EQ(bench.run(1000), 42U);
  bench.require_empty();
  for (const std::uint32_t near : {1U, 2U}) EXPECT_EQ(bench.received(near).at(0).at, 16U);
  for (const std::uint32_t far : {3U, 4U, 5U}) EXPECT_EQ(bench.received(far).at(0).at, 42U);
  EXPECT_EQ(bench.fabric.counters(0, 0).packets, 0U);  // to its sender
  EXPECT_EQ(bench.fabric.counters(2, 0).packets, 0U);  // L2 to the sender's switch
  EXPECT_EQ(bench.fabric.counters(2, 1).packets, 1U);
}

/// (1 + 2^24) - 2^24 = 0 in FP32; L1[1] gives 5; in any other order it would be 6.
TEST(FredFabric, adds_as_the_tree_does) {
  FabricBench bench(fabric_of(), parameters_of(true, DataType::kFp32));
  const std::uint32_t flow = bench.fabric.compiler().number_of({all_of({0, 1, 2, 3, 4, 5})}, 0);
  const float values[] = {1.0F, 16777216.0F, -16777216.0F, 0.0F, 0.0F, 5.0F};
  for (std::uint32_t node = 0; node < 6; ++node) {
    std::int32_t bits = 0;
    std::memcpy(&bits, &values[node], 4);
    bench.send(node, {flow, 0, TrafficClass::kDp, 0, std::vector<std::int32_t>(kFabricElements, bits), 0});
  }
  bench.run(1000);
  bench.require_empty();
  EXPECT_EQ(bench.reads, 6U);
  for (std::uint32_t node = 0; node < 6; ++node) {
    ASSERT_EQ(bench.received(node).size(), 1U);
    float sum = 0;
    std::memcpy(&sum, bench.received(node)[0].data.data(), 4);
    EXPECT_EQ(sum, 5.0F) << "node " << node;
    EXPECT_EQ(bench.received(node)[0].data, std::vector<std::int32_t>(kFabricElements, bench.received(0)[0].data[0]));
  }
}

/// The higher phase goes over two levels and lacks node 5's operand until cycle 500; the lower one stays below L1[0].
TEST(FredFabric, a_phase_without_an_operand_yields_over_two_levels) {
  FabricBench bench(fabric_of(), parameters_of(false));
  const std::uint32_t mp = bench.fabric.compiler().number_of({all_of({0, 1, 2, 3, 4, 5})}, 0);
  const std::uint32_t dp = bench.fabric.compiler().number_of({all_of({0, 1})}, 0);
  for (std::uint32_t node = 0; node < 6; ++node) {
    bench.send(node, packet_of(mp, TrafficClass::kMp, 0, node == 5 ? 500 : 0));
    for (std::uint64_t i = 0; node < 2 && i < 10; ++i) bench.send(node, packet_of(dp, TrafficClass::kDp, i * 128));
  }
  bench.run(2000);
  bench.require_empty();
  for (std::uint32_t node = 0; node < 6; ++node) {
    for (const test::Received& got : bench.received(node)) {
      EXPECT_EQ(got.at >= 500, got.flow == mp) << "node " << node << ", flow " << got.flow << " in " << got.at;
    }
  }
  EXPECT_EQ(bench.received(0).size(), 11U);
}

/// Node 5 gives no credits of the higher phase back until cycle 3000: its packets fill all buffers on their way, and
/// the lower phase, over the same two levels, goes on.
TEST(FredFabric, a_phase_without_credits_yields_over_two_levels) {
  FabricBench bench(fabric_of(), parameters_of(false));
  bench.hold(5, TrafficClass::kMp, 3000);
  const std::uint32_t all = bench.fabric.compiler().number_of({all_of({0, 1, 2, 3, 4, 5})}, 0);
  constexpr std::uint64_t kPackets = 40;
  for (std::uint32_t node = 0; node < 6; ++node) {
    for (std::uint64_t i = 0; i < kPackets; ++i) {
      bench.send(node, packet_of(all, i % 2 == 0 ? TrafficClass::kMp : TrafficClass::kDp, i * 128));
    }
  }
  bench.run(20000);
  bench.require_empty();
  // 64 flits of buffer at node 5, at both switches and before them: more than 16 packets of MP go before it stops.
  for (std::uint32_t node = 0; node < 6; ++node) {
    ASSERT_EQ(bench.received(node).size(), kPackets);
    std::uint64_t late_dp = 0;
    for (const test::Received& got : bench.received(node))
      late_dp += got.offset / 128 % 2 == 1 && got.at >= 3000 ? 1 : 0;
    EXPECT_EQ(late_dp, 0U) << "node " << node;
  }
}

/// A flow of a higher phase comes in the middle of a long one of a lower phase and overtakes it.
TEST(FredFabric, a_higher_phase_preempts_over_two_levels) {
  const auto arrival = [](TrafficClass traffic_class) {
    FabricBench bench(fabric_of(), parameters_of(false));
    const std::uint32_t dp = bench.fabric.compiler().number_of({all_of({0, 1, 2, 3, 4, 5})}, 0);
    const std::uint32_t other = bench.fabric.compiler().number_of({all_of({0, 3})}, 0);
    // Node 4 starts late, so that packets of DP pile up in front of it; those of nodes 0 and 3 are all under way.
    for (std::uint32_t node = 0; node < 6; ++node) {
      for (std::uint64_t i = 0; i < 10; ++i)
        bench.send(node, packet_of(dp, TrafficClass::kDp, i * 128, node == 4 ? 200 : 0));
    }
    for (const std::uint32_t node : {0U, 3U}) bench.send(node, packet_of(other, traffic_class, 0));
    bench.run(5000);
    bench.require_empty();
    for (const test::Received& got : bench.received(0)) {
      if (got.flow == other) return got.at;
    }
    return Cycle{0};
  };
  EXPECT_LT(arrival(TrafficClass::kMp), 200U);
  EXPECT_GT(arrival(TrafficClass::kPp), 0U);
  EXPECT_GT(arrival(TrafficClass::kDp), 200U + 10 * 4);  // in one traffic class it stands behind them
}

/// Packets on each uplink of the first L1 switch, where `count` of its nodes send 12 each to the node at the same port
/// of the other L1 switch.
std::vector<std::uint64_t> packets_up(const FabricSpec& spec, std::uint32_t count) {
  FabricBench bench(spec, parameters_of(false));
  const auto below = static_cast<std::uint32_t>(spec.size_x);
  for (std::uint32_t i = 0; i < 12; ++i) {
    for (std::uint32_t node = 0; node < count; ++node) bench.send(node, unicast_to(node + below));
  }
  bench.run(5000);
  bench.require_empty();
  return {bench.fabric.counters(0, below).packets, bench.fabric.counters(0, below + 1).packets};
}

TEST(FredFabric, unicasts_to_a_node_keep_to_the_uplink_of_its_port) {
  EXPECT_EQ(packets_up(fabric_of(), 1), (std::vector<std::uint64_t>{12, 0}));
  // Ports 0 and 2 go by uplink 0 and port 1 by uplink 1.
  EXPECT_EQ(packets_up(fabric_of(), 3), (std::vector<std::uint64_t>{24, 12}));
}

/// L1 switches with two nodes each, below two switches of the middle level and one above, all links at full rate.
FabricSpec three_levels_of(int groups) {
  FabricSpec spec = fabric_of();
  spec.size_x = 2;
  spec.size_y = groups;
  FredLevelSpec low = spec.fred.levels[0];
  low.groups = groups;
  FredLevelSpec middle = low;
  middle.groups = 2;
  spec.fred.levels = {low, middle, FredLevelSpec{}};
  return spec;
}

/// Each node below the first middle switch sends 12 packets to the node at the same place below the other one.
TEST(FredFabric, above_the_lowest_level_the_group_tells_uplinks_apart) {
  FabricSpec spec = three_levels_of(8);
  spec.fred.levels[1].ports = 10;  // one chiplet with both uplinks of its four children
  FabricBench bench(spec, parameters_of(false));
  const FredTopology& topology = bench.fabric.topology();
  // Nodes 8 and 9 are below L1 switch 4, which is an even number, and 10 and 11 below 5: port 0 or 1 plus the group.
  EXPECT_EQ(topology.uplink_to(1, 8), 0U);
  EXPECT_EQ(topology.uplink_to(1, 9), 1U);
  EXPECT_EQ(topology.uplink_to(1, 10), 1U);
  EXPECT_EQ(topology.uplink_to(1, 11), 0U);
  for (std::uint32_t node = 0; node < 8; ++node) {
    for (std::uint32_t i = 0; i < 12; ++i) bench.send(node, unicast_to(node + 8));
  }
  bench.run(5000);
  bench.require_empty();
  for (std::uint32_t node = 8; node < 16; ++node) EXPECT_EQ(bench.received(node).size(), 12U);
}

TEST(FredFabric, unicasts_take_uplinks_in_turn_where_one_is_slower_than_an_npu) {
  FabricSpec spec = fabric_of();
  spec.fred.levels[0].uplink_rate = {1, 2};
  EXPECT_EQ(packets_up(spec, 1), (std::vector<std::uint64_t>{6, 6}));
}

TEST(FredFabric, a_flow_is_striped_over_slow_uplinks) {
  FabricSpec spec = fabric_of();
  spec.fred.levels[0].uplink_rate = {1, 2};
  spec.fred.control = FredControl::kSeveralPhases;  // the stripes of packets that go up and come down are side by side
  FabricBench bench(spec, parameters_of(false));
  const std::uint32_t flow = bench.fabric.compiler().number_of({all_of({0, 1, 2, 3, 4, 5})}, 0);
  EXPECT_EQ(bench.fabric.compiler().flow(flow).stripes.size(), 2U);
  for (std::uint32_t node = 0; node < 6; ++node) {
    for (std::uint64_t i = 0; i < 40; ++i) bench.send(node, packet_of(flow, TrafficClass::kDp, i * 128));
  }
  const Cycle end = bench.run(5000);
  bench.require_empty();
  for (const std::uint32_t uplink : {3U, 4U}) {
    EXPECT_EQ(bench.fabric.counters(0, uplink).packets, 20U);
    EXPECT_EQ(bench.fabric.counters(0, uplink).flits, 80U);
  }
  // 20 packets of 4 flits and a header of 6 of 32 bytes at half a flit per cycle: 167.5 cycles the way, whole packets
  // at both ends of slow links, and changes: 90 at most. One uplink would take 335.
  EXPECT_GE(end, 167U);
  EXPECT_LE(end, 167U + 90);
}

/// Four groups of two below two of two below one: wafers joined by slow links are one level more.
TEST(FredFabric, three_levels_add_up) {
  FabricSpec spec = three_levels_of(4);
  spec.fred.levels[1].uplink_latency_cycles = 50;
  spec.fred.levels[1].uplink_rate = {1, 4};
  FabricBench bench(spec, parameters_of(true));
  const std::uint32_t flow = bench.fabric.compiler().number_of({all_of({0, 1, 2, 3, 4, 5, 6, 7})}, 0);
  for (std::uint32_t node = 0; node < 8; ++node) {
    for (std::uint64_t i = 0; i < 12; ++i) {
      bench.send(node, {flow, 0, TrafficClass::kDp, i * 128,
                        std::vector<std::int32_t>(kFabricElements, static_cast<std::int32_t>(1U << node)), 0});
    }
    for (std::uint32_t dst = 0; dst < 8; ++dst) bench.send(node, unicast_to(dst));
  }
  bench.run(20000);
  bench.require_empty();
  for (std::uint32_t node = 0; node < 8; ++node) {
    EXPECT_EQ(bench.received(node).size(), 12U + 8);
    for (const test::Received& got : bench.received(node)) {
      if (got.flow == flow) {
        EXPECT_EQ(got.data, std::vector<std::int32_t>(kFabricElements, 255));
      }
    }
  }
}

/// What is visited, and when, changes nothing.
TEST(FredFabric, sleep_changes_no_cycle_and_no_state) {
  std::vector<std::pair<Cycle, std::uint64_t>> results;
  for (const bool sleep : {true, false}) {
    FabricParameters parameters = parameters_of(false);
    parameters.sleep = sleep;
    FabricBench bench(fabric_of(), parameters);
    const std::uint32_t flow = bench.fabric.compiler().number_of({all_of({0, 2, 4})}, 0);
    for (std::uint32_t node = 0; node < 6; ++node) {
      for (std::uint64_t i = 0; i < 20; ++i) {
        if (node % 2 == 0) bench.send(node, packet_of(flow, TrafficClass::kDp, i * 128, i * (10 + node)));
        bench.send(node, unicast_to(static_cast<std::uint32_t>((node + i) % 6)));
      }
    }
    const Cycle last = bench.run(20000);
    std::uint64_t hash = 0;
    for (std::uint32_t node = 0; node < 6; ++node) {
      for (const test::Received& got : bench.received(node)) hash = mix64(hash ^ (got.at << 8 | got.src));
    }
    results.emplace_back(last, hash);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(FredFabric, flows_that_share_a_node_bad) {
  FabricBench bench(fabric_of(), parameters_of(false));
  EXPECT_THROW(bench.fabric.compiler().number_of({all_of({0, 1}), all_of({1, 2})}, 0), InputError);
  EXPECT_THROW(bench.fabric.compiler().number_of({all_of({0, 6})}, 0), InputError);
}

/// Three flows cross from one L1 switch to the other, which has two uplinks.
TEST(FredFabric, conflicts_are_answered_as_asked) {
  const std::vector<FabricFlow> flows{all_of({0, 3}), all_of({1, 4}), all_of({2, 5})};
  FabricSpec spec = fabric_of();
  FredFabric serial(spec, parameters_of(false));
  const CompiledPhase& phase = serial.compiler().compile(flows);
  EXPECT_EQ(phase.conflicts.size(), 1U);
  EXPECT_NE(serial.compiler().flow(phase.numbers[0]).stripes, serial.compiler().flow(phase.numbers[2]).stripes);
  spec.fred.conflict = "decompose";
  FredFabric endpoints(spec, parameters_of(false));
  EXPECT_EQ(endpoints.compiler().compile(flows).numbers[2], kNoFlow);
  for (const char* answer : {"refuse", "replace"}) {
    spec.fred.conflict = answer;
    FredFabric strict(spec, parameters_of(false));
    try {
      strict.compiler().compile(flows);
      FAIL() << "taken";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("fabric.conflict: ") + answer));
      EXPECT_THAT(error.what(), HasSubstr("2 ways up"));
    }
  }
}

TEST(FredFabric, a_factory_makes_each_chiplet_once_by_name_and_model) {
  FabricSpec spec = fabric_of();
  spec.fred.planes = 2;
  spec.fred.levels[0].model = "of this level";
  spec.fred.model = "of all";
  std::vector<std::string> made;
  FabricParameters parameters = parameters_of(true, DataType::kFp32);
  parameters.make_switch = [&made](const SwitchSpec& wanted, const std::string& path, const std::string& model) {
    EXPECT_TRUE(wanted.values);
    EXPECT_EQ(wanted.format.element, DataType::kFp32);
    made.push_back(path + " " + model);
    return make_tlm_switch(wanted, path, "tlm");
  };
  const FredFabric fabric(spec, parameters);
  const std::vector<std::string> expected{
      "fabric.l1[0].plane[0] of this level",   "fabric.l1[0].plane[1] of this level",
      "fabric.l1[1].plane[0] of this level",   "fabric.l1[1].plane[1] of this level",
      "fabric.l2[0].slice[0].plane[0] of all", "fabric.l2[0].slice[0].plane[1] of all",
      "fabric.l2[0].slice[1].plane[0] of all", "fabric.l2[0].slice[1].plane[1] of all"};
  EXPECT_EQ(made, expected);
}

TEST(FredFabric, unknown_model_bad) {
  FabricSpec spec = fabric_of();
  spec.fred.levels[1].model = "rtl";
  try {
    const FredFabric fabric(spec, parameters_of(false));
    FAIL() << "a model that nobody makes";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "fabric.l2[0].slice[0]: there is no switch of model 'rtl' here; known: tlm");
  }
}

TEST(FredFabric, setting_memory_bad) {
  FabricSpec spec = fabric_of();
  spec.fred.setting_bytes = 1;
  FabricBench bench(spec, parameters_of(false));
  const std::uint32_t flow = bench.fabric.compiler().number_of({all_of({0, 1})}, 0);
  for (const std::uint32_t node : {0U, 1U}) bench.send(node, packet_of(flow, TrafficClass::kDp, 0));
  try {
    bench.run(1000);
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no room for stored setting 1"));
  }
}

}  // namespace
}  // namespace weft::fred
