// SPDX-License-Identifier: Apache-2.0
// ZeRO stage 2: buckets counted by hand, totals against closed forms.
#include "npu/tracegen/zero2_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::edges_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::named;

Zero2Spec split(std::uint64_t dp, std::uint64_t tp, std::uint64_t microbatches, std::uint64_t bucket_bytes) {
  Zero2Spec spec;
  spec.model = testing::small_model();
  spec.model.dp = dp;
  spec.model.tp = tp;
  spec.model.microbatches = microbatches;
  spec.bucket_bytes = bucket_bytes;
  return spec;
}

const std::vector<Zero2Spec>& splits() {
  static const std::vector<Zero2Spec> all = {split(1, 1, 2, 1 << 20), split(2, 1, 1, 2), split(3, 1, 2, 30000),
                                             split(3, 4, 2, 30000), split(8, 2, 3, 1 << 30)};
  return all;
}

/// Matrices of 24 (head), 32, 32, 16, 48 (layer, from its end) and 24 (embedding) elements; 56 go into a bucket.
std::vector<TraceNode> tiny_nodes() {
  Zero2Spec spec;
  spec.model = testing::tiny_model();
  spec.model.microbatches = 2;
  spec.bucket_bytes = 112;
  return Zero2Trace(spec).nodes(RankId{0});
}

// 24 + 32 fill a bucket; 32 + 16, 48 and 24 do not, but what comes next does not fit.
TEST(Zero2Trace, gradients_fill_buckets_in_the_order_of_the_backward_pass) {
  std::vector<std::string> lines = edges_of(tiny_nodes(), TraceNodeType::kCollective);
  ASSERT_EQ(lines.size(), 12u);
  EXPECT_EQ(lines[0], "grad_m0_b0_reduce_scatter <- bwd_m0_logits_wgrad bwd_m0_l0_mlp_down_wgrad");
  EXPECT_EQ(lines[1], "grad_m0_b1_reduce_scatter <- bwd_m0_l0_mlp_up_wgrad bwd_m0_l0_proj_wgrad");
  EXPECT_EQ(lines[2], "grad_m0_b2_reduce_scatter <- bwd_m0_l0_qkv_wgrad");
  EXPECT_EQ(lines[3], "grad_m0_b3_reduce_scatter <- bwd_m0_embedding_wgrad");
  EXPECT_EQ(lines[4], "grad_m1_b0_reduce_scatter <- bwd_m1_logits_wgrad bwd_m1_l0_mlp_down_wgrad");
  EXPECT_EQ(lines[7], "grad_m1_b3_reduce_scatter <- bwd_m1_embedding_wgrad");
  EXPECT_EQ(lines[11], "weights_b3_all_gather <- update_b3");
}

// Elements 56, 48, 48, 24, of which two replicas update half each: 2 e + 24 = 28 bytes an element.
TEST(Zero2Trace, buckets_and_shards_have_the_bytes_of_their_elements) {
  const std::vector<TraceNode> nodes = tiny_nodes();
  const std::uint64_t elements[] = {56, 48, 48, 24};
  for (std::size_t b = 0; b < 4; ++b) {
    const std::string bucket = "b" + std::to_string(b);
    for (const char* m : {"m0", "m1"}) {
      const TraceNode reduce = named(nodes, std::string("grad_") + m + "_" + bucket + "_reduce_scatter");
      EXPECT_EQ(reduce.collective, CollectiveKind::kReduceScatter);
      EXPECT_EQ(reduce.comm_bytes, 2 * elements[b]);
      EXPECT_EQ(reduce.group, "1");
    }
    EXPECT_EQ(named(nodes, "update_" + bucket).tensor_bytes, 28 * elements[b] / 2);
    EXPECT_EQ(named(nodes, "update_" + bucket).num_ops, 0u);
    const TraceNode gather = named(nodes, "weights_" + bucket + "_all_gather");
    EXPECT_EQ(gather.collective, CollectiveKind::kAllGather);
    EXPECT_EQ(gather.comm_bytes, elements[b]);
  }
}

TEST(Zero2Trace, the_optimizer_waits_for_the_last_pass_and_for_all_parts_of_its_bucket) {
  const std::vector<TraceNode> nodes = tiny_nodes();
  const std::vector<std::string> all = edges_of(nodes);
  EXPECT_THAT(all, ::testing::Contains("update_b1 <- grad_m0_b1_reduce_scatter bwd_m1_l0_qkv_dgrad "
                                       "grad_m1_b1_reduce_scatter"));
  EXPECT_THAT(all, ::testing::Contains("bwd_m1_l0_qkv_wgrad <- bwd_m1_l0_attention_grad"));  // not on that of m0
}

TEST(Zero2Trace, bytes_follow_the_closed_form) {
  for (const Zero2Spec& spec : splits()) {
    const TransformerSpec& s = spec.model;
    const Zero2Trace trace(spec);
    const std::vector<TraceNode> nodes = trace.nodes(RankId{trace.ranks() - 1});
    const std::string group = trace.dp_group(trace.coordinates(RankId{trace.ranks() - 1}));
    const std::uint64_t weights = (4 * (4 * 64 * 64 + 2 * 64 * 160) + 2 * 64 * 104) / s.tp;
    const std::uint64_t reduced = bytes_of(nodes, CollectiveKind::kReduceScatter, group);
    const std::uint64_t gathered = bytes_of(nodes, CollectiveKind::kAllGather, group);
    std::uint64_t updates = 0;
    for (const TraceNode& node : nodes) updates += node.name.rfind("update_", 0) == 0 ? 1 : 0;
    EXPECT_EQ(reduced, s.dp == 1 ? 0 : s.microbatches * weights * 2);
    // A shard is rounded up in each bucket.
    EXPECT_GE(gathered * s.dp, s.dp == 1 ? 0 : weights * 2);
    EXPECT_LT(gathered * s.dp, weights * 2 + updates * s.dp * 2);
    if (spec.bucket_bytes == 2) {
      EXPECT_EQ(updates, 4u * 4 + 2);  // every matrix alone
    }
    if (spec.bucket_bytes == 1 << 30) {
      EXPECT_EQ(updates, 1u);
    }
  }
}

TEST(Zero2Trace, operations_are_those_of_the_transformer) {
  for (const Zero2Spec& spec : splits()) {
    EXPECT_EQ(testing::ops_of(Zero2Trace(spec).nodes(RankId{0})),
              testing::ops_of(TransformerTrace(spec.model).nodes(RankId{0})));
  }
}

TEST(Zero2Trace, traces_are_sound_and_play_to_the_end) {
  for (const Zero2Spec& spec : splits()) {
    const Zero2Trace trace(spec);
    testing::expect_sound(trace);
    testing::expect_played(trace);
  }
}

TEST(Zero2Trace, numbers_out_of_range_bad) {
  Zero2Spec spec = split(2, 1, 1, 1);
  spec.model.pp = 2;
  spec.model.zero = 2;
  EXPECT_THAT(error_of([&] { Zero2Trace trace(spec); }),
              AllOf(HasSubstr("pp is 2; ZeRO stage 2 has 1 stage"), HasSubstr("zero is 2; leave it 0"),
                    HasSubstr("bucket is 1 bytes; an element has 2")));
}

}  // namespace
}  // namespace weft::npu
