// SPDX-License-Identifier: Apache-2.0
// Data parallel training of ResNet-152.
#pragma once

#include "npu/tracegen/graph_builder.h"
#include "npu/tracegen/resnet_layers.h"
#include "npu/tracegen/spec_numbers.h"
#include "npu/tracegen/trace_generator.h"

namespace weft::npu {

/// `weft trace gen resnet`.
struct ResnetSpec {
  std::uint64_t npus = 8;     ///< replicas
  std::uint64_t batch = 128;  ///< samples of an iteration over all replicas
  std::uint64_t bytes_per_element = 2;
  std::uint64_t iterations = 1;
  std::uint64_t scale = 1;  ///< divides operations and bytes of every node
  bool overlap = false;     ///< gradients of a layer are reduced when its backward pass has ended
};

/// All numbers of the specification, in order.
std::vector<SpecNumber> resnet_numbers(ResnetSpec& spec);

/// Iterations of training, the same on every rank. With S = batch / npus samples, e bytes per element, and M
/// multiply-adds, A activations in and out and P parameters of a layer (ResnetLayer), its forward pass has 2 S M
/// operations and moves (S A + P) e bytes; its backward pass, for gradients of input and weights, has twice as many of
/// both. Passes follow the order of the layers, one layer at a time. Only convolutions and the classifier count:
/// normalisation, pooling and addition belong to the node of the convolution before them.
///
/// All gradients, 60192808 e bytes, are one all-reduce over all ranks behind the backward pass; with overlap there is
/// one of P e bytes for every layer, behind this layer's backward pass and beside those of the layers before it. When
/// all are reduced, the optimizer reads and writes 2 e + 16 bytes per parameter (gradient, weight, and a master weight
/// and a momentum of 4 bytes), and the next iteration begins.
class ResnetTrace final : public TraceGenerator {
 public:
  /// Throws InputError, with all reasons, where the numbers do not divide as needed.
  explicit ResnetTrace(const ResnetSpec& spec);

  std::uint32_t ranks() const override { return static_cast<std::uint32_t>(spec_.npus); }
  /// One group of all ranks, "1"; none for a single rank.
  std::map<std::string, std::vector<RankId>> groups() const override;
  std::optional<TrainingPhase> phase_of(const std::string& group) const override;
  std::vector<TraceNode> nodes(RankId rank) const override;

 private:
  using Ids = GraphBuilder::Ids;

  /// Adds an iteration behind `start`; what the next one waits for.
  Ids iteration(GraphBuilder& graph, std::uint64_t number, Ids start) const;
  Ids all_reduce(GraphBuilder& graph, const std::string& name, std::uint64_t parameters, Ids deps) const;

  ResnetSpec spec_;
  std::vector<ResnetLayer> layers_;
};

}  // namespace weft::npu
