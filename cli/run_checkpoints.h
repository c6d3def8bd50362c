// SPDX-License-Identifier: Apache-2.0
// `--checkpoint` of `weft run`, and the file in the results directory that `weft resume` goes on from.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "runs/run.h"
#include "runs/run_checkpoint.h"
#include "sc_models/run_control.h"

namespace weft::cli {

/// When checkpoints are wanted.
struct CheckpointWish {
  std::chrono::milliseconds every{0};  ///< zero: not by time
  std::vector<Cycle> at;               ///< ascending, cycles of the fabric's clock

  bool any() const { return every.count() > 0 || !at.empty(); }
};

/// Reads pairs of words: `every` and a time of the clock on the wall (30s, 10min, 2h), `at` and a simulated time (20
/// us) or a cycle. Throws InputError.
CheckpointWish read_checkpoint_wish(const std::vector<std::string>& words, const ClockSpec& clock);

/// Throws InputError where a run with `config` must not begin: `out`, which may be empty, holds a checkpoint of an
/// earlier run, or checkpoints are wanted and none can be written of such a run.
void refuse_checkpoints(const Config& config, const CheckpointWish& wish, const std::string& out);

/// The checkpoints of one run in its results directory.
class CheckpointKeeper {
 public:
  /// Keeps those of a run that begins, which refuse_checkpoints has let pass. The first one, which says only what run
  /// it is, is written at once.
  CheckpointKeeper(const Config& config, const CheckpointWish& wish, const std::filesystem::path& out);
  /// Keeps those of a run that goes on with `config`. `wish` takes the place of what it was begun with, where it wants
  /// any.
  CheckpointKeeper(runs::CheckpointFile from, const Config& config, const CheckpointWish& wish,
                   const std::filesystem::path& out);

  /// What the run is given; this object outlives the run.
  runs::RunCheckpoints* setup() { return &setup_; }
  /// Tells a run when checkpoints are due.
  void tell(sc_models::RunControl& control) const;
  /// Adds what the run had cost before it was gone on with.
  void add_cost(sc_models::RunResult* result) const;
  /// The run has ended with `stop` after `cycles` cycles, and its results are written. A run that was interrupted or
  /// has come to its limit can go on, so that its checkpoint stays, and this says how; the checkpoint of any other run
  /// goes.
  void end(sc_models::StopReason stop, Cycle cycles) const;
  /// The run has not begun.
  void remove() const { runs::CheckpointFile::remove(path_); }

 private:
  void set_up();
  void write(std::string state, Cycle now, double cpu_s, double wall_s);

  std::filesystem::path path_;
  runs::CheckpointFile file_;
  double earlier_cpu_s_ = 0;
  double earlier_wall_s_ = 0;
  runs::RunCheckpoints setup_;
};

/// The checkpoint in a results directory. Throws InputError where there is none, or where it cannot be used.
runs::CheckpointFile checkpoint_in(const std::string& out);
/// Makes the folder in which the run that has left `file` began that of this process, so that all names mean the same.
/// Returns the name of `out` from there. Throws InputError where the folder is gone.
std::string go_to_folder(const runs::CheckpointFile& file, const std::string& out);
/// The configuration of the run that has left `file`, with `settings` of --set, of which only those that change no
/// result are legal. Throws InputError where its input files have changed.
Config config_of(const runs::CheckpointFile& file, const std::vector<std::string>& settings);
/// `threads` of `weft resume` as the run takes it: at most as many as it was begun with. Says so where more are asked
/// for.
int threads_of(const Config& config, int threads);

}  // namespace weft::cli
