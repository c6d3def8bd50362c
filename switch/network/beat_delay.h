// SPDX-License-Identifier: Apache-2.0
// The uSwitches of a flow in which nothing ever waits, as a delay.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "switch/network/beat.h"
#include "switch/network/datapath_plan.h"

namespace weft::fred {

/// Where a packet starts only when all its outputs have room for all of it, and the operands of each uSwitch have
/// passed as many registers, no beat ever stands still: it shows at an output as many steps after it has entered as
/// there are registers on its way. So the registers need not be simulated one by one; one bit for each of the last
/// steps says whether a beat entered in it.
class BeatDelay {
 public:
  /// Most registers on a route.
  static constexpr std::uint32_t kMost = 63;

  /// A delay that carries nothing.
  BeatDelay() = default;
  /// `values`: each output has a slot of data of its own for each beat. The plan must not be skewed, nor deeper than
  /// kMost.
  BeatDelay(const DatapathPlan& plan, bool values);

  bool exists() const { return !depths_.empty(); }
  /// The next step begins. `beat` enters in it, if it is not null.
  void step(const Beat* beat) {
    history_ = (history_ & still_inside_) << 1;
    now_ = (now_ + 1) & ring_mask_;
    if (beat == nullptr) return;
    history_ |= 1;
    beats_[now_] = *beat;
  }
  /// Whether a beat shows at output `i` in this step, and which.
  bool valid(std::size_t i) const { return (history_ >> depths_[i] & 1) != 0; }
  const Beat& beat(std::size_t i) const { return beats_[at(depths_[i])]; }
  /// The slot of output `i` of the beat that has entered in this step, and of the one that shows there.
  std::uint32_t& entered_data(std::size_t i) { return data_[now_ * depths_.size() + i]; }
  std::uint32_t data(std::size_t i) const {
    return data_.empty() ? WordPool::kNone : data_[at(depths_[i]) * depths_.size() + i];
  }
  /// Writes its state into `checkpoint`, or takes it from there, without data.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(history_, now_);
    checkpoint.all(beats_, [&](Beat& beat) { fred::keep(checkpoint, beat); });
  }
  /// After a step: no beat is on its way.
  bool empty() const { return (history_ & still_inside_) == 0; }

  /// What a beat does on its way: wires that it comes onto, and pairs of operands that become one.
  std::uint64_t moves() const { return moves_; }
  std::uint64_t joins() const { return joins_; }
  /// How much of that is still to be done by a beat of the age `age`.
  std::uint64_t moves_after(std::uint64_t age) const { return after(moves_by_age_, age); }
  std::uint64_t joins_after(std::uint64_t age) const { return after(joins_by_age_, age); }
  /// Steps from the inputs to output `i`.
  std::uint32_t depth(std::size_t i) const { return depths_[i]; }
  /// How much of that is still to be done by the beats that are on their way.
  std::uint64_t moves_ahead() const { return ahead(moves_by_age_); }
  std::uint64_t joins_ahead() const { return ahead(joins_by_age_); }
  /// Calls `visit(age, beat)` for each beat on its way; the last that entered first.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::uint64_t bits = history_ & still_inside_; bits != 0; bits &= bits - 1) {
      const auto age = static_cast<std::uint32_t>(__builtin_ctzll(bits));
      visit(age, beats_[at(age)]);
    }
  }

 private:
  std::size_t at(std::uint32_t age) const { return (now_ - age) & ring_mask_; }
  static std::uint64_t after(const std::vector<std::uint32_t>& by_age, std::uint64_t age);
  std::uint64_t ahead(const std::vector<std::uint32_t>& by_age) const;

  std::uint64_t history_ = 0;          ///< bit k: a beat entered k steps ago
  std::uint64_t still_inside_ = 0;     ///< ages at which a beat has not left through all outputs
  std::vector<std::uint32_t> depths_;  ///< by output: steps from the inputs
  std::vector<Beat> beats_;            ///< a ring of the last steps
  std::vector<std::uint32_t> data_;    ///< by step of the ring and output; empty without values
  std::size_t now_ = 0;
  std::size_t ring_mask_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t joins_ = 0;
  std::vector<std::uint32_t> moves_by_age_;  ///< by age of a beat: moves in the step in which it is so old
  std::vector<std::uint32_t> joins_by_age_;
};

}  // namespace weft::fred
