// SPDX-License-Identifier: Apache-2.0
// Finds which flow is on which wire of a configured interconnect, and the middle stages that it takes.
#pragma once

#include <vector>

#include "switch/routing/route.h"

namespace weft::fred {

/// Flow numbers by wire; kNoCarriedFlow = idle.
struct CarriedFlows {
  std::vector<int> inputs;                ///< flow of the wire into each input port
  std::vector<std::vector<int>> outputs;  ///< flow of the wire at each output pin of each element
};
inline constexpr int kNoCarriedFlow = -1;

/// Follows the flows through a setting that routes them.
CarriedFlows carried_flows(const Interconnect& net, const FlowSet& flows, const SwitchSetting& setting);

/// Middle stage of a flow at depth 0, 1, ...: its colours. Empty for Fred_m(2), which has none.
std::vector<int> middle_stages(const Interconnect& net, const std::vector<Assignment>& assignments, int flow);

}  // namespace weft::fred
