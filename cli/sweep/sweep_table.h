// SPDX-License-Identifier: Apache-2.0
// sweep.csv and runs.csv: one row per point and one per run, parameters first, then status and summary figures.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/sweep/axis.h"
#include "cli/sweep/point_store.h"

namespace weft::cli {

/// One run of a point, with where its results lie.
struct RunEntry {
  std::string key;
  PointOutcome outcome;
  std::size_t order = 0;  ///< among the runs of its row
};

/// A row: a point and its runs, one per seed.
struct SweepRow {
  Point point;  ///< without the seed where several are run
  std::vector<RunEntry> runs;
};

/// Writes one row per point that has at least one run: `point`, a column per parameter, `runs` (those that finished),
/// `status` and `error` of the first run that failed (0 if none), the figures of summary.json (means over the runs that
/// finished; empty where one has none) and, with `intervals`, a column `<figure>.ci95` behind each: half the width of
/// the mean's 95 % t-interval. `results` is the directory of the first run, relative to the sweep's. Where a run is
/// approximate, all rows have `estimate.simulated_share`: the least of their runs, 1 where all are exact.
void write_sweep_csv(const std::filesystem::path& path, const std::vector<SweepRow>& rows, bool intervals);

/// Writes one row per run: `point`, parameters, `seed`, `status`, `error`, figures, `results`.
void write_runs_csv(const std::filesystem::path& path, const std::vector<SweepRow>& rows);

}  // namespace weft::cli
