// SPDX-License-Identifier: Apache-2.0
// Why a link carried nothing, as counts of cycles.
#pragma once

#include <cstdint>

#include "base/flit_train.h"
#include "base/link_quantities.h"
#include "base/probe.h"
#include "base/types.h"

namespace weft {

/// Counts the cycles in which a link stalls, by StallReason, from the moments in which the reason changes and from
/// those of flits, in any order within a cycle.
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
  /// Some flits are sent.
  void sent(const FlitRow& row) {
    sent(row.first);
    cycles_[static_cast<int>(reason_)] += (row.flits - 1) * (row.step - 1);
    counted_to_ = row.last() + 1;
  }
  /// Counts up to `end`, the first cycle that was not simulated.
  void finish(Cycle end) { count_to(end); }
  StallReason reason() const { return reason_; }
  LinkValues values() const {
    return stall_values(cycles_[static_cast<int>(StallReason::kNoCredit)],
                        cycles_[static_cast<int>(StallReason::kLostArbitration)],
                        cycles_[static_cast<int>(StallReason::kWaitingOperand)]);
  }
  /// Gives `form` its state.
  template <typename Form>
  void put_state(Form& form) {
    form.same(static_cast<std::uint64_t>(reason_));
    form.past(counted_to_);
    for (std::uint64_t& cycles : cycles_) form.grows(cycles);
  }

  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(counted_to_, reason_, cycles_);
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
