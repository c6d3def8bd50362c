// SPDX-License-Identifier: Apache-2.0
// The parts of summary.json that are lists or have keys which only a run knows. Each is null where the run has nothing
// for it, or discarded where its key is left out.
#pragma once

#include <nlohmann/json.hpp>

#include "runs/run_quantities.h"

namespace weft::runs {

/// The warnings of the run, and the drift of its latencies.
nlohmann::ordered_json warnings_section(const MeasuredRun& run);
/// How many FRED switches there are of each model, and each of them.
nlohmann::ordered_json switches_section(const MeasuredRun& run);
/// Which ranks `fabric.conflict: replace` has moved.
nlohmann::ordered_json replaced_section(const MeasuredRun& run);
/// Loads and stores of each rank.
nlohmann::ordered_json rank_memory_section(const MeasuredRun& run);
/// The critical path by kinds, in cycles of the NPUs' clock; null without a log that has it.
nlohmann::ordered_json critical_path_section(const MeasuredRun& run);
/// The times of each rank.
nlohmann::ordered_json ranks_section(const MeasuredRun& run);

}  // namespace weft::runs
