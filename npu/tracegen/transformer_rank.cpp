// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weft::npu {
namespace {

// Tensor parallel collectives are on the critical path, gradients are not.
constexpr std::uint32_t kTpPriority = 1;
constexpr std::uint32_t kDpPriority = 0;

constexpr std::uint64_t kLossBytesPerToken = 8;  // maximum and sum of the exponentials, 4 bytes each

// Adam with 4-byte master weight and two moments: each read and written; gradient read, weight written.
constexpr std::uint64_t kOptimizerStateBytes = 24;

}  // namespace

TransformerRank::TransformerRank(const TransformerTrace& trace, RankId rank)
    : trace_(trace),
      spec_(trace.spec()),
      coordinates_(trace.coordinates(rank)),
      tp_{trace.tp_group(coordinates_), spec_.tp},
      dp_{trace.dp_group(coordinates_), spec_.dp},
      first_layer_(layers_before_stage(spec_, coordinates_.pp)),
      stage_layers_(layers_of_stage(spec_, coordinates_.pp)),
      tokens_(spec_.batch / spec_.dp / spec_.microbatches * spec_.seq),
      activation_bytes_(tokens_ * spec_.d_model * spec_.bytes_per_element),
      qkv_{"qkv", tokens_, Share{spec_.d_model}, Share{3 * heads_width(spec_).whole, heads_width(spec_).parts}},
      proj_{"proj", tokens_, heads_width(spec_), Share{spec_.d_model}},
      mlp_up_{"mlp_up", tokens_, Share{spec_.d_model}, d_ff_share(spec_)},
      mlp_down_{"mlp_down", tokens_, d_ff_share(spec_), Share{spec_.d_model}},
      logits_{"logits", tokens_, Share{spec_.d_model}, vocab_share(spec_)},
      graph_(spec_.scale, spec_.bytes_per_element),
      forward_end_(spec_.microbatches) {}

std::vector<TraceNode> TransformerRank::build() {
  for (std::uint64_t i = 0; i < spec_.iterations; ++i) {
    if (i > 0) begin_iteration(i);
    step();
  }
  return graph_.take();
}

void TransformerRank::step() {
  for (const Pass& pass : schedule()) {
    pass.forward ? forward_pass(pass.microbatch) : backward_pass(pass.microbatch);
  }
}

// 1F1B has as many forward passes ahead as there are stages behind this one, then one of each; GPipe has all ahead.
std::vector<TransformerRank::Pass> TransformerRank::schedule() const {
  std::vector<Pass> passes;
  const bool gpipe = spec_.schedule == PipelineSchedule::kGpipe;
  const std::uint64_t ahead = gpipe ? spec_.microbatches : std::min(spec_.pp - 1 - coordinates_.pp, spec_.microbatches);
  for (std::uint64_t m = 0; m < ahead; ++m) passes.push_back({true, m});
  for (std::uint64_t m = 0; m < spec_.microbatches; ++m) {
    if (m + ahead < spec_.microbatches) passes.push_back({true, m + ahead});
    passes.push_back({false, m});
  }
  return passes;
}

void TransformerRank::forward_pass(std::uint64_t microbatch) {
  const std::string pass = fmt::format("fwd_m{}", microbatch);
  Id at = 0;
  if (first_stage()) {
    at = forward_embedding(pass, pass_end_);
  } else {
    at = graph_.receive(pass + "_recv", neighbour(coordinates_.pp - 1), activation_bytes_, tag(true, microbatch),
                        pass_end_);
  }
  for (std::uint64_t l = 0; l < stage_layers_; ++l) {
    const std::uint64_t layer = first_layer_ + l;
    at = forward_layer(fmt::format("{}_l{}", pass, layer), layer, {at});
  }
  if (last_stage()) {
    at = forward_head(pass, {at});
  } else {
    graph_.send(pass + "_send", neighbour(coordinates_.pp + 1), activation_bytes_, tag(true, microbatch), {at});
  }
  forward_end_[microbatch] = at;
  pass_end_ = {at};
}

TransformerRank::Id TransformerRank::forward_embedding(const std::string& pass, Ids deps) {
  const Id at = graph_.compute(pass + "_embedding", 0, 2 * activation_bytes_, std::move(deps));
  return tp_all_reduce(pass + "_embedding", activation_bytes_, at);
}

TransformerRank::Id TransformerRank::forward_layer(const std::string& prefix, std::uint64_t layer, Ids input) {
  Id at = multiply(prefix + "_qkv", qkv_, std::move(input));
  at = attention(prefix + "_attention", 2, {at});
  at = multiply(prefix + "_proj", proj_, {at});
  at = tp_all_reduce(prefix + "_attention", activation_bytes_, at);
  return forward_mlp(prefix, layer, at);
}

TransformerRank::Id TransformerRank::forward_mlp(const std::string& prefix, std::uint64_t /*layer*/, Id input) {
  Id at = multiply(prefix + "_mlp_up", mlp_up_, {input});
  at = multiply(prefix + "_mlp_down", mlp_down_, {at});
  return tp_all_reduce(prefix + "_mlp", activation_bytes_, at);
}

TransformerRank::Id TransformerRank::forward_head(const std::string& pass, Ids input) {
  const Id at = multiply(pass + "_logits", logits_, std::move(input));
  return tp_all_reduce(pass + "_loss", tokens_ * kLossBytesPerToken, at);
}

void TransformerRank::backward_pass(std::uint64_t microbatch) {
  const std::string pass = fmt::format("bwd_m{}", microbatch);
  const bool last = microbatch + 1 == spec_.microbatches;  // its gradients complete those of the step
  Id at = 0;
  if (last_stage()) {
    at = backward_head(pass, joined(pass_end_, {forward_end_[microbatch]}));
    gradients_ready("head", last);
  } else {
    at = graph_.receive(pass + "_recv", neighbour(coordinates_.pp + 1), activation_bytes_, tag(false, microbatch),
                        joined(pass_end_, {forward_end_[microbatch]}));
  }
  for (std::uint64_t l = stage_layers_; l-- > 0;) {
    const std::uint64_t layer = first_layer_ + l;
    at = backward_layer(fmt::format("{}_l{}", pass, layer), layer, {at});
    gradients_ready(part_of(layer), last);
  }
  if (first_stage()) {
    backward_embedding(pass, at);
    gradients_ready("embedding", last);
  } else {
    graph_.send(pass + "_send", neighbour(coordinates_.pp - 1), activation_bytes_, tag(false, microbatch), {at});
  }
  pass_end_ = {at};
}

TransformerRank::Id TransformerRank::backward_head(const std::string& pass, Ids loss) {
  const Id at = input_gradient(pass, logits_, loss);
  weight_gradient(pass, "head", logits_, std::move(loss));
  return tp_all_reduce(pass + "_logits", activation_bytes_, at);
}

void TransformerRank::backward_embedding(const std::string& pass, Id gradient) {
  std::vector<Gradient>& table = gradients_of("embedding");
  Ids deps{gradient};
  for (const Gradient& before : table) deps.push_back(before.node);
  const Id at = graph_.compute(pass + "_embedding_wgrad", 0, 2 * activation_bytes_, std::move(deps));
  table = {{"embedding", logits_.elements(), at}};
}

TransformerRank::Id TransformerRank::backward_layer(const std::string& prefix, std::uint64_t layer, const Ids& gradient,
                                                    const Ids& weights) {
  const Id mlp = backward_mlp(prefix, layer, gradient, weights);
  const Id proj = input_gradient(prefix, proj_, {mlp});
  weight_gradient(prefix, part_of(layer), proj_, {mlp});
  const Id attention = backward_attention(prefix, proj);
  const Id qkv = input_gradient(prefix, qkv_, {attention});
  weight_gradient(prefix, part_of(layer), qkv_, {attention});
  return tp_all_reduce(prefix + "_attention", activation_bytes_, qkv);
}

TransformerRank::Id TransformerRank::backward_mlp(const std::string& prefix, std::uint64_t layer, const Ids& gradient,
                                                  const Ids& weights) {
  const Id down = input_gradient(prefix, mlp_down_, joined(gradient, weights));
  weight_gradient(prefix, part_of(layer), mlp_down_, gradient);
  const Id up = input_gradient(prefix, mlp_up_, {down});
  weight_gradient(prefix, part_of(layer), mlp_up_, {down});
  return tp_all_reduce(prefix + "_mlp", activation_bytes_, up);
}

// Gradients of Q, K, V and of the scores: four products instead of the two of the forward pass.
TransformerRank::Id TransformerRank::backward_attention(const std::string& prefix, Id gradient) {
  return attention(prefix + "_attention_grad", 4, {gradient});
}

// A product reads or writes the scores of every head and two matrices as wide as the heads of this rank.
TransformerRank::Id TransformerRank::attention(const std::string& name, std::uint64_t products, Ids deps) {
  const Share width = heads_width(spec_);
  const std::uint64_t elements =
      times(2 * products * tokens_, width) + times(products * tokens_ * spec_.seq, heads_share(spec_));
  return graph_.compute(name, times(2 * products * tokens_ * spec_.seq, width), elements * spec_.bytes_per_element,
                        std::move(deps));
}

void TransformerRank::gradients_ready(const std::string& part, bool last) {
  if (last) updated_.push_back(reduce_and_update(part, gradients_of(part), dp_));
}

TransformerRank::Id TransformerRank::reduce_and_update(const std::string& what, const std::vector<Gradient>& gradients,
                                                       const Group& group, const Ids& behind) {
  const std::uint64_t e = spec_.bytes_per_element;
  const std::uint64_t elements = elements_of(gradients);
  const bool split = spec_.zero == 2;
  const std::uint64_t mine = split ? (elements + group.ranks - 1) / group.ranks : elements;
  const Ids ready = graph_.collective(fmt::format("grad_{}_{}", what, split ? "reduce_scatter" : "all_reduce"),
                                      split ? CollectiveKind::kReduceScatter : CollectiveKind::kAllReduce, elements * e,
                                      group, kDpPriority, joined(nodes_of(gradients), behind));
  const Id update = graph_.compute(fmt::format("update_{}", what), 0, update_bytes(mine), ready);
  if (!split) return update;
  return graph_
      .collective(fmt::format("weights_{}_all_gather", what), CollectiveKind::kAllGather, mine * e, group, kDpPriority,
                  {update})
      .front();
}

void TransformerRank::begin_iteration(std::uint64_t number) {
  iteration_ = number;
  graph_.begin_names_with(fmt::format("i{}_", number));
  gradients_.clear();
  pass_end_ = joined(std::move(pass_end_), updated_);
  updated_.clear();
}

std::uint64_t TransformerRank::tag(bool forward, std::uint64_t microbatch) const {
  return 2 * (iteration_ * spec_.microbatches + microbatch) + (forward ? 0 : 1);
}

std::uint64_t TransformerRank::update_bytes(std::uint64_t elements) const {
  return elements * (2 * spec_.bytes_per_element + kOptimizerStateBytes);
}

TransformerRank::Id TransformerRank::multiply(const std::string& name, const Matrix& m, Ids deps) {
  const std::uint64_t elements = times(m.rows, m.in) + m.elements() + times(m.rows, m.out);
  return graph_.compute(name, times(2 * m.rows, m.in, m.out), elements * spec_.bytes_per_element, std::move(deps));
}

TransformerRank::Id TransformerRank::input_gradient(const std::string& prefix, const Matrix& matrix, Ids gradient) {
  return multiply(fmt::format("{}_{}_dgrad", prefix, matrix.name), matrix, std::move(gradient));
}

void TransformerRank::weight_gradient(const std::string& prefix, const std::string& part, const Matrix& matrix,
                                      Ids gradient) {
  std::vector<Gradient>& all = gradients_of(part);
  const auto before = std::find_if(all.begin(), all.end(), [&](const Gradient& g) { return g.matrix == matrix.name; });
  if (before != all.end()) gradient.push_back(before->node);
  const Id at = multiply(fmt::format("{}_{}_wgrad", prefix, matrix.name), matrix, std::move(gradient));
  if (before != all.end()) {
    before->node = at;
  } else {
    all.push_back({matrix.name, matrix.elements(), at});
  }
}

TransformerRank::Id TransformerRank::tp_all_reduce(const std::string& name, std::uint64_t bytes, Id dep) {
  return graph_.collective(name + "_all_reduce", CollectiveKind::kAllReduce, bytes, tp_, kTpPriority, {dep}).front();
}

std::uint64_t TransformerRank::elements_of(const std::vector<Gradient>& gradients) {
  std::uint64_t sum = 0;
  for (const Gradient& gradient : gradients) sum += gradient.elements;
  return sum;
}

TransformerRank::Ids TransformerRank::nodes_of(const std::vector<Gradient>& gradients) {
  Ids nodes;
  for (const Gradient& gradient : gradients) nodes.push_back(gradient.node);
  return nodes;
}

TransformerRank::Ids TransformerRank::joined(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string TransformerRank::part_of(std::uint64_t layer) { return fmt::format("l{}", layer); }

RankId TransformerRank::neighbour(std::uint64_t stage) const {
  return trace_.rank_at(ParallelCoordinates{coordinates_.tp, coordinates_.dp, static_cast<std::uint32_t>(stage)});
}

}  // namespace weft::npu
