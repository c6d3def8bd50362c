// SPDX-License-Identifier: Apache-2.0
// What a fabric has moved in the cycles that were executed last, and the period that this has.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"

namespace weft::sc_models {

/// A period of the state has at most so many periods of what moves, or more where these have long been alike.
inline constexpr Cycle kMostMultiple = 24;
/// The next number of periods of what moves that may be one of the state: all small numbers, and then those that have
/// no other factors than 2 and 3, since round robins of a few make such periods.
Cycle next_multiple(Cycle multiple);

/// What the last few thousand executed cycles have moved. Searches for a period are counted, so that they take a small
/// part of the time of a run.
class MoveHistory {
 public:
  /// A cycle has been executed. `sum` and `level` are those of Fabric::pulse behind it.
  void add(Cycle now, std::uint64_t sum, std::uint64_t level) {
    moves_[executed_++ % kMostMoves] = {((now - last_cycle_) * kMix + sum - last_sum_) * kMix + level, now - left_out_};
    last_cycle_ = now;
    last_sum_ = sum;
  }
  /// Cycles have been left out, after which the pulse's sum is `sum`.
  void leave_out(Cycle cycles, std::uint64_t sum);
  /// Cycles that have been executed so far.
  std::uint64_t executed() const { return executed_; }

  /// A period that has passed twice.
  struct Period {
    Cycle cycles = 0;  ///< 0 = none has been found
    /// So many executed cycles have moved what those a period before have moved, and no more are counted than
    /// kLongEnough.
    std::size_t alike_for = 0;
  };
  /// Executed cycles of which Period::alike_for knows.
  static constexpr std::size_t kLongEnough = 512;
  /// Returns the shortest period of the last cycles. `moved`: flits that the fabric has moved so far.
  Period find(std::uint64_t moved);
  /// Mixes what the last `cycles` executed cycles have moved, or all where there were fewer.
  std::uint64_t hash_of_last(std::size_t cycles) const;

 private:
  /// What moved in an executed cycle.
  struct Moves {
    /// Mixed from the cycles since the executed cycle before, what the sum of the pulse has grown by since then, and
    /// the level of the pulse. Where two that differ are mixed to the same word, the looks at the state tell them
    /// apart.
    std::uint64_t mixed = 0;
    Cycle at = 0;  ///< the cycle, without those that had been left out
    friend bool operator==(const Moves& a, const Moves& b) { return a.mixed == b.mixed; }
  };
  static constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
  /// Executed cycles that are remembered: a period of more than half of them is not found.
  static constexpr std::size_t kMostMoves = 8192;

  /// What executed cycles have moved, the last one first.
  const Moves& moves(std::size_t back) const { return moves_[(executed_ - 1 - back) % kMostMoves]; }
  std::size_t period_of_last(std::size_t cycles);
  std::size_t alike_for(std::size_t period);

  std::vector<Moves> moves_{kMostMoves};  ///< a ring
  std::vector<std::uint32_t> borders_;    ///< of the last cycles, for as many as were looked at in this search
  std::uint64_t executed_ = 0;
  std::uint64_t compared_ = 0;  ///< executed cycles that have been compared with others
  Cycle last_cycle_ = 0;
  Cycle left_out_ = 0;
  std::uint64_t last_sum_ = 0;
};

}  // namespace weft::sc_models
