// SPDX-License-Identifier: Apache-2.0
// When a link of any exact bandwidth can take its next flit.
#pragma once

#include <cstdint>

#include "base/rational.h"
#include "base/types.h"

namespace weft {

/// Serialisation of flits on a link of num/den flits per cycle.
///
/// The link is free from the instant `next_ + phase_/num` on; a flit takes den/num cycles. A link slower than one flit
/// per cycle takes a flit at the first edge at or after that instant; a faster one takes all flits that can start
/// within the cycle. While it streams the instant moves by exactly den/num per flit, so there is no drift; after a
/// pause it restarts at the edge. Times are kept absolute; a saved state holds them relative to now.
class LinkRate {
 public:
  /// Whether a flit may be put on the link in cycle `now`.
  bool can_send(Rational rate, Cycle now) const {
    return next_ < now || (next_ == now && (phase_ == 0 || rate.num > rate.den));
  }
  /// First cycle, `now` or later, in which a flit may be put on the link.
  Cycle next_slot(Rational rate, Cycle now) const {
    const Cycle slot = rate.num > rate.den || phase_ == 0 ? next_ : next_ + 1;
    return slot > now ? slot : now;
  }
  /// Takes the link for one flit in cycle `now`; can_send must hold.
  void send(Rational rate, Cycle now) {
    if (rate.num == rate.den) {  // one flit per cycle, without a division
      next_ = now + 1;
      return;
    }
    const bool late_by_a_cycle = next_ + (phase_ > 0 && rate.num <= rate.den ? 1 : 0) < now;
    if (late_by_a_cycle) {
      next_ = now;
      phase_ = 0;
    }
    const std::uint64_t numerator = phase_ + rate.den;
    next_ += numerator / rate.num;
    phase_ = numerator % rate.num;
  }
  /// Returns how many of the flits that it has taken it carries in cycle `end` and later.
  double flits_after(Rational rate, Cycle end) const {
    if (next_ < end) return 0;
    return static_cast<double>(next_ - end) * rate.value() +
           static_cast<double>(phase_) / static_cast<double>(rate.den);
  }
  /// What the future depends on, relative to `now`.
  std::uint64_t state(Rational rate, Cycle now) const {
    return next_slot(rate, now) == now && next_ < now ? 0 : (next_ - now) * rate.num + phase_ + 1;
  }
  /// Gives `form` what the future depends on.
  template <typename Form>
  void put_state(Form& form) {
    if (next_ + 1 < form.now()) return form.same(0);
    form.same(phase_ + 1);
    form.time(next_);
  }

  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(next_, phase_);
  }

 private:
  Cycle next_ = 0;
  std::uint64_t phase_ = 0;  ///< in units of 1/num cycle
};

}  // namespace weft
