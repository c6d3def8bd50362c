// SPDX-License-Identifier: Apache-2.0
// The spans of timeline.json as data of the page.
#pragma once

#include "report/run_folder.h"

namespace weft::report {

/// Tracks and their spans; null where the run has no timeline.json. Of too many spans the longest are kept.
/// Throws InputError where the file is not what `weft run` writes.
Json read_timeline(const RunFacts& facts, const Limits& limits, double share);

}  // namespace weft::report
