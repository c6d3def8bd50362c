// SPDX-License-Identifier: Apache-2.0
#include "wafer/supervisor.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::wafer {
namespace {

/// Executed cycles between two looks at the clock on the wall, requests to stop and the flits moved.
constexpr std::uint64_t kLookEvery = 1024;

}  // namespace

Supervisor::Supervisor(Wafer& wafer, Workload& workload, RunControl& control)
    : wafer_(wafer),
      workload_(workload),
      control_(control),
      limit_(workload.last_cycle()),
      limit_is_own_(limit_ != kNever),
      watchdog_(wafer.config().limits.watchdog_cycles),
      drains_(!std::holds_alternative<TrafficWorkload>(wafer.config().workload)) {
  const Cycle limit = wafer.config().limits.cycles;
  if (limit != 0 && limit < limit_) {
    limit_ = limit;
    limit_is_own_ = false;
  }
}

Cycle Supervisor::end_of_cycle(Cycle now, Cycle next) {
  ++executed_;
  if (!done_ && workload_.done()) {
    done_ = true;
    cycles_ = now;
    if (!drains_) return finish(StopReason::kFinished, now);
  }
  if (done_) {
    if (next != kNever) return next;
    WEFT_CHECK(wafer_.empty(),
               "the workload is done, but flits are left that nothing moves:\n" + wafer_.waiting_report());
    wafer_.require_empty();
    return finish(StopReason::kFinished, cycles_);
  }
  if (executed_ % kLookEvery == 0 && look_around(now)) return finish(StopReason::kInterrupted, now);
  if (stuck(now, next)) throw ViolationError(stuck_text(now));
  if (next == kNever) return kNever;
  if (next > limit_) {
    return finish(limit_is_own_ ? StopReason::kDrainLimit : StopReason::kCycleLimit, limit_,
                  limit_is_own_ ? "" : workload_.waiting_report());
  }
  return next;
}

bool Supervisor::look_around(Cycle now) {
  const std::uint64_t moved = wafer_.flits_moved();
  if (moved != moved_) moved_at_ = now;
  moved_ = moved;
  if (control_.progress_due()) control_.report({now, workload_.share(now), moved});
  return control_.stop_requested();
}

// Flits in flight and none moved for `watchdog_` cycles. Nothing but a flit, a credit or an injection changes that, so
// that a fabric without any work ahead is stuck, however far off the next timer of an NPU is.
bool Supervisor::stuck(Cycle now, Cycle next) {
  if (next != kNever && next - moved_at_ <= watchdog_) return false;
  const std::uint64_t moved = wafer_.flits_moved();
  if (moved != moved_) {
    moved_ = moved;
    moved_at_ = now;
  }
  if (wafer_.flits_inside() == 0) {
    moved_at_ = now;
    return false;
  }
  return next == kNever || next - moved_at_ > watchdog_;
}

std::string Supervisor::stuck_text(Cycle now) const {
  std::string text = fmt::format("deadlock: {} flits are in the fabric and none has moved since cycle {} (now {})\n",
                                 wafer_.flits_inside(), moved_at_, now);
  return text + wafer_.waiting_report() + workload_.waiting_report();
}

Cycle Supervisor::finish(StopReason reason, Cycle cycles, std::string text) {
  ended_ = true;
  reason_ = reason;
  text_ = std::move(text);
  cycles_ = cycles;
  sc_core::sc_stop();
  return kNever;
}

}  // namespace weft::wafer
