// SPDX-License-Identifier: Apache-2.0
// Cycles that are left out as layers of a trace or at steady rates, beside those of periods.
#include <algorithm>

#include "sc_models/fast_forward.h"

namespace weft::sc_models {

// What passes without a step is counted cycle by cycle, so that all notes are taken in the order of their cycles.
void FastForward::note(Cycle next) {
  for (;;) {
    const Cycle own = flits_.due();
    const Cycle of_layers = repeated_ ? repeated_->due() : kNever;
    if (std::min(own, of_layers) >= next) return;
    own <= of_layers ? flits_.note(own + 1) : repeated_->note(of_layers + 1);
  }
}

Cycle FastForward::repeat_layers(Cycle now, Cycle next, Cycle last) {
  const std::uint64_t moved = system_.fabric().flits_moved();
  const Cycle cycles = repeated_->end_of_cycle(now, next, last);
  if (cycles == 0) return 0;
  left_out_by_ = By::kCopiesOfLayers;
  skipped_ += cycles;
  moves_left_out_ += system_.fabric().flits_moved() - moved;
  give_up();
  forget_hashes();
  moves_.leave_out(cycles, system_.fabric().pulse().sum);
  return cycles;
}

std::string FastForward::steady_reason() const {
  if (off_) return reason_;
  if (!steady_) return "packets on set-up routes are merged, so that a message has no rate of its own";
  if (!steady_->reason().empty()) return steady_->reason();
  return "messages were too short, or their rates changed and the run is too short for such rates, or what they did "
         "repeated itself exactly";
}

// What is known to repeat itself is better left out as that.
Cycle FastForward::steady_end_of_cycle(Cycle now, Cycle next, Cycle last) {
  if (looks_ == 3) return 0;
  const Cycle moment = layers_ ? layers_->last_moment() : 0;
  const Cycle layers = layers_ ? layers_->end_of_cycle(now, next, last) : 0;
  if (layers_ && layers_->last_moment() != moment) steady_->begin_episode(layers_->last_moment());
  const Cycle cycles = layers > 0 ? layers : steady_->end_of_cycle(now, last);
  if (cycles == 0) return 0;
  left_out_by_ = layers > 0 ? By::kLayers : By::kRates;
  steady_->restart();
  give_up();
  forget_hashes();
  moves_.leave_out(cycles, system_.fabric().pulse().sum);
  return cycles;
}

}  // namespace weft::sc_models
