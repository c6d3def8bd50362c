// SPDX-License-Identifier: Apache-2.0
// The state of a group of chiplets in a checkpoint.
#include "base/checkpoint.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {

void ChipletGroup::keep(Checkpoint& checkpoint) {
  if (packet_data_ != nullptr) Checkpoint::refuse("flits carry data");
  checkpoint.section("chiplets");
  bool trains = trains_;
  checkpoint.values(trains);
  WEFT_CHECK(trains == trains_, "a checkpoint is of a run whose packets go otherwise, as trains or flit by flit");
  keep_settings(checkpoint);
  checkpoint.all(switches_, [&](SwitchModel* fred) {
    if (fred != nullptr) fred->keep(checkpoint);
  });
  checkpoint.all(ports_, [&](Port& port) {
    checkpoint.values(port.counters.flits, port.counters.packets, port.counters.last_sent);
  });
  checkpoint.all(awake_);
  trains_ ? keep_trains(checkpoint) : keep_flits(checkpoint);
  checkpoint.list(copies_);
  checkpoint.all(stalled_, [&](Stalled& stalled) { checkpoint.values(stalled.any, stalled.for_credits); });
  checkpoint.all(stalls_noted_);
  checkpoint.all(stall_clocks_, [&](StallClock& clock) { clock.keep(checkpoint); });
  checkpoint.values(settled_, last_event_, pulse_, flits_moved_);
}

void ChipletGroup::keep_trains(Checkpoint& checkpoint) {
  checkpoint.all(train_work_);
  train_arrivals_.keep(checkpoint, [&](TrainArrival& arrival) {
    checkpoint.values(arrival.port, arrival.packet, arrival.traffic_class);
    arrival.arrivals.keep(checkpoint);
  });
  checkpoint.all(leaving_, [&](QueueRing<FlitTrain>& trains) {
    checkpoint.queue(trains, [&](FlitTrain& train) { train.keep(checkpoint); });
  });
}

void ChipletGroup::keep_flits(Checkpoint& checkpoint) {
  checkpoint.all(ports_, [&](Port& port) {
    for (Receiving& receiving : port.receiving) {
      fred::keep(checkpoint, receiving.head);
      checkpoint.values(receiving.flits, receiving.crossing);
    }
    checkpoint.values(port.sending);
  });
  flits_.keep(checkpoint, [&](FlitArrival& arrival) {
    checkpoint.values(arrival.port, arrival.packet, arrival.data, arrival.traffic_class, arrival.head, arrival.tail);
  });
  credits_.keep(checkpoint, [&](CreditArrival& credit) { checkpoint.values(credit.port, credit.traffic_class); });
  checkpoint.all(repaired_, [&](std::unique_ptr<GbnLink>& link) {
    if (link != nullptr) link->keep(checkpoint);
  });
  checkpoint.all(link_work_);
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
