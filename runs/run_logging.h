// SPDX-License-Identifier: Apache-2.0
// The log of one run: joins it to a system, and writes it beside the other results.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/checkpoint.h"
#include "base/probe.h"
#include "config/config.h"
#include "log/log_file.h"
#include "log/run_log.h"
#include "runs/names.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"

namespace weft::runs {

class RunLogging {
 public:
  /// `waves`: who else is told what happens in the fabric; may be null.
  RunLogging(const Config& config, FabricProbe* waves);
  ~RunLogging();
  RunLogging(const RunLogging&) = delete;
  RunLogging& operator=(const RunLogging&) = delete;

  /// What the fabric has to be given: `waves`, or who passes everything on to it; may be null.
  FabricProbe* fabric_probe() const;
  ActivityProbe* activity_probe() { return &log_; }
  /// Has the network interfaces tell of messages, if the level asks for it.
  void attach(System& system);
  /// The same of memories.
  void attach(Workload& workload);
  /// The run has ended in cycle `end` of the fabric's clock. Finds the critical path.
  void finish(const Workload& workload, Cycle end);

  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

  const log::CriticalPath& path() const { return path_; }
  const log::LogNames& names() const { return names_; }
  /// Writes log.sqlite and timeline.json. Throws ResultsNotWritten after it has tried both.
  void write(const std::filesystem::path& folder, const RunResult& result) const;

 private:
  class Phases;
  RunLogging(const Config& config, FabricProbe* waves, const network::Network& network);

  Config config_;
  log::LogNames names_;
  log::RunLog log_;
  log::CriticalPath path_;
  std::unique_ptr<Phases> phases_;
  std::vector<log::SwitchPhase> switch_phases_;
  FabricProbe* waves_;
};

/// Null where nothing is to be logged: `log.level: off`, or a workload without NPUs that do something.
std::shared_ptr<RunLogging> make_run_logging(const Config& config, FabricProbe* waves);

}  // namespace weft::runs
