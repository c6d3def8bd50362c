// SPDX-License-Identifier: Apache-2.0
// Numbers of the links from network interfaces into their fabric, for probes.
#pragma once

#include "base/region_ports.h"
#include "base/types.h"
#include "config/config.h"
#include "config/fabric_facts.h"

namespace weft::network {

/// The link out of port p of node n has number first + n * step + p.
struct InjectionNumbers {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  LinkId of(NodeId node, std::uint32_t port = 0) const { return LinkId{first + index(node) * step + port}; }
};

/// On a grid they lie among those out of the routers, elsewhere before all others.
inline InjectionNumbers injection_numbers(const FabricSpec& fabric) {
  if (has_planes(fabric)) return {0, static_cast<std::uint32_t>(fabric.fred.planes)};
  if (!is_grid(fabric.kind)) return {};
  return {index(injection_link(NodeId{0})), kLinksPerNode};
}

}  // namespace weft::network
