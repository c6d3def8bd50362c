// SPDX-License-Identifier: Apache-2.0
// Registers in a row, through which the beats of one packet after the other pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "switch/network/beat.h"

namespace weft::fred {

/// A row of registers of one beat each, with valid and ready. Beats keep their order, so that a step needs only to know
/// which registers are full: a beat moves on unless all registers in front of it are full and the last one stays.
class BeatLine {
 public:
  static constexpr std::size_t kMost = 63;

  /// A row without registers, which carries nothing.
  BeatLine() = default;
  /// `wires` has the registers of each wire, from the input on; 1 to kMost in all.
  explicit BeatLine(const std::vector<std::uint8_t>& wires) {
    for (const std::uint8_t registers : wires) {
      starts_ |= std::uint64_t{1} << length_;
      length_ += registers;
    }
    beats_.resize(length_);
    each_is_a_wire_ = length_ == wires.size();
  }

  bool exists() const { return length_ > 0; }
  /// Beats in it.
  std::uint32_t count() const { return count_; }
  /// The last register is full.
  bool valid() const { return (full_ >> (length_ - 1) & 1) != 0; }
  /// What it holds.
  const Beat& front() const { return beats_[front_]; }
  /// One step: the last beat leaves if `leaves` (valid must hold), and `beat` enters if it is not null and there is
  /// room. Returns whether it did. `moves` grows by the beats that came onto a wire.
  bool step(bool leaves, const Beat* beat, std::uint64_t& moves) {
    if (leaves) {
      full_ &= ~(std::uint64_t{1} << (length_ - 1));
      front_ = next(front_);
      --count_;
    }
    const unsigned above = 64 - length_;
    const auto waiting = static_cast<unsigned>(__builtin_clzll(~(full_ << above)));
    const std::uint64_t stays = waiting == 0 ? 0 : ~std::uint64_t{0} << (64 - waiting) >> above;
    const std::uint64_t moved = (full_ & ~stays) << 1;
    full_ = stays | moved;
    // Where each register is a wire of its own, as usual, all that have moved count.
    moves += each_is_a_wire_ ? count_ - waiting : static_cast<std::uint64_t>(__builtin_popcountll(moved & starts_));
    if (beat == nullptr || (full_ & 1) != 0) return false;
    full_ |= 1;
    ++count_;
    beats_[back_] = *beat;
    back_ = next(back_);
    ++moves;
    return true;
  }
  /// Calls `visit(beat)` for each register from the input on, with null for an empty one.
  template <typename Visit>
  void for_each(Visit visit) const {
    std::size_t beat = back_;
    for (unsigned i = 0; i < length_; ++i) {
      const bool here = (full_ >> i & 1) != 0;
      if (here) beat = beat == 0 ? length_ - 1 : beat - 1;
      visit(here ? &beats_[beat] : nullptr);
    }
  }

 private:
  std::size_t next(std::size_t at) const { return at + 1 == length_ ? 0 : at + 1; }

  unsigned length_ = 0;
  std::uint32_t count_ = 0;
  bool each_is_a_wire_ = false;
  std::uint64_t starts_ = 0;  ///< registers at which a wire begins
  std::uint64_t full_ = 0;    ///< bit 0 is the register behind the input
  std::vector<Beat> beats_;   ///< a ring
  std::size_t front_ = 0;
  std::size_t back_ = 0;
};

}  // namespace weft::fred
