// SPDX-License-Identifier: Apache-2.0
// The state of a group of chiplets in a checkpoint. Only packets that go as trains are kept.
#include "base/checkpoint.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {

void ChipletGroup::keep(Checkpoint& checkpoint) {
  if (repairs()) Checkpoint::refuse("links that repair losses are not kept");
  if (!trains_) Checkpoint::refuse("FRED switches through which flits go one by one are not kept");
  checkpoint.section("chiplets");
  keep_settings(checkpoint);
  checkpoint.all(train_switches_, [&](TrainSwitch* fred) {
    if (fred != nullptr) fred->keep(checkpoint);
  });
  checkpoint.all(ports_, [&](Port& port) {
    checkpoint.values(port.counters.flits, port.counters.packets, port.counters.last_sent);
  });
  checkpoint.all(awake_);
  checkpoint.all(train_work_);
  checkpoint.list(copies_);
  checkpoint.all(stalled_, [&](Stalled& stalled) { checkpoint.values(stalled.any, stalled.for_credits); });
  checkpoint.all(stalls_noted_);
  checkpoint.all(stall_clocks_, [&](StallClock& clock) { clock.keep(checkpoint); });
  train_arrivals_.keep(checkpoint, [&](TrainArrival& arrival) {
    checkpoint.values(arrival.port, arrival.packet, arrival.traffic_class);
    arrival.arrivals.keep(checkpoint);
  });
  checkpoint.all(leaving_, [&](QueueRing<FlitTrain>& trains) {
    checkpoint.queue(trains, [&](FlitTrain& train) { train.keep(checkpoint); });
  });
  checkpoint.values(settled_, last_event_, pulse_, flits_moved_);
}

// Settings have the same numbers in each switch again where they are stored in the order in which they were.
void ChipletGroup::keep_settings(Checkpoint& checkpoint) {
  for (std::uint32_t chiplet = first_; chiplet < end(); ++chiplet) {
    std::vector<std::uint32_t> settings = first_used_[chiplet - first_];
    checkpoint.list(settings);
    if (!checkpoint.loads()) continue;
    for (const std::uint32_t setting : settings) slot_of(chiplet, setting, true);
  }
}

}  // namespace weft::fred
