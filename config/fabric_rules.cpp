// SPDX-License-Identifier: Apache-2.0
#include "config/fabric_rules.h"

#include <algorithm>

namespace weft {

std::string fabric_words(std::string_view kind) {
  for (const auto& [name, value] : fabric_kind_names()) {
    if (name != kind) continue;
    FabricSpec fabric;
    fabric.kind = value;
    return rules_of(fabric).words(fabric);
  }
  std::string words(kind);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words + " fabric";
}
bool wraps_around(const FabricSpec& fabric) { return rules_of(fabric).wraps_around(fabric); }
bool switches_reduce(const FabricSpec& fabric) { return rules_of(fabric).switches_reduce(fabric); }
InterfaceFacts interface_facts(const FabricSpec& fabric) { return rules_of(fabric).interfaces(fabric); }
bool io_controllers_are_nodes(const FabricSpec& fabric) { return rules_of(fabric).io_controllers_are_nodes(); }

std::vector<LinkBudget> link_budgets(const Config& config) { return rules_of(config.fabric).link_budgets(config); }

}  // namespace weft
