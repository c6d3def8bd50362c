// SPDX-License-Identifier: Apache-2.0
// What the quantities of a run are read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "config/config.h"
#include "runs/names.h"
#include "sc_models/io_figures.h"

namespace weft::runs {

/// What the writing process adds to a result. These, `cpu_s`, `setup_cpu_s` and `wall_s` are the only values of
/// summary.json that differ between identical runs.
struct ProcessFigures {
  double output_cpu_s = 0;           ///< CPU time spent on the tables
  std::uint64_t peak_rss_bytes = 0;  ///< largest resident set of the process so far
};

/// Memories of one kind together: the DRAM channels of the NPUs, or the modules of the pool.
struct MemoryParts {
  std::uint64_t parts = 0;
  std::uint64_t bytes = 0;
  double gbps = 0;              ///< that one of them carries at most
  std::optional<double> share;  ///< `bytes` of what all of them could have carried in the whole run; none without time
};

/// A run that has ended. What several quantities share is computed once.
struct MeasuredRun {
  MeasuredRun(const Config& run_config, const RunResult& run_result, const ProcessFigures& figures = {},
              std::size_t most_rows = 0);

  const Config& config;
  const RunResult& result;
  ProcessFigures process;
  std::size_t row_limit;  ///< lists with more rows than these are left out of summary.json
  // None where the run has no such thing.
  std::optional<IoFigures> io;
  std::optional<IoMemoryFigures> io_memory;
  std::optional<MemoryParts> dram;
  std::optional<MemoryParts> pool;
};

}  // namespace weft::runs
