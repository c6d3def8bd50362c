// SPDX-License-Identifier: Apache-2.0
// Joins a system to the recorder of waves.
#pragma once

#include <memory>
#include <vector>

#include "config/config.h"
#include "config/load.h"
#include "waves/recorder.h"
#include "waves/recorder_setup.h"

namespace weft::runs {

/// Names of the links, NPUs and switches of `config`. Throws InputError for a fabric that cannot be built.
waves::RecorderSetup recorder_setup(const Config& config);

/// A recorder for the links and NPUs of `config`; null if it records nothing. Throws InputError for a scope or window
/// that cannot be used.
std::unique_ptr<waves::Recorder> make_recorder(const Config& config);

/// What `waves.scope` asks for and the fabric does not have, with the nearest names; found without recording anything.
std::vector<ConfigProblem> check_waves(const Config& config);

}  // namespace weft::runs
