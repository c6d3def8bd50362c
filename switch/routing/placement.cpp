// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::fred {
namespace {

/// Groups of `members` ports, `stride` apart, that cover ports 0 .. ports - 1.
Phase strided_groups(const char* name, int ports, int members, int stride) {
  Phase phase{name, {}};
  for (int first = 0; first < ports; ++first) {
    if (first / stride % members != 0) continue;
    std::vector<PortId> group;
    for (int i = 0; i < members; ++i) group.push_back(PortId{static_cast<std::uint8_t>(first + i * stride)});
    phase.flows.push_back(all_reduce_flow(fmt::format("{}[{}]", name, phase.flows.size()), group));
  }
  return phase;
}

}  // namespace

std::vector<Phase> training_phases(const Parallelism& degrees) {
  std::vector<Phase> phases;
  if (degrees.mp > 1) phases.push_back(strided_groups("mp", degrees.npus(), degrees.mp, 1));
  if (degrees.dp > 1) phases.push_back(strided_groups("dp", degrees.npus(), degrees.dp, degrees.mp * degrees.pp));
  return phases;
}

std::vector<Phase> placed(const std::vector<Phase>& phases, const std::vector<PortId>& port_of) {
  std::vector<Phase> moved = phases;
  for (Phase& phase : moved) {
    for (Flow& flow : phase.flows) {
      for (std::vector<PortId>* ports : {&flow.inputs, &flow.outputs}) {
        for (PortId& port : *ports) port = port_of[index(port)];
        std::sort(ports->begin(), ports->end());
      }
    }
  }
  return moved;
}

}  // namespace weft::fred
