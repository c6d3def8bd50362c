// SPDX-License-Identifier: Apache-2.0
// Whole NPUs: player and engine together. Times by hand, see array_bench.h for the network.
#include "npu/player/npu_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "tests/npu/player/array_bench.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu {
namespace {

using namespace weft::npu::testing;  // NOLINT: benches and node makers

// e + (n-1)(2(t+e) + r) with e = 5, t = 1000 bytes / 10 + 20, r = 3 * (1000 / 100): 5 + 3 * (250 + 30).
TEST(NpuArray, ring_all_reduce_takes_its_closed_form) {
  Config config = collective_config(4, CollectiveKind::kAllReduce, 4000);
  config.npu.endpoint_delay_cycles = 5;
  config.npu.reduce_bytes_per_s = 1e11;
  ArrayBench bench(config);
  bench.run();
  EXPECT_TRUE(bench.array().finished());
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(bench.statistics(rank).finish_cycle, 845u);
    EXPECT_EQ(bench.statistics(rank).exposed_comm_cycles, 845u);
  }
  const auto rows = bench.array().collectives(1000);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "all_reduce_0");
  EXPECT_EQ(rows[0].algorithm, "ring");
  EXPECT_EQ(rows[0].group, "all");
  EXPECT_EQ(rows[0].members, 4u);
  EXPECT_EQ(rows[0].end_cycle, 845u);
  EXPECT_TRUE(rows[0].finished);
  EXPECT_DOUBLE_EQ(bench.array().share(), 1.0);
}

// Six steps of 120 cycles each: what is done grows with time although the one node of each rank ends at the end.
TEST(NpuArray, share_grows_within_a_collective) {
  ArrayBench bench(collective_config(4, CollectiveKind::kAllReduce, 4000));
  std::vector<std::pair<Cycle, double>> seen;
  bench.array().set_state_listener(
      [&](NodeId, Cycle now, const NodeActivity&) { seen.emplace_back(now, bench.array().share()); });
  const Cycle end = bench.run();
  EXPECT_EQ(end, 720u);
  ASSERT_GE(seen.size(), 4u);
  double last = 0;
  bool middle = false;
  for (const auto& [now, share] : seen) {
    EXPECT_GE(share, last) << now;
    EXPECT_LE(share, 1.0);
    if (now == end) continue;
    EXPECT_NEAR(share, static_cast<double>(now) / static_cast<double>(end), 0.35) << now;
    middle = middle || (share > 0.3 && share < 0.7);
    last = share;
  }
  EXPECT_TRUE(middle);
}

TEST(NpuArray, collective_of_a_group_leaves_the_others_alone) {
  Config config = collective_config(5, CollectiveKind::kAllReduce, 4000);
  std::get<CollectiveWorkload>(config.workload).collective.group = {RankId{4}, RankId{1}};
  ArrayBench bench(config);
  bench.run();
  EXPECT_TRUE(bench.array().finished());
  EXPECT_EQ(bench.statistics(0).finish_cycle, 0u);
  EXPECT_EQ(bench.statistics(4).finish_cycle, 2u * (200 + 20));  // two steps of half the data
  EXPECT_EQ(bench.array().collectives(0).at(0).members, 2u);
  EXPECT_EQ(bench.array().collectives(0).at(0).group, "workload");
}

// MP 2 x PP 1 x DP 3 on seven NPUs: three pairs at the same time, each as fast as one alone; rank 6 does nothing. A
// pair's ring takes 2 steps of half the data: 2 (500 / 10 + 20).
TEST(NpuArray, all_groups_of_a_phase_run_at_once) {
  Config config = collective_config(7, CollectiveKind::kAllReduce, 1000);
  auto& workload = std::get<CollectiveWorkload>(config.workload);
  workload.collective.data = DataMode::kValues;
  workload.parallelism = {2, 1, 3};
  workload.phase = TrainingPhase::kMp;
  ArrayBench bench(config);
  EXPECT_EQ(bench.run(), 140u);
  EXPECT_TRUE(bench.array().finished());
  EXPECT_EQ(bench.array().verified_collectives(), 3u);
  const auto rows = bench.array().collectives(140);
  ASSERT_EQ(rows.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i].group, "mp" + std::to_string(i));
    EXPECT_EQ(rows[i].members, 2u);
    EXPECT_EQ(rows[i].end_cycle, 140u);
  }
  EXPECT_TRUE(bench.statistics(6).collectives.empty());
}

// A ring of three: 4 steps of an empty message, which leaves at once and takes 20 cycles; however many chunks data
// have.
TEST(NpuArray, barriers_are_not_cut_into_chunks) {
  Config config = collective_config(3, CollectiveKind::kBarrier, 0);
  std::get<CollectiveWorkload>(config.workload).collective.chunks = 8;
  ArrayBench bench(config);
  EXPECT_EQ(bench.run(), 80u);
  EXPECT_EQ(bench.network().messages(), 12u);
}

TEST(NpuArray, placement_decides_which_nodes_talk) {
  Config config = collective_config(4, CollectiveKind::kBroadcast, 100);
  config.npu.placement = {NodeId{3}, NodeId{1}};
  ArrayBench bench(config);
  bench.run();
  EXPECT_EQ(bench.array().ranks(), 2u);
  EXPECT_EQ(bench.array().npu(RankId{0}).node(), NodeId{3});
  EXPECT_TRUE(bench.array().finished());
  EXPECT_EQ(bench.statistics(1).finish_cycle, 30u);
}

TEST(NpuArray, broadcast_starts_at_the_root_that_is_asked_for) {
  Config config = collective_config(3, CollectiveKind::kBroadcast, 100);
  std::get<CollectiveWorkload>(config.workload).collective.root = RankId{2};
  std::get<CollectiveWorkload>(config.workload).collective.algorithm = "direct";
  ArrayBench bench(config);
  bench.run();
  EXPECT_LT(bench.statistics(2).finish_cycle, bench.statistics(0).finish_cycle);
  EXPECT_GE(bench.statistics(0).finish_cycle, 30u);
}

TEST(NpuArray, root_outside_the_group_bad) {
  Config config = collective_config(3, CollectiveKind::kBroadcast, 100);
  std::get<CollectiveWorkload>(config.workload).collective.group = {RankId{0}, RankId{1}};
  std::get<CollectiveWorkload>(config.workload).collective.root = RankId{2};
  EXPECT_EQ(error_of([&] { ArrayBench(config).run(); }),
            "workload.collective.root: rank 2 is not a member of the group");
}

TEST(NpuArray, values_travel_and_are_compared) {
  for (const DataType dtype : {DataType::kFp32, DataType::kInt32}) {
    Config config = collective_config(6, CollectiveKind::kAllReduce, 6 * 4 * 100);
    std::get<CollectiveWorkload>(config.workload).collective.data = DataMode::kValues;
    std::get<CollectiveWorkload>(config.workload).collective.dtype = dtype;
    ArrayBench bench(config);
    bench.run();
    EXPECT_TRUE(bench.array().finished());
    EXPECT_EQ(bench.array().verified_collectives(), 1u);
  }
}

TEST(CollectiveMerger, a_collective_lasts_from_the_first_start_to_the_last_end) {
  RankCollective record;
  record.group_size = 3;
  record.name = "late";
  record.start_cycle = 50;
  record.end_cycle = 90;
  CollectiveMerger merger;
  merger.add(record, true);
  record.name = "early";
  record.start_cycle = 40;
  record.end_cycle = 80;
  merger.add(record, true);
  ASSERT_EQ(merger.rows(200).size(), 1u);
  EXPECT_FALSE(merger.rows(200)[0].finished);  // the third member has not ended, or has not even started
  EXPECT_EQ(merger.rows(200)[0].end_cycle, 200u);
  merger.add(record, true);
  EXPECT_TRUE(merger.rows(200)[0].finished);
  EXPECT_EQ(merger.rows(200)[0].name, "early");
  EXPECT_EQ(merger.rows(200)[0].start_cycle, 40u);
  EXPECT_EQ(merger.rows(200)[0].end_cycle, 90u);
  record.instance = 1;
  record.start_cycle = 10;
  merger.add(record, true);
  ASSERT_EQ(merger.rows(200).size(), 2u);
  EXPECT_EQ(merger.rows(200)[0].start_cycle, 10u);
}

TEST(ValueCheck, a_wrong_bit_is_found_bad) {
  const Config config = collective_config(2, CollectiveKind::kAllReduce, 8);
  ProgramCache programs(std::get<CollectiveWorkload>(config.workload).collective, config.fabric);
  CommGroup group;
  group.nodes = {NodeId{0}, NodeId{1}};
  ValueCheck check(ReduceOp::kSum, DataType::kInt32, 1);
  const ValueJob job{{0, 1, 2}, "sum", programs.get(CollectiveKind::kAllReduce, group, 0, 8), 8};
  const auto a = check.input(job, 0);
  const auto b = check.input(job, 1);
  ASSERT_EQ(a->size(), 8u);
  EXPECT_NE(*a, *b);
  EXPECT_EQ(*a, *check.input(job, 0));
  Payload sum(8);
  for (int i = 0; i < 2; ++i) {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::memcpy(&x, a->data() + 4 * i, 4);
    std::memcpy(&y, b->data() + 4 * i, 4);
    x += y;
    std::memcpy(sum.data() + 4 * i, &x, 4);
  }
  check.result(job, 1, std::make_shared<const Payload>(sum));
  EXPECT_EQ(check.verified(), 0u);
  check.result(job, 0, std::make_shared<const Payload>(sum));
  EXPECT_EQ(check.verified(), 1u);
  check.result(job, 1, std::make_shared<const Payload>(sum));
  sum[5] ^= 1;
  EXPECT_THROW(check.result(job, 0, std::make_shared<const Payload>(sum)), ViolationError);
}

}  // namespace
}  // namespace weft::npu
