// SPDX-License-Identifier: Apache-2.0
// How the outside watches a run and asks it to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"

namespace weft::sc_models {

/// A link, and the share of its capacity that was used since the last report.
struct BusyLink {
  std::string name;
  double utilisation = 0;
};

/// A collective that has begun and not ended.
struct RunningCollective {
  std::string name;
  std::string group;
  std::string algorithm;
  std::uint64_t bytes = 0;
  Cycle start_cycle = 0;  ///< cycle of the NPU clock
};

/// What happens in a run just now.
struct RunDetails {
  std::vector<BusyLink> links;  ///< the busiest first
  std::vector<RunningCollective> collectives;
  std::size_t all_collectives = 0;  ///< running; `collectives` are the first of them
};

/// How far a run has come.
struct RunProgress {
  Cycle cycle = 0;   ///< cycle of the fabric's clock
  double share = 0;  ///< part of the workload that is done, 0..1
  std::uint64_t flit_hops = 0;
  const RunDetails* details = nullptr;  ///< during the call only; null = nobody asked for them
};

/// Shared by a run and whoever started it. The run asks `stop_requested()` and `progress_due()` about every
/// thousand cycles.
class RunControl {
 public:
  RunControl() = default;
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  /// Asks the run to end cleanly after the current cycle. May be called from a signal handler and any thread.
  void request_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  bool stop_requested() const noexcept { return stop_.load(std::memory_order_relaxed); }

  /// Has `report` called with the progress at most once per `period`. Must be done before the run.
  void on_progress(std::function<void(const RunProgress&)> report, std::chrono::milliseconds period) {
    report_ = std::move(report);
    period_ = period;
  }
  /// Progress comes with at most so many links and collectives. Must be done before the run.
  void want_details(std::size_t most) { most_details_ = most; }
  std::size_t most_details() const { return most_details_; }
  /// Has checkpoints written `every` so long (zero = not by time), and at the end of the first cycle that is executed
  /// from each of `at` on, ascending; and where the run is asked to stop. Must be done before the run.
  void want_checkpoints(std::chrono::milliseconds every, std::vector<Cycle> at) {
    checkpoint_every_ = every;
    checkpoint_at_ = std::move(at);
    next_checkpoint_ = std::chrono::steady_clock::now() + every;
  }
  /// Whether a checkpoint is due at the end of cycle `now`; `looks`: the clock on the wall counts, too.
  bool checkpoint_due(Cycle now, bool looks) {
    bool due = false;
    for (; !checkpoint_at_.empty() && checkpoint_at_.front() <= now; due = true) {
      checkpoint_at_.erase(checkpoint_at_.begin());
    }
    if (looks && checkpoint_every_.count() > 0 && std::chrono::steady_clock::now() >= next_checkpoint_) due = true;
    return due;
  }
  /// A checkpoint has been written: the next one by time comes so long after it.
  void checkpoint_written() { next_checkpoint_ = std::chrono::steady_clock::now() + checkpoint_every_; }

  /// True when somebody wants progress and a period has gone by. Cheap; false at once when nobody listens.
  bool progress_due() {
    if (!report_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + period_;
    return true;
  }
  /// Hands over the progress after `progress_due()` was true.
  void report(const RunProgress& progress) const {
    if (report_) report_(progress);
  }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets this flag");
  std::atomic<bool> stop_{false};
  std::function<void(const RunProgress&)> report_;
  std::chrono::milliseconds period_{0};
  std::size_t most_details_ = 0;
  std::chrono::steady_clock::time_point next_{};
  std::chrono::milliseconds checkpoint_every_{0};
  std::vector<Cycle> checkpoint_at_;
  std::chrono::steady_clock::time_point next_checkpoint_{};
};

}  // namespace weft::sc_models
