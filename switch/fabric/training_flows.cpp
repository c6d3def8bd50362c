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
std::vector<FabricFlow> stages(const std::vector<NodeId>& placement, const Parallelism& ways) {
  std::vector<FabricFlow> flows;
  for (int rank = 0; rank < ways.npus(); ++rank) {
    if (rank / ways.mp % ways.pp == ways.pp - 1) continue;
    const NodeId* const here = &placement[static_cast<std::size_t>(rank)];
    flows.push_back({{*here}, {here[ways.mp]}});
  }
  return flows;
}

}  // namespace

std::vector<FabricPhase> training_flows(const Parallelism& ways, const std::vector<NodeId>& placement) {
  if (ways.mp < 1 || ways.pp < 1 || ways.dp < 1)
    throw InputError(fmt::format("parallelism {},{},{}: each way must be at least 1", ways.mp, ways.pp, ways.dp));
  const auto ranks =
      static_cast<std::uint64_t>(ways.mp) * static_cast<std::uint64_t>(ways.pp) * static_cast<std::uint64_t>(ways.dp);
  if (ranks != placement.size())
    throw InputError(
        fmt::format("parallelism MP {} x PP {} x DP {} is {} ranks, but {} are placed; legal: ways whose "
                    "product is {}",
                    ways.mp, ways.pp, ways.dp, ranks, placement.size(), placement.size()));
  std::vector<FabricPhase> phases;
  if (ways.mp > 1) phases.push_back({"mp", groups(placement, ways.mp, 1)});
  if (ways.pp > 1) phases.push_back({"pp", stages(placement, ways)});
  if (ways.dp > 1) phases.push_back({"dp", groups(placement, ways.dp, ways.mp * ways.pp)});
  return phases;
}

}  // namespace weft::fred
