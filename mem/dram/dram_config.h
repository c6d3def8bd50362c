// SPDX-License-Identifier: Apache-2.0
// The DRAM that the section `memory` of a configuration describes.
#pragma once

#include "config/config.h"
#include "mem/dram/dram_controller.h"
#include "mem/dram/timing.h"

namespace weft::mem {

/// The timing that memory.timing names: one that is part of the program, or a file. Throws InputError.
DramTiming timing_of(const MemorySpec& memory);
/// Scheduler, mapping and queue as memory.scheduler and its neighbours say.
DramOptions options_of(const MemorySpec& memory);

}  // namespace weft::mem
