// SPDX-License-Identifier: Apache-2.0
#include "switch/picture/carried_flows.h"

#include <algorithm>

namespace weft::fred {

CarriedFlows carried_flows(const Interconnect& net, const FlowSet& flows, const SwitchSetting& setting) {
  CarriedFlows carried;
  carried.inputs.assign(net.inputs.size(), kNoCarriedFlow);
  for (std::size_t f = 0; f < flows.size(); ++f)
    for (const PortId port : flows[f].inputs) carried.inputs[index(port)] = static_cast<int>(f);
  carried.outputs.resize(net.elements.size());
  // Numbers are topological, so what feeds an element is known before it.
  for (std::size_t e = 0; e < net.elements.size(); ++e) {
    const Element& element = net.elements[e];
    carried.outputs[e].assign(element.sinks.size(), kNoCarriedFlow);
    for (std::uint32_t in = 0; in < element.sources.size(); ++in) {
      const Terminal source = element.sources[in];
      const int flow = source.outside() ? carried.inputs[source.pin] : carried.outputs[source.element][source.pin];
      if (flow == kNoCarriedFlow) continue;
      for (std::uint32_t out = 0; out < element.sinks.size(); ++out)
        if (feeds(element.kind, setting[e], in, out)) carried.outputs[e][out] = flow;
    }
  }
  return carried;
}

std::vector<int> middle_stages(const Interconnect& net, const std::vector<Assignment>& assignments, int flow) {
  std::vector<int> middles;
  for (std::uint32_t stage = 0;;) {
    const auto at = std::find_if(assignments.begin(), assignments.end(),
                                 [&](const Assignment& each) { return each.stage == stage && each.flow == flow; });
    if (at == assignments.end()) return middles;
    middles.push_back(at->middle);
    stage = net.stages[stage].middles[static_cast<std::size_t>(at->middle)];
  }
}

}  // namespace weft::fred
