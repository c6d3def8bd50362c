// SPDX-License-Identifier: Apache-2.0
// What is computed in another way for each sort of fabric: grids of routers, graphs of routers, FRED switches. A sort
// is one constant of fabric_rules.cpp, and its functions are beside those that use them.
#pragma once

#include <string_view>
#include <vector>

#include "config/fabric_facts.h"
#include "config/link_budget.h"
#include "config/resolve.h"

namespace weft {

class MemorySum;

struct FabricRules {
  InterfaceFacts (*interfaces)(const FabricSpec&);
  std::string_view stations;  ///< what packets pass on their way: routers, switches
  /// Stations from any NPU to any, on average; for the pattern of synthetic traffic; to the next rank of a ring.
  double (*hops)(const FabricSpec&);
  double (*hops_of_traffic)(const FabricSpec&, const TrafficWorkload&);
  double (*hops_in_ring)(const FabricSpec&);
  void (*add_memory)(const Config&, MemorySum&);  ///< what the fabric's state takes
  std::vector<LinkBudget> (*link_budgets)(const Config&);
  /// Checks and fills in what only these fabrics have; null = nothing.
  void (*complete)(Config&, const RawConfig&, ConfigErrors&);
};

const FabricRules& rules_of(const FabricSpec& fabric);

// The functions that the constants hold. link_budget.cpp defines these:
std::vector<LinkBudget> router_budgets(const Config& config);
std::vector<LinkBudget> switch_budgets(const Config& config);
// run_estimate.cpp defines these:
double grid_hops(const FabricSpec& fabric);
double grid_hops_of_traffic(const FabricSpec& fabric, const TrafficWorkload& traffic);
double graph_hops(const FabricSpec& fabric);
double graph_hops_of_traffic(const FabricSpec& fabric, const TrafficWorkload& traffic);
double router_hops_in_ring(const FabricSpec& fabric);
double switch_hops(const FabricSpec& fabric);
void add_router_memory(const Config& config, MemorySum& sum);
void add_switch_memory(const Config& config, MemorySum& sum);

}  // namespace weft
