// SPDX-License-Identifier: Apache-2.0
// Keys that a configuration sets, and that change nothing beside its other keys.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace weft {

/// A sentence "KEY has no effect: REASON" for each key whose value is not the default and which nothing reads in this
/// configuration. What another workload would use is not named: files of systems serve several workloads.
std::vector<std::string> keys_without_effect(const Config& config);

/// Why one thread steps the whole fabric, whatever `threads` is; "" if more of them can.
std::string one_thread_because(const Config& config);

}  // namespace weft
