// SPDX-License-Identifier: Apache-2.0
#include "sc_models/move_history.h"

#include <algorithm>

#include "base/state_hash.h"

namespace weft::sc_models {
namespace {

/// A period is looked for in so many of the last cycles first, then in more.
constexpr std::size_t kMovesTried[] = {64, 256, 1024, 4096, 8192};
/// An executed cycle may be compared with others for so many moves of flits, and so many comparisons need none.
constexpr std::uint64_t kMovesPerComparison = 8;
constexpr std::uint64_t kFreeComparisons = 12'288;

}  // namespace

void MoveHistory::leave_out(Cycle cycles, std::uint64_t sum) {
  last_cycle_ += cycles;
  left_out_ += cycles;
  last_sum_ = sum;
}

std::uint64_t MoveHistory::hash_of_last(std::size_t cycles) const {
  std::uint64_t hash = 0;
  for (std::size_t back = 0; back < std::min<std::uint64_t>({cycles, kMostMoves, executed_}); ++back) {
    hash = quick_mix(hash, moves(back).mixed);
  }
  return hash;
}

MoveHistory::Period MoveHistory::find(std::uint64_t moved) {
  borders_.assign(1, 0);
  for (const std::size_t cycles : kMovesTried) {
    if (cycles > executed_) break;
    if (compared_ > kFreeComparisons + moved / kMovesPerComparison) break;
    compared_ += cycles;
    const std::size_t period = period_of_last(cycles);
    if (period > 0) return {moves(0).at - moves(period).at, alike_for(period)};
  }
  return {};
}

// The longest border of the last cycles, read backwards, gives their shortest period; it must be there twice. Borders
// of fewer cycles are those of the search in more of them, too.
std::size_t MoveHistory::period_of_last(std::size_t cycles) {
  for (std::size_t i = borders_.size(); i < cycles; ++i) {
    const Moves& here = moves(i);
    std::uint32_t length = borders_[i - 1];
    while (length > 0 && !(here == moves(length))) length = borders_[length - 1];
    borders_.push_back(here == moves(length) ? length + 1 : 0);
  }
  const std::size_t period = cycles - borders_.back();
  return 2 * period > cycles ? 0 : period;
}

std::size_t MoveHistory::alike_for(std::size_t period) {
  const std::size_t most = std::min<std::size_t>(kLongEnough, executed_);
  std::size_t count = 0;
  while (count + period < most && moves(count) == moves(count + period)) ++count;
  compared_ += count;
  return count;
}

Cycle next_multiple(Cycle multiple) {
  const auto has_small_factors = [](Cycle number) {
    while (number % 2 == 0) number /= 2;
    while (number % 3 == 0) number /= 3;
    return number == 1;
  };
  do ++multiple;
  while (multiple > kMostMultiple && !has_small_factors(multiple));
  return multiple;
}

}  // namespace weft::sc_models
