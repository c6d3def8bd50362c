// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/moe_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rational.h"
#include "npu/tracegen/moe_rank.h"

namespace weft::npu {
namespace {

// As for a transformer: operations and bytes of one node in 63 bits.
bool fits(const MoeSpec& s) {
  const UInt128 rows = static_cast<UInt128>(s.experts) * expert_slots(s);
  const std::uint64_t widest = std::max({s.model.d_ff, s.model.d_model, s.experts});
  const UInt128 elements = (rows + s.experts) * widest;
  return rows >> 62 == 0 && (elements * s.model.d_model * s.model.bytes_per_element * 40) >> 63 == 0;
}

}  // namespace

std::vector<SpecNumber> moe_numbers(MoeSpec& spec) {
  std::vector<SpecNumber> numbers = transformer_numbers(spec.model);
  const auto replace_help = [&](const std::string& name, const std::string& help) {
    for (SpecNumber& number : numbers) {
      if (number.name == name) number.help = help;
    }
  };
  replace_help("d-ff", "inner width of an expert, a multiple of tp (see --uneven)");
  numbers.push_back({"experts", "experts of a layer, a multiple of ep", &spec.experts, 1, 1 << 16});
  numbers.push_back({"top-k", "experts that a token goes to", &spec.top_k, 1, 1 << 10});
  numbers.push_back(
      {"capacity", "places of an expert, in percent of what even routing needs", &spec.capacity, 1, 10000});
  numbers.push_back(
      {"ep", "replicas that share one set of experts, a divisor of dp; 0: all of dp", &spec.ep, 0, kLargestSpecNumber});
  numbers.push_back({"prefetch", "layers whose experts are loaded ahead, with --experts-from-pool", &spec.prefetch, 0,
                     kLargestSpecNumber});
  return numbers;
}

MoeTrace::MoeTrace(const MoeSpec& spec) : TransformerTrace(spec.model), moe_(spec) {
  SpecProblems problems;
  problems.ranges(moe_numbers(moe_));
  problems.throw_if_any();
  if (moe_.ep == 0) moe_.ep = spec.model.dp;
  problems.divides("dp", spec.model.dp, "ep", moe_.ep);
  problems.divides("experts", moe_.experts, "ep", moe_.ep);
  if (moe_.top_k > moe_.experts) {
    problems.add(fmt::format("top-k is {}; legal are 1 to experts ({})", moe_.top_k, moe_.experts));
  }
  if (!fits(moe_)) problems.add("the work of a single node does not fit 63 bits: the numbers are too large together");
  problems.throw_if_any();
}

std::string MoeTrace::expert_group(const ParallelCoordinates& p) const {
  if (expert_ranks() == 1) return "";
  const std::uint64_t set = p.dp / moe_.ep;
  return std::to_string(1 + named_groups() + p.tp + spec().tp * (p.pp + spec().pp * set));
}

std::uint64_t MoeTrace::expert_groups() const {
  return expert_ranks() == 1 ? 0 : spec().tp * spec().pp * expert_replicas();
}

std::string MoeTrace::replica_group(const ParallelCoordinates& p) const {
  if (expert_replicas() == 1) return "";
  return std::to_string(1 + named_groups() + expert_groups() + p.tp +
                        spec().tp * (p.pp + spec().pp * (p.dp % moe_.ep)));
}

std::map<std::string, std::vector<RankId>> MoeTrace::groups() const {
  std::map<std::string, std::vector<RankId>> groups = TransformerTrace::groups();
  for (std::uint32_t number = 0; number < ranks(); ++number) {
    const ParallelCoordinates p = coordinates(RankId{number});
    for (const std::string& name : {expert_group(p), replica_group(p)}) {
      if (!name.empty()) groups[name].push_back(RankId{number});
    }
  }
  return groups;
}

std::optional<TrainingPhase> MoeTrace::phase_of(const std::string& group) const {
  const std::uint64_t number = std::stoull(group);
  if (number <= named_groups()) return TransformerTrace::phase_of(group);
  return number <= named_groups() + expert_groups() ? TrainingPhase::kMp : TrainingPhase::kDp;
}

std::vector<TraceNode> MoeTrace::nodes(RankId rank) const { return MoeRank(*this, rank).build(); }

}  // namespace weft::npu
