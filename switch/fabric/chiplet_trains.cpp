// SPDX-License-Identifier: Apache-2.0
// Packets as trains of flits: what a switch starts is sent, freed and counted by its cycles, and no flit is moved.
#include <algorithm>

#include "base/error.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {
namespace {

/// An odd number whose multiples are far apart.
constexpr std::uint64_t kPulseFactor = 0x9E3779B97F4A7C15;
/// A FlitTrain counts the cycles within it in 32 bits.
constexpr Cycle kLongestTrain = Cycle{1} << 31;

}  // namespace

/// Whether nobody needs to see a flit by itself, and no packet takes so long that a run seems to stand still.
bool ChipletGroup::may_use_trains(LocalSide* local) const {
  if (local == nullptr || local->trains() == nullptr) return false;
  if (probe_ != nullptr || repairs() || parameters_.values) return false;
  if (std::any_of(ports_.begin(), ports_.end(), [](const Port& port) { return port.at_border; })) return false;
  return std::all_of(switches_.begin(), switches_.end(), [this](SwitchModel* fred) {
    if (fred == nullptr) return true;
    const SwitchSpec& spec = fred->spec();
    Cycle per_flit = spec.beats();
    for (const PortSpec& port : spec.port_specs) per_flit = std::max(per_flit, port.out_rate.flit_cycles());
    const Cycle packets = spec.output_packets + Cycle{2};
    return fred->trains() != nullptr &&
           packets * (spec.packet_flits + Cycle{1}) * per_flit <= std::min(parameters_.longest_train, kLongestTrain);
  });
}

void ChipletGroup::use_trains(TrainLocalSide& local) {
  trains_ = true;
  train_local_ = &local;
  leaving_.resize(ports_.size());
  train_work_.resize(switches_.size(), kNever);
  for (SwitchModel* fred : switches_) {
    train_switches_.push_back(fred == nullptr ? nullptr : fred->trains());
    if (fred != nullptr) train_switches_.back()->use_trains();
  }
}

void ChipletGroup::inject(std::uint32_t node, VcId vc, PacketIndex packet, const FlitTrain& arrivals) {
  const auto traffic_class = static_cast<std::uint8_t>(traffic_class_of(vc));
  train_arrivals_.push(arrivals.next(), {node_port(node, vc), packet, traffic_class, arrivals});
  last_event_ = std::max(last_event_, arrivals.last());
}

void ChipletGroup::return_credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals) {
  const Port& port = ports_[node_port(node, vc)];
  trains_at(port.chiplet).credits(PortId{port.number}, static_cast<std::uint8_t>(traffic_class_of(vc)), arrivals);
  note_work(port.chiplet, arrivals.next());
  last_event_ = std::max(last_event_, arrivals.last());
}

/// In the order of take_flits.
void ChipletGroup::take_trains(Cycle now) {
  for (const TrainArrival& arrival : train_arrivals_.at(now)) {
    if (!deliver(arrival, false)) first_trains_.push_back(arrival);
  }
  train_arrivals_.clear(now);
  std::sort(first_trains_.begin(), first_trains_.end(),
            [](const TrainArrival& a, const TrainArrival& b) { return a.port < b.port; });
  for (const TrainArrival& arrival : first_trains_) deliver(arrival, true);
  first_trains_.clear();
}

/// The head of a packet arrives; otherwise as for a flit.
bool ChipletGroup::deliver(const TrainArrival& arrival, bool may_store) {
  Port& port = ports_[arrival.port];
  const bool alone = arrival.arrivals.left() == 1;
  if (!open_packet(port, {arrival.port, arrival.packet, kNoData, arrival.traffic_class, true, alone}, may_store)) {
    return false;
  }
  PortFlit& head = port.receiving[arrival.traffic_class].head;
  WEFT_CHECK(head.packet_flits == arrival.arrivals.left(), "a packet is sent with another number of flits than it has");
  head.head = true;
  head.tail = alone;
  trains_at(port.chiplet).receive(PortId{port.number}, head, arrival.arrivals);
  train_work_[port.chiplet - first_] = 0;
  wake(port.chiplet);
  return true;
}

/// What the packets do that a chiplet has started in this step.
void ChipletGroup::pass_trains(std::uint32_t chiplet, Cycle now) {
  const std::uint32_t first = first_port(chiplet);
  const TrainSwitch& fred = trains_at(chiplet);
  for (const FreedTrain& freed : fred.freed_trains()) {
    const std::uint32_t port = first + index(freed.port);
    give_credits(port, freed.traffic_class, freed.slots.later(ports_[port].peer.latency));
  }
  for (const SentTrain& sent : fred.sent_trains()) send_train(sent, first + index(sent.port), now);
}

/// Slots behind the link into `port` become free, as its sender knows in the cycles `arrivals`.
void ChipletGroup::give_credits(std::uint32_t port, std::uint8_t traffic_class, const FlitTrain& arrivals) {
  const Port& into = ports_[port];
  last_event_ = std::max(last_event_, arrivals.last());
  if (into.peer.kind == PortPeer::kNode) {
    train_local_->credits(into.peer.node, plane_vc(into.plane, TrafficClass(traffic_class)), arrivals);
    return;
  }
  const Port& sender = ports_[into.peer_port];
  trains_at(sender.chiplet).credits(PortId{sender.number}, traffic_class, arrivals);
  note_work(sender.chiplet, arrivals.next());
}

/// Something comes to a chiplet in cycle `at`, which it has to look after if a packet waits there. A chiplet that is
/// stepped up to then looks ahead afterwards.
void ChipletGroup::note_work(std::uint32_t chiplet, Cycle at) {
  Cycle& work = train_work_[chiplet - first_];
  if (work <= at) return;
  Cycle next = trains_at(chiplet).next_step();
  if (stalled_[chiplet - first_].for_credits) next = std::min(next, std::max(at, trains_at(chiplet).next_credit()));
  if (next == kNever) return;
  work = std::min(work, next);
  wake(chiplet);
}

/// A packet leaves through port `number` of the group.
void ChipletGroup::send_train(const SentTrain& sent, std::uint32_t number, Cycle now) {
  Port& port = ports_[number];
  settle_port(number, now);
  leaving_[number].push(sent.departures);
  pulse_ += (sent.phase + 1) * (2 * std::uint64_t{number} + 1) * kPulseFactor + (sent.departures.last() - now);
  ++port.counters.packets;
  const PacketIndex packet = sent.head.setting != kUnicasts ? packet_leaves(sent.head.packet) : sent.head.packet;
  const FlitTrain arrivals = sent.departures.later(port.travel);
  last_event_ = std::max(last_event_, arrivals.last());
  switch (port.peer.kind) {
    case PortPeer::kNode:
      train_local_->eject(port.peer.node, plane_vc(port.plane, TrafficClass(sent.head.traffic_class)), packet,
                          arrivals);
      return;
    case PortPeer::kChiplet:
      train_arrivals_.push(arrivals.next(), {port.peer_port, packet, sent.head.traffic_class, arrivals});
      return;
    case PortPeer::kNothing:
      violation(description(port.chiplet).name + ": a flit leaves through an unused port");
  }
}

void ChipletGroup::settle_port(std::uint32_t number, Cycle end) {
  QueueRing<FlitTrain>& leaving = leaving_[number];
  while (!leaving.empty() && leaving.front().next() <= end) {
    count_flits(number, leaving.front().pop_row(end));
    if (leaving.front().empty()) leaving.pop();
  }
}

/// Flits have left through a port.
void ChipletGroup::count_flits(std::uint32_t number, const FlitRow& row) {
  Port& port = ports_[number];
  StallClock& clock = stall_clocks_[number];
  port.counters.last_sent = row.last();
  port.counters.flits += row.flits;
  flits_moved_ += row.flits;
  const auto flit_cycles = static_cast<std::uint32_t>(port.peer.flit_cycles);
  if (flit_cycles == 1) return clock.sent(row);
  // A slow link carries each flit for several cycles.
  for (std::uint32_t i = 0; i < row.flits; ++i) clock.sent({row.first + i * row.step, flit_cycles, 1});
}

void ChipletGroup::settle(Cycle end) {
  if (!trains_ || end <= settled_) return;
  settled_ = end;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) settle_port(port, end);
  for (TrainSwitch* fred : train_switches_) {
    if (fred != nullptr) fred->settle(end);
  }
}

std::uint64_t ChipletGroup::train_flits_inside() const {
  std::uint64_t sum = 0;
  train_arrivals_.for_each(0, [&](Cycle, const TrainArrival& arrival) { sum += arrival.arrivals.left(); });
  for (const TrainSwitch* fred : train_switches_) sum += fred != nullptr ? fred->flits_inside(settled_) : 0;
  return sum;
}

}  // namespace weft::fred
