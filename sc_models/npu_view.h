// SPDX-License-Identifier: Apache-2.0
// The configuration in cycles of the NPUs' clock.
#pragma once

#include "config/config.h"

namespace weft::sc_models {

/// `config` with latencies and rates of the links at network interfaces counted in cycles of `npu.clock`; the same as
/// `config` without one. Throws InputError where the ratio of the clocks leaves 64 bits.
Config as_npus_see_it(const Config& config);

}  // namespace weft::sc_models
