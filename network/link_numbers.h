// SPDX-License-Identifier: Apache-2.0
// Numbers of the links from network interfaces into their fabric, for probes.
#pragma once

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

inline InjectionNumbers injection_numbers(const FabricSpec& fabric) {
  const InterfaceFacts facts = interface_facts(fabric);
  return {facts.first_link, facts.link_step};
}

}  // namespace weft::network
