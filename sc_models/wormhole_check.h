// SPDX-License-Identifier: Apache-2.0
// Whether the switches of a FRED fabric with wormhole flow control can deadlock under a workload.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/load.h"

namespace weft::sc_models {

/// What can deadlock, at fabric.flow_control; of a trace what is known without its nodes (ProgramCache judges these).
std::vector<ConfigProblem> check_wormhole(const Config& config);

}  // namespace weft::sc_models
