// SPDX-License-Identifier: Apache-2.0
// What an endpoint's own work costs.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/rational.h"
#include "config/config.h"

namespace weft::npu {

/// Delay per message and cost of reductions, in cycles.
class EndpointCost {
 public:
  EndpointCost(const NpuSpec& spec, const ClockSpec& clock)
      : delay_(spec.endpoint_delay_cycles),
        add_(spec.add_cycles),
        clock_(clock.hertz),
        bytes_per_s_(static_cast<std::uint64_t>(std::llround(spec.reduce_bytes_per_s))) {}

  /// Before the first send of a chunk.
  Cycle delay() const { return delay_; }
  /// After each receive: the delay, and the time in which the last element is added or copied.
  Cycle receive_delay() const { return delay_ + add_; }
  /// Cycles that a reduction of so many bytes takes: three accesses to local memory, each cut to whole cycles, or 0.
  Cycle reduction(std::uint64_t bytes) const {
    if (bytes_per_s_ == 0) return 0;
    const UInt128 access = static_cast<UInt128>(bytes) * clock_.num / (static_cast<UInt128>(clock_.den) * bytes_per_s_);
    if (access > kLastCycle / 3) {
      throw InputError("reducing " + std::to_string(bytes) + " bytes at " + std::to_string(bytes_per_s_) +
                       " B/s takes longer than a run can last");
    }
    return 3 * static_cast<Cycle>(access);
  }

 private:
  Cycle delay_;
  Cycle add_;
  Rational clock_;
  std::uint64_t bytes_per_s_;
};

}  // namespace weft::npu
