// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/placement_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace weft::fred {
namespace {

constexpr int kTriesPerStart = 100;

void shuffle(std::vector<NodeId>& nodes, RandomStream& random) {
  for (std::size_t i = nodes.size() - 1; i > 0; --i) std::swap(nodes[i], nodes[random.below(i + 1)]);
}

}  // namespace

std::size_t count_conflicts(const FredTopology& topology, const std::vector<FabricPhase>& phases) {
  FlowCompiler compiler(topology, "serialize");
  std::size_t conflicts = 0;
  for (const FabricPhase& phase : phases) conflicts += compiler.compile(phase.flows).conflicts.size();
  return conflicts;
}

std::vector<FlowConflict> conflicts_to_move(const FredTopology& topology, const FabricPhase& phase) {
  std::vector<FlowConflict> conflicts = FlowCompiler(topology, "serialize").compile(phase.flows).conflicts;
  for (FlowConflict& conflict : conflicts) conflict.done = "ranks moved to other NPUs";
  return conflicts;
}

std::optional<std::vector<NodeId>> search_placement(const FredTopology& topology, const PhasesOf& phases_of,
                                                    const std::vector<NodeId>& start, int tries) {
  RandomStream random(1, NodeId{0});
  // Behind the ranks: NPUs without one.
  std::vector<NodeId> best = start;
  for (std::uint32_t npu = 0; npu < static_cast<std::uint32_t>(topology.npus()); ++npu) {
    if (std::find(start.begin(), start.end(), NodeId{npu}) == start.end()) best.push_back(NodeId{npu});
  }
  const auto ranks_of = [&](const std::vector<NodeId>& nodes) {
    return std::vector<NodeId>(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(start.size()));
  };
  std::size_t fewest = count_conflicts(topology, phases_of(start));
  for (int t = 1; t <= tries && fewest > 0; ++t) {
    std::vector<NodeId> next = best;
    const bool restart = t % kTriesPerStart == 0;
    if (restart) {
      shuffle(next, random);
    } else {
      const std::size_t a = random.below(next.size());
      std::swap(next[a], next[random.below(next.size())]);
    }
    const std::size_t conflicts = count_conflicts(topology, phases_of(ranks_of(next)));
    if (!restart && conflicts > fewest) continue;
    best = std::move(next);
    fewest = conflicts;
  }
  if (fewest > 0) return std::nullopt;
  return ranks_of(best);
}

std::optional<std::vector<NodeId>> search_placement(const FredTopology& topology, const Parallelism& degrees,
                                                    const std::vector<NodeId>& start, int tries) {
  return search_placement(
      topology, [&](const std::vector<NodeId>& placement) { return training_flows(degrees, placement); }, start, tries);
}

std::vector<NodeId> replaced_placement(const FredTopology& topology, const PhasesOf& phases_of,
                                       const std::vector<NodeId>& start) {
  auto found = search_placement(topology, phases_of, start, kMostPlacements);
  if (found) return *found;
  throw InputError(
      fmt::format("fabric.conflict: replace: none of {} placements runs all phases without conflict", kMostPlacements));
}

}  // namespace weft::fred
