// SPDX-License-Identifier: Apache-2.0
// Shapes that do not divide over their ranks; all numbers are written out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "npu/tracegen/moe_trace.h"
#include "npu/tracegen/weight_streaming_trace.h"
#include "npu/tracegen/zero2_trace.h"
#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::named;
using testing::ops_of;
using ::testing::StartsWith;

constexpr Uneven kTaken[] = {Uneven::kLargest, Uneven::kIdeal};

// Transformer-17B: h = 4256, f = 17024, 28 heads of 152, V = 51200, s = 1024, over tp 3, dp 3 and pp 2. 16 samples of a
// replica in 8 micro-batches are T = 2 x 1024 = 2048 tokens each.
TransformerSpec transformer_17b(Uneven uneven) {
  TransformerSpec spec;
  apply_preset(spec, "turing-nlg-like");
  spec.tp = 3;
  spec.pp = 2;
  spec.dp = 3;
  spec.batch = 48;
  spec.microbatches = 8;
  spec.uneven = uneven;
  return spec;
}

/// 7 layers over 3 stages, 8 heads and f = 160 over 3 ranks; V = 104 is padded to 105.
TransformerSpec small_uneven(Uneven uneven) {
  TransformerSpec spec = testing::small_model();
  spec.layers = 7;
  spec.tp = 3;
  spec.pp = 3;
  spec.dp = 2;
  spec.microbatches = 3;
  spec.uneven = uneven;
  return spec;
}

// 10 of 28 heads are 1520 wide, 5675 is the third of f.
TEST(UnevenTrace, the_largest_share_is_that_of_every_rank) {
  const TransformerTrace trace(transformer_17b(Uneven::kLargest));
  for (const std::uint32_t rank : {0u, 1u, 2u}) {
    const std::vector<TraceNode> nodes = trace.nodes(RankId{rank});
    EXPECT_EQ(named(nodes, "fwd_m0_l0_qkv").num_ops, 79'492'546'560u);        // 2 x 2048 x 4256 x 4560
    EXPECT_EQ(named(nodes, "fwd_m0_l0_attention").num_ops, 12'750'684'160u);  // 4 x 2048 x 1024 x 1520
    EXPECT_EQ(named(nodes, "fwd_m0_l0_proj").num_ops, 26'497'515'520u);       // 2 x 2048 x 1520 x 4256
    EXPECT_EQ(named(nodes, "fwd_m0_l0_mlp_up").num_ops, 98'929'868'800u);     // 2 x 2048 x 4256 x 5675
    EXPECT_EQ(named(nodes, "fwd_m0_l0_mlp_down").num_ops, 98'929'868'800u);   // 2 x 2048 x 5675 x 4256
    EXPECT_EQ(ops_of(nodes), 8u * 39 * 949'801'451'520u);                     // three times these
    EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, trace.dp_group(trace.coordinates(RankId{rank}))),
              5'931'476'544u);  // 2 x (39 x (4256 x 4560 + 1520 x 4256 + 2 x 4256 x 5675) + 4256 x 17067)
  }
}

// Q, K and V of a third of the model are exactly 4256 wide; the other shares are fractions, rounded up by node.
TEST(UnevenTrace, ideal_shares_are_fractions_rounded_up) {
  const TransformerTrace trace(transformer_17b(Uneven::kIdeal));
  for (const std::uint32_t rank : {0u, 1u, 2u}) {
    const std::vector<TraceNode> nodes = trace.nodes(RankId{rank});
    EXPECT_EQ(named(nodes, "fwd_m0_l0_qkv").num_ops, 74'193'043'456u);             // 2 x 2048 x 4256 x 4256
    EXPECT_EQ(named(nodes, "fwd_m0_l0_attention").num_ops, 11'900'638'550u);       // 4 x 2048 x 1024 x 4256 / 3
    EXPECT_EQ(named(nodes, "bwd_m0_l0_attention_grad").num_ops, 23'801'277'099u);  // twice as many before rounding
    EXPECT_EQ(named(nodes, "fwd_m0_l0_proj").num_ops, 24'731'014'486u);            // 2 x 2048 x 4256 x 4256 / 3
    EXPECT_EQ(named(nodes, "fwd_m0_l0_mlp_up").num_ops, 98'924'057'942u);          // 2 x 2048 x 4256 x 17024 / 3
    EXPECT_EQ(ops_of(nodes), 8u * 39 * 926'018'437'127u);
    // 2 x (39 x (18113536 + 6037846 + 2 x 24151382) + 4256 x 17067): 4256 x 4256 / 3 and 4256 x 17024 / 3 rounded up.
    EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, trace.dp_group(trace.coordinates(RankId{rank}))),
              5'796'697'692u);
  }
}

// The last stage has as many layers here and the logits, 3 x 2 x 2048 x 4256 x 17067 operations a micro-batch.
TEST(UnevenTrace, the_vocabulary_is_padded) {
  EXPECT_EQ(ops_of(TransformerTrace(transformer_17b(Uneven::kLargest)).nodes(RankId{17})), 303'478'575'464'448u);
  EXPECT_EQ(ops_of(TransformerTrace(transformer_17b(Uneven::kIdeal)).nodes(RankId{17})), 296'058'274'973'832u);
}

// Two all-reduces of 2048 x 4256 x 2 bytes each way in 39 layers and 8 micro-batches; the first stage looks 8 times
// tokens up, the last one sums 8 gradients of the logits' input and 8 losses of 8 bytes a token.
TEST(UnevenTrace, tensor_parallel_bytes_are_those_of_whole_activations) {
  for (const Uneven uneven : kTaken) {
    const TransformerTrace trace(transformer_17b(uneven));
    for (const std::uint32_t rank : {0u, 17u}) {
      const std::string group = trace.tp_group(trace.coordinates(RankId{rank}));
      std::uint64_t activations = 0;
      std::uint64_t losses = 0;
      std::uint64_t all = 0;
      for (const TraceNode& node : trace.nodes(RankId{rank})) {
        if (node.type != TraceNodeType::kCollective || node.group != group) continue;
        if (node.comm_bytes == 17'432'576) ++activations;
        if (node.comm_bytes == 16'384) ++losses;
        ++all;
      }
      EXPECT_EQ(activations, 1248u + 8);
      EXPECT_EQ(losses, rank == 17 ? 8u : 0);
      EXPECT_EQ(all, activations + losses);
    }
  }
}

TEST(UnevenTrace, the_first_stages_have_one_layer_more) {
  for (const Uneven uneven : kTaken) {
    const TransformerTrace trace(small_uneven(uneven));
    const auto layers = [&](std::uint32_t stage) {
      std::vector<std::string> names;
      for (const TraceNode& node : trace.nodes(trace.rank_at({0, 0, stage}))) {
        if (node.name.rfind("fwd_m2_l", 0) == 0 && node.name.rfind("_qkv") == 9)
          names.push_back(node.name.substr(7, 2));
      }
      return names;
    };
    EXPECT_THAT(layers(0), ElementsAre("l0", "l1", "l2"));
    EXPECT_THAT(layers(1), ElementsAre("l3", "l4"));
    EXPECT_THAT(layers(2), ElementsAre("l5", "l6"));
  }
}

// 3 of 8 heads are 24 wide, 54 is the third of 160: 64 x 72 + 24 x 64 + 2 x 64 x 54 = 13056 weights a layer, 64 x 35 a
// table. Layer 6, and so the head, is on stage 0. In fractions a layer has 4096 + 1366 + 2 x 3414 = 12290 weights.
TEST(UnevenTrace, streamed_layers_go_round_and_the_head_stays_with_the_last) {
  for (const Uneven uneven : kTaken) {
    WeightStreamingSpec spec;
    spec.model = small_uneven(uneven);
    const WeightStreamingTrace trace(spec);
    const std::uint64_t layer = 2 * (uneven == Uneven::kLargest ? 13056 : 12290);
    constexpr std::uint64_t kTable = 2 * 2240;
    const std::uint64_t loaded[] = {2 * 3 * layer + 2 * kTable, 2 * 2 * layer, 2 * 2 * layer};
    for (const std::uint32_t stage : {0u, 1u, 2u}) {
      const ParallelCoordinates at{1, 1, stage};
      const std::vector<TraceNode> nodes = trace.nodes(trace.rank_at(at));
      EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemLoad, trace.dp_group(at)), loaded[stage]);
    }
    EXPECT_EQ(named(trace.nodes(trace.rank_at({1, 1, 0})), "fwd_m0_logits").num_ops, 2u * 128 * 64 * 35);
  }
}

// The same weights as above and two tables: all in one bucket. Two replicas update half of them each.
TEST(UnevenTrace, zero2_reduces_the_shares) {
  for (const Uneven uneven : kTaken) {
    Zero2Spec spec;
    spec.model = small_uneven(uneven);
    spec.model.pp = 1;
    const Zero2Trace trace(spec);
    const std::vector<TraceNode> nodes = trace.nodes(RankId{0});
    const std::uint64_t weights = 7 * (uneven == Uneven::kLargest ? 13056 : 12290) + 2 * 2240;
    EXPECT_EQ(named(nodes, "grad_m0_b0_reduce_scatter").comm_bytes, 2 * weights);
    EXPECT_EQ(named(nodes, "weights_b0_all_gather").comm_bytes, weights);
  }
}

// 8 experts over 2 replicas: 4 matrices of 64 x 54, or of 64 x 160 / 3, each way; all four are rounded up together.
TEST(UnevenTrace, experts_are_cut_as_the_mlp) {
  for (const Uneven uneven : kTaken) {
    MoeSpec spec;
    spec.model = small_uneven(uneven);
    spec.experts_from_pool = true;
    const std::vector<TraceNode> nodes = MoeTrace(spec).nodes(RankId{0});
    EXPECT_EQ(named(nodes, "store_l0_experts").tensor_bytes, uneven == Uneven::kLargest ? 55296u : 2 * 2 * 13654u);
  }
}

TEST(UnevenTrace, traces_are_sound_and_play_to_the_end) {
  for (const Uneven uneven : kTaken) {
    const TransformerTrace transformer(small_uneven(uneven));
    testing::expect_sound(transformer);
    testing::expect_played(transformer);
    WeightStreamingSpec streamed;
    streamed.model = small_uneven(uneven);
    testing::expect_sound(WeightStreamingTrace(streamed));
    testing::expect_played(WeightStreamingTrace(streamed));
    streamed.model.layers = 8;  // the head is on stage 1 of 3
    testing::expect_sound(WeightStreamingTrace(streamed));
    testing::expect_played(WeightStreamingTrace(streamed));
    MoeSpec moe;
    moe.model = small_uneven(uneven);
    testing::expect_sound(MoeTrace(moe));
    testing::expect_played(MoeTrace(moe));
  }
}

TEST(UnevenTrace, what_divides_is_always_the_same) {
  TransformerSpec spec = testing::small_model();
  spec.tp = spec.pp = spec.dp = 2;
  const TransformerTrace refuse(spec);
  for (const Uneven uneven : kTaken) {
    spec.uneven = uneven;
    const TransformerTrace trace(spec);
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      EXPECT_EQ(trace.nodes(RankId{rank}), refuse.nodes(RankId{rank}));
    }
  }
}

TEST(UnevenTrace, shapes_that_do_not_divide_bad) {
  const auto error = [](TransformerSpec spec) { return error_of([&] { TransformerTrace trace(spec); }); };
  const char* hint = "uneven is refuse; largest and ideal take layers, heads, d-ff and vocab that are no multiples";
  TransformerSpec spec = testing::small_model();
  spec.tp = 3;
  EXPECT_THAT(error(spec), StartsWith("heads (8) is not a multiple of tp (3)\nd-ff (160) is not a multiple of tp (3)\n"
                                      "vocab (104) is not a multiple of tp (3)\nuneven is refuse"));
  spec.tp = 1;
  spec.pp = 3;
  EXPECT_THAT(error(spec), HasSubstr(hint));
  // Here the option would not help.
  spec.pp = 5;
  EXPECT_EQ(error(spec), "layers (4) is not a multiple of pp (5)");
  spec.uneven = Uneven::kLargest;
  EXPECT_EQ(error(spec), "layers is 4; legal are pp (5) and more, one for every stage");
  spec.pp = 1;
  spec.dp = 5;
  EXPECT_EQ(error(spec), "batch (24) is not a multiple of dp x microbatches (5)");
  spec.dp = 1;
  spec.heads = 7;
  EXPECT_EQ(error(spec), "d-model (64) is not a multiple of heads (7)");
}

}  // namespace
}  // namespace weft::npu
