// SPDX-License-Identifier: Apache-2.0
// How a memory module serves its accesses one after the other: one policy each, chosen by name.
#pragma once

#include <cstdint>

#include "base/policy.h"
#include "mem/exact_time.h"
#include "mem/pool/pool_spec.h"

namespace weft::mem {

/// Bandwidth of a module, in parts of a cycle.
struct ModuleRate {
  explicit ModuleRate(const PoolSpec& spec)
      : unit(spec.module.flits_per_cycle.num * spec.flit_bytes), parts_per_byte(spec.module.flits_per_cycle.den) {}
  /// When `bytes` that start at `start` have been transferred.
  ExactTime after(ExactTime start, std::uint64_t bytes) const { return start.plus(bytes * parts_per_byte, unit); }

  std::uint64_t unit;
  std::uint64_t parts_per_byte;
};

/// When the module may start its next access, from the start of this one and the end of its transfer if it began
/// without latency.
using NextStart = ExactTime (*)(const PoolModuleSpec& module, ExactTime start, ExactTime transferred);

/// Transfers follow one another; latencies overlap.
ExactTime pipelined_service(const PoolModuleSpec& module, ExactTime start, ExactTime transferred);
/// One access at a time, from its start to its last byte, and then `recovery`.
ExactTime serial_service(const PoolModuleSpec& module, ExactTime start, ExactTime transferred);

/// A service as the list has it.
struct ServicePolicy : Policy {
  NextStart next_start = nullptr;
};
const PolicyList<ServicePolicy>& service_policies();

}  // namespace weft::mem
