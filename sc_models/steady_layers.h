// SPDX-License-Identifier: Apache-2.0
// Layers of a trace that are alike: moves a run on by whole layers. docs/fast_forward.md. An approximation.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/state_form.h"
#include "base/steady_look.h"
#include "npu/interface/message_interfaces.h"
#include "npu/player/episodes.h"
#include "sc_models/layer_flits.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Looks at the run whenever all communication has ended and NPUs only compute. Where they are as near to the ends of
/// their computations as at one of the last such moments, and what the trace has next is what it had then, all that has
/// happened since comes again. So the players play these episodes in the times that they took, as often as the trace
/// has them, and all counters grow by what they grew.
class SteadyLayers {
 public:
  /// Both outlive it.
  SteadyLayers(System& system, npu::Episodes& episodes);

  /// Cycle `now` has been executed, and `next` is the next one that will be; the cycles after `last` must not be left
  /// out. Returns how many cycles have been left out: all times in the system have moved on by them.
  Cycle end_of_cycle(Cycle now, Cycle next, Cycle last);
  /// What has been seen cannot be repeated any more.
  void forget(Cycle now);
  /// Gives about how many flits each link has carried up to and with `at`, a cycle of the episode that was left out
  /// last.
  void link_flits(Cycle at, std::uint64_t* flits) const { flits_.read(at, flits); }
  /// The last moment in which nothing was under way but computations; 0 = there was none.
  Cycle last_moment() const { return last_moment_; }
  /// Cycles that were left out so far.
  Cycle skipped() const { return skipped_; }

 private:
  /// A moment in which nothing was under way but computations.
  struct Moment {
    SteadyLook look;
    npu::MessageStatistics statistics;
    std::vector<std::uint64_t> flits;  ///< of each link
  };

  bool look(Cycle now);
  Cycle move_on(Cycle now, std::size_t back, std::uint64_t times, Cycle period);
  std::vector<LayerFlits::Part> parts_of(std::size_t back, Cycle now) const;
  npu::MessageInterfaces& interfaces() const { return *system_.parts().front().messages; }

  System& system_;
  npu::Episodes& episodes_;
  StateForm form_;
  std::deque<Moment> moments_;  ///< at the begin of each episode that is known, and now
  LayerFlits flits_;
  Cycle last_moment_ = 0;
  Cycle skipped_ = 0;
  int pause_ = 0;  ///< moments that pass without a try behind the next one that fails
  int rests_ = 0;  ///< moments that still pass without a try
};

}  // namespace weft::sc_models
