// SPDX-License-Identifier: Apache-2.0
// One folder of `weft sweep` as data of the page.
#pragma once

#include "report/run_folder.h"

namespace weft::report {

/// Rows of sweep.csv as numbers (of a large sweep, points_to_show), what was varied, the saturation table where there
/// is one, and the bandwidth of each point's collectives. `share` is the part of the limits that this sweep may take.
Json read_sweep(const std::filesystem::path& folder, const Limits& limits, double share);

}  // namespace weft::report
