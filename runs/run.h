// SPDX-License-Identifier: Apache-2.0
// The one entry to a simulation: configuration in, result out.
#pragma once

#include <functional>
#include <string>

#include "base/probe.h"
#include "config/config.h"
#include "runs/names.h"
#include "sc_models/fabric.h"
#include "switch/network/switch_model.h"

namespace weft::runs {

/// Checkpoints of a run. When they are due says RunControl.
struct RunCheckpoints {
  /// Takes the state at the end of a cycle, and what the simulation loop has cost since this process began it.
  std::function<void(std::string state, Cycle now, double cpu_s, double wall_s)> write;
  std::string resume_from;  ///< such a state, with which the run goes on; empty = it begins
  int threads = 0;          ///< step the parts that `config.threads` makes; 0 = as many
};

/// What a run is given beside its configuration.
struct RunSetup {
  FabricProbe* listener = nullptr;  ///< is told what happens on links instead of a recorder of waves; null = nobody
  RunCheckpoints* checkpoints = nullptr;                    ///< null = none
  fred::SwitchFactory make_switch = fred::make_tlm_switch;  ///< makes the switches of fabrics that have some
  sc_models::TestKnobs knobs;                               ///< for tests
};

/// Builds the system of `config` and plays its workload to the end, a limit or a requested stop. Once per process,
/// because SystemC elaborates once. A relative `waves.file` is taken from the working directory.
/// Throws InputError for a trace or file that cannot be used; what is found wrong with a trace while it is played comes
/// back as StopReason::kBadInput, a violated check as StopReason::kViolation, both with what had happened until then,
/// or a ViolationError is thrown where nothing is left to tell.
RunResult run(const Config& config, RunControl& control, const RunSetup& given = {});

}  // namespace weft::runs
