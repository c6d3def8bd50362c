// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/message_interfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "config/fabric_facts.h"

namespace weft::npu {
namespace {

/// Nodes whose links lead into routers.
std::uint32_t injection_ports(const Config& config, const std::vector<NodeId>& nodes) {
  return has_planes(config.fabric) ? 0 : static_cast<std::uint32_t>(nodes.size());
}

}  // namespace

/// The message API of one node.
class MessageInterfaces::Port final : public NetworkInterface {
 public:
  Port(MessageInterfaces& owner, std::uint32_t node) : owner_(owner), node_(node) {}
  NodeId node() const override { return owner_.nodes_[node_].id; }
  Cycle now() const override { return owner_.now_; }
  MessageId send(const Message& message, std::uint64_t released) override {
    return owner_.send(node_, message, released);
  }
  void release(MessageId id, std::uint64_t bytes) override { owner_.release(node_, id, bytes); }
  void schedule(Cycle delay, std::uint64_t cookie) override { owner_.schedule(node_, delay, cookie); }
  void attach(Endpoint& endpoint) override { owner_.nodes_[node_].endpoint = &endpoint; }

 private:
  MessageInterfaces& owner_;
  std::uint32_t node_;
};

MessageInterfaces::MessageInterfaces(const Config& config, std::vector<NodeId> nodes)
    : links_(network::injection_numbers(config.fabric)),
      flit_bytes_(config.fabric.flit_bytes),
      packet_bytes_(config.npu.packet_bytes),
      oldest_first_(config.npu.message_turns == MessageTurns::kOldestFirst),
      ports_(config.fabric, config.npu.message_classes, injection_ports(config, nodes), config.npu.injection_vcs),
      nodes_(nodes.size()),
      statistics_on_(config.fabric.statistics) {
  int injectors = config.npu.injectors > 0 ? config.npu.injectors : config.fabric.router.vcs;
  if (has_planes(config.fabric)) {
    planes_ = std::make_unique<PlanePorts>(config.fabric, nodes);
    plane_queues_.resize(nodes.size());
    injectors = planes_->planes();
  }
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    nodes_[node].id = nodes[node];
    nodes_[node].injectors.resize(static_cast<std::size_t>(injectors));
    interfaces_.push_back(std::make_unique<Port>(*this, node));
  }
}

MessageInterfaces::~MessageInterfaces() {
  for (const Node& node : nodes_) {
    for (const Outgoing& outgoing : node.messages) drop(outgoing.payload);
  }
}

void MessageInterfaces::connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) {
  fabric_ = fabric;
  pool_ = pool;
  probe_ = probe;
  const auto planes = static_cast<std::size_t>(planes_ ? planes_->planes() : 1);
  waits_.connect(nodes_.size() * planes, statistics_on_, probe, [&](std::size_t i) {
    const NodeId node = nodes_[i / planes].id;
    return planes_ ? plane_link(node, static_cast<int>(i % planes), planes_->planes()) : links_.of(node);
  });
}

NetworkInterface& MessageInterfaces::at(std::uint32_t node) { return *interfaces_[node]; }

void MessageInterfaces::eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  arriving_.push(at, {node, flit, index(vc)});
}

void MessageInterfaces::credit(std::uint32_t node, VcId vc, Cycle at) { credits_.push(at, {node, index(vc)}); }

// ---- time

void MessageInterfaces::step(Cycle now) {
  now_ = now;
  for (const Credit& credit : credits_.at(now)) {
    take_credit(credit, now);
    activate(credit.node);
  }
  credits_.clear(now);
  if (planes_) sort_arrivals(now);
  for (const Arrival& arrival : arriving_.at(now)) receive(arrival, now);
  arriving_.clear(now);
  fire_timers(now);
  // on_sent may send and schedule: nodes that become active are stepped in the next cycle, timers still in this one.
  std::swap(active_, stepping_);
  for (const std::uint32_t node : stepping_) {
    nodes_[node].active = false;
    const bool again = planes_ ? inject_planes(node, now) : inject(node, now);
    if (again) activate(node);
    if (message_probe_ != nullptr) note_credits(node, again, now);
    if (waits_.active()) note_waits(node, again, now);
  }
  stepping_.clear();
  fire_timers(now);
}

void MessageInterfaces::take_credit(const Credit& credit, Cycle now) {
  const VcId vc{credit.vc};
  if (planes_) {
    planes_->credit(credit.node, vc);
  } else {
    ports_.credit(credit.node, vc);
  }
  if (probe_ == nullptr) return;
  const NodeId id = nodes_[credit.node].id;
  if (planes_) {
    probe_->credit_returned(now, plane_link(id, plane_of(vc), planes_->planes()), circuit_vc(circuit_of(vc)),
                            planes_->credits(credit.node, vc));
  } else {
    probe_->credit_returned(now, links_.of(id), vc, ports_.credits(credit.node, credit.vc));
  }
}

Cycle MessageInterfaces::next_work(Cycle now) const {
  if (!active_.empty()) return now + 1;
  const Cycle timer = timers_.empty() ? kNever : std::max(timers_.top().at, now + 1);
  return std::min({timer, near_timers_.next_after(now), arriving_.next_after(now), credits_.next_after(now)});
}

bool MessageInterfaces::idle() const {
  if (!active_.empty() || !arriving_.empty()) return false;
  return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.incoming.empty() && node.messages.size() == node.free_messages.size();
  });
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

// Those of this cycle in the order in which they were set. Endpoints may set more for this cycle meanwhile.
void MessageInterfaces::fire_timers(Cycle now) {
  Timer timer{};
  while (take_timer(now, &timer)) {
    if (message_probe_ != nullptr) message_probe_->timer_fired(nodes_[timer.node].id, now, timer.order);
    nodes_[timer.node].endpoint->on_timer(timer.cookie);
  }
  near_timers_.clear(now);
  fired_ = 0;
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

// ---- sending

MessageId MessageInterfaces::send(std::uint32_t node, const Message& message, std::uint64_t released) {
  Node& sender = nodes_[node];
  std::uint32_t slot;
  if (sender.free_messages.empty()) {
    slot = static_cast<std::uint32_t>(sender.messages.size());
    sender.messages.emplace_back();
  } else {
    slot = sender.free_messages.back();
    sender.free_messages.pop_back();
  }
  Outgoing& outgoing = sender.messages[slot];
  outgoing = Outgoing{};
  outgoing.message = message;
  outgoing.released = std::min(released, message.bytes);
  outgoing.sequence = sender.message_sequence++;
  outgoing.ready_since = now_;
  outgoing.in_use = true;
  if (message.payload) outgoing.payload = hold_payload(message.payload, 0);
  if (message_probe_ != nullptr) {
    const MessageNote note{outgoing.sequence, message.dst, message.tag, message.bytes, message.flow, message.multicast};
    message_probe_->message_queued(sender.id, now_, note, outgoing.released);
  }
  make_sendable(node, slot);
  activate(node);
  return MessageId{slot};
}

void MessageInterfaces::release(std::uint32_t node, MessageId id, std::uint64_t bytes) {
  Outgoing& outgoing = nodes_[node].messages[index(id)];
  WEFT_CHECK(outgoing.in_use, fmt::format("node {} released bytes of a message that is not being sent", node));
  if (!can_form(outgoing)) outgoing.ready_since = now_;
  outgoing.released += bytes;
  WEFT_CHECK(outgoing.released <= outgoing.message.bytes,
             fmt::format("node {} released more bytes than its message has", node));
  if (message_probe_ != nullptr) {
    message_probe_->message_released(nodes_[node].id, now_, outgoing.sequence, outgoing.released);
  }
  activate(node);
}

bool MessageInterfaces::can_form(const Outgoing& outgoing) const {
  return !outgoing.all_formed && outgoing.released - outgoing.formed >= packet_size(outgoing);
}

void MessageInterfaces::activate(std::uint32_t node) {
  if (nodes_[node].active) return;
  nodes_[node].active = true;
  active_.push_back(node);
}

// Sends what the link takes in this cycle. Returns whether the node has to be asked again in the next one.
bool MessageInterfaces::inject(std::uint32_t node, Cycle now) {
  Node& sender = nodes_[node];
  const auto injectors = static_cast<std::uint32_t>(sender.injectors.size());
  start_packets(node, now);
  while (ports_.link_open(node, now)) {
    std::uint32_t tried = 0;
    for (; tried < injectors; ++tried) {
      Injector& injector = sender.injectors[(sender.next_injector + tried) % injectors];
      if (injector.flits_left == 0 || !ports_.has_credit(node, injector.vc)) continue;
      sender.next_injector = (sender.next_injector + tried + 1) % injectors;
      send_flit(node, injector, now);
      break;
    }
    if (tried == injectors) return false;  // a credit, a release or a new message wakes it up
    start_packets(node, now);
  }
  return true;
}

// Nothing went although the link was free: what could go lacks credits.
void MessageInterfaces::note_credits(std::uint32_t node, bool again, Cycle now) {
  Node& sender = nodes_[node];
  const auto has_packet = [](const Injector& injector) { return injector.flits_left > 0; };
  const auto can_form_next = [&](std::uint32_t slot) { return can_form(sender.messages[slot]); };
  bool missing = false;
  if (!again) {
    missing = std::any_of(sender.injectors.begin(), sender.injectors.end(), has_packet) ||
              std::any_of(sender.sendable.begin(), sender.sendable.end(), can_form_next);
    if (planes_ && !missing) {
      const auto& flows = plane_queues_[node].flows;
      missing = std::any_of(flows.begin(), flows.end(),
                            [&](const auto& queue) { return !queue.empty() && can_form_next(queue.front()); });
    }
  }
  if (missing == sender.credit_missing) return;
  sender.credit_missing = missing;
  message_probe_->credit_missing(sender.id, now, missing);
}

void MessageInterfaces::start_packets(std::uint32_t node, Cycle now) {
  for (;;) {
    Node& sender = nodes_[node];
    const auto is_free = [](const Injector& injector) { return injector.flits_left == 0; };
    const auto injector = std::find_if(sender.injectors.begin(), sender.injectors.end(), is_free);
    if (injector == sender.injectors.end()) return;
    const int turn = choose_message(sender);
    if (turn < 0) return;
    const std::uint32_t slot = sender.sendable[static_cast<std::size_t>(turn)];
    const Message& message = sender.messages[slot].message;
    const int vc = message.colour < 0 ? ports_.take_vc(node, vcs_for(sender, message))
                                      : ports_.take_colour(node, static_cast<unsigned>(message.colour));
    if (vc < 0) return;
    sender.sendable.erase(sender.sendable.begin() + turn);
    form_packet(node, slot, *injector, vc, now);
    if (!sender.messages[slot].all_formed) sender.sendable.push_back(slot);
  }
}

// Position in `sendable` of the message whose turn it is, -1 if none can form a packet. Messages whose class has no
// VC left are passed over, so that they cannot hold up another class.
int MessageInterfaces::choose_message(const Node& node) const {
  int best = -1;
  for (std::size_t i = 0; i < node.sendable.size(); ++i) {
    const Outgoing& outgoing = node.messages[node.sendable[i]];
    if (!can_form(outgoing)) continue;
    if (!can_start(node, outgoing)) continue;
    if (best < 0 ||
        has_turn_before(outgoing.message, node.messages[node.sendable[static_cast<std::size_t>(best)]].message)) {
      best = static_cast<int>(i);
    }
  }
  return best;
}

bool MessageInterfaces::has_turn_before(const Message& a, const Message& b) const {
  return a.priority != b.priority ? a.priority > b.priority : oldest_first_ && a.order < b.order;
}

bool MessageInterfaces::can_start(const Node& node, const Outgoing& outgoing) const {
  const auto number = static_cast<std::uint32_t>(&node - nodes_.data());
  const Message& message = outgoing.message;
  if (message.colour < 0) return ports_.can_take_vc(number, vcs_for(node, message));
  if (!ports_.can_take_colour(number, static_cast<unsigned>(message.colour))) return false;
  // Routes count messages: those of one colour go whole, one after the other.
  return std::none_of(node.sendable.begin(), node.sendable.end(), [&](std::uint32_t slot) {
    const Outgoing& other = node.messages[slot];
    return other.message.colour == message.colour && other.sequence < outgoing.sequence;
  });
}

void MessageInterfaces::form_packet(std::uint32_t node, std::uint32_t slot, Injector& injector, int vc, Cycle now) {
  Node& sender = nodes_[node];
  Outgoing& outgoing = sender.messages[slot];
  const std::uint64_t bytes = packet_size(outgoing);
  injector.packet = pool_->allocate();
  injector.flits = flits_of(bytes);
  injector.flits_left = injector.flits;
  injector.message = slot;
  injector.vc = static_cast<std::uint8_t>(vc);
  Packet& packet = (*pool_)[injector.packet];
  packet.src = sender.id;
  packet.dst = outgoing.message.dst;
  packet.sequence = sender.packet_sequence++;
  packet.flits = injector.flits;
  packet.message_class = static_cast<std::uint8_t>(outgoing.message.message_class);
  packet.created = outgoing.ready_since;
  packet.injected = now;
  packet.measured = true;
  packet.follows_route = outgoing.message.multicast || outgoing.message.flow;
  packet.flow = outgoing.message.flow;
  packet.bytes = static_cast<std::uint32_t>(bytes);
  packet.message_sequence = outgoing.sequence;
  packet.switch_flow = outgoing.message.switch_flow;
  packet.tag = outgoing.message.tag;
  packet.message_bytes = outgoing.message.bytes;
  packet.offset = outgoing.formed;
  packet.payload = outgoing.payload;
  if (outgoing.payload != nullptr) __atomic_add_fetch(&outgoing.payload->refs, 1, __ATOMIC_RELAXED);
  outgoing.formed += bytes;
  outgoing.all_formed = outgoing.formed == outgoing.message.bytes;
  injector.last = outgoing.all_formed;
}

void MessageInterfaces::send_flit(std::uint32_t node, Injector& injector, Cycle now) {
  Node& sender = nodes_[node];
  const bool head = injector.flits_left == injector.flits;
  const bool tail = injector.flits_left == 1;
  if (head) {
    Packet& packet = (*pool_)[injector.packet];
    packet.injected = now;
    if (message_probe_ != nullptr) {
      message_probe_->packet_entered(sender.id, now, packet.message_sequence, packet.offset);
    }
  }
  if (probe_ != nullptr) {
    probe_->flit_sent(now, links_.of(sender.id), VcId(injector.vc), {sender.id, (*pool_)[injector.packet].sequence},
                      head, tail, ports_.credits(node, injector.vc) - 1);
  }
  if (waits_.active()) waits_.sent(node, now);
  ports_.send(node, injector.vc, Flit(injector.packet, head, tail), now, *fabric_);
  --injector.flits_left;
  if (!tail) return;
  ++sender.packets_sent;
  if (injector.last) finish_message(node, injector.message);
}

void MessageInterfaces::finish_message(std::uint32_t node, std::uint32_t slot) {
  Node& sender = nodes_[node];
  Outgoing& outgoing = sender.messages[slot];
  drop(outgoing.payload);
  outgoing.payload = nullptr;
  outgoing.message.payload.reset();
  outgoing.in_use = false;
  if (message_probe_ != nullptr) message_probe_->message_left(sender.id, now_, outgoing.sequence);
  sender.endpoint->on_sent(MessageId{slot});
  nodes_[node].free_messages.push_back(slot);
}

// ---- receiving

void MessageInterfaces::receive(const Arrival& arrival, Cycle now) {
  const VcId vc{arrival.vc};
  fabric_->return_credit(arrival.node, vc, planes_ ? planes_->credit_arrival(now) : ports_.credit_arrival(now, vc));
  Node& node = nodes_[arrival.node];
  ++statistics_.flits_received;
  ++node.flits_received;
  Packet& packet = (*pool_)[arrival.flit.packet()];
  WEFT_CHECK(arrival.flit.head() == (packet.flits_received == 0), "the flits of a packet arrived out of order");
  ++packet.flits_received;
  if (!arrival.flit.tail()) return;
  WEFT_CHECK(packet.flits_received == packet.flits,
             "a packet arrived with another number of flits than it was sent with");
  WEFT_CHECK(packet.dst == node.id || packet.follows_route, "a packet arrived at a node that is not its destination");
  ++node.packets_received;
  ++statistics_.packets_received;
  statistics_.latency.add(now - packet.created);
  statistics_.network_latency.add(now - packet.injected);
  statistics_.hops += packet.hops;
  const Packet copy = packet;
  if (message_probe_ != nullptr) message_probe_->packet_received(node.id, now, copy);
  pool_->release(arrival.flit.packet());
  receive_packet(arrival.node, copy, now);
}

void MessageInterfaces::receive_packet(std::uint32_t node, Packet packet, Cycle) {
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
  for (;;) {
    incoming.delivered += packet.bytes;
    const bool last = incoming.delivered == packet.message_bytes;
    if (last) {
      receiver.last_incoming = nullptr;
      receiver.incoming.erase(key);
      deliver(node, packet, true);
      return;
    }
    deliver(node, packet, false);
    const auto next = incoming.early.find(incoming.delivered);
    if (next == incoming.early.end()) return;
    packet = next->second;
    incoming.early.erase(next);
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

}  // namespace weft::npu
