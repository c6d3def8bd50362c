// SPDX-License-Identifier: Apache-2.0
// What a recorder of waves must know about a fabric of FRED switches.
#pragma once

#include "kernel/config.h"
#include "waves/recorder_setup.h"

namespace weft::wafer {

/// Links: `npu[3].out.plane[2]`, `io[0].out.plane[2]`, then `fabric.l1[2].plane[0].port[3]`, with the circuits mp, pp,
/// dp and control for VCs. `running` is there for NPUs, I/O controllers and chiplets (their active configuration).
/// Throws InputError for a fabric that cannot be built.
waves::RecorderSetup fred_recorder_setup(const Config& config);

}  // namespace weft::wafer
