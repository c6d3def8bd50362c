// SPDX-License-Identifier: Apache-2.0
// The present instant, and how a run goes on when nothing happens for long.
#pragma once

#include <systemc>
#include <vector>

#include "base/clock.h"

namespace weft {

/// A SystemC process that keeps the instant that it waits for.
class TimedProcess {
 public:
  virtual ~TimedProcess() = default;
  /// kNoInstant = none.
  virtual Instant next_instant() const = 0;
  /// What wakes the process; it is notified for that instant and for nothing else.
  virtual sc_core::sc_event& wake_event() = 0;
};

/// Simulated time: that of SystemC, which has 64 bits of femtoseconds and cannot be set, and what was left out before.
/// While `run_to_rest` runs, a process that waits for an instant far away does not ask SystemC for it: SystemC pauses,
/// and when nothing but such processes waits for anything, the time until the first of them is left out. Where another
/// model waits for a time of SystemC's, nothing is left out, so that the order of events is that of their instants.
/// One per OS process, like SystemC's own time.
class SimulatedTime {
 public:
  static SimulatedTime& instance() { return of_this_process; }
  SimulatedTime(const SimulatedTime&) = delete;
  SimulatedTime& operator=(const SimulatedTime&) = delete;

  Instant now() const { return left_out_ + sc_core::sc_time_stamp().value(); }
  /// The time until `instant`, to be annotated to a call. Throws ViolationError where sc_time cannot hold it.
  sc_core::sc_time until(Instant instant) const {
    const Instant delay = instant - now();
    if (delay > kNear) require_delay(instant);
    return sc_core::sc_time::from_value(static_cast<std::uint64_t>(delay));
  }
  /// The same for an event of another model. Throws ViolationError where SystemC's time ends before.
  sc_core::sc_time event_after(Instant instant) const {
    require_room(instant);
    return until(instant);
  }
  /// Has SystemC notify the event of a TimedProcess at `instant`, or sees to it that the run does.
  void wake_at(Instant instant, sc_core::sc_event& event) {
    const Instant delay = instant - now();
    if (delay > near_ && puts_off(instant)) return;
    event.notify(sc_core::sc_time::from_value(static_cast<std::uint64_t>(delay)));
  }

  /// Runs SystemC until nothing is left to do, or until it is stopped. Throws ViolationError before SystemC's time
  /// wraps.
  void run_to_rest();

  void add(TimedProcess& process) { processes_.push_back(&process); }
  void remove(TimedProcess& process);

 private:
  /// Waiting for so long is left to SystemC: a pause takes as long as some hundred edges.
  static constexpr Instant kNear = 1'000'000'000'000;  // 1 ms
  /// From then on SystemC's time is saved: all waiting is left out.
  static constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  /// No event is waited for beyond: what other models add to it must not wrap.
  static constexpr std::uint64_t kEnd = ~std::uint64_t{0} - (std::uint64_t{1} << 60);

  SimulatedTime() = default;
  void require_delay(Instant instant) const;
  void require_room(Instant instant) const;
  bool puts_off(Instant instant) const;
  bool go_on();

  static SimulatedTime of_this_process;

  Instant left_out_ = 0;
  Instant near_ = kNear;
  bool runs_ = false;
  std::vector<TimedProcess*> processes_;
};

}  // namespace weft
