// SPDX-License-Identifier: Apache-2.0
// When a link of at most one flit per cycle can take its next flit, with headers charged as link time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/rational.h"
#include "base/types.h"

namespace weft {

/// Bandwidth of a link and what lies on it.
struct PacketRateSpec {
  Rational flits_per_cycle{1, 1};  ///< at most 1
  std::uint64_t flit_bytes = 32;
  std::uint64_t header_bytes = 0;  ///< bytes of the header of each packet, on side wires of the head flit

  /// Cycles from a flit's first to its last bit, at least 1.
  Cycle flit_cycles() const { return (flits_per_cycle.den + flits_per_cycle.num - 1) / flits_per_cycle.num; }
  /// Whether the link takes a flit in every cycle.
  bool flit_per_cycle() const { return flits_per_cycle.num == flits_per_cycle.den; }
  /// Returns how many of `flits`, the last of which came onto the link in cycle `sent`, it carries in cycle `end` and
  /// later.
  double flits_after(std::uint64_t flits, Cycle sent, Cycle end) const {
    const double cycles = sent < end ? -static_cast<double>(end - sent) : static_cast<double>(sent - end);
    return std::clamp(1 + cycles * flits_per_cycle.value(), 0.0, static_cast<double>(flits));
  }
};

/// The same spec, at a place where it stays until the program ends: for what was loaded from a checkpoint and refers to
/// the rate of a link.
const PacketRateSpec& lasting_rate(const PacketRateSpec& spec);

/// Serialisation of packets. A flit takes den/num cycles; a packet's header takes the link for its share of a flit
/// after the tail. So the flits of a packet are never torn apart by it: on a link of one flit per cycle they follow
/// each other in consecutive cycles. While the link streams there is no drift; after a pause it restarts at the edge.
class PacketRate {
 public:
  bool can_send(Cycle now) const { return next_ < now || (next_ == now && phase_ == 0); }
  /// First cycle, `now` or later, in which a flit may be put on the link.
  Cycle next_slot(Cycle now) const {
    const Cycle slot = phase_ == 0 ? next_ : next_ + 1;
    return slot > now ? slot : now;
  }
  /// Takes the link for one flit in cycle `now`; can_send must hold.
  void send(const PacketRateSpec& spec, Cycle now, bool tail) {
    if (next_ + (phase_ > 0 ? 1 : 0) < now) {
      next_ = now;
      phase_ = 0;
    }
    const std::uint64_t unit = spec.flits_per_cycle.num * spec.flit_bytes;  // parts of a cycle
    const std::uint64_t bytes = spec.flit_bytes + (tail ? spec.header_bytes : 0);
    const std::uint64_t parts = phase_ + spec.flits_per_cycle.den * bytes;
    const std::uint64_t rest = parts - unit;
    if (rest < unit) {  // the usual case: a link of more than half a flit per cycle
      ++next_;
      phase_ = rest;
    } else {
      next_ += parts / unit;
      phase_ = parts % unit;
    }
  }
  /// Takes the link for a packet of `flits` flits in consecutive cycles from `first` on, on a link of one flit per
  /// cycle; can_send must hold in `first`.
  void send_row(const PacketRateSpec& spec, Cycle first, std::uint32_t flits) {
    if (flits > 1) send(spec, first, false);
    if (flits > 2) next_ += flits - 2;
    send(spec, first + flits - 1, true);
  }
  /// What the future depends on, relative to `now`.
  std::uint64_t state(const PacketRateSpec& spec, Cycle now) const {
    if (next_ + (phase_ > 0 ? 1 : 0) < now + 1 && phase_ == 0) return 0;
    return (next_ - now + 1) * spec.flits_per_cycle.num * spec.flit_bytes + phase_ + 1;
  }
  /// Where in cycle `slot`, which next_slot has given, the link takes the flit, in the parts that `send` counts before
  /// the end of that cycle.
  std::uint64_t phase_in(Cycle slot) const { return next_ + (phase_ > 0 ? 1 : 0) < slot ? 0 : phase_; }
  /// Where in a cycle the link becomes free, in the parts that `send` counts.
  std::uint64_t phase() const { return phase_; }
  /// Gives `form` what the future after `form.now()` depends on.
  template <typename Form>
  void put_state(Form& form) {
    if (next_ + (phase_ > 0 ? 1 : 0) <= form.now()) return form.same(0);
    put_all_state(form);
  }
  /// The same where the next flit may go in an earlier cycle.
  template <typename Form>
  void put_all_state(Form& form) {
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
  std::uint64_t phase_ = 0;  ///< in parts of 1/(num x flit_bytes) cycle
};

}  // namespace weft
