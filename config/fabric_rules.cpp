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

constexpr FabricRules kGrid{interfaces_of_grid, router_budgets, nullptr, grid_in_one_thread};
constexpr FabricRules kGraph{interfaces_of_graph, router_budgets, nullptr, graph_in_one_thread};
constexpr FabricRules kSwitches{interfaces_of_switches, switch_budgets, complete_fred, switches_in_one_thread};

}  // namespace

const FabricRules& rules_of(const FabricSpec& fabric) {
  if (has_planes(fabric)) return kSwitches;
  return is_graph(fabric.kind) ? kGraph : kGrid;
}

InterfaceFacts interface_facts(const FabricSpec& fabric) { return rules_of(fabric).interfaces(fabric); }

}  // namespace weft
