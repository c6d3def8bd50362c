// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft::fred {
namespace {

/// Checks one direction of all flows.
void check_ports(const Interconnect& net, const FlowSet& flows, std::vector<PortId> Flow::*ports, const char* word) {
  std::vector<int> owner(net.ports, -1);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const Flow& flow = flows[f];
    if ((flow.*ports).empty()) {
      throw InputError(
          fmt::format("{}: flow {} has no {} port; it needs at least one", net.name(), in_quotes(flow.name), word));
    }
    for (const PortId port : flow.*ports) {
      if (index(port) >= net.ports) {
        throw InputError(fmt::format("{}: flow {} names {} port {}; ports are 0 to {}", net.name(),
                                     in_quotes(flow.name), word, index(port), net.ports - 1));
      }
      int& other = owner[index(port)];
      if (other >= 0) {
        throw InputError(fmt::format("{}: {} port {} belongs to flows {} and {}; a port takes part once", net.name(),
                                     word, index(port), in_quotes(flows[other].name), in_quotes(flow.name)));
      }
      other = static_cast<int>(f);
    }
  }
}

}  // namespace

Flow all_reduce_flow(std::string name, const std::vector<PortId>& ports) {
  Flow flow{std::move(name), ports, {}};
  std::sort(flow.inputs.begin(), flow.inputs.end());
  flow.outputs = flow.inputs;
  return flow;
}

void check_flows(const Interconnect& net, const FlowSet& flows) {
  check_ports(net, flows, &Flow::inputs, "input");
  check_ports(net, flows, &Flow::outputs, "output");
}

}  // namespace weft::fred
