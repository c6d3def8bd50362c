// SPDX-License-Identifier: Apache-2.0
// The state of network interfaces for comparing it with itself a period before. Nodes at FRED switches take part where
// their packets go as trains.
#include <algorithm>
#include <tuple>

#include "base/state_form.h"
#include "npu/interface/message_interfaces.h"
#include "npu/interface/router_sending.h"
#include "npu/interface/switch_sending.h"

namespace weft::npu {

namespace {

/// A message with more bytes carries data of a collective.
constexpr std::size_t kMostBytes = 64;

}  // namespace

void put_payload(StateForm& form, const PayloadHolder& payload) {
  const Payload& data = *payload.data;
  if (data.size() > kMostBytes) return form.refuse("messages carry data");
  form.same(std::uint64_t{data.size()} << 32 | payload.first);
  for (const std::uint8_t byte : data) form.same(byte);
}

void MessageInterfaces::put_state(StateForm& form) {
  if (message_probe_ != nullptr) return form.refuse("somebody watches messages");
  form.time(now_);
  sending_->put_state(form);
  for (Node& node : nodes_) {
    if (form.failed()) return;
    form.counts_packets(node.packets_received);
    form.counts_packets(node.flits_received);
    put_incoming(form, node);
    put_ejecting(form, node);
    form.receives_at(node.id);
    if (node.endpoint != nullptr) node.endpoint->put_state(form);
  }
  if (form.failed()) return;
  // Flits that come to a node over several ports are put in order when they are there.
  const auto arrives_at = [this](const Arrival& arrival) {
    return std::uint64_t{arrival.node} << 8 | (train_fabric_ != nullptr ? arrival.vc : 0);
  };
  arriving_.put_state(form, arrives_at, [&](const Arrival& arrival) {
    form.same(std::uint64_t{arrival.node} << 8 | arrival.vc);
    form.flit(*pool_, arrival.flit);
  });
  put_near_timers(form);
  put_far_timers(form);
  form.number(timers_set_);
  form.grows(statistics_.hops);
  form.counts_packets(statistics_.packets_received);
  form.counts_packets(statistics_.flits_received);
}

// Timers of one cycle have an order for each node, and none between nodes. So those of a node stay in the order in
// which they were set, and all get the numbers of those that were set last: a far timer of the same cycle was set
// before them.
void MessageInterfaces::put_near_timers(StateForm& form) {
  std::uint64_t order = timers_set_ - near_timers_.pending();
  const auto node_of = [](const Timer& timer) { return timer.node; };
  near_timers_.put_state(form, node_of, [&](Timer& timer) {
    timer.order = order++;
    put_timer(form, timer, false);
  });
}

void MessageInterfaces::put_timer(StateForm& form, Timer& timer, bool may_stay) {
  if (form.is_steady() && !nodes_[timer.node].endpoint->timer_streams(timer.cookie)) form.event(timer.at);
  may_stay ? form.due(timer.at) : form.time(timer.at);
  form.same(timer.node);
  nodes_[timer.node].endpoint->put_timer(form, timer.cookie);
  form.number(timer.order);
}

// Timers that do not move with what repeats come nearer from look to look, but none of them may come while it repeats.
// Near timers of that kind are not told apart: a look fails where one has come nearer. Where an endpoint does not know
// which kind a timer is, the looks do. Those timers are given in the order in which they were set: one that stays is
// soon the oldest of them.
void MessageInterfaces::put_far_timers(StateForm& form) {
  if (form.players_repeat()) return put_repeated_timers(form);
  std::vector<Timer> moving;
  std::vector<Timer> staying;
  for (; !timers_.empty(); timers_.pop()) {
    const Timer& timer = timers_.top();
    const Endpoint& endpoint = *nodes_[timer.node].endpoint;
    const bool stays = form.is_steady() ? !endpoint.timer_streams(timer.cookie) : endpoint.timer_stays(timer.cookie);
    (stays ? staying : moving).push_back(timer);
  }
  form.same(std::uint64_t{moving.size()} << 32 | staying.size());
  std::sort(moving.begin(), moving.end(), [](const Timer& a, const Timer& b) { return a.order < b.order; });
  for (Timer& timer : moving) put_timer(form, timer, true);
  for (Timer& timer : staying) {
    if (form.moves_all()) timer.at += form.skipped();
    form.same(timer.at);
    form.same(timer.order);
    form.same(timer.node);
    form.same(timer.cookie);
    form.happens_at(timer.at);
    form.event(timer.at);
  }
  for (const std::vector<Timer>* timers : {&moving, &staying}) {
    for (const Timer& timer : *timers) timers_.push(timer);
  }
}

// Where players do again what they did, all timers move on. Those of one node and one cycle keep the order in which
// they were set, before the near ones of that cycle; between nodes there is none.
void MessageInterfaces::put_repeated_timers(StateForm& form) {
  std::vector<Timer> timers;
  for (; !timers_.empty(); timers_.pop()) timers.push_back(timers_.top());
  std::sort(timers.begin(), timers.end(), [](const Timer& a, const Timer& b) {
    return std::tie(a.node, a.at, a.order) < std::tie(b.node, b.at, b.order);
  });
  form.same(timers.size());
  std::uint64_t order = timers_set_ - near_timers_.pending() - timers.size();
  for (Timer& timer : timers) {
    timer.order = order++;
    form.time(timer.at);
    form.same(timer.node);
    nodes_[timer.node].endpoint->put_timer(form, timer.cookie);
    timers_.push(timer);
  }
}

// By sender and number of the message, since a map has no order. Numbers of messages grow.
void MessageInterfaces::put_incoming(StateForm& form, Node& node) {
  std::vector<std::pair<std::uint64_t, Incoming>> sorted;
  sorted.reserve(node.incoming.size());
  for (auto& [key, incoming] : node.incoming) sorted.emplace_back(key, incoming);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  form.same(sorted.size());
  for (auto& [key, incoming] : sorted) {
    form.same(key >> 32);
    auto sequence = static_cast<std::uint32_t>(key);
    form.number(sequence);
    form.has_come(NodeId{static_cast<std::uint32_t>(key >> 32)}, sequence, incoming.delivered);
    if (form.is_steady() && !form.moves_streams()) count_moved_on(form.moved_on(), node);
    put_early(form, incoming);
    form.of_message(incoming.delivered);
    key = key >> 32 << 32 | sequence;
  }
  if (!form.moves_on()) return;
  node.incoming.clear();
  for (auto& [key, incoming] : sorted) node.incoming.emplace(key, std::move(incoming));
  node.last_incoming = nullptr;
}

// Messages that are moved on have sent as many packets as are received of them.
void MessageInterfaces::count_moved_on(std::uint64_t bytes, Node& node) {
  const std::uint64_t packets = bytes / sending_->packet_bytes();
  const std::uint64_t flits = packets * sending_->flits_of(sending_->packet_bytes());
  node.packets_received += packets;
  node.flits_received += flits;
  statistics_.packets_received += packets;
  statistics_.flits_received += flits;
}

// A packet that has overtaken others of its message is told by its distance from what is complete.
void MessageInterfaces::put_early(StateForm& form, Incoming& incoming) {
  form.same(incoming.early.size());
  std::map<std::uint64_t, Packet> early;
  for (auto& [offset, packet] : incoming.early) {
    form.same(offset - incoming.delivered);
    form.packet(packet);
    early.emplace(packet.offset, packet);
  }
  if (form.moves_on()) incoming.early.swap(early);
}

void MessageInterfaces::put_ejecting(StateForm& form, Node& node) {
  const auto none = [](const QueueRing<FlitTrain>& trains) { return trains.empty(); };
  form.same(static_cast<std::uint64_t>(std::count_if(node.ejecting.begin(), node.ejecting.end(), none)));
  for (std::size_t vc = 0; vc < node.ejecting.size(); ++vc) {
    QueueRing<FlitTrain>& trains = node.ejecting[vc];
    if (trains.empty()) continue;
    form.same(std::uint64_t{vc} << 32 | trains.size());
    for (std::size_t i = 0; i < trains.size(); ++i) trains[i].put_state(form);
  }
}

void SendingSide::put_state(StateForm& form) {
  put_port_state(form);
  for (Sender& sender : senders_) {
    if (form.failed()) return;
    put_state(form, sender);
  }
  if (form.failed()) return;
  form.unordered(active_);
  const auto number_of = [](const Credit& credit) { return std::uint64_t{credit.node} << 8 | credit.vc; };
  credits_.put_state(form, number_of, [&](const Credit& credit) { form.same(number_of(credit)); });
  waits_.put_state(form);
}

// Messages in the order of their numbers, since their slots mean nothing.
void SendingSide::put_state(StateForm& form, Sender& sender) {
  std::vector<std::uint32_t> in_order;
  for (std::uint32_t slot = 0; slot < sender.messages.size(); ++slot) {
    if (sender.messages[slot].in_use) in_order.push_back(slot);
  }
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    return sender.messages[a].sequence < sender.messages[b].sequence;
  };
  std::sort(in_order.begin(), in_order.end(), earlier);
  form.same(in_order.size());
  numbers_.resize(std::max(numbers_.size(), sender.messages.size()));
  for (std::uint32_t i = 0; i < in_order.size(); ++i) {
    numbers_[in_order[i]] = i;
    put_state(form, sender, in_order[i]);
    if (form.failed()) return;
  }
  put_order(form, sender, in_order);
  sender.ready.put_state(form, numbers_, [&](std::uint32_t slot) { return rank_of(sender.messages[slot].message); });
  form.same(std::uint64_t{sender.entering} << 32 | sender.next_injector);
  for (Injector& injector : sender.injectors) {
    form.same(injector.flits_left);
    if (injector.flits_left == 0) continue;
    form.same(std::uint64_t{injector.flits} << 32 | numbers_[injector.message]);
    form.same(std::uint64_t{injector.vc} << 1 | std::uint64_t{injector.last});
    // What is sent as a train is in the fabric, and may have left it.
    train_fabric_ != nullptr ? form.time(injector.tail_at) : form.packet(*pool_, injector.packet);
  }
  put_line(form, sender);
  put_waiting(form, sender, in_order);
  form.number(sender.tickets);
  form.number(sender.packet_sequence);
  form.counts_packets(sender.packets_sent);
}

// Messages that follow each other by their numbers are a queue: those of which nothing has left yet may have waited for
// any time.
void SendingSide::put_waiting(StateForm& form, Sender& sender, const std::vector<std::uint32_t>& slots) {
  std::vector<Cycle*> ready_since;
  bool in_row = true;
  std::size_t begun = 0;
  std::uint32_t number = sender.message_sequence - static_cast<std::uint32_t>(slots.size());
  for (const std::uint32_t slot : slots) {
    Outgoing& outgoing = sender.messages[slot];
    in_row = in_row && outgoing.sequence == number++;
    ready_since.push_back(&outgoing.ready_since);
    if (outgoing.formed > 0 || outgoing.all_formed) begun = ready_since.size();
  }
  form.number(sender.message_sequence);
  form.queue(ready_since, in_row, begun);
}

// Tickets only say who lined up before: a message that others overtake keeps its ticket while theirs grow. A new ticket
// is higher than all others, so that two that are in one order in all looks stay in it.
void SendingSide::put_order(StateForm& form, const Sender& sender, std::vector<std::uint32_t> slots) {
  const auto formed = [&](std::uint32_t slot) { return sender.messages[slot].all_formed; };
  slots.erase(std::remove_if(slots.begin(), slots.end(), formed), slots.end());
  std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto order = [&](std::uint32_t slot) { return std::make_pair(sender.messages[slot].ticket, numbers_[slot]); };
    return order(a) < order(b);
  });
  for (const std::uint32_t slot : slots) form.same(numbers_[slot]);
}

void SendingSide::put_state(StateForm& form, Sender& sender, std::uint32_t slot) {
  Outgoing& outgoing = sender.messages[slot];
  const MessageFields& message = outgoing.message;
  form.payload(outgoing.payload);
  form.tag(outgoing.message.tag);
  form.same(message.bytes);
  form.same(index(message.dst));
  order_decides(message) ? form.order(outgoing.message.order) : form.number(outgoing.message.order);
  // Planes are taken in turn, a port each, so that nothing but the remainder decides.
  form.same(std::uint64_t{message.switch_flow} << 32 | message.stripe % ports_per_node_);
  form.same(static_cast<std::uint64_t>(message.colour) << 32 | std::uint64_t{message.priority} << 16 |
            static_cast<std::uint64_t>(message.message_class) << 8 | std::uint64_t{message.multicast} << 1 |
            std::uint64_t{message.flow});
  form.same(std::uint64_t{outgoing.all_formed} << 1 | std::uint64_t{outgoing.kept});
  form.same_from(sender.message_sequence, outgoing.sequence);
  form.sends({sender.id, message.dst, outgoing.sequence, message.tag, message.bytes, packet_bytes_, outgoing.released,
              outgoing.formed, outgoing.ready_since});
  sender.endpoint->put_message(form, MessageId{slot});
  if (form.is_steady() && !form.moves_streams()) sender.packets_sent += form.moved_on() / packet_bytes_;
  form.progress(outgoing.released, outgoing.formed, message.bytes, packet_bytes_);
  form.number(outgoing.ticket);
}

void RouterSending::put_port_state(StateForm& form) { ports_.put_state(form); }

void RouterSending::put_line(StateForm& form, const Sender& sender) {
  if (coloured_.empty()) return;
  const std::vector<std::uint32_t>& line = coloured_[static_cast<std::size_t>(&sender - senders_.data())];
  form.same(line.size());
  for (const std::uint32_t slot : line) form.same(number_of(slot));
}

void SwitchSending::put_port_state(StateForm& form) {
  if (train_fabric() == nullptr)
    return form.refuse("nodes that send flits one by one to FRED switches take no part yet");
  ports_.put_state(form);
}

void SwitchSending::put_line(StateForm& form, const Sender& sender) {
  Queues& queues = queues_[static_cast<std::size_t>(&sender - senders_.data())];
  for (const auto& flows : queues.flows) {
    form.same(flows.size());
    for (const std::uint32_t slot : flows) {
      const Outgoing& flow = sender.messages[slot];
      form.same(std::uint64_t{number_of(slot)} << 32 | port_of_flow(flow));
      train_fabric()->put_flow(form, flow.message.switch_flow, flow.message.tag, flow.formed);
    }
  }
  // Where another such message begins, its tag is another one, and so may be the route that its packets take first.
  form.same(queues.striped_messages);
  train_fabric()->put_next_sequence(form, sender.packet_sequence);
  form.same(queues.next_port);
  for (TrainQueue& credits : queues.credits) credits.put_state(form);
}

void SwitchPorts::put_state(StateForm& form) {
  for (Port& port : ports_) {
    form.same(std::uint64_t{port.taken});
    port.rate.put_state(form);
    for (const auto& credits : port.credits) form.same(credits.left());
    port.leaving.put_state(form);
    form.grows(port.flits);
    form.past(port.last_sent);
  }
}

void InjectionPorts::put_state(StateForm& form) {
  for (Port& port : nodes_) {
    form.same(std::uint64_t{port.free} << 32 | port.draining);
    form.same(port.last_vc);
    for (int vc = 0; vc < vcs_; ++vc) form.same(port.credits[vc].left());
    form.grows(port.flits);
    port.link.put_state(form);
  }
  for (const std::uint32_t taken : taken_colours_) form.same(taken);
  for (const Credits& credits : colour_credits_) form.same(credits.left());
}

}  // namespace weft::npu
