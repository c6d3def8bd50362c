// SPDX-License-Identifier: Apache-2.0
// Whole NPUs: player and engine together. Times by hand, see array_bench.h for the network.
#include "npu/player/npu_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/error.h"
#include "npu/trace/chakra_writer.h"
#include "npu/tracegen/collective_trace.h"
#include "npu/tracegen/transformer_trace.h"
#include "tests/npu/player/array_bench.h"
#include "tests/npu/support/memory_feeder.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu {
namespace {

using namespace weft::npu::testing;  // NOLINT: benches and node makers
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string write_ranks(const TraceFolder& folder, const std::vector<std::vector<TraceNode>>& ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ChakraWriter writer(folder.file("t." + std::to_string(rank) + ".et"));
    for (const TraceNode& node : ranks[rank]) writer.write(node);
    writer.close();
  }
  return folder.file("t");
}

std::string error_of(const Config& config) {
  try {
    ArrayBench bench(config);
    bench.run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TransformerSpec small_step() {
  TransformerSpec spec;
  spec.layers = 4;
  spec.d_model = 32;
  spec.d_ff = 64;
  spec.seq = 16;
  spec.batch = 12;
  spec.heads = 4;
  spec.vocab = 64;
  spec.dp = 3;
  spec.tp = spec.pp = spec.microbatches = 2;
  spec.bytes_per_element = 4;
  return spec;
}

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
  EXPECT_EQ(error_of(config), "workload.collective.root: rank 2 is not a member of the group");
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
  const ValueJob job{{0, 1, 2}, "sum", programs.get(CollectiveKind::kAllReduce, group, 0), 8};
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

// A generated step, through files: nothing is left over, every collective is carried out once and rightly.
TEST(NpuArray, transformer_step_plays_from_files_with_real_data) {
  const TraceFolder folder;
  const TransformerTrace trace(small_step());
  std::ostringstream out;
  write_trace(trace, folder.file("step"), out);
  Config config = trace_config(12, folder.file("step"), folder.file("comm_group.json"));
  config.npu.peak_flops = 1e12;
  auto& spec = std::get<TraceWorkload>(config.workload).collective;
  spec.data = DataMode::kValues;
  spec.dtype = DataType::kInt32;
  ArrayBench bench(config);
  bench.run();
  EXPECT_TRUE(bench.array().finished());
  EXPECT_THAT(bench.array().waiting_for(100), IsEmpty());
  EXPECT_THAT(bench.array().warnings(), IsEmpty());

  std::uint64_t bytes = 0;
  std::size_t issued = 0;
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const TraceNode& node : trace.nodes(RankId{rank})) {
      if (node.type != TraceNodeType::kCollective) continue;
      bytes += node.comm_bytes;
      ++issued;
    }
  }
  std::size_t members = 0;
  std::uint64_t moved = 0;
  const auto rows = bench.array().collectives(0);
  for (const CollectiveSummary& row : rows) {
    EXPECT_TRUE(row.finished) << row.name;
    EXPECT_LT(row.start_cycle, row.end_cycle);
    members += row.members;
    moved += row.members * row.bytes;
  }
  EXPECT_EQ(members, issued);
  EXPECT_EQ(moved, bytes);
  EXPECT_EQ(bench.array().verified_collectives(), rows.size());
}

// Jitter makes ranks issue the collectives of a group in different order; the data must still be right.
TEST(NpuArray, overtaking_messages_change_times_but_no_result) {
  const TraceFolder folder;
  TransformerSpec step = small_step();
  step.zero = 2;
  std::ostringstream out;
  write_trace(TransformerTrace(step), folder.file("step"), out);
  std::set<Cycle> ends;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Config config = trace_config(12, folder.file("step"), folder.file("comm_group.json"));
    config.npu.peak_flops = 1e13;
    auto& spec = std::get<TraceWorkload>(config.workload).collective;
    spec.data = DataMode::kValues;
    spec.dtype = DataType::kInt32;
    IdealNetworkSpec network = ArrayBench::default_network();
    network.jitter = 500;
    network.seed = seed;
    ArrayBench bench(config, network);
    bench.run();
    EXPECT_TRUE(bench.array().finished()) << ::testing::PrintToString(bench.array().waiting_for(20));
    EXPECT_EQ(bench.array().verified_collectives(), bench.array().collectives(0).size());
    ends.insert(bench.statistics(0).finish_cycle);
  }
  EXPECT_GT(ends.size(), 1u);
}

TEST(NpuArray, collectives_of_a_trace_run_one_after_the_other_where_they_depend) {
  const TraceFolder folder;
  std::ostringstream out;
  write_trace(CollectiveTrace({CollectiveKind::kAllReduce, 4, 4000, 3}), folder.file("ar"), out);
  ArrayBench bench(trace_config(4, folder.file("ar")));
  bench.run();
  EXPECT_EQ(bench.statistics(0).finish_cycle, 3u * 6 * 120);  // 2 (n-1) steps of 1000 bytes
  EXPECT_EQ(bench.array().collectives(0).size(), 3u);
}

TEST(NpuArray, missing_partner_is_named) {
  const TraceFolder folder;
  const auto kind = CollectiveKind::kAllReduce;
  ArrayBench bench(trace_config(
      3, write_ranks(folder, {{collective(1, kind, 3000)}, {collective(1, kind, 3000)}, {receive(5, 0, 7, 64)}})));
  const Cycle end = bench.run();
  EXPECT_FALSE(bench.array().finished());
  const auto lines = bench.array().waiting_for(10);
  EXPECT_THAT(lines,
              Contains(AllOf(StartsWith("rank 1 waits for collective 'n1' (all_reduce 0 of all ranks, 3000 bytes): "),
                             HasSubstr("waits for data from member 2"))));
  EXPECT_THAT(lines, Contains("rank 2 waits for receive of 64 bytes from rank 0, tag 7 (trace node 5)"));
  EXPECT_THAT(bench.array().waiting_for(1), ElementsAre(lines[0], "and " + std::to_string(lines.size() - 1) + " more"));
  const auto rows = bench.array().collectives(end);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].finished);
  EXPECT_EQ(rows[0].end_cycle, end);
  EXPECT_LT(bench.array().share(), 1.0);
}

TEST(NpuArray, state_tells_collective_and_compute) {
  const TraceFolder folder;
  ArrayBench bench(trace_config(2, write_ranks(folder, {{compute(1, 1), collective(2, CollectiveKind::kAllReduce, 40)},
                                                        {collective(2, CollectiveKind::kAllReduce, 40)}})));
  std::vector<std::string> texts;
  std::vector<Cycle> cycles;
  bench.array().set_state_listener([&](NodeId node, Cycle cycle, const NodeActivity& activity) {
    if (node != NodeId{0}) return;
    texts.push_back(activity.text);
    cycles.push_back(cycle);
  });
  bench.run();
  ASSERT_GE(texts.size(), 3u);
  EXPECT_THAT(texts, Contains(AllOf(StartsWith("n2 chunk 0 step 0"), HasSubstr(" | compute n1"))));
  EXPECT_EQ(texts[texts.size() - 2], "compute n1");
  EXPECT_EQ(texts.back(), "");
  EXPECT_EQ(cycles.back(), 1000u);
  EXPECT_EQ(bench.array().npu(RankId{0}).state(), "");
}

// n2 begins in the same cycle as n1 and stands behind it all the time; a trigger must see it begin.
TEST(NpuArray, a_collective_that_begins_behind_another_is_told) {
  const TraceFolder folder;
  const std::vector<TraceNode> both = {collective(1, CollectiveKind::kAllReduce, 400),
                                       collective(2, CollectiveKind::kAllReduce, 40)};
  ArrayBench bench(trace_config(2, write_ranks(folder, {both, both})));
  std::vector<std::pair<Cycle, std::string>> told;
  bench.array().set_state_listener([&](NodeId node, Cycle cycle, const NodeActivity& activity) {
    if (node == NodeId{0}) told.emplace_back(cycle, activity.collective);
  });
  bench.run();
  const auto rows = bench.array().collectives(10'000);
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_LT(rows[1].start_cycle, rows[0].end_cycle);
  for (const auto& row : rows) {
    const auto first =
        std::find_if(told.begin(), told.end(), [&](const auto& each) { return each.second == row.name; });
    ASSERT_NE(first, told.end()) << row.name;
    EXPECT_EQ(first->first, row.start_cycle) << row.name;
  }
  // What stays is the oldest.
  const auto last = std::find_if(told.rbegin(), told.rend(), [](const auto& each) { return each.first == 0; });
  ASSERT_NE(last, told.rend());
  EXPECT_EQ(last->second, rows[0].name);
  EXPECT_EQ(told.back().second, "");
}

TEST(NpuArray, work_beyond_the_look_ahead_is_found_when_all_else_stands_still) {
  // Rank 0 sees two nodes at a time: its receive, which needs the send that stands behind them.
  const TraceFolder folder;
  const std::string prefix = write_ranks(folder, {{receive(1, 1, 1, 100), compute(2, 1, {1}), send(3, 1, 0, 100)},
                                                  {receive(1, 0, 0, 100), send(2, 0, 1, 100, {1})}});
  Config config = trace_config(2, prefix);
  IdealNetwork network(ArrayBench::default_network());  // of two nodes
  GroupTable groups({}, 2);
  CommGroups comm_groups(1);
  ProgramCache programs(CollectiveSpec{}, config.fabric);
  const CollectiveSpec spec;
  NpuSetup setup{RankId{0}, &config.npu, ClockSpec{}, &groups, &comm_groups, &programs, &spec, std::nullopt, nullptr};
  FeederOptions options;
  options.look_ahead = 2;
  Npu first(setup, std::make_unique<ChakraFeeder>(prefix + ".0.et", options), network.at(NodeId{0}));
  setup.rank = RankId{1};
  Npu second(setup, std::make_unique<ChakraFeeder>(prefix + ".1.et", options), network.at(NodeId{1}));
  first.start();
  second.start();
  network.run();
  EXPECT_FALSE(first.finished());
  EXPECT_FALSE(second.look_further());
  EXPECT_TRUE(first.look_further());
  network.run();
  EXPECT_TRUE(first.finished());
  EXPECT_TRUE(second.finished());
  EXPECT_EQ(first.statistics().finish_cycle, 1060u);  // both messages at 30 cycles each, then 1 us
}

TEST(NpuArray, trace_larger_than_the_fabric_bad) {
  const TraceFolder folder;
  const std::string prefix = write_ranks(folder, {{compute(1, 1)}, {compute(1, 1)}, {compute(1, 1)}});
  EXPECT_EQ(error_of(trace_config(2, prefix)),
            prefix +
                ": the trace has 3 ranks, but the fabric has places for 2: make fabric.size larger, or name more "
                "nodes in npu.placement");
}

TEST(NpuArray, absent_dependencies_are_a_warning_or_an_error) {
  const TraceFolder folder;
  const std::string prefix = write_ranks(folder, {{compute(1, 1, {99})}});
  Config config = trace_config(1, prefix);
  ArrayBench bench(config);
  bench.run();
  EXPECT_TRUE(bench.array().finished());
  EXPECT_EQ(bench.array().warnings().size(), 1u);
  std::get<TraceWorkload>(config.workload).strict = true;
  EXPECT_THAT(error_of(config), HasSubstr("99"));
}

}  // namespace
}  // namespace weft::npu
