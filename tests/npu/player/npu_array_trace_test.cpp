// SPDX-License-Identifier: Apache-2.0
// Whole NPUs that play traces. Times by hand, see array_bench.h for the network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "npu/player/npu_array.h"
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
                             HasSubstr("for data from member 2"))));
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
  IdealNetwork network(ArrayBench::default_network());  // it has two nodes
  GroupTable groups({}, 2);
  CommGroups comm_groups(1);
  ProgramCache programs(CollectiveSpec{}, config.fabric);
  const CollectiveSpec spec;
  PlayerSetup player(config.npu, ClockSpec{}, groups);
  player.comm_groups = &comm_groups;
  const NpuSetup setup{player, &programs, &spec, EndpointCost(config.npu, ClockSpec{}), std::nullopt, nullptr, nullptr};
  FeederOptions options;
  options.look_ahead = 2;
  Npu first(setup, RankId{0}, std::make_unique<ChakraFeeder>(prefix + ".0.et", options), network.at(NodeId{0}));
  Npu second(setup, RankId{1}, std::make_unique<ChakraFeeder>(prefix + ".1.et", options), network.at(NodeId{1}));
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
  EXPECT_EQ(error_of([&] { ArrayBench(trace_config(2, prefix)).run(); }),
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
  EXPECT_THAT(error_of([&] { ArrayBench(config).run(); }), HasSubstr("99"));
}

}  // namespace
}  // namespace weft::npu
