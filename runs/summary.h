// SPDX-License-Identifier: Apache-2.0
// summary.json: one object per run, keys in a fixed order, numbers in their shortest exact form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.h"
#include "runs/names.h"

namespace weft::runs {

/// What the writing process adds to a result. These, `cpu_s`, `setup_cpu_s` and `wall_s` are the only values of
/// summary.json that differ between identical runs.
struct ProcessFigures {
  double output_cpu_s = 0;           ///< CPU time spent on the tables
  std::uint64_t peak_rss_bytes = 0;  ///< largest resident set of the process so far
};

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
