// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/moe_rank.h"

#include <fmt/format.h>

#include <utility>

#include "base/rational.h"

namespace weft::npu {
namespace {

constexpr std::uint32_t kExchangePriority = 1;  // on the critical path, like the tensor parallel collectives

}  // namespace

std::uint64_t expert_slots(const MoeSpec& s) {
  const std::uint64_t tokens = s.model.batch / s.model.dp / s.model.microbatches * s.model.seq;
  const std::uint64_t over = 100 * s.experts;
  return static_cast<std::uint64_t>((static_cast<UInt128>(tokens) * s.top_k * s.capacity + over - 1) / over);
}

MoeRank::MoeRank(const MoeTrace& trace, RankId rank)
    : TransformerRank(trace, rank),
      moe_(trace.moe()),
      experts_{trace.expert_group(coordinates_), trace.expert_ranks()},
      replicas_{trace.replica_group(coordinates_), trace.expert_replicas()},
      router_{"router", tokens_, Share{spec_.d_model}, Share{moe_.experts}},
      expert_up_{"expert_up", moe_.experts * expert_slots(moe_), Share{spec_.d_model}, d_ff_share(spec_),
                 moe_.experts / moe_.ep},
      expert_down_{"expert_down", expert_up_.rows, d_ff_share(spec_), Share{spec_.d_model}, expert_up_.copies},
      dispatch_bytes_(expert_up_.rows * spec_.d_model * spec_.bytes_per_element),
      mix_bytes_((moe_.top_k + 1) * activation_bytes_) {}

void MoeRank::step() {
  if (moe_.experts_from_pool) loads_.emplace(graph_, loads(), Group{}, moe_.prefetch, pass_end_);
  TransformerRank::step();
}

std::vector<WeightLoads::Use> MoeRank::loads() const {
  std::vector<WeightLoads::Use> all;
  for (const Pass& pass : schedule()) {
    for (std::uint64_t l = 0; l < stage_layers_; ++l) {
      const std::uint64_t layer = first_layer_ + (pass.forward ? l : stage_layers_ - 1 - l);
      all.push_back({fmt::format("{}_m{}_{}_experts", pass.forward ? "fwd" : "bwd", pass.microbatch, part_of(layer)),
                     expert_bytes()});
    }
  }
  return all;
}

MoeRank::Id MoeRank::forward_mlp(const std::string& prefix, std::uint64_t /*layer*/, Id input) {
  const Id route = multiply(prefix + "_router", router_, {input});
  const Ids dispatched = all_to_all(prefix + "_dispatch", route);
  const Id up = multiply(prefix + "_expert_up", expert_up_, with_experts(dispatched));
  const Id down = multiply(prefix + "_expert_down", expert_down_, {up});
  experts_used({down});
  const Id mix = graph_.compute(prefix + "_mix", 0, mix_bytes_, all_to_all(prefix + "_combine", down));
  return tp_all_reduce(prefix + "_mlp", activation_bytes_, mix);
}

MoeRank::Id MoeRank::backward_mlp(const std::string& prefix, std::uint64_t layer, const Ids& gradient,
                                  const Ids& weights) {
  const std::string part = part_of(layer);
  const Id mix = graph_.compute(prefix + "_mix_grad", 0, mix_bytes_, gradient);
  const Ids combined = all_to_all(prefix + "_combine_grad", mix);
  const Id down = input_gradient(prefix, expert_down_, with_experts(joined(combined, weights)));
  weight_gradient(prefix, part, expert_down_, combined);
  const Id up = input_gradient(prefix, expert_up_, {down});
  experts_used({up});
  weight_gradient(prefix, part, expert_up_, {down});
  const Id router = input_gradient(prefix, router_, all_to_all(prefix + "_dispatch_grad", up));
  weight_gradient(prefix, part, router_, {mix});
  return tp_all_reduce(prefix + "_mlp", activation_bytes_, router);
}

void MoeRank::gradients_ready(const std::string& part, bool last) {
  if (!last) return;
  std::vector<Gradient> dense;
  std::vector<Gradient> expert;
  for (const Gradient& gradient : gradients_of(part)) {
    const bool of_expert = gradient.matrix == expert_up_.name || gradient.matrix == expert_down_.name;
    (of_expert ? expert : dense).push_back(gradient);
  }
  updated_.push_back(reduce_and_update(part, dense, dp_));
  if (expert.empty()) return;
  if (moe_.experts_from_pool) {
    updated_.push_back(
        graph_.store(fmt::format("store_{}_experts", part), expert_bytes(), replicas_, nodes_of(expert)));
  } else {
    updated_.push_back(reduce_and_update(part + "_experts", expert, replicas_));
  }
}

MoeRank::Ids MoeRank::all_to_all(const std::string& name, Id dep) {
  return graph_.collective(name + "_all_to_all", CollectiveKind::kAllToAll, dispatch_bytes_, experts_,
                           kExchangePriority, {dep});
}

MoeRank::Ids MoeRank::with_experts(Ids deps) const {
  if (loads_) deps = joined(std::move(deps), loads_->current());
  return deps;
}

void MoeRank::experts_used(const Ids& ends) {
  if (loads_) loads_->use_ends_with(ends);
}

std::uint64_t MoeRank::expert_bytes() const {
  return (expert_up_.elements() + expert_down_.elements()) * spec_.bytes_per_element;
}

}  // namespace weft::npu
