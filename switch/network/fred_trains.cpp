// SPDX-License-Identifier: Apache-2.0
// A FRED switch that takes packets as trains of flits.
//
// The control unit is the same, and it looks in the same cycles: whenever a flit, a credit or the end of a packet may
// have let something start. As long as no packet waits there is nothing to look at, and no step is needed.
#include <algorithm>

#include "base/error.h"
#include "switch/network/fred_switch.h"

namespace weft::fred {
namespace {

/// Calls `visit(item)` for each and takes out those for which it returns false.
template <typename Item, typename Visit>
void keep_if(std::vector<Item>& items, Visit visit) {
  items.erase(std::remove_if(items.begin(), items.end(), [&](Item& item) { return !visit(item); }), items.end());
}

}  // namespace

TrainSwitch* FredSwitch::trains() {
  const bool alike = spec_.reduce_cycles == 1 && spec_.register_every == 1;
  return alike && !wormhole() && !spec_.values && watch_ == nullptr ? this : nullptr;
}

void FredSwitch::use_trains() {
  WEFT_CHECK(trains() != nullptr && !busy(), net_.name() + ": packets stop in it, it has no trains");
  trains_ = true;
}

bool FredSwitch::trains_busy() const {
  return !trains_arrived_.empty() || !arriving_.empty() || !departing_.empty() || (trains_ && anything_waits());
}

void FredSwitch::receive(PortId port, const PortFlit& head, const FlitTrain& arrivals) {
  check_arrival(port, head);
  trains_arrived_.push_back({slot(index(port), head.traffic_class), head, arrivals});
}

void FredSwitch::credits(PortId port, std::uint8_t traffic_class, const FlitTrain& arrivals) {
  credit_trains_.push_back({slot(index(port), traffic_class), arrivals});
  next_credit_ = std::min(next_credit_, arrivals.next());
}

/// Control sees what happened before this step; credits of this step count at its end.
void FredSwitch::step_trains(Cycle now) {
  sent_trains_.clear();
  freed_trains_.clear();
  absorbed_.clear();
  heads_moved_ = false;
  if (now > 0) settle(now - 1);
  control(now);
  credits_came_ = false;
  settle_credits(now);
  write_heads();
}

/// A packet whose obstacle is known is asked again only when that has changed, so nothing else needs a step; where one
/// waits whose obstacle is not known, control looks after whatever has happened.
Cycle FredSwitch::next_train_work(Cycle now) const {
  if (!trains_arrived_.empty()) return now + 1;
  if (!anything_waits()) return kNever;
  Cycle next = timed_ ? now : kNever;
  for (std::uint8_t vc = 0; vc < spec_.traffic_classes && next > now; ++vc) {
    waiting_[vc].for_each([&](std::uint32_t port) { next = std::min(next, next_change_for(slot(port, vc), vc, now)); });
  }
  return next == kNever ? kNever : std::max(now, next) + 1;
}

/// The cycle in which something may change for the packet that waits in a slot.
Cycle FredSwitch::next_change_for(std::uint32_t at, std::uint8_t vc, Cycle now) const {
  const Obstacle& obstacle = obstacles_[at];
  if (!stands(obstacle, vc)) return dirty_ ? now : std::min({next_credit_, next_tail_, next_departure_, next_free_});
  switch (obstacle.kind) {
    case Obstacle::kInput:
      return next_tail_;
    case Obstacle::kOutput:
      return std::min(next_credit_, next_departure_);
    case Obstacle::kStream:
      return next_free_;
    case Obstacle::kFirstInput:
    case Obstacle::kUnknown:
      break;
  }
  return kNever;
}

void FredSwitch::settle(Cycle end) {
  settled_ = end;
  settle_credits(end);
  if (end >= next_tail_) settle_tails(end);
  if (end >= next_departure_) settle_departures(end);
  if (end >= next_free_) settle_streams(end);
}

void FredSwitch::settle_tails(Cycle end) {
  next_tail_ = kNever;
  keep_if(arriving_, [&](std::uint32_t at) {
    PortBuffer& buffer = buffers_[at];
    const std::uint32_t tails = buffer.arrive_until(end);
    input_changes_[at] += tails;
    dirty_ = dirty_ || tails > 0;
    if (buffer.arriving()) next_tail_ = std::min(next_tail_, buffer.next_tail());
    return buffer.arriving();
  });
}

void FredSwitch::settle_departures(Cycle end) {
  next_departure_ = kNever;
  keep_if(departing_, [&](std::uint32_t port) {
    OutputPort& output = outputs_[port];
    const std::uint32_t flits = output.depart_until(end);
    output_changes_[port] += flits;
    output_flits_ -= flits;
    dirty_ = dirty_ || flits > 0;
    if (output.departing()) next_departure_ = std::min(next_departure_, output.next_departure());
    return output.departing();
  });
}

void FredSwitch::settle_credits(Cycle end) {
  if (end < next_credit_) return;
  Cycle next = kNever;
  keep_if(credit_trains_, [&](CreditTrains& train) {
    const std::uint32_t came = train.arrivals.pop_until(end);
    if (came > 0) {
      credits_[train.slot] += came;
      WEFT_CHECK(credits_[train.slot] <= most_credits_[train.slot],
                 net_.name() + ": more credits came back than the buffer behind a port has slots");
      output_changes_[train.slot / static_cast<std::uint32_t>(spec_.traffic_classes)] += came;
      credits_came_ = dirty_ = true;
    }
    if (!train.arrivals.empty()) next = std::min(next, train.arrivals.next());
    return !train.arrivals.empty();
  });
  next_credit_ = next;
}

/// Frees the input ports that packets have left, and forgets what has left its datapath.
void FredSwitch::settle_streams(Cycle end) {
  next_free_ = kNever;
  for (std::uint32_t port = 0; port < streams_.size() && streams_open_ > 0; ++port) {
    Stream& stream = streams_[port];
    if (stream.datapath == nullptr) continue;
    if (stream.end > end) {
      next_free_ = std::min(next_free_, stream.end);
      continue;
    }
    stream.datapath = nullptr;
    --streams_open_;
    ++stream_changes_[port];
    dirty_ = true;
  }
  keep_if(running_, [&](const Running& running) {
    if (running.gone <= end) {
      dirty_ = true;
      return false;
    }
    next_free_ = std::min(next_free_, running.gone);
    return true;
  });
  keep_if(passing_, [end](const PassingTrain& train) { return train.gone > end; });
}

/// A packet starts: when its flits leave the input ports, and when they are put on the links. Returns when the last one
/// is out of the datapath.
Cycle FredSwitch::start_train(ElasticDatapath& datapath, const Candidate& candidate, Cycle now) {
  const DatapathPlan& plan = datapath.plan();
  WEFT_CHECK(datapath.delay() != nullptr, net_.name() + ": a packet of a train may stop in its datapath");
  const BeatDelay& delay = *datapath.delay();
  const Cycle beats = Cycle{candidate.flits} * beats_;
  PortFlit head;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const std::uint8_t port = plan.inputs[i];
    const std::uint32_t at = slot(port, candidate.vc);
    const PortFlit operand = buffers_[at].start_train();
    if (i == 0) head = operand;
    if (i > 0) absorbed_.push_back(operand.packet);
    if (buffers_[at].next_head() == nullptr) waiting_[candidate.vc].erase(port);
    obstacles_[at].kind = Obstacle::kUnknown;
    ++input_changes_[at];
    Stream& stream = streams_[port];
    stream.datapath = &datapath;
    stream.vc = candidate.vc;
    stream.end = now + beats - 1;
    ++streams_open_;
    freed_trains_.push_back({PortId{port}, candidate.vc, FlitTrain(now + beats_ - 1, candidate.flits, beats_)});
  }
  const Cycle gone = now + plan.depth + beats - 1;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const std::uint8_t port = plan.outputs[i];
    if (!outputs_[port].departing()) departing_.push_back(port);
    const Cycle first = now + delay.depth(i) + beats_ - 1;
    sent_trains_.push_back({PortId{port}, head, outputs_[port].send_all(first, candidate.flits, beats_)});
    next_departure_ = std::min(next_departure_, sent_trains_.back().departures.next());
  }
  output_flits_ += plan.outputs.size() * candidate.flits;
  datapath.count_train(beats);
  next_free_ = std::min(next_free_, now + beats - 1);
  passing_.push_back({&datapath, now, beats, gone});
  return gone;
}

void FredSwitch::write_heads() {
  for (const TrainArrival& arrival : trains_arrived_) {
    PortBuffer& into = buffers_[arrival.slot];
    heads_moved_ = heads_moved_ || into.next_head() == nullptr;
    if (!into.arriving()) arriving_.push_back(arrival.slot);
    into.push_train(arrival.head, arrival.arrivals);
    next_tail_ = std::min(next_tail_, into.next_tail());
    waiting_[arrival.head.traffic_class].insert(arrival.slot / static_cast<std::uint32_t>(spec_.traffic_classes));
    ++input_changes_[arrival.slot];
    dirty_ = true;
  }
  trains_arrived_.clear();
}

/// What `after(delay, age)` gives for each beat of the packets that pass.
template <typename After>
std::uint64_t FredSwitch::sum_passing(const After& after) const {
  std::uint64_t sum = 0;
  for (const PassingTrain& train : passing_) {
    const BeatDelay& delay = *train.datapath->delay();
    for (Cycle entry = train.start; entry < train.start + train.beats; ++entry) sum += after(delay, entry);
  }
  return sum;
}

std::uint64_t FredSwitch::train_moves_ahead() const {
  return sum_passing([this](const BeatDelay& delay, Cycle entry) {
    return entry > settled_ ? delay.moves() : delay.moves_after(settled_ - entry);
  });
}

std::uint64_t FredSwitch::train_reductions_ahead() const {
  return sum_passing([this](const BeatDelay& delay, Cycle entry) {
    return entry > settled_ ? delay.joins() : delay.joins_after(settled_ - entry);
  });
}

std::uint64_t FredSwitch::flits_inside(Cycle now) const {
  std::uint64_t sum = output_flits_;
  for (const PortBuffer& each : buffers_) sum += each.train_flits();
  for (const Stream& stream : streams_) {
    if (stream.datapath != nullptr && stream.end > now) sum += (stream.end - now) / beats_;
  }
  return sum;
}

}  // namespace weft::fred
