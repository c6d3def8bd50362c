// SPDX-License-Identifier: Apache-2.0
// Times of things that stand in line, in the state of blocks: how they are compared and moved on.
#include <algorithm>

#include "base/state_form.h"

namespace weft {
namespace {

/// The time of the thing that will stand at place `at` of a line once those before it have left. Each period the first
/// `step` leave it, and as many line up at the same points of the period as in the last one.
Cycle time_at(const std::vector<Cycle>& line, std::size_t at, std::size_t step, Cycle period) {
  if (at < line.size()) return line[at];
  const std::size_t behind = at - line.size();
  return line[line.size() - step + behind % step] + (behind / step + 1) * period;
}

std::vector<Cycle> values_of(const std::vector<Cycle*>& times) {
  std::vector<Cycle> values;
  values.reserve(times.size());
  for (const Cycle* time : times) values.push_back(*time);
  return values;
}

}  // namespace

void StateForm::line(const std::vector<Cycle*>& times, bool in_row, std::size_t begun) {
  if (failed_ || pass_ == Pass::kHash) return;
  if (is_steady()) {
    for (Cycle* time : times) made(*time);
  } else if (pass_ == Pass::kMoveOn) {
    move_line_up(times);
  } else if (pass_ == Pass::kThird) {
    compare_line(times, in_row, begun);
  } else {
    for (const Cycle* time : times) grow(*time);
  }
}

// The thing at place i of one look is that at place i + step of the look before: their numbers say so.
void StateForm::compare_line(const std::vector<Cycle*>& times, bool in_row, std::size_t begun) {
  const std::uint64_t step = last_growth();
  const std::size_t first = next_word_;
  const std::vector<Cycle> line = values_of(times);
  if (first + line.size() > words_.size()) {
    failed_ = true;
    return;
  }
  next_word_ += line.size();
  const auto before = [&](std::size_t i) { return words_[first + i] + growth_[first + i]; };
  const auto grows_evenly = [&](std::size_t i) { return line[i] - before(i) == growth_[first + i]; };
  bool even = true;
  for (std::size_t i = 0; i < line.size(); ++i) even = even && grows_evenly(i);
  moves_up_.push_back(even ? 0 : step);
  if (even) return;
  failed_ = !in_row || step == 0 || step > line.size();
  for (std::size_t i = 0; i < line.size() && !failed_; ++i) {
    const bool stood_in_line = i + step < line.size();
    failed_ = line[i] != (stood_in_line ? before(i + step) : before(i) + period_);
  }
  if (!failed_) bound_by_line(line, first, begun);
}

// What is done with the things in a period shows in how their times grow: those that come to the same places later must
// have times that grow alike.
void StateForm::bound_by_line(const std::vector<Cycle>& line, std::size_t first_word, std::size_t begun) {
  const auto step = static_cast<std::size_t>(moves_up_.back());
  const std::size_t most = 2 + line.size() / step;  // behind these all times grow by a period
  for (std::size_t i = 0; i < std::min(line.size(), begun + step); ++i) {
    const std::uint64_t growth = growth_[first_word + i];
    std::uint64_t periods = 0;
    if (line[i] == words_[first_word + i] + 2 * growth) {
      while (periods <= most &&
             time_at(line, i + (periods + 1) * step, step, period_) == line[i] + (periods + 1) * growth)
        ++periods;
    }
    if (periods <= most) bound(periods);
  }
}

void StateForm::move_line_up(const std::vector<Cycle*>& times) {
  WEFT_CHECK(next_line_ < moves_up_.size(), "a state that is moved on has more lines than when it was looked at");
  const auto step = static_cast<std::size_t>(moves_up_[next_line_++]);
  const std::vector<Cycle> line = values_of(times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (step == 0) {
      *times[i] += periods_ * growth_[next_word_];
    } else {
      *times[i] = time_at(line, i + periods_ * step, step, period_);
    }
    ++next_word_;
  }
}

}  // namespace weft
