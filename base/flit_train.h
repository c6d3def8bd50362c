// SPDX-License-Identifier: Apache-2.0
// The flits of one packet as they pass a point: the cycles are known before the first one comes.
#pragma once

#include <cstdint>

#include "base/packet_rate.h"
#include "base/types.h"

namespace weft {

/// The cycles in which the flits of a packet, or the credits for them, pass one point. They are taken off one by one.
class FlitTrain {
 public:
  FlitTrain() = default;
  /// `flits` of them, the first in cycle `first`, each `step` cycles after the one before.
  FlitTrain(Cycle first, std::uint32_t flits, Cycle step = 1)
      : next_(first), ready_(first), last_(first + (flits - 1) * step), step_(step), left_(flits) {}
  /// When a link takes the flits of a packet that are ready from cycle `first` on, one every `step` cycles. `rate` is
  /// that of the link with all earlier packets, and afterwards with this one.
  FlitTrain(const PacketRateSpec& spec, PacketRate* rate, Cycle first, std::uint32_t flits, Cycle step)
      : ready_(first), step_(step), left_(flits), spec_(&spec), rate_(*rate) {
    next_ = last_ = rate->next_slot(first);
    rate->send(spec, next_, flits == 1);
    Cycle gap = 1;  // between the first two, if there are two
    bool even = true;
    Cycle ready = first + step;
    for (std::uint32_t i = 1; i < flits; ++i, ready += step) {
      const Cycle slot = rate->next_slot(ready);
      if (i == 1) gap = slot - last_;
      even = even && slot - last_ == gap;
      last_ = slot;
      rate->send(spec, slot, i + 1 == flits);
    }
    if (even) *this = FlitTrain(next_, flits, gap);  // the usual case: the link needs not be asked again
  }

  bool empty() const { return left_ == 0; }
  std::uint32_t left() const { return left_; }
  /// Cycle of the first one that has not been taken off; there is one.
  Cycle next() const { return next_; }
  Cycle last() const { return last_; }
  /// Cycle of number `n` of those that are left, 1 = the next.
  Cycle nth(std::uint32_t n) const {
    if (spec_ == nullptr) return next_ + (n - 1) * step_;
    if (n == left_) return last_;
    FlitTrain train = *this;
    for (; n > 1; --n) train.pop();
    return train.next_;
  }
  /// Takes it off.
  void pop() {
    ready_ += step_;
    --left_;
    if (spec_ == nullptr) {
      next_ += step_;
      return;
    }
    rate_.send(*spec_, next_ - later_, false);
    next_ = rate_.next_slot(ready_) + later_;
  }
  /// Takes off what passes up to and with cycle `end`; how many these are.
  std::uint32_t pop_until(Cycle end) {
    const std::uint32_t before = left_;
    if (last_ <= end) {
      left_ = 0;
      return before;
    }
    if (next_ > end) return 0;
    if (spec_ == nullptr) {
      const Cycle passed = step_ == 1 ? end - next_ + 1 : (end - next_) / step_ + 1;
      next_ += passed * step_;
      ready_ += passed * step_;
      left_ -= static_cast<std::uint32_t>(passed);
    } else {
      while (next_ <= end) pop();  // the last one passes later
    }
    return before - left_;
  }
  /// The same `cycles` later, at a point further on.
  FlitTrain later(Cycle cycles) const {
    FlitTrain train = *this;
    train.next_ += cycles;
    train.last_ += cycles;
    if (spec_ == nullptr) {
      train.ready_ += cycles;
    } else {
      train.later_ += cycles;
    }
    return train;
  }
  /// Gives `form` its state.
  template <typename Form>
  void put_state(Form& form) {
    form.same(std::uint64_t{left_} << 1 | std::uint64_t{spec_ != nullptr});
    if (empty()) return;
    form.time(next_);
    form.time(last_);
    form.same(step_);
    if (spec_ == nullptr) {
      ready_ = next_;
      return;
    }
    form.time(ready_);
    form.same(later_);
    form.same(spec_->flits_per_cycle.num);
    form.same(spec_->flits_per_cycle.den);
    form.same(spec_->flit_bytes << 32 | spec_->header_bytes);
    rate_.put_all_state(form);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    bool spaced = spec_ != nullptr;
    checkpoint.values(next_, ready_, last_, step_, later_, left_, spaced);
    if (!spaced) {
      spec_ = nullptr;
      return;
    }
    PacketRateSpec spec;
    if (!checkpoint.loads()) spec = *spec_;
    checkpoint.values(spec.flits_per_cycle.num, spec.flits_per_cycle.den, spec.flit_bytes, spec.header_bytes);
    if (checkpoint.loads()) spec_ = &lasting_rate(spec);
    rate_.keep(checkpoint);
  }

 private:
  Cycle next_ = 0;
  Cycle ready_ = 0;  ///< first cycle in which the link may take the next flit, at the link
  Cycle last_ = 0;
  Cycle step_ = 1;
  Cycle later_ = 0;  ///< from the link on
  std::uint32_t left_ = 0;
  const PacketRateSpec* spec_ = nullptr;  ///< rate of the link that spaces the flits; null = `step` spaces them
  PacketRate rate_;                       ///< rate of that link, before the next flit
};

}  // namespace weft
