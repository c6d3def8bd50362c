// SPDX-License-Identifier: Apache-2.0
// Layers of a trace that are copies of layers before them: moves a run on by whole layers. docs/fast_forward.md.
#pragma once

#include <cstdint>
#include <deque>

#include "base/state_form.h"
#include "npu/interface/message_interfaces.h"
#include "npu/player/episodes.h"
#include "sc_models/link_counters.h"
#include "sc_models/period_flits.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Looks at the run whenever all communication has ended and NPUs only compute. Where the whole state is what it was
/// one period before and two periods before, all that has happened in a period comes again for as long as players ask
/// for the same things in the same cycles. So the players play it, and all else moves on as it did. The results are
/// those of a run of all cycles.
class RepeatedLayers {
 public:
  /// All outlive it.
  RepeatedLayers(System& system, LinkWindows& windows, npu::Episodes& episodes);

  /// Cycle `now` has been executed, and `next` is the next one that will be; the cycles after `last` must not be left
  /// out. Returns how many cycles have been left out: all times in the system have moved on by them.
  Cycle end_of_cycle(Cycle now, Cycle next, Cycle last);
  /// Whether the next executed cycles may be moments to look at.
  bool may_look() const { return episodes_.may_be_quiet(); }
  /// The next cycle whose flits must be noted, which must not be left out; kNever = there is none.
  Cycle due() const { return flits_.due(); }
  /// Notes flits up to the cycle before `next`, the next executed one.
  void note(Cycle next) { flits_.note(next); }
  /// Looks no more. What players do is not written down any longer.
  void end() { episodes_.end(); }
  /// Flits that each link has carried up to and with `at`, one of the cycles that were left out last, in which a window
  /// ends.
  void link_flits(Cycle at, std::uint64_t* flits) const { flits_.read(at, flits); }

 private:
  /// A moment in which nothing was under way but computations.
  struct Moment {
    Cycle at = 0;
    std::uint64_t hash = 0;  ///< of what has to be the same
    StateForm::Look look;
  };

  bool look(Cycle now);
  void find_pair(Cycle now, Cycle last);
  Cycle confirm(Cycle now, Cycle last);
  Cycle move_on(Cycle now, std::uint64_t times);
  void forget(Cycle now);
  bool put_state(StateForm::Pass pass, Cycle now, std::uint64_t periods = 0);
  std::uint64_t words_left() const;
  npu::MessageStatistics& statistics() const { return system_.parts().front().messages->statistics(); }

  System& system_;
  LinkWindows& windows_;
  npu::Episodes& episodes_;
  StateForm form_;
  std::deque<Moment> moments_;  ///< at the begin of each episode that is known, and now
  std::uint64_t words_ = 0;     ///< of all of them
  std::uint64_t cost_ = 0;      ///< words of the last look
  // The last moment that was as one before it, and what comes behind it if this repeats itself.
  std::size_t back_ = 0;   ///< episodes from one to the other
  std::size_t waits_ = 0;  ///< for so many episodes, until the state is looked at a third time; 0 = no pair is known
  Cycle period_ = 0;
  npu::MessageStatistics before_;  ///< at the second moment
  PeriodFlits flits_;              ///< from the second moment to the third
  int pause_ = 0;                  ///< so many moments pass without a try when the next try has failed
  int rests_ = 0;                  ///< so many moments still pass without a try
};

}  // namespace weft::sc_models
