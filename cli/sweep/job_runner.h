// SPDX-License-Identifier: Apache-2.0
// Runs the points of a sweep, several at a time, each in a process of its own, and keeps what is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep/axis.h"
#include "cli/sweep/point_store.h"

namespace weft::cli {

/// A configuration after all settings: what makes two points the same, and the seed in it.
struct ResolvedPoint {
  std::string identity;
  std::uint64_t seed = 0;
};

/// Resolves the configuration with these `path=value` settings. Throws InputError for a point that is not legal.
using PointResolver = std::function<ResolvedPoint(const std::vector<std::string>& settings)>;

/// One run.
struct SweepJob {
  std::size_t row = 0;  ///< whose row it belongs to; meaning is the source's
  Point point;
  std::string key;    ///< names its entry in the store
  std::string error;  ///< not empty: the point is not legal, and this says why
};

/// A job for `point`; `resolve` gives its key or its error.
SweepJob make_job(std::size_t row, Point point, const PointResolver& resolve);

/// `point` with the n-th seed after its own. Throws InputError for a point that is not legal.
Point with_seed(const Point& point, std::size_t n, const PointResolver& resolve);
/// Throws InputError where several `seeds` per point meet an axis of several seeds.
void require_one_seed_axis(const std::vector<Axis>& axes, std::size_t seeds);

/// `path=value` for each setting of `point`.
std::vector<std::string> settings_of(const Point& point);

/// Where jobs come from and outcomes go to.
class JobSource {
 public:
  virtual ~JobSource() = default;
  /// The next job that can start now; none when all are given out, or when the next ones wait for outcomes.
  virtual std::optional<SweepJob> next() = 0;
  virtual void ended(const SweepJob& job, const PointOutcome& outcome) = 0;
};

/// How runs are made.
struct RunnerOptions {
  std::string program;  ///< executed as `program run CONFIG --quiet --out DIR --set path=value ...`
  std::string config;
  std::size_t jobs = 1;
};

/// What happened to the jobs of a sweep.
struct SweepTally {
  std::size_t kept = 0;  ///< done by an earlier sweep
  std::size_t finished = 0;
  std::size_t failed = 0;
  int first_failure = 0;        ///< exit status of the first run that failed
  std::string first_error;      ///< what it said, in one line
  std::size_t alike = 0;        ///< runs that failed with this
  std::size_t approximate = 0;  ///< done, of which cycles were left out at measured rates
  bool interrupted = false;
};

/// "12 of 40 runs done, 3 of them earlier, 4 approximate, 1 failed, 2 under way"; `of_total` is " of 40" or empty.
std::string describe(const SweepTally& tally, std::size_t running, const std::string& of_total);

/// Runs all jobs of `source`; `watch` is called after each end and about ten times per second with the tally and the
/// number of runs under way. Ctrl-C (StopSignal) kills the running ones and returns.
SweepTally run_jobs(JobSource& source, const PointStore& store, const RunnerOptions& options,
                    const std::function<void(const SweepTally&, std::size_t running)>& watch);

}  // namespace weft::cli
