// SPDX-License-Identifier: Apache-2.0
// Times of things that wait in queues, in the state of blocks: how they are compared and moved on.
#include <algorithm>

#include "base/state_form.h"

namespace weft {
namespace {

/// The time of the thing that will stand at place `at` of a queue once those before it have left. Each period the first
/// `step` leave it, and as many come at the same points of the period as in the last one.
Cycle time_at(const std::vector<Cycle>& queue, std::size_t at, std::size_t step, Cycle period) {
  if (at < queue.size()) return queue[at];
  const std::size_t behind = at - queue.size();
  return queue[queue.size() - step + behind % step] + (behind / step + 1) * period;
}

std::vector<Cycle> values_of(const std::vector<Cycle*>& times) {
  std::vector<Cycle> values;
  values.reserve(times.size());
  for (const Cycle* time : times) values.push_back(*time);
  return values;
}

}  // namespace

void StateForm::queue(const std::vector<Cycle*>& times, bool in_row, std::size_t begun) {
  if (failed_ || pass_ == Pass::kHash) return;
  if (is_steady()) {
    for (Cycle* time : times) made(*time);
  } else if (pass_ == Pass::kMoveOn) {
    move_queue_up(times);
  } else if (pass_ == Pass::kThird) {
    compare_queue(times, in_row, begun);
  } else {
    for (const Cycle* time : times) grow(*time);
  }
}

// The thing at place i of one look is that at place i + step of the look before: their numbers say so.
void StateForm::compare_queue(const std::vector<Cycle*>& times, bool in_row, std::size_t begun) {
  const std::uint64_t step = last_growth();
  const std::size_t first = next_word_;
  const std::vector<Cycle> queue = values_of(times);
  if (first + queue.size() > words_.size()) {
    failed_ = true;
    return;
  }
  next_word_ += queue.size();
  const auto before = [&](std::size_t i) { return words_[first + i] + growth_[first + i]; };
  const auto grows_evenly = [&](std::size_t i) { return queue[i] - before(i) == growth_[first + i]; };
  bool even = true;
  for (std::size_t i = 0; i < queue.size(); ++i) even = even && grows_evenly(i);
  moves_up_.push_back(even ? 0 : step);
  if (even) return;
  failed_ = !in_row || step == 0 || step > queue.size();
  for (std::size_t i = 0; i < queue.size() && !failed_; ++i) {
    const bool was_in_queue = i + step < queue.size();
    failed_ = queue[i] != (was_in_queue ? before(i + step) : before(i) + period_);
  }
  if (!failed_) bound_by_queue(queue, first, begun);
}

// What is done with the things in a period shows in how their times grow: those that come to the same places later must
// have times that grow alike.
void StateForm::bound_by_queue(const std::vector<Cycle>& queue, std::size_t first_word, std::size_t begun) {
  const auto step = static_cast<std::size_t>(moves_up_.back());
  const std::size_t most = 2 + queue.size() / step;  // behind these all times grow by a period
  for (std::size_t i = 0; i < std::min(queue.size(), begun + step); ++i) {
    const std::uint64_t growth = growth_[first_word + i];
    std::uint64_t periods = 0;
    if (queue[i] == words_[first_word + i] + 2 * growth) {
      while (periods <= most &&
             time_at(queue, i + (periods + 1) * step, step, period_) == queue[i] + (periods + 1) * growth)
        ++periods;
    }
    if (periods <= most) bound(periods);
  }
}

void StateForm::move_queue_up(const std::vector<Cycle*>& times) {
  WEFT_CHECK(next_queue_ < moves_up_.size(), "a state that is moved on has more queues than when it was looked at");
  const auto step = static_cast<std::size_t>(moves_up_[next_queue_++]);
  const std::vector<Cycle> queue = values_of(times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (step == 0) {
      *times[i] += periods_ * growth_[next_word_];
    } else {
      *times[i] = time_at(queue, i + periods_ * step, step, period_);
    }
    ++next_word_;
  }
}

}  // namespace weft
