// SPDX-License-Identifier: Apache-2.0
// Builds the graph of one rank of a transformer step, pass by pass.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "npu/tracegen/graph_builder.h"
#include "npu/tracegen/transformer_share.h"
#include "npu/tracegen/transformer_trace.h"

namespace weft::npu {

/// One rank's part of the step; see TransformerTrace for what it holds. Made, used once by `build`, thrown away. Steps
/// derive from it: they replace the MLP, what becomes of gradients, or the order of the passes.
class TransformerRank {
 public:
  TransformerRank(const TransformerTrace& trace, RankId rank);
  virtual ~TransformerRank() = default;
  TransformerRank(const TransformerRank&) = delete;
  TransformerRank& operator=(const TransformerRank&) = delete;

  /// All iterations, one step each.
  std::vector<TraceNode> build();

 protected:
  using Id = GraphBuilder::Id;
  using Ids = GraphBuilder::Ids;
  using Group = GraphBuilder::Group;

  /// Matrix products on this rank: `rows` x `in` by `in` x `out` in all, over `copies` matrices.
  struct Matrix {
    const char* name;
    std::uint64_t rows;
    Share in;
    Share out;
    std::uint64_t copies = 1;

    std::uint64_t elements() const { return times(copies, in, out); }
  };
  /// Gradient of weights, summed over the micro-batches so far; `node` made the last part of it.
  struct Gradient {
    std::string matrix;
    std::uint64_t elements;
    Id node;
  };
  struct Pass {
    bool forward;
    std::uint64_t microbatch;
  };

  /// Makes the nodes of an iteration: the passes of schedule(), one after the other.
  virtual void step();
  /// What a layer does after its attention block; the last node.
  virtual Id forward_mlp(const std::string& prefix, std::uint64_t layer, Id input);
  virtual Id backward_mlp(const std::string& prefix, std::uint64_t layer, const Ids& gradient, const Ids& weights);
  /// Gradients of `part` ("l0", "head", "embedding") have got what a micro-batch adds; `last`: they are complete.
  virtual void gradients_ready(const std::string& part, bool last);

  /// The passes of this stage in the order that the specification asks for.
  std::vector<Pass> schedule() const;
  void forward_pass(std::uint64_t microbatch);
  void backward_pass(std::uint64_t microbatch);
  Id forward_embedding(const std::string& pass, Ids deps);
  void backward_embedding(const std::string& pass, Id gradient);
  Id forward_layer(const std::string& prefix, std::uint64_t layer, Ids input);
  /// `weights`: what has to end before the layer's weights are there; gradients of weights do not need them.
  Id backward_layer(const std::string& prefix, std::uint64_t layer, const Ids& gradient, const Ids& weights = {});
  Id forward_head(const std::string& pass, Ids input);
  Id backward_head(const std::string& pass, Ids loss);
  Id backward_attention(const std::string& prefix, Id gradient);
  /// `products` of all heads of this rank.
  Id attention(const std::string& name, std::uint64_t products, Ids deps);
  /// Adds what starts when the gradients and `behind` have ended. Returns what has to end before the weights are used
  /// again.
  Id reduce_and_update(const std::string& what, const std::vector<Gradient>& gradients, const Group& group,
                       const Ids& behind = {});

  Id multiply(const std::string& name, const Matrix& matrix, Ids deps);
  Id input_gradient(const std::string& prefix, const Matrix& matrix, Ids gradient);
  void weight_gradient(const std::string& prefix, const std::string& part, const Matrix& matrix, Ids gradient);
  Id tp_all_reduce(const std::string& name, std::uint64_t bytes, Id dep);

  /// The gradients of a part, in the order in which a backward pass makes them.
  std::vector<Gradient>& gradients_of(const std::string& part) { return gradients_[part]; }
  static std::uint64_t elements_of(const std::vector<Gradient>& gradients);
  static Ids nodes_of(const std::vector<Gradient>& gradients);
  /// Reads and writes of an optimizer that updates `elements` weights.
  std::uint64_t update_bytes(std::uint64_t elements) const;
  static Ids joined(Ids a, const Ids& b);
  static std::string part_of(std::uint64_t layer);

  bool first_stage() const { return coordinates_.pp == 0; }
  bool last_stage() const { return coordinates_.pp + 1 == spec_.pp; }
  RankId neighbour(std::uint64_t stage) const;

  const TransformerTrace& trace_;
  const TransformerSpec& spec_;
  ParallelCoordinates coordinates_;
  Group tp_;
  Group dp_;
  std::uint64_t first_layer_;  ///< of this stage, where stages have consecutive layers
  std::uint64_t stage_layers_;
  std::uint64_t tokens_;            ///< T, of one micro-batch
  std::uint64_t activation_bytes_;  ///< T h e
  Matrix qkv_, proj_, mlp_up_, mlp_down_, logits_;

  GraphBuilder graph_;
  Ids pass_end_;  ///< what the next pass on this stage waits for; empty before the first one
  Ids updated_;   ///< what has to end before the next iteration has its weights; a step adds to it
  std::uint64_t iteration_ = 0;

 private:
  /// From here on nodes belong to iteration `number`, from 1, which starts when the weights have been updated.
  void begin_iteration(std::uint64_t number);
  /// This is the tag of the messages of a micro-batch, forward or backward.
  std::uint64_t tag(bool forward, std::uint64_t microbatch) const;

  std::vector<Id> forward_end_;  ///< by micro-batch: last node of its forward pass
  std::map<std::string, std::vector<Gradient>> gradients_;
};

}  // namespace weft::npu
