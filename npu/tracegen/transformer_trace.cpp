// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_trace.h"

#include "npu/tracegen/transformer_rank.h"

namespace weft::npu {
namespace {

// Gradients are reduced by layer beside the backward pass, or all at once behind it.
class TrainingRank final : public TransformerRank {
 public:
  using TransformerRank::TransformerRank;

 private:
  void step() override {
    behind_.clear();
    TransformerRank::step();
    if (!spec_.overlap) updated_.push_back(reduce_and_update("step", behind_, dp_, pass_end_));
  }

  void gradients_ready(const std::string& part, bool last) override {
    if (spec_.overlap) {
      TransformerRank::gradients_ready(part, last);
    } else if (last) {
      const std::vector<Gradient>& ready = gradients_of(part);
      behind_.insert(behind_.end(), ready.begin(), ready.end());
    }
  }

  std::vector<Gradient> behind_;  ///< gradients that wait for the end of the backward pass
};

}  // namespace

TransformerTrace::TransformerTrace(const TransformerSpec& spec) : spec_(spec) { check_transformer(spec); }

ParallelCoordinates TransformerTrace::coordinates(RankId rank) const {
  const std::uint32_t number = index(rank);
  const auto tp = static_cast<std::uint32_t>(spec_.tp);
  const auto dp = static_cast<std::uint32_t>(spec_.dp);
  return {number % tp, number / tp % dp, number / (tp * dp)};
}

RankId TransformerTrace::rank_at(const ParallelCoordinates& p) const {
  return RankId{static_cast<std::uint32_t>(p.tp + spec_.tp * (p.dp + spec_.dp * p.pp))};
}

// Groups are decimal numbers from 1, as Chakra wants pg_name: first those of tensor, then those of data parallelism.
std::string TransformerTrace::tp_group(const ParallelCoordinates& p) const {
  return spec_.tp == 1 ? "" : std::to_string(1 + p.dp + spec_.dp * p.pp);
}

std::string TransformerTrace::dp_group(const ParallelCoordinates& p) const {
  const std::uint64_t tp_groups = spec_.tp == 1 ? 0 : spec_.dp * spec_.pp;
  return spec_.dp == 1 ? "" : std::to_string(1 + tp_groups + p.tp + spec_.tp * p.pp);
}

std::uint64_t TransformerTrace::named_groups() const {
  return (spec_.tp == 1 ? 0 : spec_.dp * spec_.pp) + (spec_.dp == 1 ? 0 : spec_.tp * spec_.pp);
}

std::map<std::string, std::vector<RankId>> TransformerTrace::groups() const {
  std::map<std::string, std::vector<RankId>> groups;
  for (std::uint32_t number = 0; number < ranks(); ++number) {
    const ParallelCoordinates p = coordinates(RankId{number});
    for (const std::string& name : {tp_group(p), dp_group(p)}) {
      if (!name.empty()) groups[name].push_back(RankId{number});
    }
  }
  return groups;
}

std::optional<TrainingPhase> TransformerTrace::phase_of(const std::string& group) const {
  const std::uint64_t tp_groups = spec_.tp == 1 ? 0 : spec_.dp * spec_.pp;
  return std::stoull(group) <= tp_groups ? TrainingPhase::kMp : TrainingPhase::kDp;
}

std::vector<TraceNode> TransformerTrace::nodes(RankId rank) const { return TrainingRank(*this, rank).build(); }

}  // namespace weft::npu
