// SPDX-License-Identifier: Apache-2.0
// Several iterations of the steps that derive from the transformer's: weight streaming, ZeRO stage 2, experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "npu/tracegen/moe_trace.h"
#include "npu/tracegen/weight_streaming_trace.h"
#include "npu/tracegen/zero2_trace.h"
#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using testing::bytes_of;
using testing::dependencies_of;
using ::testing::UnorderedElementsAre;

/// The model over 2 replicas of 2 tensor parallel ranks in `pp` stages, 3 micro-batches.
TransformerSpec several(std::uint64_t iterations, std::uint64_t pp) {
  TransformerSpec spec = testing::small_model();
  spec.dp = spec.tp = 2;
  spec.pp = pp;
  spec.microbatches = 3;
  spec.iterations = iterations;
  return spec;
}

WeightStreamingTrace streaming(std::uint64_t iterations, std::uint64_t pp = 2, std::uint64_t prefetch = 1) {
  WeightStreamingSpec spec;
  spec.model = several(iterations, pp);
  spec.prefetch = prefetch;
  return WeightStreamingTrace(spec);
}

Zero2Trace sharded(std::uint64_t iterations) {
  Zero2Spec spec;
  spec.model = several(iterations, 1);
  spec.bucket_bytes = 30000;
  return Zero2Trace(spec);
}

MoeTrace experts(std::uint64_t iterations, bool from_pool) {
  MoeSpec spec;
  spec.model = several(iterations, 2);
  spec.ep = 1;
  spec.experts_from_pool = from_pool;
  return MoeTrace(spec);
}

void expect_repeated(const TraceGenerator& one, const TraceGenerator& three) {
  for (std::uint32_t rank = 0; rank < one.ranks(); ++rank) {
    const std::vector<TraceNode> step = one.nodes(RankId{rank});
    const std::vector<TraceNode> all = three.nodes(RankId{rank});
    const std::size_t n = step.size();
    ASSERT_EQ(all.size(), 3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(all[i], step[i]);
      for (const std::size_t k : {1u, 2u}) {
        const TraceNode& again = all[k * n + i];
        EXPECT_EQ(again.name, "i" + std::to_string(k) + "_" + step[i].name);
        EXPECT_EQ(again.type, step[i].type);
        EXPECT_EQ(again.num_ops, step[i].num_ops);
        EXPECT_EQ(again.comm_bytes, step[i].comm_bytes);
        EXPECT_EQ(again.tensor_bytes, step[i].tensor_bytes);
        EXPECT_EQ(again.group, step[i].group);
      }
    }
  }
}

TEST(StepIterations, each_is_the_step_again) {
  expect_repeated(streaming(1), streaming(3));
  expect_repeated(streaming(1, 1, 9), streaming(3, 1, 9));
  expect_repeated(sharded(1), sharded(3));
  expect_repeated(experts(1, false), experts(3, false));
  expect_repeated(experts(1, true), experts(3, true));
}

// The first stage has the embedding and the layers 0 and 2 and loads one part ahead; the last one has 1, 3 and the
// head.
TEST(StepIterations, streamed_weights_are_loaded_again_when_all_gradients_are_stored) {
  const std::vector<TraceNode> first = streaming(3).nodes(RankId{0});
  for (const char* load : {"load_embedding", "load_fwd_l0"}) {
    EXPECT_THAT(dependencies_of(first, std::string("i1_") + load),
                UnorderedElementsAre("bwd_m2_l0_attention_all_reduce", "store_l2", "store_l0", "store_embedding"));
    EXPECT_THAT(
        dependencies_of(first, std::string("i2_") + load),
        UnorderedElementsAre("i1_bwd_m2_l0_attention_all_reduce", "i1_store_l2", "i1_store_l0", "i1_store_embedding"));
  }
  EXPECT_THAT(dependencies_of(first, "i1_load_fwd_l2"), UnorderedElementsAre("i1_fwd_m2_embedding_all_reduce"));
  const std::vector<TraceNode> last = streaming(2).nodes(RankId{7});
  EXPECT_THAT(dependencies_of(last, "i1_fwd_m0_l1_recv"),
              UnorderedElementsAre("bwd_m2_l1_attention_all_reduce", "store_head", "store_l3", "store_l1"));
}

// 2 h f + 4 h h weights a layer and V h a table, 2 bytes each: loaded twice (a table once) in each of 3 iterations.
TEST(StepIterations, streamed_bytes_grow_with_the_iterations) {
  constexpr std::uint64_t kLayer = 2 * (4 * 64 * 64 + 2 * 64 * 160);
  constexpr std::uint64_t kTable = 2 * 64 * 104;
  const WeightStreamingTrace trace = streaming(3);
  const std::string group = trace.dp_group({0, 0, 0});
  const std::vector<TraceNode> nodes = trace.nodes(RankId{0});
  EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemLoad, group), 3 * (2 * 2 * kLayer + kTable) / 2);
  EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemStore, group), 3 * (2 * kLayer + kTable) / 2);
}

TEST(StepIterations, shards_are_gathered_before_the_next_one) {
  const std::vector<TraceNode> nodes = sharded(2).nodes(RankId{0});
  std::vector<std::string> before{"bwd_m2_l0_attention_all_reduce"};
  for (const TraceNode& node : nodes) {
    if (node.name.compare(0, 8, "weights_") == 0) before.push_back(node.name);
  }
  EXPECT_GT(before.size(), 2u);
  EXPECT_THAT(dependencies_of(nodes, "i1_fwd_m0_embedding"), ::testing::UnorderedElementsAreArray(before));
  EXPECT_THAT(dependencies_of(nodes, "i1_weights_b0_all_gather"), UnorderedElementsAre("i1_update_b0"));
  EXPECT_THAT(dependencies_of(nodes, "i1_update_b0"),
              UnorderedElementsAre("i1_grad_m0_b0_reduce_scatter", "i1_grad_m1_b0_reduce_scatter",
                                   "i1_grad_m2_b0_reduce_scatter", "i1_bwd_m2_l0_attention_all_reduce"));
}

// The first stage has the embedding and the layers 0 and 1.
TEST(StepIterations, experts_are_updated_or_stored_before_the_next_one) {
  const std::string end = "bwd_m2_l0_attention_all_reduce";
  EXPECT_THAT(dependencies_of(experts(2, false).nodes(RankId{0}), "i1_fwd_m0_embedding"),
              UnorderedElementsAre(end, "update_l1", "update_l1_experts", "update_l0", "update_l0_experts",
                                   "update_embedding"));
  const std::vector<TraceNode> pool = experts(2, true).nodes(RankId{0});
  for (const char* node : {"i1_fwd_m0_embedding", "i1_load_fwd_m0_l0_experts"}) {
    EXPECT_THAT(dependencies_of(pool, node), UnorderedElementsAre(end, "update_l1", "store_l1_experts", "update_l0",
                                                                  "store_l0_experts", "update_embedding"));
  }
}

TEST(StepIterations, no_two_messages_share_a_tag) {
  const WeightStreamingTrace trace = streaming(3);
  std::set<std::tuple<std::uint32_t, RankId, std::uint64_t>> messages;
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const TraceNode& node : trace.nodes(RankId{rank})) {
      if (node.type != TraceNodeType::kSend) continue;
      EXPECT_TRUE(messages.emplace(rank, *node.dst, node.tag).second) << node.name;
    }
  }
  // 3 borders between layers, there and back, 4 ranks beside each other, 3 micro-batches, 3 iterations.
  EXPECT_EQ(messages.size(), 3u * 2 * 4 * 3 * 3);
}

TEST(StepIterations, traces_are_sound_and_play_to_the_end) {
  const auto plays = [](const TraceGenerator& trace) {
    testing::expect_sound(trace);
    testing::expect_played(trace);
  };
  plays(streaming(2));
  plays(streaming(2, 4, 0));
  plays(sharded(2));
  plays(experts(2, false));
  plays(experts(2, true));
}

}  // namespace
}  // namespace weft::npu
