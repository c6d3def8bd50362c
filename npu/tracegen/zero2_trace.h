// SPDX-License-Identifier: Apache-2.0
// One training step of a transformer with data parallelism and ZeRO stage 2.
#pragma once

#include "npu/tracegen/transformer_trace.h"

namespace weft::npu {

/// `weft trace gen zero2`.
struct Zero2Spec {
  TransformerSpec model;                  ///< pp is 1, zero is 0
  std::uint64_t bucket_bytes = 25 << 20;  ///< bytes of a bucket of gradients, before scaling
};

/// All numbers of the specification but the bucket, in order.
std::vector<SpecNumber> zero2_numbers(Zero2Spec& spec);

/// The step. Computation and tensor parallel collectives are those of TransformerTrace with one stage. Optimizer states
/// and gradients are split over the d = dp replicas, so gradients are reduced in the backward pass of every
/// micro-batch: those of the matrices fill a bucket in the order in which the pass makes them (head; of each layer
/// mlp_down, mlp_up, proj, qkv; embedding), a matrix that does not fit any more closes the bucket, and one larger than
/// a bucket has its own. A closed bucket of n elements is one reduce-scatter(dp) of n e bytes, behind the weight
/// gradients in it. After the last backward pass the optimizer updates, bucket by bucket, the rank's ceil(n / d)
/// elements (reads and writes 2 e
/// + 24 bytes each), and an all-gather(dp) in which a rank contributes ceil(n / d) e bytes gives everybody the weights.
/// Adding up shards over micro-batches is not counted. With N weights a rank (2 V h / t in the tables) and M
/// micro-batches: M N e bytes in reduce-scatters, N e / d (rounded up by bucket) in all-gathers. The next of
/// `iterations` starts when all weights have been gathered.
class Zero2Trace final : public TransformerTrace {
 public:
  /// Throws InputError, with all reasons, where the numbers do not divide as needed.
  explicit Zero2Trace(const Zero2Spec& spec);
  std::vector<TraceNode> nodes(RankId rank) const override;

 private:
  std::uint64_t bucket_bytes_;
};

}  // namespace weft::npu
