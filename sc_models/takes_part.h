// SPDX-License-Identifier: Apache-2.0
// Which runs leave out cycles that are copies of earlier ones.
#pragma once

#include <string>

#include "config/config.h"

namespace weft::sc_models {

class System;

/// Returns in a sentence why a run leaves out no cycles as copies of earlier ones, whatever happens in it; "" where it
/// may, or where the configuration alone does not say so.
std::string why_nothing_repeats(const Config& config);
/// Returns the same for a system that has not begun, whose blocks are asked as well.
std::string why_nothing_repeats(System& system);

/// Whether a run may go on at steady rates: packets on set-up routes are merged, so that messages have no rates there.
bool takes_steady(const Config& config);

}  // namespace weft::sc_models
