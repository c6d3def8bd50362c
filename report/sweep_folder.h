// SPDX-License-Identifier: Apache-2.0
// One folder of `weft sweep` as data of the page.
#pragma once

#include "report/run_folder.h"

namespace weft::report {

/// Rows of sweep.csv as numbers, what was varied, the saturation table where there is one, and the bandwidth of each
/// point's collectives.
Json read_sweep(const std::filesystem::path& folder, const Limits& limits);

}  // namespace weft::report
