// SPDX-License-Identifier: Apache-2.0
#include "sc_models/supervisor.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::sc_models {
namespace {

/// Executed cycles between two looks at the clock on the wall, requests to stop and the flits moved.
constexpr std::uint64_t kLookEvery = 1024;

int windows_wanted(const System& system) { return system.fabric().counts_flits() ? system.config().log.windows : 0; }

/// `limits.watchdog_cycles` of the slower clock, in cycles of the fabric's.
Cycle longest_silence(System& system) {
  const Cycle cycles = system.config().limits.watchdog_cycles;
  const Clock& fabric = system.fabric_clock().clock();
  const Instant until = std::min(system.npu_clock().clock().edge_fs(cycles), fabric.edge_fs(kLastCycle));
  return std::max(cycles, fabric.first_edge_from(until));
}

}  // namespace

Supervisor::Supervisor(System& system, Workload& workload, RunControl& control)
    : system_(system),
      workload_(workload),
      control_(control),
      fabric_post_(*this, system.fabric_clock()),
      npu_post_(*this, system.npu_clock()),
      limit_(workload.last_cycle()),
      limit_is_own_(limit_ != kNever),
      watchdog_(longest_silence(system)),
      drains_(!std::holds_alternative<TrafficWorkload>(system.config().workload)),
      windows_(system.links(), windows_wanted(system),
               [this](std::uint64_t* flits) {
                 read_at_ == kNever ? system_.read_link_flits(flits) : fast_forward_.link_flits(read_at_, flits);
               }),
      fast_forward_(system, windows_, workload.episodes()) {
  const Cycle limit = system.config().limits.cycles;
  if (limit != 0 && limit < limit_) {
    limit_ = limit;
    limit_is_own_ = false;
  }
}

Cycle Supervisor::fabric_cycle(const ClockDomain& domain, Cycle cycle) const {
  if (&domain == &system_.fabric_clock() || cycle == kNever) return cycle;
  return system_.fabric_clock().clock().first_edge_from(domain.clock().edge_fs(cycle));
}

Cycle Supervisor::next_anywhere(const ClockDomain& domain, Cycle next) const {
  Cycle first = fabric_cycle(domain, next);
  for (const ClockDomain* other : {&system_.fabric_clock(), &system_.npu_clock()}) {
    if (other != &domain) first = std::min(first, fabric_cycle(*other, other->next()));
  }
  return first;
}

bool Supervisor::end_of_cycle(ClockDomain& domain, Cycle domain_now, Cycle domain_next) {
  if (ended_) return false;
  ++executed_;
  Cycle now = fabric_cycle(domain, domain_now);
  if (!done_ && workload_.done()) {
    done_ = true;
    cycles_ = workload_.done_cycle(now);
    if (!drains_) {
      finish(StopReason::kFinished, cycles_);
      return false;
    }
  }
  if (done_) return true;
  const bool looks = executed_ % kLookEvery == 0;
  const bool stops = looks && stop_wanted(now);
  if (stops && !write_checkpoint_) {
    wake_parts(now);
    finish(StopReason::kInterrupted, now);
    return false;
  }
  Cycle next = std::min(next_anywhere(domain, domain_next), fabric_cycle(domain, domain.next()));
  fast_forward(domain, &now, &next);
  // What rests moves flits all the same.
  if (system_.fabric().rest_until() == 0 && stuck(now, next)) throw ViolationError(stuck_text(now, silence_text(next)));
  if (next != kNever && next > limit_) {
    system_.fabric().wake_all(limit_);
    system_.settle(limit_);
    finish(limit_is_own_ ? StopReason::kDrainLimit : StopReason::kCycleLimit, limit_,
           limit_is_own_ ? "" : workload_.waiting_report());
    return false;
  }
  count_windows(domain, now, next);
  if (write_checkpoint_ && next != kNever && (stops || control_.checkpoint_due(now, looks))) {
    wake_parts(now);
    write_checkpoint_(now);
  }
  if (stops) finish(StopReason::kInterrupted, now);
  return !stops;
}

// What rests is looked at from outside: it goes on from there, cycle by cycle.
void Supervisor::wake_parts(Cycle now) {
  if (system_.fabric().rest_until() == 0) return;
  system_.fabric().wake_all(now);
  system_.fabric_clock().wake_all();
}

void Supervisor::keep(Checkpoint& checkpoint) {
  checkpoint.section("supervisor");
  checkpoint.values(executed_, moved_, inside_, moved_at_, silent_since_);
  windows_.keep(checkpoint);
  fast_forward_.keep(checkpoint);
}

// Windows that end among the cycles that are left out have the flits that were carried until then.
void Supervisor::fast_forward(ClockDomain& domain, Cycle* now, Cycle* next) {
  if (*next == kNever) return;
  const Cycle first = std::min(*next, fabric_cycle(domain, domain.next()));
  skipped_ = fast_forward_.end_of_cycle(*now, first, limit_);
  if (skipped_ == 0) return;
  domain.leave_out(skipped_);
  *now += skipped_;
  *next = next_anywhere(domain, domain.next());
  for (; windows_.border() <= *now; windows_.close_until(windows_.border())) read_at_ = windows_.border() - 1;
  read_at_ = kNever;
}

// The workload may have woken this domain for an earlier cycle than it was asked for.
void Supervisor::count_windows(const ClockDomain& domain, Cycle now, Cycle next) {
  if (next < windows_.border()) return;
  next = std::min(next, fabric_cycle(domain, domain.next()));
  if (next == kNever) next = now + 1;
  while (windows_.border() <= next) {
    // When nothing passes any more, the windows that are left are empty.
    const bool passes = windows_.border() <= system_.fabric().passes_until();
    const Cycle end = passes ? windows_.border() : next;
    system_.settle(end - 1);
    windows_.close_until(end);
  }
}

bool Supervisor::continue_at_rest() {
  if (ended_) return false;
  if (done_) {
    const std::string left_over = workload_.left_over();
    system_.settle(kLastCycle);
    WEFT_CHECK(system_.empty(), "the workload is done, but flits are left that nothing moves:\n" +
                                    system_.fabric().waiting_report() + left_over);
    system_.require_empty();
    if (left_over.empty()) {
      finish(StopReason::kFinished, cycles_);
    } else {
      finish(StopReason::kViolation, cycles_, "all ranks have finished, but the workload is unsound:\n" + left_over);
    }
    return false;
  }
  if (workload_.look_further()) {
    system_.npu_clock().wake_all();
    return true;
  }
  const Cycle now =
      std::max(system_.fabric_clock().now(), fabric_cycle(system_.npu_clock(), system_.npu_clock().now()));
  system_.settle(now);
  if (system_.fabric().flits_inside() > 0) {
    moved_at_ = system_.fabric_clock().now();  // it went to rest when the last flit had moved
    throw ViolationError(stuck_text(now, "and nothing is under way that could move one"));
  }
  throw ViolationError(
      fmt::format("deadlock: the workload is not done, and since cycle {} nothing is left to do\n", now) +
      workload_.waiting_report());
}

bool Supervisor::stop_wanted(Cycle now) {
  note_progress(now);
  if (control_.progress_due()) report_progress(now);
  return control_.stop_requested();
}

void Supervisor::report_progress(Cycle now) {
  wake_parts(now);
  note_progress(now);
  RunProgress progress{now, workload_.share(now), moved_};
  if (control_.most_details() == 0) {
    control_.report(progress);
    return;
  }
  if (!busy_links_) busy_links_.emplace(system_);
  RunDetails details;
  details.links = busy_links_->since_last(now, control_.most_details());
  details.collectives = workload_.running(now);
  details.all_collectives = details.collectives.size();
  details.collectives.resize(std::min(details.collectives.size(), control_.most_details()));
  progress.details = &details;
  control_.report(progress);
}

// A flit that leaves the fabric moves in that cycle. So where neither the moves nor the flits inside have changed, none
// has come in either: flits that enter after a long pause are not taken for ones that stand still.
void Supervisor::note_progress(Cycle now) {
  system_.settle(now);
  const std::uint64_t moved = system_.fabric().flits_moved();
  const std::uint64_t inside = system_.fabric().flits_inside();
  if (moved != moved_ || inside != inside_ || inside == 0) moved_at_ = silent_since_ = now;
  moved_ = moved;
  inside_ = inside;
}

// Nothing but flits, credits and injections moves flits. What is on a link arrives within the silence, counted in
// cycles of the slower clock: limits.watchdog_cycles is larger than any link takes. What an NPU computes or a memory
// does ends at a time that is known; flits may wait for what it sends then, so the silence counts from there. Edges at
// which network interfaces try in vain are no such thing.
bool Supervisor::stuck(Cycle now, Cycle next) {
  if (next == kNever || next - std::min(next, silent_since_) <= watchdog_) return false;
  note_progress(now);
  if (inside_ == 0 || next - std::min(next, silent_since_) <= watchdog_) return false;
  const Cycle timer = next_timer();
  if (timer == kNever) return true;
  silent_since_ = timer;
  return false;
}

Cycle Supervisor::next_timer() const {
  Cycle first = kNever;
  for (const SystemPart& part : system_.parts()) first = std::min(first, part.local->next_timer());
  return fabric_cycle(system_.npu_clock(), first);
}

std::string Supervisor::stuck_text(Cycle now, const std::string& why) const {
  const std::string text =
      fmt::format("deadlock: {} flits are in the fabric and none has moved since cycle {} (now {}): {}\n",
                  system_.fabric().flits_inside(), moved_at_, now, why);
  return text + system_.fabric().waiting_report() + workload_.waiting_report();
}

std::string Supervisor::silence_text(Cycle next) const {
  const Cycle limit = system_.config().limits.watchdog_cycles;
  const std::string which = watchdog_ > limit ? fmt::format(", {} of npu.clock", limit) : "";
  return fmt::format("the next event is in cycle {}, and the longest silence is {} cycles (limits.watchdog_cycles{})",
                     next, watchdog_, which);
}

void Supervisor::finish(StopReason reason, Cycle cycles, std::string text) {
  ended_ = true;
  reason_ = reason;
  text_ = std::move(text);
  cycles_ = cycles;
  sc_core::sc_stop();
}

}  // namespace weft::sc_models
