// SPDX-License-Identifier: Apache-2.0
// Why a link carried nothing, as counts of cycles.
#pragma once

#include <cstdint>

#include "base/probe.h"
#include "base/types.h"

namespace weft {

/// Cycles in which a link carried nothing although something waited for it, by StallReason. With the cycles in which it
/// carried a flit and those in which nothing waited they are all cycles.
struct StallCycles {
  std::uint64_t no_credit = 0;
  std::uint64_t lost_arbitration = 0;
  std::uint64_t waiting_operand = 0;

  /// A sum of more than 64 bits, of the cycles of many links over years, stays at the greatest number.
  StallCycles& operator+=(const StallCycles& other) {
    add(no_credit, other.no_credit);
    add(lost_arbitration, other.lost_arbitration);
    add(waiting_operand, other.waiting_operand);
    return *this;
  }

 private:
  static void add(std::uint64_t& sum, std::uint64_t more) {
    if (__builtin_add_overflow(sum, more, &sum)) sum = ~std::uint64_t{0};
  }
};

/// Counts them from the moments in which the reason changes and from those of flits, in any order within a cycle.
class StallClock {
 public:
  /// The reason from cycle `now` on.
  void set(Cycle now, StallReason reason) {
    count_to(now);
    reason_ = reason;
  }
  /// A flit is sent in cycle `now`, which is no stall then.
  void sent(Cycle now) {
    count_to(now);
    counted_to_ = now + 1;
  }
  /// Counts up to `end`, the first cycle that was not simulated.
  void finish(Cycle end) { count_to(end); }
  StallReason reason() const { return reason_; }
  StallCycles cycles() const {
    return {cycles_[static_cast<int>(StallReason::kNoCredit)], cycles_[static_cast<int>(StallReason::kLostArbitration)],
            cycles_[static_cast<int>(StallReason::kWaitingOperand)]};
  }

 private:
  void count_to(Cycle end) {
    if (counted_to_ >= end) return;
    cycles_[static_cast<int>(reason_)] += end - counted_to_;
    counted_to_ = end;
  }

  Cycle counted_to_ = 0;
  StallReason reason_ = StallReason::kNone;
  std::uint64_t cycles_[4] = {};  ///< by reason
};

}  // namespace weft
