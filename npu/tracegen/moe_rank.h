// SPDX-License-Identifier: Apache-2.0
// Builds the graph of one rank of a mixture-of-experts step.
#pragma once

#include <optional>
#include <string>

#include "npu/tracegen/moe_trace.h"
#include "npu/tracegen/transformer_rank.h"
#include "npu/tracegen/weight_loads.h"

namespace weft::npu {

/// Slots that a rank gives every expert in a micro-batch: ceil(T k capacity / (100 E)).
std::uint64_t expert_slots(const MoeSpec& spec);

/// One rank's part of the step; see MoeTrace.
class MoeRank final : public TransformerRank {
 public:
  MoeRank(const MoeTrace& trace, RankId rank);

 private:
  void step() override;
  Id forward_mlp(const std::string& prefix, std::uint64_t layer, Id input) override;
  Id backward_mlp(const std::string& prefix, std::uint64_t layer, const Ids& gradient, const Ids& weights) override;
  void gradients_ready(const std::string& part, bool last) override;

  /// In the order of their use: every layer of every pass.
  std::vector<WeightLoads::Use> loads() const;
  /// The exchange between a set of experts: what to wait for afterwards.
  Ids all_to_all(const std::string& name, Id dep);
  /// `deps`, and the experts' weights where they have to be loaded.
  Ids with_experts(Ids deps) const;
  void experts_used(const Ids& ends);
  std::uint64_t expert_bytes() const;

  const MoeSpec& moe_;
  Group experts_;   ///< shares one set of experts
  Group replicas_;  ///< holds the same experts
  Matrix router_, expert_up_, expert_down_;
  std::uint64_t dispatch_bytes_;
  std::uint64_t mix_bytes_;
  std::optional<WeightLoads> loads_;
};

}  // namespace weft::npu
