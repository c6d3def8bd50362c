// SPDX-License-Identifier: Apache-2.0
// One training step of a decoder-only transformer, split over data, tensor and pipeline parallel ranks.
#pragma once

#include "npu/tracegen/trace_generator.h"
#include "npu/tracegen/transformer_spec.h"

namespace weft::npu {

/// The coordinates of a rank: rank = tp + tp_size * (dp + dp_size * pp).
struct ParallelCoordinates {
  std::uint32_t tp = 0;
  std::uint32_t dp = 0;
  std::uint32_t pp = 0;
};

/// `weft trace gen transformer`: the step. With T = batch / dp / microbatches * seq tokens per micro-batch, h =
/// d_model, f = d_ff, s = seq, V = vocab, t = tp and e bytes per element, per micro-batch and rank:
///
/// forward of a layer: qkv 6 T h h / t operations, attention 4 T s h / t, proj 2 T h h / t, all-reduce(tp) of T h e
/// bytes, mlp_up 2 T h f / t, mlp_down 2 T h f / t, all-reduce(tp) of T h e. Backward: each of these once more for the
/// input gradient and once more for the weight gradient (attention: twice in one node), and an all-reduce(tp) of T h e
/// behind the input gradients of mlp_up and qkv. The first stage looks tokens up in an embedding split over tp
/// (all-reduce of T h e); the last one computes logits (2 T h V / t operations forward) and exchanges two 4-byte
/// numbers per token for the loss. Only matrix operations are counted; look-up and optimizer are bytes moved.
///
/// Stages follow `schedule`: 1F1B, where stage p has at most pp - p micro-batches whose backward pass has not ended, or
/// GPipe, where all forward passes come first and backward passes follow in the same order of micro-batches. A forward
/// or backward pass starts when the pass before it on this stage has ended; weight gradients may lag behind.
/// Activations and their gradients travel between the same tp and dp coordinates of neighbouring stages, T h e bytes
/// each. When all micro-batches of a layer have their weight gradients, these are reduced over dp, layer by layer, and
/// the optimizer updates the layer. `scale` divides the operations and bytes of every node, rounded up, so that the
/// ratio of computing to moving stays what it is. Without `overlap` all gradients of a rank are one all-reduce and one
/// update behind its last backward pass. A rank starts the next of `iterations` when its weights have been updated;
/// from the second on, names begin with "i1_" and so on.
///
/// Where heads and f are no multiples of t, `uneven` decides. With kLargest every rank has ceil(heads / t) heads of h /
/// heads each, and ceil(f / t) of f; with kIdeal it has h / t and f / t as fractions, and operations and the elements
/// of every tensor are rounded up. In both, V is rounded up to a multiple of t, and layers stay whole: the first
/// (layers mod pp) stages have one more.
class TransformerTrace : public TraceGenerator {
 public:
  /// Throws InputError, with all reasons, where the numbers do not divide as needed.
  explicit TransformerTrace(const TransformerSpec& spec);

  std::uint32_t ranks() const override { return static_cast<std::uint32_t>(spec_.dp * spec_.tp * spec_.pp); }
  std::map<std::string, std::vector<RankId>> groups() const override;
  /// Groups of tensor parallelism belong to MP, the others to DP.
  std::optional<TrainingPhase> phase_of(const std::string& group) const override;
  std::vector<TraceNode> nodes(RankId rank) const override;

  const TransformerSpec& spec() const { return spec_; }
  ParallelCoordinates coordinates(RankId rank) const;
  RankId rank_at(const ParallelCoordinates& at) const;
  /// Name of the tp (dp) group that a rank belongs to; "" where the group would have one member.
  std::string tp_group(const ParallelCoordinates& at) const;
  std::string dp_group(const ParallelCoordinates& at) const;
  /// Number of groups that have a name so far; their names are 1 to this.
  std::uint64_t named_groups() const;

 private:
  TransformerSpec spec_;
};

}  // namespace weft::npu
