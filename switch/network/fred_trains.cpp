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
  credit_queues_.resize(buffers_.size());
}

bool FredSwitch::trains_busy() const {
  return trains_ &&
         (!trains_arrived_.empty() || anything_waits() ||
          std::any_of(outputs_.begin(), outputs_.end(), [](const OutputPort& o) { return o.promised() > 0; }));
}

void FredSwitch::receive(PortId port, const PortFlit& head, const FlitTrain& arrivals) {
  check_arrival(port, head);
  trains_arrived_.push_back({slot(index(port), head.traffic_class), head, arrivals});
}

void FredSwitch::credits(PortId port, std::uint8_t traffic_class, const FlitTrain& arrivals) {
  credit_queues_[slot(index(port), traffic_class)].push(arrivals);
}

/// Control sees what happened before this step; stalls show the credits of this step, too.
void FredSwitch::step_trains(Cycle now) {
  sent_trains_.clear();
  freed_trains_.clear();
  absorbed_.clear();
  heads_moved_ = false;
  dirty_ = dirty_ || look_at_ <= now;
  looked_ = now;
  credits_end_ = seen_ = now > 0 ? now - 1 : 0;
  if (seen_ >= next_free_) free_streams(seen_);
  control(now);
  credits_end_ = now;
  credits_came_ = true;  // or may have come
  write_heads();
}

/// A packet whose obstacle is known is asked again only when that has changed, so nothing else needs a step; where one
/// waits whose obstacle is not known, control looks after whatever has happened.
Cycle FredSwitch::next_look() const {
  if (!anything_waits()) return kNever;
  Cycle next = timed_ ? looked_ : start_at_ == kNever ? kNever : start_at_ - 1;
  bool any_event = false;  // may let a packet start
  for (std::uint8_t vc = 0; vc < spec_.traffic_classes && next > looked_; ++vc) {
    waiting_[vc].for_each([&](std::uint32_t port) {
      const std::uint32_t at = slot(port, vc);
      if (obstacles_[at].waits_for_service) return;
      if (stands(obstacles_[at], vc)) {
        next = std::min(next, next_change_for(at, vc));
      } else if (dirty_) {
        next = looked_;
      } else {
        any_event = true;
      }
    });
  }
  if (any_event && next > looked_) next = std::min(next, next_event());
  return next == kNever ? kNever : std::max(looked_, next) + 1;
}

Cycle FredSwitch::next_train_work() const {
  if (!trains_arrived_.empty()) return looked_ + 1;
  look_at_ = next_look();
  return look_at_;
}

/// The cycle in which the obstacle of the packet that waits in a slot may change; it stands now.
Cycle FredSwitch::next_change_for(std::uint32_t at, std::uint8_t vc) const {
  const Obstacle& obstacle = obstacles_[at];
  switch (obstacle.kind) {
    case Obstacle::kInput: {
      const std::uint32_t other = slot(obstacle.port, vc);
      const bool grows = whole_packets_[obstacle.port] != 0 && buffers_[other].next_head() != nullptr;
      return grows ? packet_complete(other) : kNever;
    }
    case Obstacle::kOutput:
      return output_opens(obstacle.port, vc, buffers_[at].next_head()->packet_flits);
    case Obstacle::kStream:
      return next_free_;
    case Obstacle::kFirstInput:
    case Obstacle::kUnknown:
      break;
  }
  return kNever;
}

/// When all of the first packet that has not started is here; kNever if it is.
Cycle FredSwitch::packet_complete(std::uint32_t at) const {
  const PortBuffer& buffer = buffers_[at];
  const std::uint32_t flits = buffer.next_head()->packet_flits;
  return buffer.waiting() < flits ? buffer.arrivals().nth(buffer.to_start() + flits - buffer.waiting()) : kNever;
}

/// When an output that is closed to a packet has room and credits for it; kNever if that is not known.
Cycle FredSwitch::output_opens(std::uint32_t port, std::uint8_t vc, std::uint32_t flits) const {
  const std::uint32_t at = slot(port, vc);
  const std::uint32_t credits = credits_seen(at);
  const std::uint32_t room = room_seen(port);
  const Cycle credit = credits < flits ? credit_queues_[at].nth(flits - credits) : 0;
  const Cycle departure = room < flits ? outputs_[port].departures().nth(flits - room) : 0;
  return std::max(credit, departure);
}

/// The next cycle from the last step on in which a tail arrives, a flit or a credit passes, or a packet has left.
Cycle FredSwitch::next_event() const {
  Cycle next = next_free_;
  const auto note = [&next](const TrainQueue& queue) {
    if (!queue.empty()) next = std::min(next, queue.next());
  };
  const Cycle before = looked_ > 0 ? looked_ - 1 : 0;
  for (std::uint32_t port = 0; port < outputs_.size(); ++port) {
    outputs_[port].depart_until(before);
    note(outputs_[port].departures());
  }
  for (std::uint32_t at = 0; at < credit_queues_.size(); ++at) {
    if (credit_queues_[at].empty()) continue;
    take_credits(at, before);
    note(credit_queues_[at]);
  }
  for (PortBuffer& buffer : buffers_) {
    if (buffer.arrivals().empty()) continue;
    buffer.arrive_until(before);
    if (!buffer.arrivals().empty()) next = std::min(next, buffer.arrivals().next_tail());
  }
  return next;
}

void FredSwitch::settle(Cycle end) {
  dirty_ = dirty_ || next_event() <= end;
  credits_end_ = seen_ = end;
  for (std::uint32_t at = 0; at < credit_queues_.size(); ++at) take_credits(at, end);
  for (PortBuffer& buffer : buffers_) buffer.arrive_until(end);
  for (OutputPort& output : outputs_) output.depart_until(end);
  if (end >= next_free_) free_streams(end);
}

void FredSwitch::take_credits(std::uint32_t at, Cycle end) const {
  TrainQueue& queue = credit_queues_[at];
  if (queue.empty() || queue.next() > end) return;
  credits_[at] += queue.pop_until(std::min(end, seen_));
  // Stalls show the credits of this step; control sees them in the next step.
  const std::uint32_t unseen = queue.pop_until(end);
  credits_[at] += unseen;
  dirty_ = dirty_ || unseen > 0;
  WEFT_CHECK(credits_[at] <= most_credits_[at],
             net_.name() + ": more credits came back than the buffer behind a port has slots");
}

/// When the stall of an output ends that lacks credits for what waits for it, at the earliest.
Cycle FredSwitch::next_credit() const {
  Cycle next = kNever;
  for (std::uint8_t vc = 0; vc < spec_.traffic_classes; ++vc) {
    waiting_[vc].for_each([&](std::uint32_t input) {
      const std::uint32_t flits = buffers_[slot(input, vc)].next_head()->packet_flits;
      for (std::uint32_t port = 0; port < outputs_.size(); ++port) {
        const std::uint32_t at = slot(port, vc);
        if (credit_queues_[at].empty()) continue;
        const std::uint32_t credits = credits_seen(at);
        if (credits < flits) next = std::min(next, credit_queues_[at].nth(flits - credits));
      }
    });
  }
  return next;
}

/// Frees the input ports that packets have left, and forgets what has left its datapath.
void FredSwitch::free_streams(Cycle end) {
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
  }
  keep_if(running_, [&](const Running& running) {
    if (running.gone <= end) return false;
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
    buffers_[at].arrive_until(seen_);
    const PortFlit operand = buffers_[at].start_train();
    if (i == 0) head = operand;
    if (i > 0) absorbed_.push_back(operand.packet);
    if (buffers_[at].next_head() == nullptr) waiting_[candidate.vc].erase(port);
    obstacles_[at] = Obstacle{};
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
    const Cycle first = now + delay.depth(i) + beats_ - 1;
    const FlitTrain departures = outputs_[port].send_all(first, candidate.flits, beats_);
    sent_trains_.push_back({PortId{port}, head, departures, outputs_[port].phase()});
  }
  datapath.count_train(beats);
  next_free_ = std::min(next_free_, now + beats - 1);
  passing_.push_back({&datapath, now, beats, gone});
  return gone;
}

void FredSwitch::write_heads() {
  for (const TrainArrival& arrival : trains_arrived_) {
    PortBuffer& into = buffers_[arrival.slot];
    heads_moved_ = heads_moved_ || into.next_head() == nullptr;
    into.push_train(arrival.head, arrival.arrivals);
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
    return entry > seen_ ? delay.moves() : delay.moves_after(seen_ - entry);
  });
}

std::uint64_t FredSwitch::train_reductions_ahead() const {
  return sum_passing([this](const BeatDelay& delay, Cycle entry) {
    return entry > seen_ ? delay.joins() : delay.joins_after(seen_ - entry);
  });
}

std::uint64_t FredSwitch::flits_inside(Cycle now) const {
  std::uint64_t sum = 0;
  for (const OutputPort& output : outputs_) sum += output.promised();
  for (const PortBuffer& each : buffers_) sum += each.train_flits();
  for (const Stream& stream : streams_) {
    if (stream.datapath != nullptr && stream.end > now) sum += (stream.end - now) / beats_;
  }
  return sum;
}

}  // namespace weft::fred
