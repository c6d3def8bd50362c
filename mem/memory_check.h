// SPDX-License-Identifier: Apache-2.0
// What files and names of the section `memory` hold, before a run.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/load.h"

namespace weft::mem {

/// Why the DRAM timing or the remote memory cannot be used; empty if they can.
std::vector<ConfigProblem> check_memory(const Config& config);

}  // namespace weft::mem
