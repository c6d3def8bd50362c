// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/sending_side.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/prefetch.h"

namespace weft::npu {

SendingSide::SendingSide(const Config& config, const std::vector<NodeId>& nodes, std::size_t ports,
                         std::size_t injectors)
    : senders_(nodes.size()),
      links_(network::injection_numbers(config.fabric)),
      ports_per_node_(static_cast<std::uint32_t>(ports)),
      sender_injectors_(injectors),
      flit_bytes_(config.fabric.flit_bytes),
      packet_bytes_(config.npu.packet_bytes),
      statistics_on_(config.fabric.statistics),
      fetches_ahead_(nodes.size() >= kFetchFrom),
      injectors_(nodes.size() * injectors),
      is_active_(nodes.size()) {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    senders_[node].id = nodes[node];
    senders_[node].injectors = {&injectors_[node * injectors], static_cast<std::uint32_t>(injectors)};
  }
}

SendingSide::~SendingSide() {
  for (const Sender& sender : senders_) {
    for (const Outgoing& outgoing : sender.messages) drop(outgoing.payload);
  }
}

void SendingSide::connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) {
  fabric_ = fabric;
  train_fabric_ = fabric != nullptr && may_send_trains() ? fabric->trains() : nullptr;
  pool_ = pool;
  probe_ = probe;
  waits_.connect(senders_.size() * ports_per_node_, statistics_on_, probe, [&](std::size_t i) {
    return links_.of(senders_[i / ports_per_node_].id, static_cast<std::uint32_t>(i % ports_per_node_));
  });
}

bool SendingSide::idle() const {
  return active_.empty() && std::all_of(senders_.begin(), senders_.end(), [](const Sender& sender) {
           return sender.messages.size() == sender.free_messages.size();
         });
}

// ---- messages

MessageId SendingSide::send(std::uint32_t node, const Message& message, std::uint64_t released, Cycle now) {
  Sender& sender = senders_[node];
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
  outgoing.ready_since = now;
  outgoing.in_use = true;
  if (message.payload) outgoing.payload = hold_payload(message.payload, 0);
  if (message_probe_ != nullptr) {
    const MessageNote note{outgoing.sequence, message.dst, message.tag, message.bytes, message.flow, message.multicast};
    message_probe_->message_queued(sender.id, now, note, outgoing.released);
  }
  outgoing.kept = keeps(node, slot);
  if (!outgoing.kept) line_up(node, slot);
  activate(node);
  return MessageId{slot};
}

void SendingSide::release(std::uint32_t node, MessageId id, std::uint64_t bytes, Cycle now) {
  Outgoing& outgoing = senders_[node].messages[index(id)];
  WEFT_CHECK(outgoing.in_use, fmt::format("node {} released bytes of a message that is not being sent", node));
  const bool was_ready = can_form(outgoing);
  if (!was_ready) outgoing.ready_since = now;
  outgoing.released += bytes;
  WEFT_CHECK(outgoing.released <= outgoing.message.bytes,
             fmt::format("node {} released more bytes than its message has", node));
  if (message_probe_ != nullptr) {
    message_probe_->message_released(senders_[node].id, now, outgoing.sequence, outgoing.released);
  }
  if (!outgoing.kept && !was_ready && can_form(outgoing)) make_ready(node, index(id));
  activate(node);
}

void SendingSide::finish_message(Sender& sender, std::uint32_t slot, Cycle now) {
  Outgoing& outgoing = sender.messages[slot];
  drop(outgoing.payload);
  outgoing.payload = nullptr;
  outgoing.in_use = false;
  if (message_probe_ != nullptr) message_probe_->message_left(sender.id, now, outgoing.sequence);
  sender.endpoint->on_sent(MessageId{slot});
  sender.free_messages.push_back(slot);
}

// ---- packets

// The endpoint may send and release meanwhile: nodes that become active are stepped in the next cycle.
void SendingSide::inject(Cycle now) {
  std::swap(active_, stepping_);
  for (std::size_t i = 0; i < stepping_.size(); ++i) {
    const std::uint32_t node = stepping_[i];
    if (fetches_ahead_) fetch(i);
    is_active_[node] = 0;
    const bool again = inject_from(node, now);
    if (again && train_fabric_ == nullptr) activate(node);
    if (message_probe_ != nullptr) note_credits(node, again, now);
    if (waits_.active()) note_waits(node, again, now);
  }
  stepping_.clear();
}

// Fetches the state of nodes that come soon behind the one at `position` of the list.
void SendingSide::fetch(std::size_t position) const {
  if (position + kFetchAhead < stepping_.size()) {
    const std::uint32_t node = stepping_[position + kFetchAhead];
    const Sender& sender = senders_[node];
    fetch_lines(&sender, sizeof(Sender));
    fetch_lines(&injectors_[std::size_t{node} * sender_injectors_], sender_injectors_ * sizeof(Injector));
    waits_.fetch(std::size_t{node} * ports_per_node_);
    fetch_ports(node);
  }
  if (position + kFetchThird < stepping_.size()) {
    const Sender& sender = senders_[stepping_[position + kFetchThird]];
    sender.ready.fetch();
    if (!sender.messages.empty()) fetch_lines(sender.messages.data(), sizeof(Outgoing));
    fetch_messages(stepping_[position + kFetchThird]);
    if (sender.ends_message()) sender.endpoint->fetch_ahead(0);
  }
  if (position + kFetchFourth < stepping_.size()) {
    const Sender& sender = senders_[stepping_[position + kFetchFourth]];
    if (sender.ends_message()) sender.endpoint->fetch_ahead(1);
  }
}

void SendingSide::form_packet(std::uint32_t node, std::uint32_t slot, Injector& injector, VcId vc) {
  Sender& sender = senders_[node];
  Outgoing& outgoing = sender.messages[slot];
  const std::uint64_t bytes = packet_size(outgoing);
  ++sender.entering;
  injector.packet = pool_->allocate();
  injector.flits = flits_of(bytes);
  injector.flits_left = injector.flits;
  injector.message = slot;
  injector.vc = index(vc);
  Packet& packet = (*pool_)[injector.packet];
  packet.src = sender.id;
  packet.dst = outgoing.message.dst;
  packet.sequence = sender.packet_sequence++;
  packet.flits = injector.flits;
  packet.message_class = static_cast<std::uint8_t>(outgoing.message.message_class);
  packet.created = outgoing.ready_since;
  packet.measured = true;
  packet.follows_route = outgoing.message.multicast || outgoing.message.flow;
  packet.flow = outgoing.message.flow;
  packet.bytes = static_cast<std::uint32_t>(bytes);
  packet.message_sequence = outgoing.sequence;
  packet.switch_flow = outgoing.message.switch_flow;
  packet.tag = outgoing.message.tag;
  packet.message_bytes = outgoing.message.bytes;
  packet.offset = outgoing.formed;
  packet.payload = share(outgoing.payload);
  outgoing.formed += bytes;
  outgoing.all_formed = outgoing.formed == outgoing.message.bytes;
  injector.last = outgoing.all_formed;
}

void SendingSide::enter(std::uint32_t node, const Injector& injector, Cycle now) {
  Packet& packet = (*pool_)[injector.packet];
  packet.injected = now;
  if (message_probe_ == nullptr) return;
  message_probe_->packet_entered(senders_[node].id, now, packet.message_sequence, packet.offset);
}

void SendingSide::end_packet(Sender& sender, const Injector& injector, Cycle now) {
  --sender.entering;
  ++sender.packets_sent;
  if (injector.last) finish_message(sender, injector.message, now);
}

void SendingSide::end_train(std::uint32_t node, Injector& injector, Cycle now) {
  WEFT_CHECK(!injector.last || injector.tail_at == now, "the end of a message was not seen in its cycle");
  injector.flits_left = 0;
  end_packet(senders_[node], injector, now);
}

void SendingSide::wake_due(Cycle now) {
  for (const Credit& due : credits_.at(now)) activate(due.node);
  credits_.clear(now);
}

void SendingSide::credits(std::uint32_t, VcId, const FlitTrain&) {
  violation("credits come back as a train to a node that sends flits one by one");
}

// ---- why nothing goes

bool SendingSide::something_waits(std::uint32_t node) const {
  const Sender& sender = senders_[node];
  return sender.entering > 0 || !sender.ready.empty();
}

// Nothing went although the links were free: what could go lacks credits.
void SendingSide::note_credits(std::uint32_t node, bool again, Cycle now) {
  Sender& sender = senders_[node];
  const bool missing = !again && something_waits(node);
  if (missing == sender.credit_missing) return;
  sender.credit_missing = missing;
  message_probe_->credit_missing(sender.id, now, missing);
}

LinkValues SendingSide::link_values(std::uint32_t node) const {
  LinkValues sum;
  for (std::uint32_t port = 0; port < ports_per_node_; ++port) {
    sum += waits_.values(std::size_t{node} * ports_per_node_ + port);
  }
  return sum;
}

}  // namespace weft::npu
