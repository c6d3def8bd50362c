// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/training_flows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::fred {
namespace {

/// All-reduces of groups of `members` ranks that are `stride` apart.
std::vector<FabricFlow> groups(const std::vector<NodeId>& placement, int members, int stride) {
  std::vector<FabricFlow> flows;
  for (int first = 0; first < static_cast<int>(placement.size()); ++first) {
    if (first / stride % members != 0) continue;
    FabricFlow flow;
    for (int rank = first; rank < first + members * stride; rank += stride)
      flow.inputs.push_back(placement[static_cast<std::size_t>(rank)]);
    std::sort(flow.inputs.begin(), flow.inputs.end());
    flow.outputs = flow.inputs;
    flows.push_back(std::move(flow));
  }
  return flows;
}

/// Sends of each stage but the last to the next one.
std::vector<FabricFlow> stages(const std::vector<NodeId>& placement, const Parallelism& degrees) {
  std::vector<FabricFlow> flows;
  for (int rank = 0; rank < degrees.npus(); ++rank) {
    if (rank / degrees.mp % degrees.pp == degrees.pp - 1) continue;
    const NodeId* const here = &placement[static_cast<std::size_t>(rank)];
    flows.push_back({{*here}, {here[degrees.mp]}});
  }
  return flows;
}

}  // namespace

std::vector<FabricPhase> training_flows(const Parallelism& degrees, const std::vector<NodeId>& placement) {
  if (degrees.mp < 1 || degrees.pp < 1 || degrees.dp < 1)
    throw InputError(
        fmt::format("parallelism {},{},{}: each way must be at least 1", degrees.mp, degrees.pp, degrees.dp));
  const auto ranks = static_cast<std::uint64_t>(degrees.mp) * static_cast<std::uint64_t>(degrees.pp) *
                     static_cast<std::uint64_t>(degrees.dp);
  if (ranks != placement.size())
    throw InputError(
        fmt::format("parallelism MP {} x PP {} x DP {} is {} ranks, but {} are placed; legal: ways whose "
                    "product is {}",
                    degrees.mp, degrees.pp, degrees.dp, ranks, placement.size(), placement.size()));
  std::vector<FabricPhase> phases;
  if (degrees.mp > 1) phases.push_back({"mp", groups(placement, degrees.mp, 1)});
  if (degrees.pp > 1) phases.push_back({"pp", stages(placement, degrees)});
  if (degrees.dp > 1) phases.push_back({"dp", groups(placement, degrees.dp, degrees.mp * degrees.pp)});
  return phases;
}

}  // namespace weft::fred
