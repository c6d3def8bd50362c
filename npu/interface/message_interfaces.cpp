// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/message_interfaces.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/prefetch.h"

namespace weft::npu {

/// The message API of one node.
class MessageInterfaces::Port final : public NetworkInterface {
 public:
  Port(MessageInterfaces& owner, std::uint32_t node) : owner_(owner), node_(node) {}
  NodeId node() const override { return owner_.nodes_[node_].id; }
  Cycle now() const override { return owner_.now_; }
  MessageId send(const Message& message, std::uint64_t released) override {
    return owner_.sending_->send(node_, message, released, owner_.now_);
  }
  void release(MessageId id, std::uint64_t bytes) override { owner_.sending_->release(node_, id, bytes, owner_.now_); }
  void schedule(Cycle delay, std::uint64_t cookie) override { owner_.schedule(node_, delay, cookie); }
  void note_event() override {
    ++owner_.events_;
    ++owner_.events_and_chunks_;
  }
  void note_piece(std::uint64_t family) override { owner_.last_piece_ = {owner_.now_, family}; }
  void note_chunk(std::uint32_t left) override {
    Chunks& chunks = owner_.nodes_[node_].chunks;
    chunks = {chunks.begun + 1, left};
    ++owner_.events_and_chunks_;
  }
  void attach(Endpoint& endpoint) override {
    owner_.nodes_[node_].endpoint = &endpoint;
    owner_.sending_->attach(node_, endpoint);
  }

 private:
  MessageInterfaces& owner_;
  std::uint32_t node_;
};

MessageInterfaces::MessageInterfaces(const Config& config, std::vector<NodeId> nodes)
    : sending_(make_sending_side(config, nodes)),
      ports_(sending_->links()),
      fetches_ahead_(nodes.size() >= kFetchFrom),
      nodes_(nodes.size()) {
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    nodes_[node].id = nodes[node];
    interfaces_.push_back(std::make_unique<Port>(*this, node));
  }
}

MessageInterfaces::~MessageInterfaces() = default;

void MessageInterfaces::connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) {
  fabric_ = fabric;
  train_fabric_ = fabric != nullptr && sending_->may_send_trains() ? fabric->trains() : nullptr;
  pool_ = pool;
  sending_->connect(fabric, pool, probe);
}

void MessageInterfaces::set_message_probe(MessageProbe* probe) {
  message_probe_ = probe;
  sending_->set_message_probe(probe);
}

NetworkInterface& MessageInterfaces::at(std::uint32_t node) { return *interfaces_[node]; }

void MessageInterfaces::eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  arriving_.push(at, {node, flit, index(vc)});
}

// All that its flits do before the tail is here is that they are counted and their credits go back.
void MessageInterfaces::eject(std::uint32_t node, VcId vc, PacketIndex packet, const FlitTrain& arrivals) {
  auto& ejecting = nodes_[node].ejecting;
  if (ejecting.size() <= index(vc)) ejecting.resize(index(vc) + std::size_t{1});
  ejecting[index(vc)].push(arrivals);
  arriving_.push(arrivals.last(), {node, Flit(packet, arrivals.left() == 1, true), index(vc)});
  train_fabric_->return_credits(node, vc, arrivals.later(ports_.credit_arrival(0, vc)));
}

void MessageInterfaces::settle(Cycle end) {
  sending_->settle(end);
  for (Node& node : nodes_) {
    for (QueueRing<FlitTrain>& trains : node.ejecting) {
      for (std::size_t i = 0; i < trains.size(); ++i) count_flits(node, trains[i].pop_until(end));
    }
  }
}

void MessageInterfaces::count_flits(Node& node, std::uint32_t flits) {
  statistics_.flits_received += flits;
  node.flits_received += flits;
}

// ---- time

void MessageInterfaces::step(Cycle now) {
  now_ = now;
  sending_->take_credits(now);
  EventList<Arrival>& arrivals = arriving_.at(now);
  ports_.put_in_order(arrivals);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (fetches_ahead_) fetch(arrivals, i);
    train_fabric_ == nullptr ? receive(arrivals[i], now) : receive_train(arrivals[i], now);
  }
  arriving_.clear(now);
  fire_timers(now);
  sending_->inject(now);
  fire_timers(now);  // those that endpoints have set meanwhile for this cycle
}

// Fetches the state of receivers that come soon behind the one at `position` of the list.
void MessageInterfaces::fetch(const EventList<Arrival>& arrivals, std::size_t position) const {
  if (position + kFetchAhead < arrivals.size()) {
    const Arrival& ahead = arrivals[position + kFetchAhead];
    fetch_lines(&nodes_[ahead.node], sizeof(Node));
    fetch_lines(&(*pool_)[ahead.flit.packet()], sizeof(Packet));
  }
  const auto tail_at = [&](std::size_t ahead) {
    return position + ahead < arrivals.size() && arrivals[position + ahead].flit.tail();
  };
  const auto endpoint_at = [&](std::size_t ahead) { return nodes_[arrivals[position + ahead].node].endpoint; };
  if (tail_at(kFetchSecond)) fetch_endpoint(endpoint_at(kFetchSecond));
  if (tail_at(kFetchThird)) fetch_behind(endpoint_at(kFetchThird), 0);
  if (tail_at(kFetchFourth)) fetch_behind(endpoint_at(kFetchFourth), 1);
}

// Where nobody listens, the delivery says so.
void MessageInterfaces::fetch_endpoint(const Endpoint* endpoint) {
  constexpr std::size_t kHotBytes = 384;  // those that calls touch first
  if (endpoint != nullptr) fetch_lines(endpoint, kHotBytes);
}

void MessageInterfaces::fetch_behind(const Endpoint* endpoint, int depth) {
  if (endpoint != nullptr) endpoint->fetch_ahead(depth);
}

Cycle MessageInterfaces::next_work(Cycle now) const {
  if (sending_->active()) return now + 1;
  const Cycle timer = timers_.empty() ? kNever : std::max(timers_.top().at, now + 1);
  return std::min({timer, near_timers_.next_after(now), arriving_.next_after(now), sending_->next_credit(now)});
}

bool MessageInterfaces::idle() const {
  return arriving_.empty() && sending_->idle() &&
         std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.incoming.empty(); });
}

Cycle MessageInterfaces::next_timer() const {
  return std::min(timers_.empty() ? kNever : timers_.top().at, near_timers_.next_after(now_));
}

void MessageInterfaces::schedule(std::uint32_t node, Cycle delay, std::uint64_t cookie) {
  const Timer timer{now_ + delay, timers_set_++, node, cookie};
  if (message_probe_ != nullptr) message_probe_->timer_set(nodes_[node].id, now_, timer.order, cookie);
  if (delay > 0 && delay <= kNear) {
    near_timers_.push(timer.at, timer);
  } else {
    WEFT_CHECK(delay <= kLastCycle, "a timer is set for longer than a run can last");
    timers_.push(timer);
  }
}

// The timers of this cycle fire in the order in which they were set. Endpoints may set more for this cycle meanwhile.
void MessageInterfaces::fire_timers(Cycle now) {
  Timer timer{};
  while (take_timer(now, &timer)) {
    if (fetches_ahead_) fetch_timers(now);
    if (message_probe_ != nullptr) message_probe_->timer_fired(nodes_[timer.node].id, now, timer.order);
    nodes_[timer.node].endpoint->on_timer(timer.cookie);
  }
  near_timers_.clear(now);
  fired_ = 0;
}

// Fetches the state of nodes whose timers fire soon.
void MessageInterfaces::fetch_timers(Cycle now) {
  const EventList<Timer>& near = near_timers_.at(now);
  const auto comes = [&](std::size_t ahead) { return fired_ + ahead < near.size(); };
  if (comes(kFetchAhead)) {
    const std::uint32_t node = near[fired_ + kFetchAhead].node;
    fetch_lines(&nodes_[node], sizeof(Node));
    sending_->fetch_sender(node);
  }
  const auto endpoint = [&](std::size_t ahead) { return nodes_[near[fired_ + ahead].node].endpoint; };
  if (comes(kFetchSecond)) fetch_endpoint(endpoint(kFetchSecond));
  if (comes(kFetchThird)) {
    fetch_behind(endpoint(kFetchThird), 0);
    sending_->fetch_first_message(near[fired_ + kFetchThird].node);
  }
  if (comes(kFetchFourth)) fetch_behind(endpoint(kFetchFourth), 1);
}

bool MessageInterfaces::take_timer(Cycle now, Timer* timer) {
  const auto& near = near_timers_.at(now);
  const bool far_due = !timers_.empty() && timers_.top().at <= now;
  if (fired_ < near.size() && !(far_due && timers_.top().order < near[fired_].order)) {
    *timer = near[fired_++];
    return true;
  }
  if (!far_due) return false;
  *timer = timers_.top();
  timers_.pop();
  return true;
}

// ---- receiving

void MessageInterfaces::receive(const Arrival& arrival, Cycle now) {
  const VcId vc{arrival.vc};
  fabric_->return_credit(arrival.node, vc, ports_.credit_arrival(now, vc));
  count_flits(nodes_[arrival.node], 1);
  Packet& packet = (*pool_)[arrival.flit.packet()];
  WEFT_CHECK(arrival.flit.head() == (packet.flits_received == 0), "the flits of a packet arrived out of order");
  if (arrival.flit.tail()) {
    receive_tail(arrival, packet.flits_received + 1, now);
  } else {
    ++packet.flits_received;
  }
}

void MessageInterfaces::receive_train(const Arrival& arrival, Cycle now) {
  Node& node = nodes_[arrival.node];
  QueueRing<FlitTrain>& trains = node.ejecting[arrival.vc];
  WEFT_CHECK(!trains.empty() && trains.front().last() == now, "the packets of a link arrived out of order");
  count_flits(node, trains.front().left());
  trains.pop();
  receive_tail(arrival, (*pool_)[arrival.flit.packet()].flits, now);
}

void MessageInterfaces::receive_tail(const Arrival& arrival, std::uint32_t flits_received, Cycle now) {
  Node& node = nodes_[arrival.node];
  Packet packet = (*pool_)[arrival.flit.packet()];
  packet.flits_received = flits_received;
  pool_->release(arrival.flit.packet());
  WEFT_CHECK(flits_received == packet.flits, "a packet arrived with another number of flits than it was sent with");
  WEFT_CHECK(packet.dst == node.id || packet.follows_route, "a packet arrived at a node that is not its destination");
  ++node.packets_received;
  ++statistics_.packets_received;
  statistics_.latency.add(now - packet.created);
  statistics_.network_latency.add(now - packet.injected);
  if (latencies_ != nullptr) latencies_->push_back({arrival.node, now - packet.created, now - packet.injected});
  if (span_latencies_ != nullptr) span_latencies_->add(packet, now);
  statistics_.hops += packet.hops;
  if (message_probe_ != nullptr) message_probe_->packet_received(node.id, now, packet);
  receive_packet(arrival.node, packet);
}

void MessageInterfaces::receive_packet(std::uint32_t node, const Packet& packet) {
  if (packet.bytes == packet.message_bytes) {
    deliver(node, packet, true);
    return;
  }
  const std::uint64_t key = std::uint64_t{index(packet.src)} << 32 | packet.message_sequence;
  Node& receiver = nodes_[node];
  if (receiver.last_incoming == nullptr || receiver.last_key != key) {
    receiver.last_incoming = &receiver.incoming[key];
    receiver.last_key = key;
  }
  Incoming& incoming = *receiver.last_incoming;
  WEFT_CHECK(packet.offset >= incoming.delivered && incoming.early.count(packet.offset) == 0,
             "a packet of a message arrived twice");
  if (packet.offset != incoming.delivered) {
    incoming.early.emplace(packet.offset, packet);
    return;
  }
  const auto deliver_next = [&](const Packet& next) {
    incoming.delivered += next.bytes;
    const bool last = incoming.delivered == next.message_bytes;
    if (last) {
      receiver.last_incoming = nullptr;
      receiver.incoming.erase(key);
    }
    deliver(node, next, last);
    return !last;
  };
  bool more = deliver_next(packet);
  while (more) {
    const auto early = incoming.early.find(incoming.delivered);
    if (early == incoming.early.end()) return;
    const Packet next = early->second;
    incoming.early.erase(early);
    more = deliver_next(next);
  }
}

void MessageInterfaces::deliver(std::uint32_t node, const Packet& packet, bool last) {
  Delivery delivery;
  delivery.src = packet.flow ? kFlowSource : packet.src;
  delivery.tag = packet.tag;
  delivery.message_bytes = packet.message_bytes;
  delivery.offset = packet.offset;
  delivery.bytes = packet.bytes;
  delivery.last = last;
  if (packet.payload != nullptr) {
    const PayloadHolder& held = *packet.payload;
    delivery.data = held.data->data() + (packet.offset - held.first);
  }
  Endpoint* endpoint = nodes_[node].endpoint;
  WEFT_CHECK(endpoint != nullptr,
             fmt::format("a message arrived at node {}, where nobody listens", index(nodes_[node].id)));
  endpoint->on_data(delivery);
  drop(packet.payload);
}

NodeValues MessageInterfaces::node_values(std::uint32_t node) const {
  NodeValues values;
  values.set(NodeQuantity::kPacketsSent, sending_->packets_sent(node));
  values.set(NodeQuantity::kPacketsReceived, nodes_[node].packets_received);
  values.set(NodeQuantity::kFlitsSent, ports_.flits(node));
  values.set(NodeQuantity::kFlitsReceived, nodes_[node].flits_received);
  return values;
}

}  // namespace weft::npu
