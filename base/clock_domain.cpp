// SPDX-License-Identifier: Apache-2.0
#include "base/clock_domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft {

using sc_core::sc_time;

void set_time_resolution() { sc_core::sc_set_time_resolution(1, sc_core::SC_FS); }

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, ClockSpec spec) : sc_module(name), clock_(spec) {
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(tick);
  sensitive << wake_event_;
  SimulatedTime::instance().add(*this);
}

ClockDomain::~ClockDomain() { SimulatedTime::instance().remove(*this); }

void ClockDomain::add(Block& block) {
  WEFT_CHECK(entry_of_.emplace(&block, entries_.size()).second, "a block is added to a clock domain twice");
  entries_.push_back({&block, 0});
}

sc_time ClockDomain::delay_to(Cycle at) const { return SimulatedTime::instance().until(clock_.edge_fs(at)); }

Cycle ClockDomain::edge_after(const sc_time& delay) const {
  return clock_.first_edge_from(SimulatedTime::instance().now() + delay.value());
}

Instant ClockDomain::next_instant() const {
  if (next_ == kNever) return kNoInstant;
  WEFT_CHECK(next_ <= kLastCycle,
             fmt::format("the run lasts longer than the {} cycles that clock '{}' counts; a slower "
                         "clock reaches further",
                         kLastCycle, basename()));
  return clock_.edge_fs(next_);
}

// Often the same block is woken again and again.
std::size_t ClockDomain::entry_of(const Block& block) {
  if (last_woken_ >= entries_.size() || entries_[last_woken_].block != &block) last_woken_ = entry_of_.at(&block);
  return last_woken_;
}

void ClockDomain::wake(const Block& block, Cycle at) {
  Entry& entry = entries_[entry_of(block)];
  entry.next = std::min(entry.next, at);
  if (ticking_ || at >= next_) return;
  next_ = at;
  wait_for_next();
}

Cycle ClockDomain::reached() const {
  const Cycle edge = clock_.first_edge_from(SimulatedTime::instance().now());
  return edge == 0 ? now_ : std::max(now_, edge - 1);
}

void ClockDomain::leave_out(Cycle cycles) {
  now_ += cycles;
  next_ = kNever;
  for (Entry& entry : entries_) {
    if (entry.next != kNever) entry.next += cycles;
    // Something that does not move on may come before all that does.
    entry.next = std::min(entry.next, entry.block->next_work(now_));
    next_ = std::min(next_, entry.next);
  }
}

void ClockDomain::keep(Checkpoint& checkpoint) {
  checkpoint.section("clock");
  checkpoint.values(now_);
  checkpoint.all(entries_, [&](Entry& entry) { checkpoint.values(entry.next); });
  if (!checkpoint.loads()) return;
  next_ = kNever;
  for (const Entry& entry : entries_) next_ = std::min(next_, entry.next);
}

void ClockDomain::wake_all() {
  next_ = std::max(now_ + 1, clock_.first_edge_from(SimulatedTime::instance().now() + 1));
  for (Entry& entry : entries_) entry.next = next_;
  wait_for_next();
}

void ClockDomain::tick() {
  try {
    // A wake-up may have come for an edge later than the trigger that fired.
    if (clock_.edge_fs(next_) == SimulatedTime::instance().now()) execute();
    // One event for all wake-ups: an earlier one takes the place of a later one, and no list of waiters changes.
    if (next_ != kNever) wait_for_next();
  } catch (...) {
    failure_ = std::current_exception();
    sc_core::sc_stop();
  }
}

void ClockDomain::execute() {
  ticking_ = true;
  now_ = next_;
  for (Entry& entry : entries_) {
    if (entry.next > now_) continue;
    entry.next = kNever;
    entry.block->step(now_);
  }
  next_ = kNever;
  for (Entry& entry : entries_) {
    // Also blocks that were not stepped: something may have been sent to them in this cycle.
    entry.next = std::min(entry.next, entry.block->next_work(now_));
    next_ = std::min(next_, entry.next);
  }
  ticking_ = false;
  if (observer_ != nullptr) next_ = observer_->end_of_cycle(now_, next_);
}

void ClockDomain::rethrow_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace weft
