// SPDX-License-Identifier: Apache-2.0
// What is computed in another way for each sort of fabric: grids of routers, graphs of routers, FRED switches. A sort
// is one constant of fabric_rules.cpp, and its functions are beside those that use them.
#pragma once

#include <string>
#include <vector>

#include "config/fabric_facts.h"
#include "config/link_budget.h"
#include "config/resolve.h"

namespace weft {

struct FabricRules {
  InterfaceFacts (*interfaces)(const FabricSpec&);
  std::vector<LinkBudget> (*link_budgets)(const Config&);
  /// Checks and fills in what only these fabrics have; null = nothing.
  void (*complete)(Config&, const RawConfig&, ConfigErrors&);
  std::string (*one_thread)(const Config&);  ///< see one_thread_because
};

const FabricRules& rules_of(const FabricSpec& fabric);

// The functions that the constants hold. effects.cpp defines these:
std::string grid_in_one_thread(const Config& config);
std::string graph_in_one_thread(const Config& config);
std::string switches_in_one_thread(const Config& config);
// link_budget.cpp defines these:
std::vector<LinkBudget> router_budgets(const Config& config);
std::vector<LinkBudget> switch_budgets(const Config& config);

}  // namespace weft
