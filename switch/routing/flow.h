// SPDX-License-Identifier: Apache-2.0
// What a FRED switch is asked to do at once: flows between its ports.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"
#include "switch/topology/interconnect.h"

namespace weft::fred {

/// Reduces over all input ports and copies the result to all output ports. Unicast, multicast, reduce and all-reduce
/// are flows. Ports ascend.
struct Flow {
  std::string name;
  std::vector<PortId> inputs;
  std::vector<PortId> outputs;
};
/// Flows that are active at the same time. A port is an input of one flow at most, and an output of one.
using FlowSet = std::vector<Flow>;

/// All `ports` give and get.
Flow all_reduce_flow(std::string name, const std::vector<PortId>& ports);

/// Throws InputError unless every flow has inputs and outputs that exist, and no two flows share a port in one
/// direction.
void check_flows(const Interconnect& net, const FlowSet& flows);

}  // namespace weft::fred
