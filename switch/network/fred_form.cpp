// SPDX-License-Identifier: Apache-2.0
// The state of a FRED switch that takes packets as trains, for comparing it with itself a period before.
//
// Left out is what follows from the rest (waiting_, streams_open_), what lasts only for a step (candidates_, routes_,
// sent_trains_ and the like), what only switches without trains use, and which datapaths of unicasts are kept: one that
// is made anew does what the one before would have done.
#include <algorithm>
#include <vector>

#include "switch/network/fred_switch.h"

namespace weft::fred {

void FredSwitch::put_state(StateForm& form, const PutPacket& packet) {
  if (!trains_arrived_.empty()) return form.refuse("packets have come to a FRED switch that has not stepped");
  form.time(seen_);
  form.time(credits_end_);
  store_.put_state(form);
  put_buffers(form, packet);
  if (form.failed()) return;
  put_control(form);
  put_waiting(form);
  put_datapaths(form);
  put_counts(form);
}

/// A datapath of a flow is told by its setting, one of unicasts by its ports: while it is in use there is no other
/// between the same ports.
std::uint64_t FredSwitch::name_of(const ElasticDatapath* datapath) const {
  if (datapath == nullptr) return 0;
  for (std::size_t setting = 0; setting < stored_datapaths_.size(); ++setting) {
    const auto& flows = stored_datapaths_[setting];
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      if (flows[flow].get() == datapath) return std::uint64_t{setting + 1} << 32 | flow;
    }
  }
  const DatapathPlan& plan = datapath->plan();
  return std::uint64_t{plan.inputs.front()} << 16 | std::uint64_t{plan.outputs.front()} << 8 | 1;
}

// Operands of a flow belong together where `match` is the same, so what counts is which of them are equal.
void FredSwitch::put_buffers(StateForm& form, const PutPacket& packet) {
  std::vector<std::uint64_t> matches;
  const auto put_head = [&](PortFlit& head) {
    const std::uint64_t match = packet(head.packet);
    form.same(std::uint64_t{head.setting} << 32 | std::uint64_t{head.packet_flits} << 16 |
              std::uint64_t{head.traffic_class} << 8 | head.output);
    if (head.setting == kUnicasts) return;
    if (form.moves_on()) head.match = match;
    if (head.match != match) return form.refuse("a packet of a flow is matched by something else than its place in it");
    const auto found = std::find(matches.begin(), matches.end(), match);
    form.same(static_cast<std::uint64_t>(found - matches.begin()));
    if (found == matches.end()) matches.push_back(match);
  };
  for (std::size_t at = 0; at < buffers_.size(); ++at) {
    if (buffers_[at].idle()) {
      form.rest(4);
      continue;
    }
    form.same(at + 1);
    buffers_[at].put_state(form, put_head);
  }
  form.same(0);
  for (OutputPort& output : outputs_) output.put_state(form);
  for (std::size_t at = 0; at < credits_.size(); ++at) {
    const bool more_come = !credit_queues_[at].empty();
    form.same(std::uint64_t{credits_[at]} << 1 | std::uint64_t{more_come});
    more_come ? credit_queues_[at].put_state(form) : form.rest(2);
  }
}

void FredSwitch::put_control(StateForm& form) {
  form.same(active_);
  form.time_ahead(loaded_from_);
  form.time_ahead(open_from_);
  form.time_ahead(drained_);
  form.same(std::min<std::uint64_t>(started_since_load_, spec_.stay_packets));
  form.grows(started_since_load_);
  form.same(std::uint64_t{next_port_} << 32 | next_uplink_);
  for (const PortId port : serve_order_) form.same(index(port));
  form.time(next_free_);
}

// Where nothing waits control does not look, and all of this is set anew with the next head.
void FredSwitch::put_waiting(StateForm& form) {
  form.same(std::uint64_t{anything_waits()});
  if (!anything_waits()) return;
  form.same(std::uint64_t{dirty_} << 1 | std::uint64_t{timed_});
  form.time(looked_);
  form.time(look_at_);
  form.time(start_at_);
  for (std::uint32_t vc = 0; vc < static_cast<std::uint32_t>(spec_.traffic_classes); ++vc) {
    waiting_[vc].for_each([&](std::uint32_t port) {
      const Obstacle& obstacle = obstacles_[slot(port, vc)];
      // Counts of changes only say whether there has been one since.
      const bool unchanged = obstacle.kind == Obstacle::kInput
                                 ? input_changes_[slot(obstacle.port, vc)] == obstacle.changes
                             : obstacle.kind == Obstacle::kStream ? stream_changes_[obstacle.port] == obstacle.changes
                                                                  : false;
      form.same(std::uint64_t{port} << 48 | std::uint64_t{obstacle.flits} << 32 | std::uint64_t{obstacle.port} << 16 |
                std::uint64_t{obstacle.kind} << 8 | std::uint64_t{obstacle.waits_for_service} << 1 |
                std::uint64_t{unchanged});
    });
  }
}

void FredSwitch::put_datapaths(StateForm& form) {
  for (std::size_t at = 0; at < streams_.size(); ++at) {
    Stream& stream = streams_[at];
    if (stream.datapath == nullptr) {
      form.rest(1);
      continue;
    }
    form.same((at + 1) << 8 | stream.vc);
    form.same(name_of(stream.datapath));
    form.time(stream.end);
  }
  form.same(0);
  form.same(running_.size());
  for (Running& running : running_) {
    form.same(name_of(running.datapath));
    form.same(running.vc);
    form.time_ahead(running.next_start);
    form.time(running.gone);
  }
  // A wire that is free for everybody in the next step stays so until somebody takes it.
  for (std::size_t at = 0; at < wires_.size(); ++at) {
    WireState& wire = wires_[at];
    if (wire.busy_until == 0 || wire.busy_until + spec_.reconfigure_cycles <= form.now() + 1) {
      form.rest(1);
      continue;
    }
    form.same((at + 1) << 32 | wire.setting);
    form.time(wire.busy_until);
    form.same(name_of(wire.owner));
  }
  form.same(0);
}

// What the beats of a packet in the stages have still to do is counted already when the packet starts.
void FredSwitch::put_counts(StateForm& form) {
  const auto passes = [&](const PassingTrain& train) { return train.gone > form.now(); };
  form.same(static_cast<std::uint64_t>(std::count_if(passing_.begin(), passing_.end(), passes)));
  for (PassingTrain& train : passing_) {
    if (!passes(train)) continue;
    form.same(name_of(train.datapath));
    form.time(train.start);
    form.same(train.beats);
    form.time(train.gone);
  }
  form.grows(context_.moves);
  form.grows(context_.reductions);
  form.grows(counters_.packets);
  form.grows(counters_.reconfigurations);
  form.grows(counters_.preemptions);
  form.grows(counters_.yields);
  form.grows(counters_.reloads);
  form.same(std::uint64_t(last_preemption_.of) << 32 | std::uint64_t(last_preemption_.by));
}

}  // namespace weft::fred
