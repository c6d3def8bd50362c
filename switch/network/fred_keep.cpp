// SPDX-License-Identifier: Apache-2.0
// The state of a FRED switch in a checkpoint.
//
// Left out is what lasts only for a step (candidates_, routes_, sent_ and the like). Datapaths through which packets go
// as trains have no state of their own.
#include "base/checkpoint.h"
#include "switch/network/fred_switch.h"

namespace weft::fred {
namespace {

/// What a datapath is named by.
enum class Owner : std::uint8_t { kNone, kFlow, kUnicast };

}  // namespace

void FredSwitch::keep(Checkpoint& checkpoint) {
  if (spec_.values) Checkpoint::refuse("flits carry data");
  if (watch_ != nullptr) Checkpoint::refuse("somebody watches the wires of FRED switches");
  WEFT_CHECK(arrivals_.empty() && credits_arrived_.empty(), "a FRED switch has not taken in what has arrived");
  checkpoint.section("FRED switch");
  store_.keep(checkpoint);
  checkpoint.all(buffers_, [&](PortBuffer& buffer) { buffer.keep(checkpoint); });
  checkpoint.all(outputs_, [&](OutputPort& output) { output.keep(checkpoint); });
  checkpoint.all(credits_);
  checkpoint.all(credit_queues_, [&](TrainQueue& queue) { queue.keep(checkpoint); });
  checkpoint.values(active_, loaded_from_, open_from_, drained_, started_since_load_, next_port_, next_uplink_, looked_,
                    credits_end_, seen_, look_at_, start_at_, next_free_, streams_open_, dirty_, timed_, heads_moved_,
                    credits_came_, buffered_, tails_inside_, output_flits_);
  sending_.keep(checkpoint);
  checkpoint.all(serve_order_);
  keep_waiting(checkpoint);
  keep_datapaths(checkpoint);
  checkpoint.values(context_.moves, context_.reductions, counters_.packets, counters_.reconfigurations,
                    counters_.preemptions, counters_.yields, counters_.reloads, last_preemption_.of,
                    last_preemption_.by);
}

void FredSwitch::keep_waiting(Checkpoint& checkpoint) {
  checkpoint.all(waiting_, [&](PortSet& ports) { ports.keep(checkpoint); });
  checkpoint.all(obstacles_, [&](Obstacle& obstacle) {
    checkpoint.values(obstacle.kind, obstacle.waits_for_service, obstacle.port, obstacle.flits, obstacle.changes);
  });
  for (std::vector<std::uint64_t>* changes : {&input_changes_, &output_changes_, &stream_changes_}) {
    checkpoint.all(*changes);
  }
  checkpoint.each(trains_arrived_, [&](TrainArrival& arrival) {
    checkpoint.values(arrival.slot);
    fred::keep(checkpoint, arrival.head);
    arrival.arrivals.keep(checkpoint);
  });
}

void FredSwitch::keep_datapaths(Checkpoint& checkpoint) {
  unicast_datapaths_.keep(
      checkpoint, [this](DatapathPlan plan) { return std::make_unique<ElasticDatapath>(std::move(plan), context_); });
  checkpoint.all(streams_, [&](Stream& stream) {
    keep(checkpoint, stream.datapath);
    checkpoint.values(stream.vc, stream.absorbed, stream.flits_left, stream.next_flits, stream.beat, stream.end);
  });
  checkpoint.each(running_, [&](Running& running) {
    keep(checkpoint, running.datapath);
    checkpoint.values(running.vc, running.tails, running.next_start, running.gone);
    if (!trains_) running.datapath->keep(checkpoint);
  });
  checkpoint.all(wires_, [&](WireState& wire) {
    checkpoint.values(wire.busy_until, wire.setting);
    keep(checkpoint, wire.owner);
  });
  checkpoint.each(passing_, [&](PassingTrain& train) {
    keep(checkpoint, train.datapath);
    checkpoint.values(train.start, train.beats, train.gone);
  });
}

void FredSwitch::keep(Checkpoint& checkpoint, const ElasticDatapath*& datapath) {
  auto* changeable = const_cast<ElasticDatapath*>(datapath);
  keep(checkpoint, changeable);
  datapath = changeable;
}

// A datapath of a flow is named by its setting, one of unicasts by its age.
void FredSwitch::keep(Checkpoint& checkpoint, ElasticDatapath*& datapath) {
  Owner owner = datapath == nullptr ? Owner::kNone : Owner::kUnicast;
  std::uint64_t number = 0;
  std::uint32_t setting = 0;
  if (!checkpoint.loads() && datapath != nullptr) {
    for (std::size_t s = 0; s < stored_datapaths_.size(); ++s) {
      for (std::size_t flow = 0; flow < stored_datapaths_[s].size(); ++flow) {
        if (stored_datapaths_[s][flow].get() != datapath) continue;
        owner = Owner::kFlow;
        setting = static_cast<std::uint32_t>(s);
        number = flow;
      }
    }
    if (owner == Owner::kUnicast) number = unicast_datapaths_.age_of(datapath);
  }
  checkpoint.values(owner, setting, number);
  if (!checkpoint.loads()) return;
  datapath = owner == Owner::kNone   ? nullptr
             : owner == Owner::kFlow ? &stored_datapath(setting, static_cast<int>(number))
                                     : &unicast_datapaths_.by_age(number);
}

}  // namespace weft::fred
