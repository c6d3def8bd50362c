// SPDX-License-Identifier: Apache-2.0
// How long a run lasts at least.
#pragma once

#include "base/types.h"
#include "config/config.h"

namespace weft::npu {

/// Cycles that a run of `config` lasts at least: an NPU works on one computation at a time, so these are the longer one
/// of the sums of the first rank's computations on its accelerator and on its host, and no more than `limits.cycles`.
/// 0 = nothing is known, as without a trace. Reads the trace of that rank once; throws InputError where it cannot be
/// read, or a computation has no time.
Cycle least_cycles(const Config& config);

}  // namespace weft::npu
