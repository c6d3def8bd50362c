// SPDX-License-Identifier: Apache-2.0
// A route plan as a table, and as a picture.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/route/route_plan.h"

namespace weft::cli {

/// Phases, conflicts and what was done about them; of each setting the flows with their middle stages at every
/// depth, and the settings of all uSwitches in use.
void print_routes(const Config& config, const RoutePlan& plan, std::ostream& out);

/// All chiplets of all settings, those that do the same once.
std::string route_svg(const RoutePlan& plan);

}  // namespace weft::cli
