// SPDX-License-Identifier: Apache-2.0
// `weft run` without its command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tb/switch/lockstep_switch.h"

namespace weft::cli {

/// What `weft run` was asked for.
struct RunRequest {
  std::string config;
  std::vector<std::string> settings;
  std::string out;  ///< empty: results/<name>-<n>, the first free n
  bool quiet = false;
  bool all_tables = false;
  bool watch = false;
  std::vector<std::string> checkpoint;  ///< words of --checkpoint, in pairs; empty = none are wanted
  bool resume = false;                  ///< goes on with the run that has left a checkpoint in `out`
  int threads = 0;                      ///< with `resume`: 0 = as many as the run was begun with
  bool report = true;                   ///< write report.html; never with `quiet`
  /// A switch in lockstep whose waves are wanted; the run ends after them.
  std::string lockstep_path;
  std::optional<tb::LockstepWaves> lockstep_waves;
};

/// Loads, runs, writes the results and prints the report. Returns the exit status; throws for bad input and for
/// violations that leave nothing to write.
int run_configuration(const RunRequest& request);

}  // namespace weft::cli
