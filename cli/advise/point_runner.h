// SPDX-License-Identifier: Apache-2.0
// Runs the points of an advice, every run in a process of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/types.h"

namespace weft::cli {

/// One run.
struct CollectivePoint {
  std::vector<std::string> settings;  ///< all that the run needs besides the configuration, `path=value`
  Cycle cycles = 0;                   ///< simulated
  double ns = 0;                      ///< simulated, by the configuration's clock
};

/// A run that ended with neither results nor bad input: limits.cycles reached, or a fault.
class RunFailed : public std::runtime_error {
 public:
  RunFailed(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  /// The exit status of the run.
  int status() const { return status_; }

 private:
  int status_;
};

/// What the points have in common.
struct PointSetting {
  std::string program;  ///< called as `program run CONFIG --quiet --out DIR --set ...`
  std::string config;
  std::size_t jobs = 1;  ///< runs at the same time
};

/// Is told after how many runs have ended; several times for each.
using PointWatch = std::function<void(std::size_t done)>;
/// Is told the number of a run that ended with a status other than 0, and what it said. May throw; otherwise the point
/// keeps no time and the others go on.
using PointFailure = std::function<void(std::size_t number, int status, const std::string& said)>;

/// Is told the number of a run that ended well, and where its table of collectives is until the next run is looked at.
using PointResult = std::function<void(std::size_t number, const std::filesystem::path& table)>;

/// Runs the configuration with each of these settings, side by side. Interrupted on Ctrl-C.
void run_all(const PointSetting& setting, const std::vector<std::vector<std::string>>& runs, const PointWatch& watch,
             const PointResult& finished, const PointFailure& failed);
/// The same for points of one collective each, and fills in their times.
void run_points(const PointSetting& setting, const std::vector<CollectivePoint*>& points, const PointWatch& watch,
                const PointFailure& failed);

/// Throws what a run that `what` names ended with: InputError, ViolationError, or RunFailed.
[[noreturn]] void throw_failure(const std::string& what, int status, const std::string& said);

}  // namespace weft::cli
