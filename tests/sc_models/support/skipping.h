// SPDX-License-Identifier: Apache-2.0
// Runs with every cycle and with cycles left out, to be compared. Each run is a process of its own.
#pragma once

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/load.h"
#include "runs/results_folder.h"
#include "runs/run.h"
#include "tests/support/temp_dir.h"

namespace weft::test {

using Words = std::vector<std::string>;

/// What a run has left behind.
struct Outcome {
  bool ran = false;
  std::string tables;  ///< all tables, the log's canonical part and the summary without figures of the machine
  Cycle cycles = 0;
  Cycle skipped = 0;
  std::string refusal;
};

/// Does a run and writes its results into `folder`. False: it is refused. `resume_from`: a state with which it goes on,
/// with so many `threads`, 0 = as many as it was begun with.
inline bool run_into_folder(const Config& config, const TempDir& folder, const std::string& resume_from = "",
                            int threads = 0, const sc_models::TestKnobs& knobs = {}) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      sc_models::RunControl control;
      runs::RunCheckpoints checkpoints;
      checkpoints.write = [](const std::string&, Cycle, double, double) {};
      checkpoints.resume_from = resume_from;
      checkpoints.threads = threads;
      runs::RunSetup setup;
      setup.knobs = knobs;
      if (!resume_from.empty()) setup.checkpoints = &checkpoints;
      const sc_models::RunResult result = runs::run(config, control, setup);
      const runs::ResultsFolder results(folder.path(), "");
      results.write(config, result, true);
      write_text(folder / "refusal", result.skip_refusal);
      _exit(0);
    } catch (const InputError& error) {
      _exit(1);
    } catch (const std::exception& error) {  // a check in the code; the child must not go on with the next test
      std::fprintf(stderr, "%s\n", error.what());
      _exit(2);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << "a run has ended by a check";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

inline Outcome outcome_of(Config config, FastForwardMode mode, const std::string& resume_from = "", int threads = 0,
                          const sc_models::TestKnobs& knobs = {}) {
  config.run.fast_forward = mode;
  const TempDir folder;
  Outcome outcome;
  outcome.ran = run_into_folder(config, folder, resume_from, threads, knobs);
  if (!outcome.ran) return outcome;
  // These say what was asked for and what the run cost.
  const std::set<std::string> others = {"config.resolved.yaml", "report.html", "summary.json", "refusal"};
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (others.count(entry.path().filename().string()) == 0) files.insert(entry.path());
  }
  for (const std::filesystem::path& file : files) outcome.tables += read_text(file);
  auto summary = nlohmann::ordered_json::parse(read_text(folder / "summary.json"));
  outcome.cycles = summary["cycles"];
  outcome.skipped = summary["skipped_cycles"];
  for (const char* key : {"cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes", "skipped_cycles"}) {
    summary.erase(key);
  }
  outcome.tables += summary.dump();
  outcome.refusal = read_text(folder / "refusal");
  return outcome;
}

/// Runs `sets` both ways, if they can be built, and compares. Returns the run that leaves cycles out.
inline Outcome same_both_ways(const std::function<Config()>& make, const Words& sets,
                              const sc_models::TestKnobs& knobs = {}) {
  Config config;
  try {
    config = make();
  } catch (const InputError&) {
    RC_DISCARD("cannot be built");
  }
  const Outcome all = outcome_of(config, FastForwardMode::kOff);
  if (!all.ran) RC_DISCARD("is refused");
  Outcome skipping = outcome_of(config, FastForwardMode::kExact, "", 0, knobs);
  RC_LOG() << fmt::format("{}", fmt::join(sets, " ")) << std::endl;
  RC_ASSERT(skipping.ran);
  RC_ASSERT(skipping.tables == all.tables);
  return skipping;
}

/// So that equality of random runs says something: of 60 and more, one in `one_in` leaves out enough cycles at least.
class EnoughSkip {
 public:
  explicit EnoughSkip(int one_in) : one_in_(one_in) {}
  void count(bool skips_enough) {
    skipped_ += skips_enough ? 1 : 0;
    if (++runs_ >= 60) RC_ASSERT(one_in_ * skipped_ >= runs_);
  }

 private:
  int one_in_;
  int runs_ = 0;
  int skipped_ = 0;
};

}  // namespace weft::test
