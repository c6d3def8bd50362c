// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_rank.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::npu {
namespace {

constexpr std::uint64_t kNone = ~std::uint64_t{0};

// Tensor parallel collectives are on the critical path, gradients are not.
constexpr std::uint32_t kTpPriority = 1;
constexpr std::uint32_t kDpPriority = 0;

constexpr std::uint64_t kLossBytesPerToken = 8;  // maximum and sum of the exponentials, 4 bytes each

// Adam with 4-byte master weight and two moments: each read and written; gradient read, weight written.
constexpr std::uint64_t kOptimizerStateBytes = 24;

enum LayerMatrix : std::size_t { kQkv, kProj, kMlpUp, kMlpDown, kLayerMatrices };

}  // namespace

TransformerRank::TransformerRank(const TransformerTrace& trace, RankId rank)
    : trace_(trace),
      spec_(trace.spec()),
      place_(trace.place(rank)),
      stage_layers_(spec_.layers / spec_.pp),
      tokens_(spec_.batch / spec_.dp / spec_.microbatches * spec_.seq),
      activation_bytes_(tokens_ * spec_.d_model * spec_.bytes_per_element),
      qkv_{"qkv", spec_.d_model, 3 * spec_.d_model / spec_.tp},
      proj_{"proj", spec_.d_model / spec_.tp, spec_.d_model},
      mlp_up_{"mlp_up", spec_.d_model, spec_.d_ff / spec_.tp},
      mlp_down_{"mlp_down", spec_.d_ff / spec_.tp, spec_.d_model},
      logits_{"logits", spec_.d_model, spec_.vocab / spec_.tp},
      forward_end_(spec_.microbatches, kNone),
      layer_gradients_(stage_layers_, std::vector<std::uint64_t>(kLayerMatrices, kNone)),
      head_gradient_(kNone),
      embedding_gradient_(kNone),
      pass_end_(kNone) {}

std::vector<TraceNode> TransformerRank::build() {
  // 1F1B: as many forward passes ahead as there are stages behind this one, then one of each.
  const std::uint64_t ahead = std::min(spec_.pp - 1 - place_.pp, spec_.microbatches);
  for (std::uint64_t m = 0; m < ahead; ++m) forward_pass(m);
  for (std::uint64_t m = 0; m < spec_.microbatches; ++m) {
    if (m + ahead < spec_.microbatches) forward_pass(m + ahead);
    backward_pass(m);
  }
  return std::move(nodes_);
}

void TransformerRank::forward_pass(std::uint64_t microbatch) {
  const std::string pass = fmt::format("fwd_m{}", microbatch);
  std::uint64_t at = kNone;
  if (first_stage()) {
    at = compute(pass + "_embedding", 0, 2 * activation_bytes_, previous_pass());
    at = tp_all_reduce(pass + "_embedding", activation_bytes_, at);
  } else {
    at = receive(pass + "_recv", place_.pp - 1, 2 * microbatch, previous_pass());
  }
  for (std::uint64_t l = 0; l < stage_layers_; ++l) {
    at = forward_layer(fmt::format("{}_l{}", pass, place_.pp * stage_layers_ + l), at);
  }
  if (last_stage()) at = forward_head(pass, at);
  if (!last_stage()) send(pass + "_send", place_.pp + 1, 2 * microbatch, at);
  forward_end_[microbatch] = at;
  pass_end_ = at;
}

std::uint64_t TransformerRank::forward_layer(const std::string& prefix, std::uint64_t input) {
  const std::uint64_t e = spec_.bytes_per_element;
  const std::uint64_t heads_width = spec_.d_model / spec_.tp;
  const std::uint64_t scores = tokens_ * spec_.seq * spec_.heads / spec_.tp;
  std::uint64_t at = multiply(prefix + "_qkv", qkv_, {input});
  at = compute(prefix + "_attention", 4 * tokens_ * spec_.seq * heads_width,
               e * (4 * tokens_ * heads_width + 2 * scores), {at});
  at = multiply(prefix + "_proj", proj_, {at});
  at = tp_all_reduce(prefix + "_attention", activation_bytes_, at);
  at = multiply(prefix + "_mlp_up", mlp_up_, {at});
  at = multiply(prefix + "_mlp_down", mlp_down_, {at});
  return tp_all_reduce(prefix + "_mlp", activation_bytes_, at);
}

std::uint64_t TransformerRank::forward_head(const std::string& prefix, std::uint64_t input) {
  const std::uint64_t at = multiply(prefix + "_logits", logits_, {input});
  return tp_all_reduce(prefix + "_loss", tokens_ * kLossBytesPerToken, at);
}

void TransformerRank::backward_pass(std::uint64_t microbatch) {
  const std::string pass = fmt::format("bwd_m{}", microbatch);
  const bool last = microbatch + 1 == spec_.microbatches;  // its gradients complete those of the step
  std::uint64_t at = kNone;
  if (last_stage()) {
    at = backward_head(pass, forward_end_[microbatch]);
    if (last) reduce_and_update("head", table_elements(), {head_gradient_});
  } else {
    NodeIds deps = previous_pass();
    deps.push_back(forward_end_[microbatch]);
    at = receive(pass + "_recv", place_.pp + 1, 2 * microbatch + 1, std::move(deps));
  }
  for (std::uint64_t l = stage_layers_; l-- > 0;) {
    const std::uint64_t number = place_.pp * stage_layers_ + l;
    at = backward_layer(fmt::format("{}_l{}", pass, number), l, at);
    if (last) reduce_and_update(fmt::format("l{}", number), layer_elements(), layer_gradients_[l]);
  }
  if (first_stage()) {
    NodeIds deps{at};
    if (embedding_gradient_ != kNone) deps.push_back(embedding_gradient_);
    embedding_gradient_ = compute(pass + "_embedding_wgrad", 0, 2 * activation_bytes_, std::move(deps));
    if (last) reduce_and_update("embedding", table_elements(), {embedding_gradient_});
  } else {
    send(pass + "_send", place_.pp - 1, 2 * microbatch + 1, at);
  }
  pass_end_ = at;
}

std::uint64_t TransformerRank::backward_head(const std::string& prefix, std::uint64_t loss) {
  const std::uint64_t at = input_gradient(prefix, logits_, loss);
  weight_gradient(prefix, logits_, loss, head_gradient_);
  return tp_all_reduce(prefix + "_logits", activation_bytes_, at);
}

std::uint64_t TransformerRank::backward_layer(const std::string& prefix, std::size_t layer, std::uint64_t gradient) {
  std::vector<std::uint64_t>& last = layer_gradients_[layer];
  const std::uint64_t down = input_gradient(prefix, mlp_down_, gradient);
  weight_gradient(prefix, mlp_down_, gradient, last[kMlpDown]);
  const std::uint64_t up = input_gradient(prefix, mlp_up_, down);
  weight_gradient(prefix, mlp_up_, down, last[kMlpUp]);
  const std::uint64_t mlp = tp_all_reduce(prefix + "_mlp", activation_bytes_, up);
  const std::uint64_t proj = input_gradient(prefix, proj_, mlp);
  weight_gradient(prefix, proj_, mlp, last[kProj]);
  const std::uint64_t attention = backward_attention(prefix, proj);
  const std::uint64_t qkv = input_gradient(prefix, qkv_, attention);
  weight_gradient(prefix, qkv_, attention, last[kQkv]);
  return tp_all_reduce(prefix + "_attention", activation_bytes_, qkv);
}

// Gradients of Q, K, V and of the scores: four products instead of the two of the forward pass.
std::uint64_t TransformerRank::backward_attention(const std::string& prefix, std::uint64_t gradient) {
  const std::uint64_t heads_width = spec_.d_model / spec_.tp;
  const std::uint64_t scores = tokens_ * spec_.seq * spec_.heads / spec_.tp;
  return compute(prefix + "_attention_grad", 8 * tokens_ * spec_.seq * heads_width,
                 spec_.bytes_per_element * (8 * tokens_ * heads_width + 4 * scores), {gradient});
}

std::uint64_t TransformerRank::layer_elements() const {
  return qkv_.in * qkv_.out + proj_.in * proj_.out + mlp_up_.in * mlp_up_.out + mlp_down_.in * mlp_down_.out;
}

std::uint64_t TransformerRank::table_elements() const { return logits_.in * logits_.out; }

void TransformerRank::reduce_and_update(const std::string& what, std::uint64_t elements, NodeIds weight_gradients) {
  const std::uint64_t e = spec_.bytes_per_element;
  const std::string group = trace_.dp_group(place_);
  const std::uint64_t mine = spec_.zero == 2 ? (elements + spec_.dp - 1) / spec_.dp : elements;
  NodeIds ready = std::move(weight_gradients);
  if (!group.empty()) {
    const bool split = spec_.zero == 2;
    ready = {collective(fmt::format("grad_{}_{}", what, split ? "reduce_scatter" : "all_reduce"),
                        split ? CollectiveKind::kReduceScatter : CollectiveKind::kAllReduce, elements * e, group,
                        kDpPriority, std::move(ready))};
  }
  const std::uint64_t update =
      compute(fmt::format("update_{}", what), 0, mine * (2 * e + kOptimizerStateBytes), std::move(ready));
  if (!group.empty() && spec_.zero == 2) {
    collective(fmt::format("weights_{}_all_gather", what), CollectiveKind::kAllGather, mine * e, group, kDpPriority,
               {update});
  }
}

std::uint64_t TransformerRank::multiply(const std::string& name, const Matrix& m, NodeIds deps) {
  const std::uint64_t elements = tokens_ * m.in + m.in * m.out + tokens_ * m.out;
  return compute(name, 2 * tokens_ * m.in * m.out, elements * spec_.bytes_per_element, std::move(deps));
}

std::uint64_t TransformerRank::input_gradient(const std::string& prefix, const Matrix& matrix, std::uint64_t gradient) {
  return multiply(fmt::format("{}_{}_dgrad", prefix, matrix.name), matrix, {gradient});
}

void TransformerRank::weight_gradient(const std::string& prefix, const Matrix& matrix, std::uint64_t gradient,
                                      std::uint64_t& last) {
  NodeIds deps{gradient};
  if (last != kNone) deps.push_back(last);
  last = multiply(fmt::format("{}_{}_wgrad", prefix, matrix.name), matrix, std::move(deps));
}

std::uint64_t TransformerRank::compute(const std::string& name, std::uint64_t ops, std::uint64_t bytes, NodeIds deps) {
  TraceNode node;
  node.name = name;
  node.type = TraceNodeType::kCompute;
  node.num_ops = ops;
  node.tensor_bytes = bytes;
  return add(std::move(node), std::move(deps));
}

std::uint64_t TransformerRank::tp_all_reduce(const std::string& name, std::uint64_t bytes, std::uint64_t dep) {
  const std::string group = trace_.tp_group(place_);
  if (group.empty()) return dep;
  return collective(name + "_all_reduce", CollectiveKind::kAllReduce, bytes, group, kTpPriority, {dep});
}

std::uint64_t TransformerRank::collective(const std::string& name, CollectiveKind kind, std::uint64_t bytes,
                                          const std::string& group, std::uint32_t priority, NodeIds deps) {
  TraceNode node;
  node.name = name;
  node.type = TraceNodeType::kCollective;
  node.collective = kind;
  node.comm_bytes = bytes;
  node.group = group;
  node.priority = priority;
  return add(std::move(node), std::move(deps));
}

RankId TransformerRank::neighbour(std::uint32_t stage) const {
  return trace_.rank_at(ParallelPlace{place_.tp, place_.dp, stage});
}

std::uint64_t TransformerRank::send(const std::string& name, std::uint32_t stage, std::uint64_t tag,
                                    std::uint64_t dep) {
  TraceNode node;
  node.name = name;
  node.type = TraceNodeType::kSend;
  node.comm_bytes = activation_bytes_;
  node.dst = neighbour(stage);
  node.tag = tag;
  return add(std::move(node), {dep});
}

std::uint64_t TransformerRank::receive(const std::string& name, std::uint32_t stage, std::uint64_t tag, NodeIds deps) {
  TraceNode node;
  node.name = name;
  node.type = TraceNodeType::kRecv;
  node.comm_bytes = activation_bytes_;
  node.src = neighbour(stage);
  node.tag = tag;
  return add(std::move(node), std::move(deps));
}

std::uint64_t TransformerRank::add(TraceNode node, NodeIds deps) {
  node.id = nodes_.size();
  std::sort(deps.begin(), deps.end());
  deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
  node.deps = std::move(deps);
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

TransformerRank::NodeIds TransformerRank::previous_pass() const {
  return pass_end_ == kNone ? NodeIds{} : NodeIds{pass_end_};
}

}  // namespace weft::npu
