// SPDX-License-Identifier: Apache-2.0
// The contended model of what a remote-memory file describes.
#pragma once

#include "base/rational.h"
#include "mem/pool/pool_spec.h"
#include "mem/pool/remote_memory.h"

namespace weft::mem {

/// A pool with a controller per NPU and as many modules as the file has memories, whose links and switches are so fast
/// that only the memories are shared. The file's latency is that of the whole path. Accesses are packets of their own.
/// Alone, or one after the other at a shared memory, accesses take the formula's time, rounded up to cycles; beyond
/// the formula, accesses of one NPU to a memory of its own share its bandwidth.
/// InputError when there is no remote memory, the NPUs do not fit the nodes, or the latency is shorter than six cycles
/// of the clock, which the links take.
PoolSpec remote_pool(const RemoteMemory& memory, std::uint32_t npus, Rational clock_hertz);

}  // namespace weft::mem
