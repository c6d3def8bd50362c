// SPDX-License-Identifier: Apache-2.0
// Mixture of experts: a layer counted by hand, totals against closed forms.
#include "npu/tracegen/moe_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npu/tracegen/moe_rank.h"
#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using ::testing::Contains;
using testing::edges_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::named;

MoeSpec split(std::uint64_t dp, std::uint64_t tp, std::uint64_t pp, std::uint64_t microbatches, std::uint64_t ep,
              bool from_pool = false) {
  MoeSpec spec;
  spec.model = testing::small_model();
  spec.model.dp = dp;
  spec.model.tp = tp;
  spec.model.pp = pp;
  spec.model.microbatches = microbatches;
  spec.experts = 12;
  spec.ep = ep;
  spec.experts_from_pool = from_pool;
  return spec;
}

const std::vector<MoeSpec>& splits() {
  static const std::vector<MoeSpec> all = {split(1, 1, 1, 1, 0),       split(3, 1, 1, 2, 3),       split(4, 2, 1, 3, 2),
                                           split(4, 2, 1, 3, 2, true), split(2, 2, 2, 3, 0, true), split(4, 1, 4, 2, 1),
                                           split(6, 1, 2, 2, 3, true)};
  return all;
}

/// T = 4 tokens, h = 4, f = 8, 4 experts, 2 of them on each of the two replicas: C = 4 x 2 / 4 = 2 places.
MoeSpec tiny(bool from_pool) {
  MoeSpec spec;
  spec.model = testing::tiny_model();
  spec.experts = 4;
  spec.experts_from_pool = from_pool;
  return spec;
}

TEST(MoeTrace, the_edges_of_a_layer) {
  const std::vector<std::string> edges = edges_of(MoeTrace(tiny(false)).nodes(RankId{0}));
  EXPECT_THAT(
      edges,
      IsSupersetOf(
          {"fwd_m0_l0_router <- fwd_m0_l0_proj", "fwd_m0_l0_dispatch_all_to_all <- fwd_m0_l0_router",
           "fwd_m0_l0_expert_up <- fwd_m0_l0_dispatch_all_to_all", "fwd_m0_l0_expert_down <- fwd_m0_l0_expert_up",
           "fwd_m0_l0_combine_all_to_all <- fwd_m0_l0_expert_down",
           "fwd_m0_l0_mix <- fwd_m0_l0_combine_all_to_all",  //
           "fwd_m0_logits <- fwd_m0_l0_mix",                 //
           "bwd_m0_l0_mix_grad <- bwd_m0_logits_dgrad", "bwd_m0_l0_combine_grad_all_to_all <- bwd_m0_l0_mix_grad",
           "bwd_m0_l0_expert_down_dgrad <- bwd_m0_l0_combine_grad_all_to_all",
           "bwd_m0_l0_expert_down_wgrad <- bwd_m0_l0_combine_grad_all_to_all",
           "bwd_m0_l0_expert_up_dgrad <- bwd_m0_l0_expert_down_dgrad",
           "bwd_m0_l0_expert_up_wgrad <- bwd_m0_l0_expert_down_dgrad",
           "bwd_m0_l0_dispatch_grad_all_to_all <- bwd_m0_l0_expert_up_dgrad",
           "bwd_m0_l0_router_dgrad <- bwd_m0_l0_dispatch_grad_all_to_all",
           "bwd_m0_l0_router_wgrad <- bwd_m0_l0_mix_grad", "bwd_m0_l0_proj_dgrad <- bwd_m0_l0_router_dgrad",
           "grad_l0_all_reduce <- bwd_m0_l0_router_wgrad bwd_m0_l0_proj_wgrad bwd_m0_l0_qkv_wgrad",
           "update_l0_experts <- bwd_m0_l0_expert_down_wgrad bwd_m0_l0_expert_up_wgrad"}));
}

TEST(MoeTrace, bytes_and_operations_of_a_layer) {
  const std::vector<TraceNode> nodes = MoeTrace(tiny(false)).nodes(RankId{0});
  EXPECT_EQ(named(nodes, "fwd_m0_l0_router").num_ops, 2u * 4 * 4 * 4);
  for (const char* name : {"fwd_m0_l0_dispatch_all_to_all", "fwd_m0_l0_combine_all_to_all",
                           "bwd_m0_l0_combine_grad_all_to_all", "bwd_m0_l0_dispatch_grad_all_to_all"}) {
    EXPECT_EQ(named(nodes, name).comm_bytes, 4u * 2 * 4 * 2);  // E C h e
    EXPECT_EQ(named(nodes, name).collective, CollectiveKind::kAllToAll);
    EXPECT_EQ(named(nodes, name).group, "2");
  }
  for (const char* name : {"fwd_m0_l0_expert_up", "bwd_m0_l0_expert_down_dgrad", "bwd_m0_l0_expert_up_wgrad"}) {
    EXPECT_EQ(named(nodes, name).num_ops, 2u * 8 * 4 * 8);                         // 8 rows by 4 x 8
    EXPECT_EQ(named(nodes, name).tensor_bytes, 2u * (8 * 4 + 2 * 4 * 8 + 8 * 8));  // two experts' weights
  }
  EXPECT_EQ(named(nodes, "fwd_m0_l0_mix").tensor_bytes, 3u * 4 * 4 * 2);
  EXPECT_EQ(named(nodes, "fwd_m0_l0_mix").num_ops, 0u);
  EXPECT_EQ(named(nodes, "grad_l0_all_reduce").comm_bytes, 2u * (4 * 16 + 4 * 4));
  EXPECT_EQ(named(nodes, "update_l0_experts").tensor_bytes, 28u * 2 * 2 * 4 * 8);
}

TEST(MoeTrace, places_of_an_expert_are_rounded_up) {
  MoeSpec spec = tiny(false);  // 4 tokens to 2 of 4 experts
  EXPECT_EQ(expert_slots(spec), 2u);
  spec.capacity = 125;
  EXPECT_EQ(expert_slots(spec), 3u);
  spec.capacity = 150;
  EXPECT_EQ(expert_slots(spec), 3u);
  spec.capacity = 151;
  EXPECT_EQ(expert_slots(spec), 4u);
  spec.capacity = 1;
  EXPECT_EQ(expert_slots(spec), 1u);
}

// Two experts on a rank, 2 x 4 x 8 weights each, 2 bytes a weight; one layer ahead of what is used.
TEST(MoeTrace, experts_come_from_the_pool_for_every_use) {
  MoeSpec spec = tiny(true);
  spec.model.microbatches = 2;
  const std::vector<TraceNode> nodes = MoeTrace(spec).nodes(RankId{1});
  EXPECT_THAT(edges_of(nodes, TraceNodeType::kMemLoad),
              ElementsAre("load_fwd_m0_l0_experts <-", "load_bwd_m0_l0_experts <-",
                          "load_fwd_m1_l0_experts <- fwd_m0_l0_expert_down",
                          "load_bwd_m1_l0_experts <- bwd_m0_l0_expert_up_dgrad"));
  EXPECT_THAT(edges_of(nodes), IsSupersetOf({"fwd_m1_l0_expert_up <- load_fwd_m1_l0_experts "
                                             "fwd_m1_l0_dispatch_all_to_all",
                                             "bwd_m0_l0_expert_down_dgrad <- load_bwd_m0_l0_experts "
                                             "bwd_m0_l0_combine_grad_all_to_all",
                                             "store_l0_experts <- bwd_m1_l0_expert_down_wgrad "
                                             "bwd_m1_l0_expert_up_wgrad"}));
  EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemLoad, ""), 4u * 2 * 2 * 4 * 8 * 2);
  EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemStore, ""), 2u * 2 * 4 * 8 * 2);
  EXPECT_THAT(edges_of(nodes), ::testing::Not(Contains(HasSubstr("update_l0_experts"))));
}

TEST(MoeTrace, groups_share_experts_or_hold_the_same) {
  const MoeTrace trace(split(4, 2, 1, 3, 2));
  const auto groups = trace.groups();
  const ParallelCoordinates at = trace.coordinates(RankId{5});  // tp 1, dp 2
  const auto ranks = [](const std::vector<std::uint32_t>& numbers) {
    std::vector<RankId> list;
    for (const std::uint32_t number : numbers) list.push_back(RankId{number});
    return list;
  };
  EXPECT_EQ(groups.at(trace.tp_group(at)), ranks({4, 5}));
  EXPECT_EQ(groups.at(trace.dp_group(at)), ranks({1, 3, 5, 7}));
  EXPECT_EQ(groups.at(trace.expert_group(at)), ranks({5, 7}));
  EXPECT_EQ(groups.at(trace.replica_group(at)), ranks({1, 5}));
  EXPECT_EQ(groups.size(), 4u + 2 + 4 + 4);
  EXPECT_EQ(MoeTrace(split(4, 1, 1, 1, 1)).expert_group({}), "");
  EXPECT_EQ(MoeTrace(split(4, 1, 1, 1, 0)).replica_group({}), "");
}

TEST(MoeTrace, bytes_follow_the_closed_form) {
  for (const MoeSpec& spec : splits()) {
    const TransformerSpec& s = spec.model;
    const MoeTrace trace(spec);
    const std::uint64_t ep = spec.ep == 0 ? s.dp : spec.ep;
    const std::uint64_t layers = 4 / s.pp;
    const std::uint64_t tokens = 24 / s.dp / s.microbatches * 32;
    const std::uint64_t places = (tokens * 2 + 11) / 12;
    const std::uint64_t experts = 12 / ep * 2 * 64 * 160 * 2 / s.tp;  // bytes of a layer's on a rank
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
      const ParallelCoordinates at = trace.coordinates(RankId{rank});
      const std::vector<TraceNode> nodes = trace.nodes(RankId{rank});
      const std::uint64_t exchanged = 4 * layers * s.microbatches * 12 * places * 64 * 2;
      EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllToAll, trace.expert_group(at)), ep == 1 ? 0 : exchanged);
      const std::string replicas = trace.replica_group(at);
      if (!replicas.empty()) {
        EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, replicas), spec.experts_from_pool ? 0 : layers * experts);
      }
      EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemLoad, ""),
                spec.experts_from_pool ? 2 * s.microbatches * layers * experts : 0);
      EXPECT_EQ(bytes_of(nodes, TraceNodeType::kMemStore, replicas), spec.experts_from_pool ? layers * experts : 0);
      const std::uint64_t tables = (at.pp == 0 ? 1 : 0) + (at.pp + 1 == s.pp ? 1 : 0);
      const std::uint64_t dense = layers * (4 * 64 * 64 / s.tp + 64 * 12) + tables * 64 * 104 / s.tp;
      if (s.dp > 1) {
        EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, trace.dp_group(at)), dense * 2);
      }
    }
  }
}

// Per token and layer 8 h h + 4 s h in attention, per place 4 h f in the experts; per token 2 h E in every tp rank's
// router, 2 h V in the head; three times that with the backward pass.
TEST(MoeTrace, operations_follow_the_closed_form) {
  for (const MoeSpec& spec : splits()) {
    const TransformerSpec& s = spec.model;
    const MoeTrace trace(spec);
    std::uint64_t ops = 0;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) ops += testing::ops_of(trace.nodes(RankId{rank}));
    const std::uint64_t tokens = 24 / s.dp / s.microbatches * 32;
    const std::uint64_t places = 12 * ((tokens * 2 + 11) / 12);
    const std::uint64_t layer = tokens * (8 * 64 * 64 + 4 * 32 * 64 + s.tp * 2 * 64 * 12) + places * 4 * 64 * 160;
    EXPECT_EQ(ops, 3 * s.dp * s.microbatches * (4 * layer + tokens * 2 * 64 * 104));
  }
}

TEST(MoeTrace, traces_are_sound_and_play_to_the_end) {
  for (const MoeSpec& spec : splits()) {
    const MoeTrace trace(spec);
    testing::expect_sound(trace);
    testing::expect_played(trace);
  }
}

TEST(MoeTrace, numbers_that_do_not_fit_bad) {
  MoeSpec spec = split(4, 1, 1, 1, 3);
  spec.experts = 5;
  spec.top_k = 6;
  EXPECT_THAT(error_of([&] { MoeTrace trace(spec); }), AllOf(HasSubstr("dp (4) is not a multiple of ep (3)"),
                                                             HasSubstr("experts (5) is not a multiple of ep (3)"),
                                                             HasSubstr("top-k is 6; legal are 1 to experts (5)")));
  spec = split(1, 1, 1, 1, 0);
  spec.capacity = 0;
  EXPECT_THAT(error_of([&] { MoeTrace trace(spec); }), HasSubstr("capacity is 0; legal are 1 to 10000"));
  spec.capacity = 10000;
  spec.top_k = 12;
  spec.model.d_ff = 1 << 20;
  spec.model.d_model = 1 << 17;
  spec.model.batch = 1;
  spec.model.seq = 1 << 14;
  EXPECT_THAT(error_of([&] { MoeTrace trace(spec); }), HasSubstr("does not fit 63 bits"));
}

}  // namespace
}  // namespace weft::npu
