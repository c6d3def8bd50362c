// SPDX-License-Identifier: Apache-2.0
// Another placement of ranks with which the flows of all phases run without conflict.
#pragma once

#include <optional>
#include <vector>

#include "switch/fabric/topology.h"
#include "switch/fabric/training_flows.h"

namespace weft::fred {

/// Flows of all phases that do not run together with the others of their phase.
std::size_t count_conflicts(const FredTopology& topology, const std::vector<FabricPhase>& phases);

/// Swaps two ranks at a time from `start` and keeps what has no more conflicts, from time to time from a random
/// placement; the same for the same arguments. nullopt where `tries` placements all have conflicts.
std::optional<std::vector<NodeId>> search_placement(const FredTopology& topology, const Parallelism& ways,
                                                    const std::vector<NodeId>& start, int tries);

}  // namespace weft::fred
