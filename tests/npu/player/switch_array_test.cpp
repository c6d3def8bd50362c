// SPDX-License-Identifier: Apache-2.0
// NPUs in front of FRED switches: collectives as flows, from the workload to the sums.
#include <gmock/gmock.h>

#include "base/error.h"
#include "tests/npu/player/switch_bench.h"

namespace weft::npu::test {
namespace {

TEST(SwitchArray, does_every_kind_with_the_right_bits) {
  for (const CollectiveKind kind : all_kinds()) {
    for (const int chunks : {1, 5}) {
      CollectiveSpec spec = in_switch(kind, kind == CollectiveKind::kBarrier ? 0 : 12 * 100);
      spec.root = RankId{5};
      spec.chunks = chunks;
      SwitchBench bench(single(spec));
      bench.run();
      SCOPED_TRACE(kind_name(kind));
      bench.expect_done(kind == CollectiveKind::kBarrier ? 0 : 1);
      const bool unicasts =
          kind == CollectiveKind::kScatter || kind == CollectiveKind::kGather || kind == CollectiveKind::kAllToAll;
      const TrafficClass flows = kind == CollectiveKind::kBarrier ? TrafficClass::kControl : TrafficClass::kDp;
      const std::set<TrafficClass> used{unicasts ? TrafficClass::kPp : flows};
      EXPECT_EQ(bench.traffic_classes(5), kind == CollectiveKind::kGather ? std::set<TrafficClass>{} : used);
      EXPECT_EQ(bench.fabric().phases.empty(), unicasts);
    }
  }
}

// 1200 bytes are 19 packets; each NPU sends them once, and the switches make one result of each.
TEST(SwitchArray, sends_the_data_of_an_all_reduce_once) {
  SwitchBench bench(single(in_switch(CollectiveKind::kAllReduce, 1200)));
  bench.run();
  bench.expect_done(1);
  EXPECT_EQ(bench.fabric().flow_packets, 19u);
  for (std::uint32_t node = 0; node < 12; ++node)
    EXPECT_EQ(bench.interfaces().node_values(node).count(NodeQuantity::kPacketsSent), 19u);
}

// Ten chunks of one packet each take the planes in turn.
TEST(SwitchArray, spreads_chunks_of_one_packet_over_the_planes) {
  CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 640);
  spec.chunks = 10;
  SwitchBench bench(single(spec));
  bench.run();
  bench.expect_done(1);
  std::array<int, 2> heads{};
  for (const auto& flit : bench.fabric().injected) {
    if (flit.node == 3 && flit.head) ++heads[static_cast<std::size_t>(plane_of(flit.vc))];
  }
  EXPECT_THAT(heads, ::testing::ElementsAre(5, 5));
}

// Groups below one switch have traffic class MP.
TEST(SwitchArray, uses_mp_below_one_switch) {
  CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 1200);
  spec.group = {RankId{5}, RankId{7}, RankId{4}};
  SwitchBench bench(single(spec));
  bench.run();
  bench.expect_done(1);
  EXPECT_THAT(bench.traffic_classes(7), ::testing::ElementsAre(TrafficClass::kMp));
}

// The switches do not take the flow: the endpoints do, by the ring that suits, on traffic class PP, and say so.
TEST(SwitchArray, leaves_to_the_endpoints_what_does_not_route) {
  CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 1200);
  SwitchBench bench(single(spec));
  std::vector<NodeId> all;
  for (std::uint32_t n = 0; n < 12; ++n) all.push_back(NodeId{n});
  bench.fabric().decline(all);
  bench.run();
  bench.expect_done(1);
  EXPECT_EQ(bench.fabric().flow_packets, 0u);
  EXPECT_THAT(bench.traffic_classes(7), ::testing::ElementsAre(TrafficClass::kPp));
  EXPECT_THAT(
      bench.array().warnings(),
      ::testing::ElementsAre("group 'all': all_reduce is carried out by the endpoints (two_level_ring), because the "
                             "switches do not route its flows"));
  EXPECT_EQ(bench.array().collectives(0).at(0).algorithm, "two_level_ring");
}

// Without flows what crosses the lowest switches has a queue of its own.
TEST(SwitchArray, gives_unicasts_that_cross_switches_a_traffic_class_of_their_own) {
  for (const bool below_one : {false, true}) {
    CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 1200);
    spec.algorithm = "two_level_ring";
    if (below_one) spec.group = {RankId{8}, RankId{9}, RankId{10}, RankId{11}};
    SwitchBench bench(single(spec));
    bench.run();
    bench.expect_done(1);
    if (below_one) {
      EXPECT_THAT(bench.traffic_classes(9), ::testing::ElementsAre(TrafficClass::kDp));
    } else {
      EXPECT_THAT(bench.traffic_classes(9), ::testing::ElementsAre(TrafficClass::kPp, TrafficClass::kDp));
    }
  }
}

TEST(SwitchArray, in_switch_without_switches_bad) {
  Config config = single(in_switch(CollectiveKind::kAllReduce, 1200));
  config.fabric.fred.in_switch = false;
  EXPECT_THROW(SwitchBench(config).run(), InputError);
  config.fabric.kind = FabricKind::kMesh;
  try {
    ProgramCache(config).get(CollectiveKind::kAllReduce, {0, "all", config.npu.placement, {}}, 0, 8);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "algorithm in_switch adds in the switches of a FRED fabric; this fabric has none (fabric.kind)");
  }
}

// MP 2 x PP 3 x DP 2 on 12 NPUs: six flows in the DP phase, of ranks r and r + 6, asked for together.
TEST(SwitchArray, runs_all_groups_of_a_phase_at_once) {
  Config config = single(in_switch(CollectiveKind::kAllReduce, 1200));
  auto& workload = std::get<CollectiveWorkload>(config.workload);
  workload.parallelism = {2, 3, 2};
  workload.phase = TrainingPhase::kDp;
  SwitchBench bench(config);
  bench.run();
  bench.expect_done(6);
  EXPECT_EQ(bench.fabric().phases.size(), 6u);
  for (const auto& phase : bench.fabric().phases) {
    ASSERT_EQ(phase.size(), 6u);
    for (std::uint32_t r = 0; r < 6; ++r) {
      EXPECT_EQ(phase[r].inputs, (std::vector<NodeId>{NodeId{r}, NodeId{r + 6}}));
      EXPECT_EQ(phase[r].outputs, phase[r].inputs);
    }
  }
  for (const CollectiveSummary& row : bench.array().collectives(0)) {
    EXPECT_EQ(row.end_cycle, bench.array().collectives(0).front().end_cycle);
  }
}

}  // namespace
}  // namespace weft::npu::test
