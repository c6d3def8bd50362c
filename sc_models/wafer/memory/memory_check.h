// SPDX-License-Identifier: Apache-2.0
// What files and names of the section `memory` hold, before a run.
#pragma once

#include <vector>

#include "kernel/config.h"
#include "kernel/config_load.h"

namespace weft::wafer {

/// Why the DRAM timing or the remote memory cannot be used; empty if they can.
std::vector<ConfigProblem> check_memory(const Config& config);

}  // namespace weft::wafer
