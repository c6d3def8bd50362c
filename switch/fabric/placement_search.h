// SPDX-License-Identifier: Apache-2.0
// Another placement of ranks with which the flows of all phases run without conflict.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "switch/fabric/flow_compiler.h"
#include "switch/fabric/topology.h"
#include "switch/fabric/training_flows.h"

namespace weft::fred {

/// The flows of a workload whose rank r is at placement[r].
using PhasesOf = std::function<std::vector<FabricPhase>(const std::vector<NodeId>& placement)>;

/// Placements that are tried before a search gives up.
inline constexpr int kMostPlacements = 1000;

/// Flows that do not run together with the others of their phase, with what is done about it by moving ranks.
std::vector<FlowConflict> conflicts_to_move(const FredTopology& topology, const FabricPhase& phase);
/// Flows of all phases that do not run together with the others of their phase.
std::size_t count_conflicts(const FredTopology& topology, const std::vector<FabricPhase>& phases);

/// Swaps two ranks, or a rank and an NPU without one, at a time from `start` and keeps what has no more conflicts, from
/// time to time from a random placement; the same for the same arguments. nullopt where `tries` placements all have
/// conflicts.
std::optional<std::vector<NodeId>> search_placement(const FredTopology& topology, const PhasesOf& phases_of,
                                                    const std::vector<NodeId>& start, int tries);
/// The same for the phases of training.
std::optional<std::vector<NodeId>> search_placement(const FredTopology& topology, const Parallelism& degrees,
                                                    const std::vector<NodeId>& start, int tries);
/// The answer `replace`: a placement without conflicts. Throws InputError where kMostPlacements all have some.
std::vector<NodeId> replaced_placement(const FredTopology& topology, const PhasesOf& phases_of,
                                       const std::vector<NodeId>& start);

}  // namespace weft::fred
