// SPDX-License-Identifier: Apache-2.0
// Runs in processes of their own, because SystemC elaborates once in each.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <variant>

#include "runs/results_folder.h"
#include "runs/run.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {

using weft::test::read_text;
using weft::test::TempDir;

/// Runs in a child and leaves the tables in `folder`; returns what went wrong, or "". A single collective with data has
/// to be verified.
inline std::string run_into(const TempDir& folder, const Config& config) {
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      sc_models::RunControl control;
      const RunResult result = runs::run(config, control);
      runs::ResultsFolder(folder.path(), "").write(config, result, true);
      if (!result.finished) text = result.stop_text + " (not finished)";
      const auto* single = std::get_if<CollectiveWorkload>(&config.workload);
      const bool verified =
          single == nullptr || single->collective.data == DataMode::kTiming || result.verified_collectives > 0;
      if (text.empty() && !verified) text = "no result was verified";
    } catch (const std::exception& error) {
      text = error.what();
    }
    std::ofstream((folder / "error").string()) << text;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return "ended by a signal";
  return read_text(folder / "error");
}

}  // namespace weft::sc_models
