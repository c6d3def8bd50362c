// SPDX-License-Identifier: Apache-2.0
// Phases of parallel training as flows between the nodes of a fabric.
#pragma once

#include <string>
#include <vector>

#include "base/fabric_flows.h"
#include "switch/routing/placement.h"

namespace weft::fred {

/// Flows of one phase: active at once.
struct FabricPhase {
  std::string name;  ///< "mp", "pp", "dp"
  std::vector<FabricFlow> flows;
};

/// Rank (mp, pp, dp) = mp + MP x (pp + PP x dp) sits at node placement[rank]. MP and DP groups all-reduce; each
/// pipeline stage sends to the next one. Phases of degree 1 are left out. Throws InputError unless there are as many
/// ranks as the degrees ask for.
std::vector<FabricPhase> training_flows(const Parallelism& degrees, const std::vector<NodeId>& placement);

}  // namespace weft::fred
