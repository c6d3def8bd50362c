// SPDX-License-Identifier: Apache-2.0
// `weft sweep`: many runs of one configuration over a product of settings, or a search for the saturation rate.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/sweep/axis.h"
#include "cli/sweep/job_runner.h"
#include "cli/sweep/saturation_search.h"

namespace weft::cli {

/// What `weft sweep` was asked for.
struct SweepRequest {
  std::vector<Axis> axes;
  std::filesystem::path out;
  RunnerOptions runner;
  std::size_t seeds = 1;  ///< runs per point, with seeds s, s + 1, ... where s is the point's own
  PointResolver resolve;
};

/// Called with a line for people: how far the sweep has come.
using SweepWatch = std::function<void(const std::string& text)>;

/// Runs all points (times seeds) and writes OUT/sweep.csv (and OUT/runs.csv with several seeds) after each end.
/// Points that an earlier sweep finished in the same OUT are not run again.
SweepTally run_sweep(const SweepRequest& request, const SweepWatch& watch);

/// For each point of the axes and each seed, finds the knee over `workload.traffic.rate`; writes OUT/saturation.csv,
/// one row per point, and OUT/sweep.csv, one row per run made; with several seeds also OUT/searches.csv, one row per
/// search, and the rows of saturation.csv are means with 95 % intervals, empty where a search has no answer. A search
/// whose run fails counts as failed and ends there.
SweepTally find_saturation(const SweepRequest& request, const SaturationLimits& limits, const SweepWatch& watch);

}  // namespace weft::cli
