// SPDX-License-Identifier: Apache-2.0
// Several iterations of a transformer step, and gradients behind the backward pass instead of beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "npu/tracegen/transformer_trace.h"
#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using testing::bytes_of;
using testing::dependencies_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::named;
using testing::ops_of;
using ::testing::UnorderedElementsAre;

/// 2 replicas of 2 tensor parallel ranks in 2 stages of 2 layers, 3 micro-batches.
TransformerSpec several(std::uint64_t iterations, bool overlap, std::uint64_t zero = 0) {
  TransformerSpec spec = testing::small_model();
  spec.dp = spec.tp = spec.pp = 2;
  spec.microbatches = 3;
  spec.iterations = iterations;
  spec.overlap = overlap;
  spec.zero = zero;
  return spec;
}

TEST(TrainingIterations, each_is_the_step_again) {
  for (const bool overlap : {true, false}) {
    const TransformerTrace one(several(1, overlap));
    const TransformerTrace three(several(3, overlap));
    for (const std::uint32_t rank : {0u, 7u}) {
      const std::vector<TraceNode> step = one.nodes(RankId{rank});
      const std::vector<TraceNode> all = three.nodes(RankId{rank});
      ASSERT_EQ(all.size(), 3 * step.size());
      const std::size_t n = step.size();
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(all[i], step[i]);
        EXPECT_EQ(all[n + i].name, "i1_" + step[i].name);
        EXPECT_EQ(all[2 * n + i].name, "i2_" + step[i].name);
        EXPECT_EQ(all[n + i].num_ops, step[i].num_ops);
        EXPECT_EQ(all[n + i].comm_bytes, step[i].comm_bytes);
      }
    }
  }
}

// The first stage has the layers 0 and 1 and the embedding.
TEST(TrainingIterations, the_next_one_waits_for_all_weights) {
  const std::vector<TraceNode> first = TransformerTrace(several(2, true)).nodes(RankId{0});
  EXPECT_THAT(dependencies_of(first, "i1_fwd_m0_embedding"),
              UnorderedElementsAre("bwd_m2_l0_attention_all_reduce", "update_l1", "update_l0", "update_embedding"));
  EXPECT_THAT(dependencies_of(first, "i1_bwd_m0_l1_qkv_wgrad"), ElementsAre("i1_bwd_m0_l1_attention_grad"));
  const std::vector<TraceNode> third = TransformerTrace(several(3, true)).nodes(RankId{0});
  EXPECT_THAT(
      dependencies_of(third, "i2_fwd_m0_embedding"),
      UnorderedElementsAre("i1_bwd_m2_l0_attention_all_reduce", "i1_update_l1", "i1_update_l0", "i1_update_embedding"));
  const std::vector<TraceNode> last = TransformerTrace(several(2, true)).nodes(RankId{7});
  EXPECT_THAT(dependencies_of(last, "i1_fwd_m0_recv"),
              UnorderedElementsAre("bwd_m2_l2_attention_all_reduce", "update_head", "update_l3", "update_l2"));
  const std::vector<TraceNode> sharded = TransformerTrace(several(2, true, 2)).nodes(RankId{7});
  EXPECT_THAT(dependencies_of(sharded, "i1_fwd_m0_recv"),
              UnorderedElementsAre("bwd_m2_l2_attention_all_reduce", "weights_head_all_gather", "weights_l3_all_gather",
                                   "weights_l2_all_gather"));
  const std::vector<TraceNode> behind = TransformerTrace(several(2, false)).nodes(RankId{7});
  EXPECT_THAT(dependencies_of(behind, "i1_fwd_m0_recv"),
              UnorderedElementsAre("bwd_m2_l2_attention_all_reduce", "update_step"));
}

// h = 64, f = 160, V = 104 over 2 ranks: a layer has (4 h h + 2 h f) / 2 = 18432 weights, the embedding 3328.
TEST(TrainingIterations, gradients_behind_the_backward_pass_are_one_all_reduce) {
  const TransformerTrace trace(several(1, false));
  const TransformerTrace beside(several(1, true));
  const std::vector<TraceNode> nodes = trace.nodes(RankId{0});
  const TraceNode sum = named(nodes, "grad_step_all_reduce");
  EXPECT_EQ(sum.comm_bytes, 2u * (2 * 18432 + 3328));
  EXPECT_EQ(sum.group, trace.dp_group({0, 0, 0}));
  EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, sum.group), sum.comm_bytes);
  EXPECT_THAT(
      dependencies_of(nodes, "grad_step_all_reduce"),
      ElementsAre("bwd_m2_l1_mlp_down_wgrad", "bwd_m2_l1_mlp_up_wgrad", "bwd_m2_l1_proj_wgrad", "bwd_m2_l1_qkv_wgrad",
                  "bwd_m2_l0_mlp_down_wgrad", "bwd_m2_l0_mlp_up_wgrad", "bwd_m2_l0_proj_wgrad", "bwd_m2_l0_qkv_wgrad",
                  "bwd_m2_l0_attention_all_reduce", "bwd_m2_embedding_wgrad"));
  EXPECT_EQ(named(nodes, "update_step").tensor_bytes, 28u * (2 * 18432 + 3328));
  EXPECT_EQ(ops_of(nodes), ops_of(beside.nodes(RankId{0})));
  const std::vector<TraceNode> sharded = TransformerTrace(several(1, false, 2)).nodes(RankId{0});
  EXPECT_EQ(named(sharded, "weights_step_all_gather").comm_bytes, 2 * 18432u + 3328);
}

TEST(TrainingIterations, no_two_messages_share_a_tag) {
  const TransformerTrace trace(several(3, true));
  std::set<std::tuple<std::uint32_t, RankId, std::uint64_t>> messages;
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const TraceNode& node : trace.nodes(RankId{rank})) {
      if (node.type != TraceNodeType::kSend) continue;
      EXPECT_TRUE(messages.emplace(rank, *node.dst, node.tag).second) << node.name;
    }
  }
  EXPECT_EQ(messages.size(), 8u * 3 * 3);
}

TEST(TrainingIterations, traces_are_sound_and_play_to_the_end) {
  for (const std::uint64_t zero : {0u, 2u}) {
    for (const bool overlap : {true, false}) {
      const TransformerTrace trace(several(2, overlap, zero));
      testing::expect_sound(trace);
      testing::expect_played(trace);
    }
  }
  TransformerSpec alone = testing::small_model();
  alone.iterations = 2;
  alone.overlap = false;
  testing::expect_sound(TransformerTrace(alone));
}

TEST(TrainingIterations, numbers_out_of_range_bad) {
  const auto error = [](const TransformerSpec& spec) { return error_of([&] { TransformerTrace trace(spec); }); };
  EXPECT_THAT(error(several(0, true)), HasSubstr("iterations is 0; legal are 1 to 1000"));
  TransformerSpec large;
  large.layers = 1 << 20;
  large.d_model = large.d_ff = 1 << 17;
  large.seq = 1;
  large.vocab = 1 << 17;
  EXPECT_EQ(error(large), "no error");
  large.overlap = false;
  EXPECT_THAT(error(large), HasSubstr("does not fit 63 bits"));
}

}  // namespace
}  // namespace weft::npu
