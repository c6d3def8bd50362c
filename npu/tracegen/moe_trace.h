// SPDX-License-Identifier: Apache-2.0
// One training step of a mixture-of-experts transformer.
#pragma once

#include "npu/tracegen/transformer_trace.h"

namespace weft::npu {

/// `weft trace gen moe`.
struct MoeSpec {
  TransformerSpec model;           ///< d_ff is the inner width of one expert
  std::uint64_t experts = 8;       ///< experts per layer
  std::uint64_t top_k = 2;         ///< experts that a token goes to
  std::uint64_t capacity = 100;    ///< slots of an expert, in percent of what even routing needs
  std::uint64_t ep = 0;            ///< replicas that share one set of experts; 0 = all of dp
  std::uint64_t prefetch = 1;      ///< layers whose experts are loaded ahead; with experts_from_pool
  bool experts_from_pool = false;  ///< the experts' weights lie outside the wafer
};

/// All numbers of the specification, in order.
std::vector<SpecNumber> moe_numbers(MoeSpec& spec);

/// The step: that of TransformerTrace with experts for the MLP of every layer. With T tokens of a micro-batch, h =
/// d_model, f = d_ff, E = experts, k = top_k, t = tp, p = ep and e bytes per element, a rank holds E / p experts of a
/// layer, 2 h f / t weights each, and gives every expert C = ceil(T k capacity / (100 E)) slots; the E C slots are
/// all sent, used or not.
///
/// Forward, behind the attention block: router 2 T h E operations (the same on all tp ranks), dispatch: all-to-all(p)
/// of E C h e bytes, expert_up and expert_down 2 E C h f / t operations each (E / p experts, C slots from each of p
/// ranks), combine: all-to-all(p) of E C h e bytes, mix: (k + 1) T h e bytes moved, all-reduce(tp) of T h e. Backward:
/// mix_grad, all-to-all, input and weight gradients of expert_down and expert_up, all-to-all, those of the router,
/// all-reduce(tp).
///
/// The p ranks of an expert group are neighbours in dp, at the same tp and pp coordinates. Gradients of the router and
/// of attention are reduced over dp as in TransformerTrace; those of an expert, E / p x 2 h f / t weights a layer and
/// rank, over the dp / p ranks that hold the same experts.
///
/// With experts_from_pool a rank loads its experts of a layer, E / p x 2 h f e / t bytes, alone, before they are used
/// in every forward and in every backward pass, `prefetch` layers ahead as in WeightStreamingTrace; when the gradients
/// are complete it stores as many bytes, summed on the way with those of the ranks that hold the same experts, and the
/// optimizer of the experts is not on the wafer. The next of `iterations` starts when all weights have been updated and
/// all gradients of experts have been stored.
class MoeTrace final : public TransformerTrace {
 public:
  /// Throws InputError, with all reasons, where the numbers do not divide as needed.
  explicit MoeTrace(const MoeSpec& spec);
  std::map<std::string, std::vector<RankId>> groups() const override;
  /// Tokens wait for their experts as for tensor parallelism, so those groups are MP, too.
  std::optional<TrainingPhase> phase_of(const std::string& group) const override;
  std::vector<TraceNode> nodes(RankId rank) const override;

  const MoeSpec& moe() const { return moe_; }
  /// Ranks of a set of experts, and ranks that hold the same experts.
  std::uint64_t expert_ranks() const { return moe_.ep; }
  std::uint64_t expert_replicas() const { return spec().dp / moe_.ep; }
  /// Name of the group that shares one set of experts (that holds the same experts) with coordinates; "" where the
  /// group would have one member.
  std::string expert_group(const ParallelCoordinates& at) const;
  std::string replica_group(const ParallelCoordinates& at) const;

 private:
  std::uint64_t expert_groups() const;

  MoeSpec moe_;
};

}  // namespace weft::npu
