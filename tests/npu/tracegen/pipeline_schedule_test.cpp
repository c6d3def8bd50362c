// SPDX-License-Identifier: Apache-2.0
// The order of passes on pipeline stages, against schedules written by hand, and the bubble that follows from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "npu/tracegen/moe_trace.h"
#include "npu/tracegen/transformer_trace.h"
#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using Names = std::vector<std::string>;

TransformerSpec pipeline(PipelineSchedule schedule, std::uint64_t pp, std::uint64_t microbatches) {
  TransformerSpec spec = testing::small_model();
  spec.pp = pp;
  spec.microbatches = microbatches;
  spec.schedule = schedule;
  return spec;
}

/// "fwd_m0" of "fwd_m0_l0_qkv"; "" for what belongs to no pass.
std::string pass_of(const std::string& node) {
  if (node.compare(0, 5, "fwd_m") != 0 && node.compare(0, 5, "bwd_m") != 0) return "";
  return node.substr(0, node.find('_', 4));
}

/// One pass as the graph has it; a pass waits for `neighbour` where it receives from there.
struct StagePass {
  std::string name;
  std::uint64_t ops = 0;  ///< without the head, so that all stages have as much work
  std::optional<RankId> neighbour;
  bool after_the_one_before = false;  ///< a dependency of its first node leads to the pass before it
};

std::vector<StagePass> passes_of(const std::vector<TraceNode>& nodes) {
  std::vector<StagePass> passes;
  for (const TraceNode& node : nodes) {
    const std::string name = pass_of(node.name);
    if (name.empty()) continue;
    if (passes.empty() || passes.back().name != name) {
      StagePass pass;
      pass.name = name;
      for (const std::uint64_t dep : node.deps) {
        if (!passes.empty() && pass_of(nodes.at(dep).name) == passes.back().name) pass.after_the_one_before = true;
      }
      passes.push_back(pass);
    }
    if (node.name.find("logits") == std::string::npos) passes.back().ops += node.num_ops.value_or(0);
    if (node.type == TraceNodeType::kRecv) passes.back().neighbour = node.src;
  }
  return passes;
}

/// "F0 F1 B0 B1" for the passes of a stage.
std::string order_of(const TraceGenerator& trace, std::uint32_t stage) {
  std::string order;
  for (const StagePass& pass : passes_of(trace.nodes(RankId{stage}))) {
    order += std::string(order.empty() ? "" : " ") + (pass.name[0] == 'f' ? "F" : "B") + pass.name.substr(5);
  }
  return order;
}

Names orders_of(const TraceGenerator& trace) {
  Names orders;
  for (std::uint32_t stage = 0; stage < trace.ranks(); ++stage) orders.push_back(order_of(trace, stage));
  return orders;
}

/// The time of a step in operations where messages take none: a pass starts when the one before it on its stage and
/// the one that it receives from have ended.
std::uint64_t makespan_of(const TraceGenerator& trace) {
  std::vector<std::vector<StagePass>> stages;
  for (std::uint32_t stage = 0; stage < trace.ranks(); ++stage) stages.push_back(passes_of(trace.nodes(RankId{stage})));
  std::vector<std::map<std::string, std::uint64_t>> ends(stages.size());
  std::vector<std::size_t> next(stages.size(), 0);
  std::vector<std::uint64_t> free(stages.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (next[s] == stages[s].size()) continue;
      const StagePass& pass = stages[s][next[s]];
      std::uint64_t start = free[s];
      if (pass.neighbour) {
        const auto& sent = ends[index(*pass.neighbour)];
        const auto end = sent.find(pass.name);
        if (end == sent.end()) continue;
        start = std::max(start, end->second);
      }
      free[s] = ends[s][pass.name] = start + pass.ops;
      ++next[s];
      moved = true;
    }
  }
  for (std::size_t s = 0; s < stages.size(); ++s) EXPECT_EQ(next[s], stages[s].size()) << "stage " << s << " waits";
  return *std::max_element(free.begin(), free.end());
}

TEST(PipelineSchedule, one_forward_one_backward_is_the_default) {
  EXPECT_EQ(TransformerSpec().schedule, PipelineSchedule::kOneFOneB);
}

TEST(PipelineSchedule, orders_written_by_hand) {
  const auto orders = [](PipelineSchedule schedule, std::uint64_t pp) {
    return orders_of(TransformerTrace(pipeline(schedule, pp, 4)));
  };
  const std::string all_forward = "F0 F1 F2 F3 B0 B1 B2 B3";
  EXPECT_EQ(orders(PipelineSchedule::kGpipe, 2), Names(2, all_forward));
  EXPECT_EQ(orders(PipelineSchedule::kGpipe, 4), Names(4, all_forward));
  EXPECT_EQ(orders(PipelineSchedule::kOneFOneB, 2), (Names{"F0 F1 B0 F2 B1 F3 B2 B3", "F0 B0 F1 B1 F2 B2 F3 B3"}));
  EXPECT_EQ(orders(PipelineSchedule::kOneFOneB, 4), (Names{"F0 F1 F2 F3 B0 B1 B2 B3", "F0 F1 F2 B0 F3 B1 B2 B3",
                                                           "F0 F1 B0 F2 B1 F3 B2 B3", "F0 B0 F1 B1 F2 B2 F3 B3"}));
}

TEST(PipelineSchedule, a_mixture_of_experts_has_it_too) {
  MoeSpec spec;
  spec.model = pipeline(PipelineSchedule::kGpipe, 2, 3);
  EXPECT_EQ(orders_of(MoeTrace(spec)), Names(2, "F0 F1 F2 B0 B1 B2"));
}

TEST(PipelineSchedule, every_pass_waits_for_the_one_before_it) {
  for (const PipelineSchedule schedule : {PipelineSchedule::kGpipe, PipelineSchedule::kOneFOneB}) {
    const TransformerTrace trace(pipeline(schedule, 4, 6));
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
      const std::vector<StagePass> passes = passes_of(trace.nodes(RankId{stage}));
      ASSERT_EQ(passes.size(), 12u);
      for (std::size_t p = 1; p < passes.size(); ++p) {
        EXPECT_TRUE(passes[p].after_the_one_before) << "stage " << stage << ", " << passes[p].name;
      }
    }
  }
}

// A stage is idle for (pp - 1) / (m + pp - 1) of the step, with both schedules.
TEST(PipelineSchedule, bubble_follows_the_closed_form) {
  for (const PipelineSchedule schedule : {PipelineSchedule::kGpipe, PipelineSchedule::kOneFOneB}) {
    for (const std::uint64_t pp : {1u, 2u, 4u}) {
      for (const std::uint64_t m : {1u, 4u, 6u, 8u, 12u}) {
        const TransformerTrace trace(pipeline(schedule, pp, m));
        const std::uint64_t makespan = makespan_of(trace);
        // 4 / pp layers of 8 h h + 4 h f + 4 s h operations a token, once forward and twice backward, 24 x 32 tokens.
        const std::uint64_t busy = 3 * 24 * 32 * (4 / pp) * (8 * 64 * 64 + 4 * 64 * 160 + 4 * 32 * 64);
        EXPECT_EQ((makespan - busy) * (m + pp - 1), makespan * (pp - 1)) << "pp " << pp << ", m " << m;
      }
    }
  }
}

/// The most micro-batches of a stage whose forward pass has begun and whose backward pass has not ended.
std::uint64_t most_alive(const TraceGenerator& trace, std::uint32_t stage) {
  std::uint64_t alive = 0;
  std::uint64_t most = 0;
  for (const StagePass& pass : passes_of(trace.nodes(RankId{stage}))) {
    alive = pass.name[0] == 'f' ? alive + 1 : alive - 1;
    most = std::max(most, alive);
  }
  EXPECT_EQ(alive, 0u);
  return most;
}

TEST(PipelineSchedule, one_forward_one_backward_holds_few_micro_batches) {
  for (const std::uint64_t m : {1u, 2u, 4u, 12u}) {
    const TransformerTrace few(pipeline(PipelineSchedule::kOneFOneB, 4, m));
    const TransformerTrace all(pipeline(PipelineSchedule::kGpipe, 4, m));
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
      EXPECT_EQ(most_alive(few, stage), std::min<std::uint64_t>(4 - stage, m));
      EXPECT_EQ(most_alive(all, stage), m);
    }
  }
}

TEST(PipelineSchedule, gpipe_is_sound_and_plays_to_the_end) {
  TransformerSpec spec = pipeline(PipelineSchedule::kGpipe, 2, 3);
  spec.dp = spec.tp = 2;
  spec.iterations = 2;
  for (const bool overlap : {true, false}) {
    spec.overlap = overlap;
    const TransformerTrace trace(spec);
    testing::expect_sound(trace);
    testing::expect_played(trace);
  }
}

}  // namespace
}  // namespace weft::npu
