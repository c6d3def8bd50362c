// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/chiplet_dealing.h"

#include <algorithm>

namespace weft::fred {
namespace {

/// What a chiplet has to do, in flits per cycle: each node's link is full, and a switch sends up what one of the NPUs
/// below it sends, over all of its uplinks.
double load_of(const FredTopology& topology, const Chiplet& chiplet) {
  const Chiplet& l1 = topology.chiplets().front();
  const double npu_rate = l1.spec.port_specs.front().in_rate.value();
  double load = 0;
  for (std::size_t port = 0; port < chiplet.peers.size(); ++port) {
    const double rate = chiplet.spec.port_specs[port].in_rate.value();
    const PortPeer& peer = chiplet.peers[port];
    if (peer.kind == PortPeer::kNothing) continue;
    if (peer.kind == PortPeer::kNode) {
      load += rate;
      continue;
    }
    const bool up = static_cast<int>(port) >= chiplet.down_ports;
    const ChipletCoordinates& lower = up ? chiplet.coordinates : topology.chiplets()[peer.chiplet].coordinates;
    const LevelShape& shape = topology.levels()[static_cast<std::size_t>(lower.level)];
    load += std::min(rate, npu_rate / (shape.uplinks * shape.slices));
  }
  return load;
}

}  // namespace

std::vector<std::uint32_t> deal_chiplets(const FredTopology& topology, int parts) {
  const int switches = topology.levels().front().groups;
  const int count = std::clamp(parts, 1, switches);
  std::vector<std::uint32_t> part_of;
  std::vector<double> loads(static_cast<std::size_t>(count));
  for (const Chiplet& chiplet : topology.chiplets()) {
    const auto least = static_cast<std::size_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
    const std::size_t part =
        chiplet.coordinates.level == 0 ? static_cast<std::size_t>(chiplet.coordinates.group * count / switches) : least;
    loads[part] += load_of(topology, chiplet);
    part_of.push_back(static_cast<std::uint32_t>(part));
  }
  return part_of;
}

}  // namespace weft::fred
