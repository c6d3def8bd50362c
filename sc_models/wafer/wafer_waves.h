// SPDX-License-Identifier: Apache-2.0
// Joins a wafer to the recorder of waves.
#pragma once

#include <memory>

#include "kernel/config.h"
#include "waves/recorder.h"

namespace weft::wafer {

/// A recorder for the links and NPUs of `config`; null if it records nothing. Throws InputError for a scope or window
/// that cannot be used.
std::unique_ptr<waves::Recorder> make_recorder(const Config& config);

}  // namespace weft::wafer
