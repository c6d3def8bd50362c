// SPDX-License-Identifier: Apache-2.0
// Builds the graph of one rank of a transformer step, pass by pass.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "npu/tracegen/transformer_trace.h"

namespace weft::npu {

/// One rank's part of the step; see TransformerTrace for what it holds. Made, used once by `build`, thrown away.
class TransformerRank {
 public:
  TransformerRank(const TransformerTrace& trace, RankId rank);
  std::vector<TraceNode> build();

 private:
  using NodeIds = std::vector<std::uint64_t>;

  /// A matrix product of T x in by in x out on this rank.
  struct Matrix {
    const char* name;
    std::uint64_t in;
    std::uint64_t out;
  };

  void forward_pass(std::uint64_t microbatch);
  void backward_pass(std::uint64_t microbatch);
  std::uint64_t forward_layer(const std::string& prefix, std::uint64_t input);
  std::uint64_t backward_layer(const std::string& prefix, std::size_t layer, std::uint64_t gradient);
  std::uint64_t forward_head(const std::string& prefix, std::uint64_t input);
  std::uint64_t backward_head(const std::string& prefix, std::uint64_t loss);
  std::uint64_t backward_attention(const std::string& prefix, std::uint64_t gradient);
  void reduce_and_update(const std::string& what, std::uint64_t elements, NodeIds weight_gradients);

  std::uint64_t multiply(const std::string& name, const Matrix& matrix, NodeIds deps);
  std::uint64_t input_gradient(const std::string& prefix, const Matrix& matrix, std::uint64_t gradient);
  void weight_gradient(const std::string& prefix, const Matrix& matrix, std::uint64_t gradient, std::uint64_t& last);
  std::uint64_t compute(const std::string& name, std::uint64_t ops, std::uint64_t bytes, NodeIds deps);
  std::uint64_t tp_all_reduce(const std::string& name, std::uint64_t bytes, std::uint64_t dep);
  std::uint64_t collective(const std::string& name, CollectiveKind kind, std::uint64_t bytes, const std::string& group,
                           std::uint32_t priority, NodeIds deps);
  std::uint64_t send(const std::string& name, std::uint32_t stage, std::uint64_t tag, std::uint64_t dep);
  std::uint64_t receive(const std::string& name, std::uint32_t stage, std::uint64_t tag, NodeIds deps);
  std::uint64_t add(TraceNode node, NodeIds deps);

  std::uint64_t layer_elements() const;  ///< weights of a layer on this rank
  std::uint64_t table_elements() const;  ///< weights of the embedding, or of the head, on this rank
  bool first_stage() const { return place_.pp == 0; }
  bool last_stage() const { return place_.pp + 1 == spec_.pp; }
  /// What the next pass on this stage waits for; empty before the first one.
  NodeIds previous_pass() const;
  RankId neighbour(std::uint32_t stage) const;

  const TransformerTrace& trace_;
  const TransformerSpec& spec_;
  ParallelPlace place_;
  std::uint64_t stage_layers_;
  std::uint64_t tokens_;            ///< T, of one micro-batch
  std::uint64_t activation_bytes_;  ///< T h e
  Matrix qkv_, proj_, mlp_up_, mlp_down_, logits_;

  std::vector<TraceNode> nodes_;
  std::vector<std::uint64_t> forward_end_;  ///< by micro-batch: last node of its forward pass
  /// By layer and matrix: the weight gradient of the micro-batch before, to which the next one is added.
  std::vector<std::vector<std::uint64_t>> layer_gradients_;
  std::uint64_t head_gradient_;
  std::uint64_t embedding_gradient_;
  std::uint64_t pass_end_;
};

}  // namespace weft::npu
