// SPDX-License-Identifier: Apache-2.0
// Watches a run cycle by cycle: end of the workload, limits, lack of progress, requests to stop.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/clock_domain.h"
#include "sc_models/busy_links.h"
#include "sc_models/fast_forward.h"
#include "sc_models/link_windows.h"
#include "sc_models/run_control.h"
#include "sc_models/run_result.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"

namespace weft::sc_models {

/// Sits at the end of every executed cycle of every clock. Counts in cycles of the fabric's clock. When the workload is
/// done it lets the fabric run empty, so that conservation can be checked; the time of the run is the cycle in which
/// the workload was done.
class Supervisor final {
 public:
  Supervisor(System& system, Workload& workload, RunControl& control);

  /// To be called when SystemC has nothing left to do. Returns true if there is work again and the simulation goes on;
  /// throws ViolationError if the workload is stuck.
  bool continue_at_rest();

  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// `write` is called at the end of a cycle in which a checkpoint is due, and where a run that has some is asked to
  /// stop: see RunControl.
  void on_checkpoint(std::function<void(Cycle)> write) { write_checkpoint_ = std::move(write); }

  StopReason reason() const { return reason_; }
  const std::string& text() const { return text_; }
  Cycle cycles() const { return cycles_; }
  /// What was left out of the run, and why no more.
  const FastForward& fast_forward() const { return fast_forward_; }
  /// Flits per link over time, of a run of `cycles` cycles. Once, after the run.
  LinkWindowTable take_windows(Cycle cycles) { return windows_.finish(cycles); }

 private:
  /// The supervisor's block in one clock domain.
  class Post final : public CycleObserver {
   public:
    Post(Supervisor& supervisor, ClockDomain& domain) : supervisor_(supervisor), domain_(domain) {
      domain.set_observer(*this);
    }
    Cycle end_of_cycle(Cycle now, Cycle next) override {
      // The workload may have woken the domain for an earlier cycle.
      if (!supervisor_.end_of_cycle(domain_, now, next)) return kNever;
      const Cycle skipped = supervisor_.take_skipped();
      return std::min(next == kNever ? kNever : next + skipped, domain_.next());
    }

   private:
    Supervisor& supervisor_;
    ClockDomain& domain_;
  };

  /// False: the run has ended.
  bool end_of_cycle(ClockDomain& domain, Cycle now, Cycle next);
  /// Cycles that the last call of end_of_cycle has left out.
  Cycle take_skipped() { return std::exchange(skipped_, 0); }
  void fast_forward(ClockDomain& domain, Cycle* now, Cycle* next);
  void wake_parts(Cycle now);
  Cycle fabric_cycle(const ClockDomain& domain, Cycle cycle) const;
  Cycle next_anywhere(const ClockDomain& domain, Cycle next) const;
  void finish(StopReason reason, Cycle cycles, std::string text = "");
  void count_windows(const ClockDomain& domain, Cycle now, Cycle next);
  bool stop_wanted(Cycle now);
  void report_progress(Cycle now);
  void note_progress(Cycle now);
  bool stuck(Cycle now, Cycle next);
  Cycle next_timer() const;
  std::string stuck_text(Cycle now, const std::string& why) const;
  std::string silence_text(Cycle next) const;

  System& system_;
  Workload& workload_;
  RunControl& control_;
  Post fabric_post_;
  Post npu_post_;
  Cycle limit_;        ///< last cycle that may be executed
  bool limit_is_own_;  ///< the limit is the workload's, a regular end
  Cycle watchdog_;     ///< longest silence
  bool drains_;        ///< the fabric runs empty after the workload is done
  LinkWindows windows_;
  FastForward fast_forward_;
  Cycle skipped_ = 0;
  Cycle read_at_ = kNever;  ///< windows ask for what links have carried up to this cycle; kNever = up to now
  std::optional<BusyLinks> busy_links_;          ///< when somebody watches
  std::function<void(Cycle)> write_checkpoint_;  ///< empty = nobody wants any
  std::uint64_t executed_ = 0;
  // At the last look: moves of flits so far, flits in the fabric, and the last cycle that is known to have changed one.
  std::uint64_t moved_ = 0;
  std::uint64_t inside_ = 0;
  Cycle moved_at_ = 0;
  Cycle silent_since_ = 0;  ///< as moved_at_, or later: until then something was under way outside the fabric
  bool done_ = false;
  bool ended_ = false;
  StopReason reason_ = StopReason::kFinished;
  std::string text_;
  Cycle cycles_ = 0;
};

}  // namespace weft::sc_models
