// SPDX-License-Identifier: Apache-2.0
// One training step of a transformer whose weights lie outside the wafer and are streamed through it.
#pragma once

#include "npu/tracegen/transformer_trace.h"

namespace weft::npu {

/// `weft trace gen weight-streaming`.
struct WeightStreamingSpec {
  TransformerSpec model;          ///< zero is 0
  std::uint64_t prefetch = 1;     ///< loads that run ahead of the layer at work
  std::uint64_t load_parts = 0;   ///< 0: a group loads whole tensors; else see TensorParts
  std::uint64_t store_parts = 0;  ///< the same for what it stores
  bool loads_first = false;       ///< gradients leave when the weights of the next layer have come
};

/// All numbers of the specification, in order.
std::vector<SpecNumber> weight_streaming_numbers(WeightStreamingSpec& spec);

/// The step. Computation, activations and tensor parallel collectives are those of TransformerTrace; weights come in by
/// loads, gradients leave by stores, and the optimizer is not on the wafer. With h = d_model, f = d_ff, V = vocab, L =
/// layers, t = tp and e bytes per element, a layer has W = 4 h h + 2 h f weights.
///
/// Layers follow each other in rounds of pp layers: in round j, stage p works on layer j pp + p for all micro-batches,
/// then goes on to round j + 1; the last stage sends its activations to the first one of the next round. Each rank
/// loads its part of a layer, W e / t bytes, once in the forward and once more in the backward pass, and stores the
/// layer's gradients, W e / t bytes, when all micro-batches have added theirs. The first stage loads the embedding
/// and the stage of the last layer the head, V h e / t bytes each, once; their gradients are stored as well. What the
/// dp replicas of a part load is one and the same (a load of their group), what they store is summed on its way (a
/// store of their group), unless load_parts or store_parts say otherwise. So 2 L W e + 2 V h e bytes come in, L W e + 2
/// V h e bytes leave per step, and replicas multiply neither. Activations stay on the rank that made them.
///
/// With prefetch a, the load for a layer starts when the layer a + 1 before it in the stage's order has been worked on;
/// a + 1 buffers for a layer's weights are enough (1: double buffering). That order is embedding, layers forward, head
/// (forward and backward at once), layers backward. Gradients leave when their layer's work has ended, or, with
/// loads_first, when the load that starts then has ended, too.
/// A rank starts the next of `iterations`, and its first loads, when it has stored all gradients of the one before.
class WeightStreamingTrace final : public TransformerTrace {
 public:
  /// Throws InputError, with all reasons, where the numbers do not divide as needed.
  explicit WeightStreamingTrace(const WeightStreamingSpec& spec);
  std::vector<TraceNode> nodes(RankId rank) const override;

 private:
  WeightStreamingSpec streaming_;
};

}  // namespace weft::npu
