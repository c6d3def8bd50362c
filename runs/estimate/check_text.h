// SPDX-License-Identifier: Apache-2.0
// What `weft check` says about a configuration that is legal: a summary, what looks wrong, what the run will cost.
#pragma once

#include <iosfwd>

#include "config/config.h"
#include "runs/estimate/run_estimate.h"

namespace weft::runs {

/// Prints summary, estimate and warnings; gives the number of warnings. Throws InputError, behind all of that, where
/// the run would be refused because its stored settings have no room.
int check_config(const Config& config, const sc_models::FabricSketch& sketch, const RunEstimate& estimate,
                 std::ostream& out);

}  // namespace weft::runs
