// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/weight_streaming_trace.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "npu/tracegen/transformer_rank.h"
#include "npu/tracegen/weight_loads.h"

namespace weft::npu {
namespace {

constexpr std::uint64_t kMostParts = 4096;

// One rank: layer by layer with all micro-batches, instead of micro-batch by micro-batch with all layers.
class WeightStreamingRank final : public TransformerRank {
 public:
  WeightStreamingRank(const WeightStreamingTrace& trace, RankId rank, const WeightStreamingSpec& streaming)
      : TransformerRank(trace, rank),
        prefetch_(streaming.prefetch),
        loads_first_(streaming.loads_first),
        load_parts_{streaming.load_parts, spec_.bytes_per_element},
        store_parts_{streaming.store_parts, spec_.bytes_per_element},
        at_(spec_.microbatches) {}

 private:
  void step() override {
    loads_.emplace(graph_, uses(), dp_, prefetch_, pass_end_, load_parts_);
    if (first_stage()) embed();
    for (std::uint64_t round = 0; round < stage_layers_; ++round) forward_round(layer_of(round));
    if (has_head()) head();
    for (std::uint64_t round = stage_layers_; round-- > 0;) backward_round(layer_of(round));
    if (first_stage()) store("embedding", joined(last_ends_, nodes_of(gradients_of("embedding"))));
  }

  std::vector<WeightLoads::Use> uses() const {
    const std::uint64_t e = spec_.bytes_per_element;
    const std::uint64_t table = logits_.elements() * e;
    const std::uint64_t layer = (qkv_.elements() + proj_.elements() + mlp_up_.elements() + mlp_down_.elements()) * e;
    std::vector<WeightLoads::Use> all;
    if (first_stage()) all.push_back({"embedding", table});
    for (std::uint64_t round = 0; round < stage_layers_; ++round) {
      all.push_back({"fwd_" + part_of(layer_of(round)), layer});
    }
    if (has_head()) all.push_back({"head", table});
    for (std::uint64_t round = stage_layers_; round-- > 0;) {
      all.push_back({"bwd_" + part_of(layer_of(round)), layer});
    }
    return all;
  }

  void embed() {
    for (std::uint64_t m = 0; m < spec_.microbatches; ++m) done(m, forward_embedding(pass(true, m), ready({})));
    loads_->use_ends_with(pass_end_);
  }

  void forward_round(std::uint64_t layer) {
    for (std::uint64_t m = 0; m < spec_.microbatches; ++m) {
      const Id input = layer == 0 ? at_[m] : from_stage(true, layer, m);
      done(m, forward_layer(fmt::format("{}_{}", pass(true, m), part_of(layer)), layer, ready({input})));
      if (layer + 1 < spec_.layers) to_stage(true, layer + 1, m);
    }
    loads_->use_ends_with(pass_end_);
  }

  void head() {
    for (std::uint64_t m = 0; m < spec_.microbatches; ++m) {
      const Id loss = forward_head(pass(true, m), ready({at_[m]}));
      done(m, backward_head(pass(false, m), {loss}));
    }
    use_ends("head");
  }

  void backward_round(std::uint64_t layer) {
    for (std::uint64_t m = 0; m < spec_.microbatches; ++m) {
      const Id gradient = layer + 1 == spec_.layers ? at_[m] : from_stage(false, layer + 1, m);
      done(m, backward_layer(fmt::format("{}_{}", pass(false, m), part_of(layer)), layer, joined({gradient}, pass_end_),
                             loads_->current()));
      if (layer > 0) to_stage(false, layer, m);
      if (layer == 0) backward_embedding(pass(false, m), at_[m]);
    }
    use_ends(part_of(layer));
  }

  // The next load and the store start together, in this order on every rank of the group.
  void use_ends(const std::string& part) {
    last_ends_ = joined(pass_end_, nodes_of(gradients_of(part)));
    const Ids next = loads_->use_ends_with(last_ends_);
    store(part, loads_first_ ? joined(last_ends_, next) : last_ends_);
  }

  // A sum that is stored in parts waits for the one before it, so that all ranks reduce the parts in one order.
  void store(const std::string& part, const Ids& deps) {
    const std::uint64_t bytes = elements_of(gradients_of(part)) * spec_.bytes_per_element;
    const Ids behind = store_parts_.parts > 0 ? joined(deps, stored_) : deps;
    stored_ = store_parts_.store(graph_, "store_" + part, bytes, dp_, behind);
    updated_ = joined(std::move(updated_), stored_);
  }

  // Between the layers below and above border `layer`, activations go up and gradients down; a single stage keeps both.
  Id from_stage(bool forward, std::uint64_t layer, std::uint64_t m) {
    if (spec_.pp == 1) return at_[m];
    return graph_.receive(fmt::format("{}_{}_recv", pass(forward, m), part_of(layer)), next_stage(!forward),
                          activation_bytes_, tag(forward, layer, m), pass_end_);
  }
  void to_stage(bool forward, std::uint64_t layer, std::uint64_t m) {
    if (spec_.pp == 1) return;
    graph_.send(fmt::format("{}_{}_send", pass(forward, m), part_of(layer)), next_stage(forward), activation_bytes_,
                tag(forward, layer, m), {at_[m]});
  }
  RankId next_stage(bool forward) const {
    return neighbour((coordinates_.pp + (forward ? 1 : spec_.pp - 1)) % spec_.pp);
  }
  std::uint64_t tag(bool forward, std::uint64_t layer, std::uint64_t m) const {
    return 2 * ((iteration_ * spec_.layers + layer) * spec_.microbatches + m) + (forward ? 0 : 1);
  }

  // The head stays with the last layer.
  bool has_head() const { return layer_of(stage_layers_ - 1) + 1 == spec_.layers; }

  void done(std::uint64_t microbatch, Id node) {
    at_[microbatch] = node;
    pass_end_ = {node};
  }
  Ids ready(Ids inputs) const { return joined(joined(std::move(inputs), loads_->current()), pass_end_); }
  std::uint64_t layer_of(std::uint64_t round) const { return round * spec_.pp + coordinates_.pp; }
  static std::string pass(bool forward, std::uint64_t m) { return fmt::format("{}_m{}", forward ? "fwd" : "bwd", m); }

  std::uint64_t prefetch_;
  bool loads_first_;
  TensorParts load_parts_;
  TensorParts store_parts_;
  std::vector<Id> at_;  ///< by micro-batch: what this stage has made last
  std::optional<WeightLoads> loads_;
  Ids stored_;     ///< nodes that end the last store
  Ids last_ends_;  ///< last nodes of the part whose gradients were made last
};

}  // namespace

std::vector<SpecNumber> weight_streaming_numbers(WeightStreamingSpec& spec) {
  std::vector<SpecNumber> numbers = without(transformer_numbers(spec.model), {"zero"});
  numbers.push_back({"prefetch", "layers whose weights are loaded ahead of the one at work; 1: double buffering",
                     &spec.prefetch, 0, kLargestSpecNumber});
  numbers.push_back({"load-parts",
                     "0: a dp group loads whole tensors\n"
                     "n: each of its ranks loads its share of a tensor in n parts, each of which is all-gathered while "
                     "the next one is loaded",
                     &spec.load_parts, 0, kMostParts});
  numbers.push_back({"store-parts",
                     "0: a dp group stores whole sums of gradients\n"
                     "n: sums are reduce-scattered in n parts, and each rank stores its share of one part while the "
                     "next one is reduced",
                     &spec.store_parts, 0, kMostParts});
  return numbers;
}

WeightStreamingTrace::WeightStreamingTrace(const WeightStreamingSpec& spec)
    : TransformerTrace(spec.model), streaming_(spec) {
  SpecProblems problems;
  WeightStreamingSpec copy = spec;
  problems.ranges(weight_streaming_numbers(copy));
  if (spec.model.zero != 0) problems.add(fmt::format("zero is {}; weight streaming has 0", spec.model.zero));
  problems.throw_if_any();
}

std::vector<TraceNode> WeightStreamingTrace::nodes(RankId rank) const {
  return WeightStreamingRank(*this, rank, streaming_).build();
}

}  // namespace weft::npu
