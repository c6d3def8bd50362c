// SPDX-License-Identifier: Apache-2.0
// Numbers of the links from network interfaces into routers, for probes.
#pragma once

#include "base/region_ports.h"
#include "base/types.h"
#include "config/config.h"

namespace weft::network {

/// Node n's link has number first + n * step.
struct InjectionNumbers {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  LinkId of(NodeId node) const { return LinkId{first + index(node) * step}; }
};

/// On a grid they lie among those out of the routers, elsewhere before all others.
inline InjectionNumbers injection_numbers(const FabricSpec& fabric) {
  if (!is_grid(fabric.kind)) return {};
  return {index(injection_link(NodeId{0})), kLinksPerNode};
}

}  // namespace weft::network
