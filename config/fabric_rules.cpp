// SPDX-License-Identifier: Apache-2.0
#include "config/fabric_rules.h"

#include "base/region_ports.h"

namespace weft {
namespace {

InterfaceFacts interfaces_of_grid(const FabricSpec& /*fabric*/) {
  return {Entry::kRouter, index(injection_link(NodeId{0})), kLinksPerNode, 0};
}

InterfaceFacts interfaces_of_graph(const FabricSpec& /*fabric*/) { return {}; }

InterfaceFacts interfaces_of_switches(const FabricSpec& fabric) {
  const auto planes = static_cast<std::uint32_t>(fabric.fred.planes);
  return {Entry::kSwitches, 0, planes, fabric.size_x};
}

/// Synthetic traffic is for routers only.
double switch_hops_of_traffic(const FabricSpec& fabric, const TrafficWorkload& /*traffic*/) {
  return switch_hops(fabric);
}

constexpr FabricRules kGrid{interfaces_of_grid,  "routers",         grid_hops,      grid_hops_of_traffic,
                            router_hops_in_ring, add_router_memory, router_budgets, nullptr};
constexpr FabricRules kGraph{interfaces_of_graph, "routers",         graph_hops,     graph_hops_of_traffic,
                             router_hops_in_ring, add_router_memory, router_budgets, nullptr};
constexpr FabricRules kSwitches{interfaces_of_switches, "switches",   switch_hops,
                                switch_hops_of_traffic, switch_hops,  add_switch_memory,
                                switch_budgets,         complete_fred};

}  // namespace

const FabricRules& rules_of(const FabricSpec& fabric) {
  if (has_planes(fabric)) return kSwitches;
  return is_graph(fabric.kind) ? kGraph : kGrid;
}

InterfaceFacts interface_facts(const FabricSpec& fabric) { return rules_of(fabric).interfaces(fabric); }

}  // namespace weft
