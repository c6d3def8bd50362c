// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/placement_search.h"

#include <utility>

#include "kernel/random.h"
#include "switch/fabric/flow_compiler.h"

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

std::optional<std::vector<NodeId>> search_placement(const FredTopology& topology, const Parallelism& ways,
                                                    const std::vector<NodeId>& start, int tries) {
  RandomStream random(1, NodeId{0});
  std::vector<NodeId> best = start;
  std::size_t fewest = count_conflicts(topology, training_flows(ways, best));
  for (int t = 1; t <= tries && fewest > 0; ++t) {
    std::vector<NodeId> next = best;
    const bool restart = t % kTriesPerStart == 0;
    if (restart) {
      shuffle(next, random);
    } else {
      const std::size_t a = random.below(next.size());
      std::swap(next[a], next[random.below(next.size())]);
    }
    const std::size_t conflicts = count_conflicts(topology, training_flows(ways, next));
    if (!restart && conflicts > fewest) continue;
    best = std::move(next);
    fewest = conflicts;
  }
  if (fewest > 0) return std::nullopt;
  return best;
}

}  // namespace weft::fred
