// SPDX-License-Identifier: Apache-2.0
#include "base/simulated_time.h"

#include <algorithm>

#include "base/error.h"

namespace weft {
namespace {

using sc_core::sc_time;

std::uint64_t stamp() { return sc_core::sc_time_stamp().value(); }

bool stopped() { return (sc_core::sc_get_status() & (sc_core::SC_STOPPED | sc_core::SC_END_OF_SIMULATION)) != 0; }

}  // namespace

SimulatedTime SimulatedTime::of_this_process;

void SimulatedTime::remove(TimedProcess& process) {
  processes_.erase(std::remove(processes_.begin(), processes_.end(), &process), processes_.end());
}

void SimulatedTime::require_delay(Instant instant) const {
  WEFT_CHECK(instant >= now(), "something is to happen at an instant that has passed");
  WEFT_CHECK(instant - now() <= ~std::uint64_t{0},
             "a link between modules or an access to a memory takes longer than the 18,446 s that a delay can have");
}

void SimulatedTime::require_room(Instant instant) const {
  WEFT_CHECK(instant >= now(), "something is to happen at an instant that has passed");
  WEFT_CHECK(instant - now() <= kEnd - std::min(stamp(), kEnd),
             "simulated time goes beyond the 18,446 s that SystemC counts while another model waits in it");
}

bool SimulatedTime::puts_off(Instant instant) const {
  if (!runs_) {
    require_room(instant);
    return false;
  }
  WEFT_CHECK(instant >= now(), "something is to happen at an instant that has passed");
  sc_core::sc_pause();
  return true;
}

// SystemC returns from a pause at the end of a delta cycle: what is left of the instant is done first.
void SimulatedTime::run_to_rest() {
  struct Running {
    bool& runs;
    explicit Running(bool& flag) : runs(flag) { runs = true; }
    ~Running() { runs = false; }
  } running(runs_);
  while (!stopped() && go_on()) {
    // Up to where waiting begins to be left out, or to the end; at least to the next event.
    const std::uint64_t border = stamp() < kHalf ? kHalf : kEnd;
    const sc_time next = sc_core::sc_time_to_pending_activity();
    sc_core::sc_start(std::max(sc_time::from_value(border - stamp()), next), sc_core::SC_EXIT_ON_STARVATION);
    while (!stopped() && sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
}

// Without its own processes' events, SystemC has only those of others.
bool SimulatedTime::go_on() {
  Instant first = kNoInstant;
  for (TimedProcess* process : processes_) {
    process->wake_event().cancel();
    first = std::min(first, process->next_instant());
  }
  const bool others_wait = sc_core::sc_pending_activity();
  if (!others_wait && first == kNoInstant) return false;
  if (!others_wait) left_out_ = first - stamp();
  near_ = stamp() < kHalf ? kNear : 0;
  for (TimedProcess* process : processes_) {
    const Instant instant = process->next_instant();
    // One beyond the end waits until the others are through.
    if (instant == kNoInstant || instant - now() > kEnd - std::min(stamp(), kEnd)) continue;
    process->wake_event().notify(sc_time::from_value(static_cast<std::uint64_t>(instant - now())));
  }
  WEFT_CHECK(sc_core::sc_time_to_pending_activity().value() <= kEnd - std::min(stamp(), kEnd),
             "another model waits in SystemC until the 18,446 s that it can count are nearly over");
  return true;
}

}  // namespace weft
