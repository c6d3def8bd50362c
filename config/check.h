// SPDX-License-Identifier: Apache-2.0
// What `weft check` says about a configuration that is legal: a summary, what looks wrong, what the run will cost.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/run_estimate.h"

namespace weft {

/// Sentences about legal but suspicious settings: credit-starved links, more offered than a local link carries, ...
std::vector<std::string> config_warnings(const Config& config);

/// Prints summary, estimate and warnings; gives the number of warnings.
int check_config(const Config& config, std::ostream& out, const RunEstimate& estimate);
/// As above, with the estimate of a run of which only this is known: `trace` says what a trace holds, where the caller
/// has read it.
int check_config(const Config& config, std::ostream& out, const std::optional<TraceVolume>& trace = std::nullopt);

}  // namespace weft
