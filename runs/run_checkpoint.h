// SPDX-License-Identifier: Apache-2.0
// The parts of a run in a checkpoint, in their order, and what stands before them in the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/checkpoint.h"
#include "runs/names.h"

namespace weft::sc_models {
class Supervisor;
class System;
class Workload;
}  // namespace weft::sc_models

namespace weft::runs {

class RunLogging;

/// The checkpoint of a run in its results directory.
inline constexpr const char* kCheckpointFile = "checkpoint.weft";

/// A file with a checkpoint: text that says what run it is of, and the state of that run.
struct CheckpointFile {
  std::string config;             ///< resolved, as YAML
  std::string folder;             ///< where relative names in it begin
  std::string inputs;             ///< fingerprint of the files that the configuration names
  std::uint64_t every_ms = 0;     ///< RunControl::want_checkpoints
  std::vector<std::uint64_t> at;  ///< the same
  std::uint64_t cycle = 0;        ///< the last that was executed
  double cpu_s = 0;               ///< of the simulation loop so far
  double wall_s = 0;
  std::string state;  ///< as Checkpoint::bytes; empty: the run has not begun

  /// Writes it under `path`, where an earlier one stays until it is complete. Throws std::runtime_error.
  void write(const std::filesystem::path& path) const;
  /// Removes it, once all that has been written to its file system is on the disk.
  static void remove(const std::filesystem::path& path);
  /// Throws InputError where there is none, where it is damaged, or where another build of Weft has written it.
  static CheckpointFile read(const std::filesystem::path& path);
};

/// Writes the whole state of a run into `checkpoint`, or takes it from there. `logging` may be null.
void keep_run(Checkpoint& checkpoint, System& system, Workload& workload, Supervisor& supervisor, RunLogging* logging);

/// Why no checkpoint of a run with `config` can be written; "" where one can.
std::string why_no_checkpoint(const Config& config);

}  // namespace weft::runs
