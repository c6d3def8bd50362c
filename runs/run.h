// SPDX-License-Identifier: Apache-2.0
// The one entry to a simulation: configuration in, result out.
#pragma once

#include "base/probe.h"
#include "config/config.h"
#include "runs/names.h"
#include "switch/network/switch_model.h"

namespace weft::runs {

/// What a run is given beside its configuration.
struct RunSetup {
  FabricProbe* listener = nullptr;  ///< is told what happens on links instead of a recorder of waves; null = nobody
  fred::SwitchFactory make_switch = fred::make_tlm_switch;  ///< makes the switches of fabrics that have some
};

/// Builds the system of `config` and plays its workload to the end, a limit or a requested stop. Once per process,
/// because SystemC elaborates once. A relative `waves.file` is taken from the working directory.
/// Throws InputError for a trace or file that cannot be used; what is found wrong with a trace while it is played comes
/// back as StopReason::kBadInput, a violated check as StopReason::kViolation, both with what had happened until then,
/// or a ViolationError is thrown where nothing is left to tell.
RunResult run(const Config& config, RunControl& control, const RunSetup& given = {});

}  // namespace weft::runs
