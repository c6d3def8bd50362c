// SPDX-License-Identifier: Apache-2.0
// `fabric.conflict: replace`: another placement of the ranks before a run, if the flows of its workload conflict.
#pragma once

#include "config/config.h"
#include "sc_models/run_result.h"

namespace weft::sc_models {

/// Empty where the ranks stay where they are: another answer to conflicts, no flows, or none that conflict. The search
/// begins with `npu.placement`; where the workload is a phase of a parallelism, all phases count, so that all of them
/// get the placement that `weft route` prints. Throws InputError where none is found.
std::optional<PlacementRecord> placement_without_conflicts(const Config& config);

}  // namespace weft::sc_models
