// SPDX-License-Identifier: Apache-2.0
// Weight streaming: every node of a step small enough to write down, and totals against closed forms.
#include "npu/tracegen/weight_streaming_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::edges_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::named;

WeightStreamingSpec split(std::uint64_t dp, std::uint64_t tp, std::uint64_t pp, std::uint64_t microbatches,
                          std::uint64_t prefetch = 1) {
  WeightStreamingSpec spec;
  spec.model = testing::small_model();
  spec.model.dp = dp;
  spec.model.tp = tp;
  spec.model.pp = pp;
  spec.model.microbatches = microbatches;
  spec.prefetch = prefetch;
  return spec;
}

const std::vector<WeightStreamingSpec>& splits() {
  static const std::vector<WeightStreamingSpec> all = {split(1, 1, 1, 1),    split(3, 1, 1, 2),    split(1, 4, 1, 3),
                                                       split(1, 1, 4, 6, 0), split(2, 2, 2, 3, 2), split(3, 2, 4, 2),
                                                       split(2, 1, 4, 1, 9)};
  return all;
}

WeightStreamingSpec two_layers() {
  WeightStreamingSpec spec;
  spec.model = testing::tiny_model();
  spec.model.layers = 2;
  return spec;
}

TEST(WeightStreamingTrace, every_node_of_a_small_step) {
  const std::vector<TraceNode> nodes = WeightStreamingTrace(two_layers()).nodes(RankId{1});
  EXPECT_THAT(
      edges_of(nodes),
      ElementsAre(
          "load_embedding <-", "load_fwd_l0 <-",  //
          "fwd_m0_embedding <- load_embedding", "load_fwd_l1 <- fwd_m0_embedding",
          "fwd_m0_l0_qkv <- load_fwd_l0 fwd_m0_embedding", "fwd_m0_l0_attention <- fwd_m0_l0_qkv",
          "fwd_m0_l0_proj <- fwd_m0_l0_attention", "fwd_m0_l0_mlp_up <- fwd_m0_l0_proj",
          "fwd_m0_l0_mlp_down <- fwd_m0_l0_mlp_up", "load_head <- fwd_m0_l0_mlp_down",
          "fwd_m0_l1_qkv <- load_fwd_l1 fwd_m0_l0_mlp_down", "fwd_m0_l1_attention <- fwd_m0_l1_qkv",
          "fwd_m0_l1_proj <- fwd_m0_l1_attention", "fwd_m0_l1_mlp_up <- fwd_m0_l1_proj",
          "fwd_m0_l1_mlp_down <- fwd_m0_l1_mlp_up", "load_bwd_l1 <- fwd_m0_l1_mlp_down",
          "fwd_m0_logits <- load_head fwd_m0_l1_mlp_down", "bwd_m0_logits_dgrad <- fwd_m0_logits",
          "bwd_m0_logits_wgrad <- fwd_m0_logits", "load_bwd_l0 <- bwd_m0_logits_dgrad bwd_m0_logits_wgrad",
          "store_head <- bwd_m0_logits_dgrad bwd_m0_logits_wgrad",
          "bwd_m0_l1_mlp_down_dgrad <- load_bwd_l1 bwd_m0_logits_dgrad",
          "bwd_m0_l1_mlp_down_wgrad <- bwd_m0_logits_dgrad", "bwd_m0_l1_mlp_up_dgrad <- bwd_m0_l1_mlp_down_dgrad",
          "bwd_m0_l1_mlp_up_wgrad <- bwd_m0_l1_mlp_down_dgrad", "bwd_m0_l1_proj_dgrad <- bwd_m0_l1_mlp_up_dgrad",
          "bwd_m0_l1_proj_wgrad <- bwd_m0_l1_mlp_up_dgrad", "bwd_m0_l1_attention_grad <- bwd_m0_l1_proj_dgrad",
          "bwd_m0_l1_qkv_dgrad <- bwd_m0_l1_attention_grad", "bwd_m0_l1_qkv_wgrad <- bwd_m0_l1_attention_grad",
          "store_l1 <- bwd_m0_l1_mlp_down_wgrad bwd_m0_l1_mlp_up_wgrad bwd_m0_l1_proj_wgrad bwd_m0_l1_qkv_dgrad "
          "bwd_m0_l1_qkv_wgrad",
          "bwd_m0_l0_mlp_down_dgrad <- load_bwd_l0 bwd_m0_l1_qkv_dgrad",
          "bwd_m0_l0_mlp_down_wgrad <- bwd_m0_l1_qkv_dgrad", "bwd_m0_l0_mlp_up_dgrad <- bwd_m0_l0_mlp_down_dgrad",
          "bwd_m0_l0_mlp_up_wgrad <- bwd_m0_l0_mlp_down_dgrad", "bwd_m0_l0_proj_dgrad <- bwd_m0_l0_mlp_up_dgrad",
          "bwd_m0_l0_proj_wgrad <- bwd_m0_l0_mlp_up_dgrad", "bwd_m0_l0_attention_grad <- bwd_m0_l0_proj_dgrad",
          "bwd_m0_l0_qkv_dgrad <- bwd_m0_l0_attention_grad", "bwd_m0_l0_qkv_wgrad <- bwd_m0_l0_attention_grad",
          "bwd_m0_embedding_wgrad <- bwd_m0_l0_qkv_dgrad",
          "store_l0 <- bwd_m0_l0_mlp_down_wgrad bwd_m0_l0_mlp_up_wgrad bwd_m0_l0_proj_wgrad bwd_m0_l0_qkv_dgrad "
          "bwd_m0_l0_qkv_wgrad",
          "store_embedding <- bwd_m0_l0_mlp_down_wgrad bwd_m0_l0_mlp_up_wgrad bwd_m0_l0_proj_wgrad "
          "bwd_m0_l0_qkv_dgrad bwd_m0_l0_qkv_wgrad bwd_m0_embedding_wgrad"));
}

// T = 4 tokens, h = 4, f = 8, V = 6, 2 bytes an element: a layer has 4 x 16 + 2 x 32 = 128 weights, a table 24.
TEST(WeightStreamingTrace, bytes_and_operations_of_a_small_step) {
  const WeightStreamingTrace trace(two_layers());
  EXPECT_EQ(trace.groups(), (std::map<std::string, std::vector<RankId>>{{"1", {RankId{0}, RankId{1}}}}));
  const std::vector<TraceNode> nodes = trace.nodes(RankId{0});
  for (const char* name : {"load_fwd_l0", "load_fwd_l1", "load_bwd_l0", "load_bwd_l1", "store_l0", "store_l1"}) {
    EXPECT_EQ(named(nodes, name).tensor_bytes, 256u);
    EXPECT_EQ(named(nodes, name).group, "1");
  }
  for (const char* name : {"load_embedding", "load_head", "store_embedding", "store_head"}) {
    EXPECT_EQ(named(nodes, name).tensor_bytes, 48u);
    EXPECT_EQ(named(nodes, name).group, "1");
  }
  EXPECT_EQ(named(nodes, "fwd_m0_l0_qkv").num_ops, 2u * 4 * 4 * 12);
  EXPECT_EQ(named(nodes, "fwd_m0_l0_qkv").tensor_bytes, 2u * (4 * 4 + 4 * 12 + 4 * 12));
  EXPECT_EQ(named(nodes, "bwd_m0_l1_mlp_up_wgrad").num_ops, 2u * 4 * 4 * 8);
  // Per layer 2 T x 128 forward and twice that backward; attention 4 T s h forward, twice that backward; the head.
  EXPECT_EQ(testing::ops_of(nodes), 2u * (3 * 2 * 4 * 128 + 3 * 4 * 4 * 2 * 4) + 3 * 2 * 4 * 24);
}

TEST(WeightStreamingTrace, bytes_in_and_out_follow_the_closed_form) {
  constexpr std::uint64_t kLayer = 2 * (4 * 64 * 64 + 2 * 64 * 160);
  constexpr std::uint64_t kTable = 2 * 64 * 104;
  for (const WeightStreamingSpec& spec : splits()) {
    const TransformerSpec& s = spec.model;
    const WeightStreamingTrace trace(spec);
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      const ParallelCoordinates at = trace.coordinates(RankId{rank});
      const std::vector<TraceNode> nodes = trace.nodes(RankId{rank});
      const std::uint64_t tables = (at.pp == 0 ? 1 : 0) + (at.pp + 1 == s.pp ? 1 : 0);
      const std::string group = trace.dp_group(at);
      EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemLoad, group), (2 * (4 / s.pp) * kLayer + tables * kTable) / s.tp);
      EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemStore, group), (4 / s.pp * kLayer + tables * kTable) / s.tp);
      if (at.dp != 0) continue;  // the same tensors
      in += bytes_of(nodes, TraceNodeType::kMemLoad, group);
      out += bytes_of(nodes, TraceNodeType::kMemStore, group);
    }
    EXPECT_EQ(in, 2 * 4 * kLayer + 2 * kTable);
    EXPECT_EQ(out, 4 * kLayer + 2 * kTable);
  }
}

// Streaming changes where weights come from and in which order passes run, not what is computed and exchanged.
TEST(WeightStreamingTrace, operations_and_tensor_parallel_bytes_are_those_of_the_transformer) {
  for (const WeightStreamingSpec& spec : splits()) {
    const WeightStreamingTrace streamed(spec);
    const TransformerTrace resident(spec.model);
    for (std::uint32_t rank = 0; rank < streamed.ranks(); ++rank) {
      const std::vector<TraceNode> a = streamed.nodes(RankId{rank});
      const std::vector<TraceNode> b = resident.nodes(RankId{rank});
      const std::string group = streamed.tp_group(streamed.coordinates(RankId{rank}));
      EXPECT_EQ(testing::ops_of(a), testing::ops_of(b));
      if (spec.model.tp > 1) {
        EXPECT_EQ(bytes_of(a, CollectiveKind::kAllReduce, group), bytes_of(b, CollectiveKind::kAllReduce, group));
      }
    }
  }
}

// Every border between two layers is one between two stages: T h e bytes for every micro-batch, each way, from every
// tensor parallel rank and replica; T times micro-batches times replicas are all 24 x 32 tokens.
TEST(WeightStreamingTrace, stages_pass_every_layer_on) {
  for (const WeightStreamingSpec& spec : splits()) {
    const WeightStreamingTrace trace(spec);
    std::uint64_t sent = 0;
    std::set<std::tuple<std::uint32_t, RankId, std::uint64_t>> messages;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      for (const TraceNode& node : trace.nodes(RankId{rank})) {
        if (node.type != TraceNodeType::kSend) continue;
        sent += node.comm_bytes;
        EXPECT_TRUE(messages.emplace(rank, *node.dst, node.tag).second) << "a tag for two messages: " << node.name;
      }
    }
    EXPECT_EQ(sent, spec.model.pp == 1 ? 0 : 2 * 3 * spec.model.tp * 24 * 32 * 64 * 2);
  }
}

// Stage 1 of 2 has layers 1 and 3, and works on all micro-batches of one before it turns to the other.
TEST(WeightStreamingTrace, layers_go_round_the_stages) {
  const WeightStreamingTrace trace(split(1, 1, 2, 2, 0));
  std::vector<std::string> order;
  const std::vector<TraceNode> nodes = trace.nodes(RankId{1});
  for (const TraceNode& node : nodes) {
    for (const char* end : {"_mlp_down", "_logits", "_qkv_dgrad"}) {
      const std::size_t at = node.name.size() - std::string(end).size();
      if (node.name.size() > at && node.name.substr(at) == end) order.push_back(node.name.substr(0, at));
    }
  }
  EXPECT_THAT(order, ElementsAre("fwd_m0_l1", "fwd_m1_l1", "fwd_m0_l3", "fwd_m1_l3", "fwd_m0", "fwd_m1", "bwd_m0_l3",
                                 "bwd_m1_l3", "bwd_m0_l1", "bwd_m1_l1"));
  EXPECT_THAT(edges_of(nodes, TraceNodeType::kMemLoad),
              ElementsAre("load_fwd_l1 <-", "load_fwd_l3 <- fwd_m1_l1_mlp_down", "load_head <- fwd_m1_l3_mlp_down",
                          "load_bwd_l3 <- bwd_m1_logits_dgrad bwd_m1_logits_wgrad", ::testing::_));
  EXPECT_EQ(named(nodes, "fwd_m1_l3_recv").src, RankId{0});
  EXPECT_EQ(named(nodes, "bwd_m1_l1_send").dst, RankId{0});
}

// A rank has a share of each tensor, and the collectives of its group have the whole ones. All divide here.
TEST(WeightStreamingTrace, parts_of_shares_are_exchanged_by_the_replicas) {
  constexpr std::uint64_t kLayer = 2 * (4 * 64 * 64 + 2 * 64 * 160);
  constexpr std::uint64_t kTable = 2 * 64 * 104;
  WeightStreamingSpec spec = split(2, 2, 1, 3);
  spec.load_parts = 4;
  spec.store_parts = 4;
  const WeightStreamingTrace trace(spec);
  const std::vector<TraceNode> nodes = trace.nodes(RankId{0});
  const std::string group = trace.dp_group(trace.coordinates(RankId{0}));
  const std::uint64_t in = (2 * 4 * kLayer + 2 * kTable) / 2;
  const std::uint64_t out = (4 * kLayer + 2 * kTable) / 2;
  EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemLoad, ""), in / 2);
  EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllGather, group), in / 2);
  EXPECT_EQ(bytes_of(nodes, CollectiveKind::kReduceScatter, group), out);
  EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemStore, ""), out / 2);
}

// Two tensors of one size could be gathered, or reduced, in another order by another rank.
TEST(WeightStreamingTrace, tensors_in_parts_follow_each_other) {
  WeightStreamingSpec spec = two_layers();
  spec.load_parts = spec.store_parts = 1;
  const std::vector<TraceNode> nodes = WeightStreamingTrace(spec).nodes(RankId{0});
  const auto waits = [&nodes](const std::string& node, const std::string& before) {
    const auto deps = named(nodes, node).deps;
    return std::count(deps.begin(), deps.end(), named(nodes, before).id) == 1;
  };
  EXPECT_TRUE(waits("load_fwd_l0_part0", "load_embedding_part0_all_gather"));
  EXPECT_TRUE(waits("store_l0_part0_reduce_scatter", "store_l1_part0"));
}

TEST(WeightStreamingTrace, gradients_wait_for_the_weights_that_are_loaded_behind_them) {
  WeightStreamingSpec spec = two_layers();
  const auto waits = [&spec](const std::string& store, const std::string& load) {
    const std::vector<TraceNode> nodes = WeightStreamingTrace(spec).nodes(RankId{1});
    const auto deps = named(nodes, store).deps;
    return std::count(deps.begin(), deps.end(), named(nodes, load).id) == 1;
  };
  spec.prefetch = 0;
  EXPECT_FALSE(waits("store_l1", "load_bwd_l0"));
  spec.loads_first = true;
  EXPECT_TRUE(waits("store_head", "load_bwd_l1"));
  EXPECT_TRUE(waits("store_l1", "load_bwd_l0"));
  EXPECT_FALSE(waits("store_l0", "load_bwd_l0"));
  spec.prefetch = 1;
  EXPECT_TRUE(waits("store_head", "load_bwd_l0"));
}

TEST(WeightStreamingTrace, traces_are_sound_and_play_to_the_end) {
  for (WeightStreamingSpec spec : splits()) {
    for (const std::uint64_t parts : {0, 0, 3, 3}) {
      spec.loads_first = !spec.loads_first;
      spec.load_parts = parts;
      spec.store_parts = 2 * parts;
      const WeightStreamingTrace trace(spec);
      testing::expect_sound(trace);
      testing::expect_played(trace);
    }
  }
}

TEST(WeightStreamingTrace, numbers_out_of_range_bad) {
  WeightStreamingSpec spec = split(2, 1, 1, 1);
  spec.prefetch = 1 << 21;
  spec.model.zero = 2;
  EXPECT_THAT(
      error_of([&] { WeightStreamingTrace trace(spec); }),
      AllOf(HasSubstr("prefetch is 2097152; legal are 0 to 1048576"), HasSubstr("zero is 2; weight streaming has 0")));
  EXPECT_THAT(error_of([] { WeightStreamingTrace trace(split(1, 1, 3, 1)); }),
              HasSubstr("layers (4) is not a multiple of pp (3)"));
}

}  // namespace
}  // namespace weft::npu
