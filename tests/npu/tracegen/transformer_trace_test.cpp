// SPDX-License-Identifier: Apache-2.0
// Totals of generated steps against closed forms; h = d_model, f = d_ff, s = seq, V = vocab, T = tokens of a
// micro-batch.
#include "npu/tracegen/transformer_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using ::testing::ElementsAre;
using testing::expect_played;
using ::testing::HasSubstr;
using testing::ops_of;
using testing::small_model;

TransformerSpec split(std::uint32_t dp, std::uint32_t tp, std::uint32_t pp, std::uint32_t microbatches,
                      std::uint64_t zero = 0) {
  TransformerSpec spec = small_model();
  spec.dp = dp;
  spec.tp = tp;
  spec.pp = pp;
  spec.microbatches = microbatches;
  spec.zero = zero;
  return spec;
}

const std::vector<TransformerSpec>& splits() {
  static const std::vector<TransformerSpec> all = {split(1, 1, 1, 1),    split(3, 1, 1, 2),    split(1, 4, 1, 3),
                                                   split(1, 1, 4, 6),    split(2, 2, 2, 3),    split(3, 2, 4, 2),
                                                   split(2, 2, 2, 3, 2), split(3, 8, 2, 1, 2), split(2, 1, 4, 1)};
  return all;
}

// 3 x the forward pass of all samples: 8 h h + 4 h f + 4 s h operations a token and layer, 2 h V a token in the head.
TEST(TransformerTrace, operations_of_a_step_do_not_depend_on_the_split) {
  for (const TransformerSpec& spec : splits()) {
    const TransformerTrace trace(spec);
    std::uint64_t ops = 0;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) ops += ops_of(trace.nodes(RankId{rank}));
    const std::uint64_t per_token = 4 * (8 * 64 * 64 + 4 * 64 * 160 + 4 * 32 * 64) + 2 * 64 * 104;
    EXPECT_EQ(ops, 3 * 24 * 32 * per_token) << "dp " << spec.dp << " tp " << spec.tp << " pp " << spec.pp;
  }
}

TEST(TransformerTrace, tensor_parallel_bytes_follow_the_closed_form) {
  for (const TransformerSpec& spec : splits()) {
    if (spec.tp == 1) continue;
    const TransformerTrace trace(spec);
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      const ParallelCoordinates at = trace.coordinates(RankId{rank});
      const std::uint64_t tokens = 24 / spec.dp / spec.microbatches * 32;
      const std::uint64_t activation = tokens * 64 * 2;
      std::uint64_t per_microbatch = 4 / spec.pp * 4 * activation;  // layers of a stage, two each way
      if (at.pp == 0) per_microbatch += activation;                 // embedding
      if (at.pp + 1 == spec.pp) per_microbatch += activation + tokens * 8;
      EXPECT_EQ(bytes_of(trace.nodes(RankId{rank}), CollectiveKind::kAllReduce, trace.tp_group(at)),
                spec.microbatches * per_microbatch)
          << "rank " << rank;
    }
  }
}

TEST(TransformerTrace, data_parallel_bytes_follow_the_closed_form) {
  for (const TransformerSpec& spec : splits()) {
    if (spec.dp == 1) continue;
    const TransformerTrace trace(spec);
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      const ParallelCoordinates at = trace.coordinates(RankId{rank});
      const std::vector<TraceNode> nodes = trace.nodes(RankId{rank});
      const std::uint64_t layer = (4 * 64 * 64 + 2 * 64 * 160) / spec.tp;
      const std::uint64_t table = 64 * 104 / spec.tp;
      std::uint64_t elements = 4 / spec.pp * layer;
      std::uint64_t shard = 4 / spec.pp * ((layer + spec.dp - 1) / spec.dp);
      for (const bool has_table : {at.pp == 0, at.pp + 1 == spec.pp}) {
        if (has_table) elements += table;
        if (has_table) shard += (table + spec.dp - 1) / spec.dp;
      }
      const std::string group = trace.dp_group(at);
      const bool zero = spec.zero == 2;
      EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, group), zero ? 0 : elements * 2);
      EXPECT_EQ(bytes_of(nodes, CollectiveKind::kReduceScatter, group), zero ? elements * 2 : 0);
      EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllGather, group), zero ? shard * 2 : 0);
    }
  }
}

TEST(TransformerTrace, every_send_has_its_receive_and_bytes_follow_the_closed_form) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;
  for (const TransformerSpec& spec : splits()) {
    const TransformerTrace trace(spec);
    std::map<Key, int> open;
    std::uint64_t bytes = 0;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      for (const TraceNode& node : trace.nodes(RankId{rank})) {
        if (node.type == TraceNodeType::kSend) {
          bytes += node.comm_bytes;
          ++open[{rank, index(*node.dst), node.tag, node.comm_bytes}];
        } else if (node.type == TraceNodeType::kRecv) {
          --open[{index(*node.src), rank, node.tag, node.comm_bytes}];
        }
      }
    }
    for (const auto& [key, count] : open) EXPECT_EQ(count, 0);
    // Forward and backward over each of the pp - 1 borders: all tokens, from each tensor parallel rank.
    EXPECT_EQ(bytes, 2 * (spec.pp - 1) * spec.tp * 24 * 32 * 64 * 2);
  }
}

TEST(TransformerTrace, groups_agree_and_dependencies_point_backwards) {
  for (const TransformerSpec& spec : splits()) {
    const TransformerTrace trace(spec);
    const auto groups = trace.groups();
    std::map<std::string, std::vector<std::pair<CollectiveKind, std::uint64_t>>> issued_by_first;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      std::map<std::string, std::vector<std::pair<CollectiveKind, std::uint64_t>>> issued;
      std::set<std::uint64_t> seen;
      for (const TraceNode& node : trace.nodes(RankId{rank})) {
        for (const std::uint64_t dep : node.deps) EXPECT_EQ(seen.count(dep), 1u) << node.name;
        EXPECT_TRUE(seen.insert(node.id).second);
        if (node.type != TraceNodeType::kCollective) continue;
        ASSERT_EQ(groups.count(node.group), 1u) << node.group;
        EXPECT_THAT(groups.at(node.group), ::testing::Contains(RankId{rank}));
        issued[node.group].emplace_back(*node.collective, node.comm_bytes);
      }
      for (const auto& [group, list] : issued) {
        EXPECT_EQ(issued_by_first.emplace(group, list).first->second, list) << "group " << group << ", rank " << rank;
      }
    }
  }
}

TEST(TransformerTrace, ranks_count_tensor_then_data_then_pipeline) {
  const TransformerTrace trace(split(3, 2, 4, 2));
  EXPECT_EQ(trace.ranks(), 24u);
  EXPECT_EQ(trace.rank_at({1, 2, 3}), RankId{23});
  const ParallelCoordinates at = trace.coordinates(RankId{9});  // 9 = 1 + 2 * (1 + 3 * 1)
  EXPECT_EQ(at.tp, 1u);
  EXPECT_EQ(at.dp, 1u);
  EXPECT_EQ(at.pp, 1u);
  const auto groups = trace.groups();
  EXPECT_EQ(groups.at(trace.tp_group(at)), (std::vector<RankId>{RankId{8}, RankId{9}}));
  EXPECT_EQ(groups.at(trace.dp_group(at)), (std::vector<RankId>{RankId{7}, RankId{9}, RankId{11}}));
}

TEST(TransformerTrace, stages_follow_one_forward_one_backward) {
  const TransformerTrace trace(split(1, 1, 4, 6));
  const auto passes = [&](std::uint32_t stage) {
    std::vector<std::string> order;
    for (const TraceNode& node : trace.nodes(RankId{stage})) {
      if (node.name.compare(1, 4, "wd_m") != 0) continue;
      const std::string pass = node.name.substr(0, 1) + node.name.substr(5, 1);
      if (order.empty() || order.back() != pass) order.push_back(pass);
    }
    return order;
  };
  EXPECT_THAT(passes(0), ElementsAre("f0", "f1", "f2", "f3", "b0", "f4", "b1", "f5", "b2", "b3", "b4", "b5"));
  EXPECT_THAT(passes(2), ElementsAre("f0", "f1", "b0", "f2", "b1", "f3", "b2", "f4", "b3", "f5", "b4", "b5"));
  EXPECT_THAT(passes(3), ElementsAre("f0", "b0", "f1", "b1", "f2", "b2", "f3", "b3", "f4", "b4", "f5", "b5"));
}

// One rank at one operation per cycle is busy for exactly its operations: nothing in the graph forbids it.
TEST(TransformerTrace, single_rank_computes_without_a_gap) {
  const TransformerTrace trace(split(1, 1, 1, 2));
  testing::BenchSpec bench_spec;
  bench_spec.npu.peak_flops = 1e9;
  testing::PlayerBench bench(bench_spec, {trace.nodes(RankId{0})});
  bench.run();
  EXPECT_TRUE(bench.player(0).finished());
  EXPECT_EQ(bench.statistics(0).finish_cycle, ops_of(trace.nodes(RankId{0})));
  EXPECT_EQ(bench.statistics(0).exposed_comm_cycles, 0u);
}

TEST(TransformerTrace, all_ranks_play_to_the_end) {
  for (const TransformerSpec& spec : splits()) expect_played(TransformerTrace(spec));
}

// Rounded up; bytes that move to whole elements of 2.
TEST(TransformerTrace, scale_divides_operations_and_bytes_of_every_node) {
  TransformerSpec spec = split(2, 2, 2, 3);
  const TransformerTrace whole(spec);
  spec.scale = 100;
  const TransformerTrace scaled(spec);
  for (const std::uint32_t rank : {0u, 7u}) {
    const std::vector<TraceNode> before = whole.nodes(RankId{rank});
    const std::vector<TraceNode> after = scaled.nodes(RankId{rank});
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(after[i].name, before[i].name);
      EXPECT_EQ(after[i].deps, before[i].deps);
      EXPECT_EQ(after[i].num_ops.value_or(0), (before[i].num_ops.value_or(0) + 99) / 100);
      EXPECT_EQ(after[i].tensor_bytes.value_or(0), (before[i].tensor_bytes.value_or(0) + 99) / 100);
      EXPECT_EQ(after[i].comm_bytes, 2 * ((before[i].comm_bytes / 2 + 99) / 100));
    }
  }
}

TEST(TransformerTrace, numbers_that_do_not_divide_bad) {
  TransformerSpec spec = split(5, 3, 3, 2);
  try {
    TransformerTrace trace(spec);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(
        error.what(),
        AllOf(HasSubstr("layers (4) is not a multiple of pp (3)"), HasSubstr("heads (8) is not a multiple of tp (3)"),
              HasSubstr("d-ff (160) is not a multiple of tp (3)"), HasSubstr("vocab (104) is not a multiple of tp (3)"),
              HasSubstr("batch (24) is not a multiple of dp x microbatches (10)")));
  }
}

TEST(TransformerTrace, numbers_out_of_range_bad) {
  TransformerSpec spec = small_model();
  spec.layers = 0;
  spec.zero = 1;
  try {
    TransformerTrace trace(spec);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("layers is 0; legal are 1 to 1048576"), HasSubstr("zero is 1; legal are 0 and 2")));
  }
  spec = small_model();
  spec.d_model = spec.d_ff = spec.seq = spec.batch = 1 << 20;
  EXPECT_THROW(TransformerTrace{spec}, InputError);
}

}  // namespace
}  // namespace weft::npu
