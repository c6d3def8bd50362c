// SPDX-License-Identifier: Apache-2.0
// The time that a line takes for packets.
#pragma once

#include <cstdint>

#include "base/rational.h"
#include "base/types.h"

namespace weft::mem {

/// A line that carries `rate` flits per cycle, packet after packet, without rounding.
class LinePace {
 public:
  explicit LinePace(Rational rate) : rate_(rate) {}

  /// Carries a packet of `flits` from the end of the one before or, after a pause, from `now` on. Returns the first
  /// edge at which all of it is there.
  Cycle carry(std::uint64_t flits, Cycle now) {
    if (end() < now) {
      free_at_ = now;
      phase_ = 0;
    }
    const std::uint64_t parts = phase_ + flits * rate_.den;
    free_at_ += parts / rate_.num;
    phase_ = parts % rate_.num;
    return end();
  }

  /// Gives `form` its state. When it became free does not matter once that is over.
  template <typename Form>
  void put_state(Form& form) {
    const bool free = end() <= form.now();
    form.same(free ? 0 : 1);
    if (free) return;
    form.time(free_at_);
    form.same(phase_);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(free_at_, phase_);
  }

 private:
  Cycle end() const { return free_at_ + (phase_ > 0 ? 1 : 0); }

  Rational rate_;
  Cycle free_at_ = 0;  ///< it can carry more from free_at_ + phase_ / rate_.num on
  std::uint64_t phase_ = 0;
};

}  // namespace weft::mem
