// SPDX-License-Identifier: Apache-2.0
// What `weft route` shows: flows of the phases, what became of them, and the settings of the chiplets.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "switch/fabric/flow_compiler.h"
#include "switch/fabric/memory_need.h"
#include "switch/fabric/training_flows.h"
#include "switch/picture/interconnect_svg.h"

namespace weft::cli {

/// Which flows are routed.
struct RouteChoice {
  std::optional<fred::Parallelism> degrees;  ///< absent: the flow of the configuration's collective
  std::string phase;                         ///< only this one; "" = all
};

/// Chiplets that do the same, with their flows at the same ports.
struct RoutedChiplets {
  std::vector<std::string> names;
  fred::InterconnectPicture picture;            ///< picture of the first of them; the title says all
  std::vector<std::vector<int>> middle_stages;  ///< per flow: the middle stages that it goes through
};

/// One stored setting of the fabric.
struct RoutedSetting {
  std::vector<std::string> flows;  ///< that run in it
  std::vector<RoutedChiplets> chiplets;
};

struct RoutedPhase {
  std::string name;
  std::vector<std::string> flows;
  std::vector<fred::FlowConflict> conflicts;
  std::vector<std::string> at_endpoints;  ///< flows that no setting carries
  std::vector<RoutedSetting> settings;
};

struct RoutePlan {
  std::vector<NodeId> placement;  ///< node of each rank
  bool moved = false;  ///< because of conflicts, as fabric.conflict `replace` asks for; these stand in the phases
  std::vector<RoutedPhase> phases;
  fred::MemoryNeed memory;  ///< memory for stored settings that all these phases need together
};

/// Routes the flows on the fabric and answers conflicts as `fabric.conflict` says. Throws InputError where the
/// configuration is not of kind fred, where it has no such flows, and for conflicts that may not be.
RoutePlan plan_route(const Config& config, const RouteChoice& choice);

}  // namespace weft::cli
