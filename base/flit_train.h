// SPDX-License-Identifier: Apache-2.0
// The flits of one packet as they pass a point: the cycles are known before the first one comes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/packet_rate.h"
#include "base/types.h"

namespace weft {

/// Some flits that pass a point, the first in cycle `first` and each `step` cycles after the one before.
struct FlitRow {
  Cycle first = 0;
  std::uint32_t flits = 0;
  Cycle step = 1;
  Cycle last() const { return first + (flits - 1) * step; }
};

/// The cycles in which the flits of a packet, or the credits for them, pass one point. They are taken off one by one.
class FlitTrain {
 public:
  FlitTrain() = default;
  /// `flits` of them, the first in cycle `first`, each `step` cycles after the one before.
  FlitTrain(Cycle first, std::uint32_t flits, Cycle step = 1)
      : next_(first),
        left_(flits),
        span_(static_cast<std::uint32_t>((flits - 1) * step)),
        step_(static_cast<std::uint32_t>(step)) {}
  /// When a link takes the flits of a packet that are ready from cycle `first` on, one every `step` cycles. `rate` is
  /// that of the link with all earlier packets, and afterwards with this one.
  FlitTrain(const PacketRateSpec& spec, PacketRate* rate, Cycle first, std::uint32_t flits, Cycle step)
      : next_(rate->next_slot(first)),
        spec_(&spec),
        phase_(rate->phase_in(next_)),
        left_(flits),
        step_(static_cast<std::uint32_t>(step)),
        lead_(static_cast<std::uint32_t>(next_ - first)) {
    if (step == 1 && spec.flit_per_cycle()) {
      rate->send_row(spec, next_, flits);
      *this = FlitTrain(next_, flits);
      return;
    }
    rate->send(spec, next_, flits == 1);
    Cycle last = next_;
    Cycle gap = 1;  // between the first two, if there are two
    bool even = true;
    Cycle ready = first + step;
    for (std::uint32_t i = 1; i < flits; ++i, ready += step) {
      const Cycle slot = rate->next_slot(ready);
      if (i == 1) gap = slot - last;
      even = even && slot - last == gap;
      last = slot;
      rate->send(spec, slot, i + 1 == flits);
    }
    span_ = static_cast<std::uint32_t>(last - next_);
    if (even) *this = FlitTrain(next_, flits, gap);  // the usual case: the link needs not be asked again
  }

  bool empty() const { return left_ == 0; }
  std::uint32_t left() const { return left_; }
  /// Cycle of the first one that has not been taken off; there is one.
  Cycle next() const { return next_; }
  Cycle last() const { return next_ + span_; }
  /// Cycle of number `n` of those that are left, 1 = the next.
  Cycle nth(std::uint32_t n) const {
    if (spec_ == nullptr) return next_ + Cycle{n - 1} * step_;
    if (n == left_) return last();
    FlitTrain train = *this;
    for (; n > 1; --n) train.pop();
    return train.next_;
  }
  /// Takes it off.
  void pop() {
    if (--left_ == 0) return;
    const Cycle gap = spec_ == nullptr ? step_ : pass_link();
    next_ += gap;
    span_ -= static_cast<std::uint32_t>(gap);
  }
  /// Takes off what passes up to and with cycle `end`; how many these are.
  std::uint32_t pop_until(Cycle end) {
    const std::uint32_t before = left_;
    if (last() <= end) {
      left_ = 0;
      return before;
    }
    if (next_ > end) return 0;
    if (spec_ == nullptr) {
      const auto passed = static_cast<std::uint32_t>(step_ == 1 ? end - next_ + 1 : (end - next_) / step_ + 1);
      next_ += passed * Cycle{step_};
      span_ -= passed * step_;
      left_ -= passed;
    } else {
      while (next_ <= end) pop();  // the last one passes later
    }
    return before - left_;
  }
  /// Takes off what passes up to and with cycle `end`, in which the next one has passed, or those of them that follow
  /// each other evenly.
  FlitRow pop_row(Cycle end) {
    const Cycle first = next_;
    if (spec_ == nullptr) return {first, pop_until(end), step_};
    pop();
    return {first, 1, 1};
  }
  /// The same `cycles` later, at a point further on.
  FlitTrain later(Cycle cycles) const {
    FlitTrain train = *this;
    train.next_ += cycles;
    return train;
  }
  /// Gives `form` its state.
  template <typename Form>
  void put_state(Form& form) {
    if (empty()) return form.same(0);
    form.same(std::uint64_t{left_} << 1 | std::uint64_t{spec_ != nullptr});
    form.time(next_);
    form.same(std::uint64_t{span_} << 32 | step_);
    if (spec_ == nullptr) return;
    form.same(phase_);
    form.same(lead_);
    form.same(spec_->flits_per_cycle.num);
    form.same(spec_->flits_per_cycle.den);
    form.same(spec_->flit_bytes << 32 | spec_->header_bytes);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    bool spaced = spec_ != nullptr;
    checkpoint.values(next_, left_, span_, step_, spaced);
    if (!spaced) {
      spec_ = nullptr;
      return;
    }
    PacketRateSpec spec;
    if (!checkpoint.loads()) spec = *spec_;
    checkpoint.values(spec.flits_per_cycle.num, spec.flits_per_cycle.den, spec.flit_bytes, spec.header_bytes);
    if (checkpoint.loads()) spec_ = &lasting_rate(spec);
    checkpoint.values(phase_, lead_);
  }

 private:
  /// The next one passes the link that spaces the flits: returns how much later the one behind it does.
  Cycle pass_link() {
    const std::uint64_t unit = spec_->flits_per_cycle.num * spec_->flit_bytes;  // as PacketRate counts
    const std::uint64_t parts = phase_ + spec_->flits_per_cycle.den * spec_->flit_bytes;
    const std::uint64_t rest = parts % unit;
    const Cycle free = parts / unit + (rest > 0 ? 1 : 0) - (phase_ > 0 ? 1 : 0);
    const Cycle ready = step_ > lead_ ? step_ - lead_ : 0;
    phase_ = ready > free ? 0 : rest;
    const Cycle gap = std::max(free, ready);
    lead_ += static_cast<std::uint32_t>(gap) - step_;
    return gap;
  }

  Cycle next_ = 0;
  const PacketRateSpec* spec_ = nullptr;  ///< rate of the link that spaces the flits; null = `step_` spaces them
  std::uint64_t phase_ = 0;               ///< where in cycle `next_` that link takes the next flit
  std::uint32_t left_ = 0;
  std::uint32_t span_ = 0;  ///< cycles from the next one to the last
  std::uint32_t step_ = 1;  ///< cycles from one to the next, where a link spaces them those from ready to ready
  std::uint32_t lead_ = 0;  ///< cycles for which the next one has been ready at such a link
};
static_assert(sizeof(FlitTrain) == 40, "queues of all ports are full of these");

}  // namespace weft
