// SPDX-License-Identifier: Apache-2.0
// summary.json: one object per run, keys in a fixed order, numbers in their shortest exact form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "config/config.h"
#include "runs/run_quantities.h"

namespace weft::runs {

/// The text of summary.json. Latencies are null where they mean nothing: no packet counted, or a saturated run,
/// whose slowest packets never arrived. `ranks` is null when there are more than `row_limit`.
std::string summary_json(const Config& config, const RunResult& result, const ProcessFigures& process,
                         std::size_t row_limit);

/// `finished`, `drain limit`, `cycle limit`, `interrupted` or `violation`.
std::string_view stop_name(StopReason stop);

/// A sentence when latencies drift between the two halves of the measured phase by more than 10 %, else empty:
/// the warm-up is too short, or the load is above what the network carries.
std::string warmup_warning(const Config& config, const RunResult& result);

/// The version of Weft as summary.json states it.
std::string_view version();

}  // namespace weft::runs
