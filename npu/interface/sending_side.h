// SPDX-License-Identifier: Apache-2.0
// The sending side of network interfaces: messages become packets, and packets go onto the links of n ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/activity_probe.h"
#include "base/big_vector.h"
#include "base/checkpoint.h"
#include "base/prefetch.h"
#include "base/region_ports.h"
#include "base/timing_wheel.h"
#include "base/train_ports.h"
#include "config/config.h"
#include "network/link_numbers.h"
#include "npu/interface/injection_links.h"
#include "npu/interface/link_waits.h"
#include "npu/interface/sender.h"

namespace weft::npu {

class PayloadKeeper;

/// The sending side of the nodes of one region. Every node has n ports, each the end of a link with VCs, credits and a
/// rate. A derived class holds the ports and decides which message forms the next packet, and which port and VC that
/// packet takes.
class SendingSide {
 public:
  /// Nodes with `ports` ports each, of which at most `injectors` packets enter the fabric side by side.
  SendingSide(const Config& config, const std::vector<NodeId>& nodes, std::size_t ports, std::size_t injectors);
  virtual ~SendingSide();

  /// Does what LocalBlock::connect does.
  void connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe);
  /// Who is told what happens to messages; null = nobody.
  void set_message_probe(MessageProbe* probe) { message_probe_ = probe; }
  /// Sets who is told when a message of `node` has left.
  void attach(std::uint32_t node, Endpoint& endpoint) { senders_[node].endpoint = &endpoint; }

  /// These do what NetworkInterface::send and release do, in cycle `now`.
  MessageId send(std::uint32_t node, const Message& message, std::uint64_t released, Cycle now);
  void release(std::uint32_t node, MessageId id, std::uint64_t bytes, Cycle now);
  /// A credit for `vc` of `node` comes back in cycle `at`.
  void credit(std::uint32_t node, VcId vc, Cycle at) { credits_.push(at, {node, index(vc)}); }

  /// Whether packets may go as trains of flits, where the fabric takes them so.
  virtual bool may_send_trains() const { return false; }
  /// Credits for `vc` of `node` come back in the cycles `arrivals`, where packets go as trains.
  virtual void credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals);
  /// Counts what leaves up to and with cycle `end`, where packets go as trains.
  virtual void settle(Cycle /*end*/) {}
  /// Takes the credits that come back in cycle `now`.
  virtual void take_credits(Cycle now) = 0;
  /// Puts on the links what they take in cycle `now`.
  void inject(Cycle now);
  /// Fetches the state of `node` into the caches before messages of it are released.
  void fetch_sender(std::uint32_t node) const { fetch_lines(&senders_[node], sizeof(Sender)); }
  /// Fetches the first message of `node`, after fetch_sender.
  void fetch_first_message(std::uint32_t node) const {
    if (!senders_[node].messages.empty()) fetch_lines(senders_[node].messages.data(), sizeof(Outgoing));
  }
  /// Some node may have something to send in the next cycle.
  bool active() const { return !active_.empty(); }
  /// First cycle after `now` in which a credit comes back; kNever = none.
  Cycle next_credit(Cycle now) const { return credits_.next_after(now); }
  /// No message waits or is on its way into the fabric.
  bool idle() const;

  /// Gives `form` its state, or refuses with a reason.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// Keeps the payloads of its messages.
  void keep_payloads(PayloadKeeper& payloads);

  /// The ports of all nodes.
  virtual const InjectionLinks& links() const = 0;
  /// Why the links of all ports of `node` carried nothing.
  LinkValues link_values(std::uint32_t node) const;
  /// Counts them up to `end`, the first cycle that was not executed.
  void finish_stalls(Cycle end) { waits_.finish(end); }
  std::uint32_t messages_sent(std::uint32_t node) const { return senders_[node].message_sequence; }
  std::uint64_t packets_sent(std::uint32_t node) const { return senders_[node].packets_sent; }

  /// Payload of a packet, but for the last one of a message, and the flits of a packet with so many bytes.
  std::uint64_t packet_bytes() const { return packet_bytes_; }
  std::uint32_t flits_of(std::uint64_t bytes) const {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (bytes + flit_bytes_ - 1) / flit_bytes_));
  }

 protected:
  /// These give `form` what a derived class holds: queues of messages of a node, and all ports.
  virtual void put_line(StateForm& /*form*/, const Sender& /*sender*/) {}
  /// Number of a message of the sender that put_line is about, which is not that of its slot.
  std::uint32_t number_of(std::uint32_t slot) const { return numbers_[slot]; }
  virtual void put_port_state(StateForm& form) = 0;
  /// Keeps what a derived class holds: the ports, and queues of messages.
  virtual void keep_ports(Checkpoint& checkpoint) = 0;
  /// Takes a new message that ReadyMessages is not to hold. Returns whether it has done so.
  virtual bool keeps(std::uint32_t node, std::uint32_t slot) = 0;
  /// What the next packet of a message needs to start, and its rank among others, for ReadyMessages.
  virtual std::uint64_t need_of(std::uint32_t node, const Outgoing& outgoing) const = 0;
  virtual std::uint64_t rank_of(const MessageFields& message) const = 0;
  /// Whether the order of a message has a part in its rank.
  bool order_decides(MessageFields message) const {
    const std::uint64_t rank = rank_of(message);
    ++message.order;
    return rank_of(message) != rank;
  }
  /// Sends what the links of `node` take in this cycle. Returns whether the node has to be asked again in the next one.
  virtual bool inject_from(std::uint32_t node, Cycle now) = 0;
  /// Tells by set_wait why each link of `node` carries nothing, after inject_from, which returned `again`.
  virtual void note_waits(std::uint32_t node, bool again, Cycle now) = 0;
  /// Whether a message or a packet of `node` could go on if there were credits.
  virtual bool something_waits(std::uint32_t node) const;

  bool can_form(const Outgoing& outgoing) const {
    return !outgoing.all_formed && outgoing.released - outgoing.formed >= packet_size(outgoing);
  }
  /// Bytes of the next packet.
  std::uint64_t packet_size(const Outgoing& outgoing) const {
    return std::min(packet_bytes_, outgoing.message.bytes - outgoing.formed);
  }
  /// Number of the next packet within its message.
  std::uint64_t packet_number(const Outgoing& outgoing) const { return outgoing.formed / packet_bytes_; }
  /// Lets a message that no other queue holds line up for its next packet, behind those of its rank.
  void line_up(std::uint32_t node, std::uint32_t slot) {
    Sender& sender = senders_[node];
    sender.messages[slot].ticket = sender.tickets++;
    if (can_form(sender.messages[slot])) make_ready(node, slot);
  }
  /// The message that is first in `queue` has formed a packet and lines up for its next one.
  void line_up_again(std::uint32_t node, std::size_t queue) {
    Sender& sender = senders_[node];
    Outgoing& outgoing = sender.messages[sender.ready.slot(queue)];
    outgoing.ticket = sender.tickets++;
    if (!can_form(outgoing)) return sender.ready.pop(queue);
    sender.ready.line_up_again(queue, need_of(node, outgoing), {rank_of(outgoing.message), outgoing.ticket});
  }
  /// Puts the next packet of the message in `slot` into `injector`, which enters the fabric by `vc`.
  void form_packet(std::uint32_t node, std::uint32_t slot, Injector& injector, VcId vc);
  /// The first flit of the packet of `injector` goes on the link of `port` in cycle `now`, where it is a train.
  void note_sent(std::uint32_t node, std::uint32_t port, Cycle now) {
    if (waits_.active()) waits_.sent(std::size_t{node} * ports_per_node_ + port, now);
  }
  /// The packet of `injector` enters the fabric in cycle `now`.
  void enter(std::uint32_t node, const Injector& injector, Cycle now);
  /// Puts the next flit of `injector` on its link. After the last one of a message its endpoint is told.
  template <typename Ports>
  void put_on_link(Ports& ports, std::uint32_t node, Injector& injector, Cycle now);
  /// Why nothing that waits for the link of `port` can go; kNone: nothing waits, or the link is busy.
  void set_wait(std::uint32_t node, std::uint32_t port, StallReason reason, Cycle now) {
    waits_.set(std::size_t{node} * ports_per_node_ + port, links_.of(senders_[node].id, port), reason, now);
  }
  /// Gives the ports the credits that come back in cycle `now`, and wakes the nodes that get some.
  template <typename Ports>
  void take_credits_of(Ports& ports, Cycle now);

  /// Who takes packets as trains of flits; null where flits go one by one.
  TrainFabricSide* train_fabric() const { return train_fabric_; }
  /// Asks `node` in cycle `at`, where packets go as trains.
  void wake(std::uint32_t node, Cycle at) { credits_.push(at, {node, 0}); }
  /// Asks those nodes that are due in cycle `now`.
  void wake_due(Cycle now);
  /// The packet of `injector`, which is sent as a train, has left in cycle `now`.
  void end_train(std::uint32_t node, Injector& injector, Cycle now);

  /// Fetches what inject_from will touch of the ports of `node`.
  virtual void fetch_ports(std::uint32_t /*node*/) const {}
  /// Fetches the queues of messages of `node` that a derived class holds.
  virtual void fetch_messages(std::uint32_t /*node*/) const {}

  BigVector<Sender> senders_;

 private:
  friend struct InterfaceState;  // tests change single fields to see that a look has them
  void put_state(StateForm& form, Sender& sender);
  static void keep(Checkpoint& checkpoint, Sender& sender);
  void put_state(StateForm& form, Sender& sender, std::uint32_t slot);
  void put_order(StateForm& form, const Sender& sender, std::vector<std::uint32_t> slots);
  void put_waiting(StateForm& form, Sender& sender, const std::vector<std::uint32_t>& slots);
  void make_ready(std::uint32_t node, std::uint32_t slot) {
    Sender& sender = senders_[node];
    const Outgoing& outgoing = sender.messages[slot];
    sender.ready.push(need_of(node, outgoing), {rank_of(outgoing.message), outgoing.ticket}, slot);
  }
  void activate(std::uint32_t node) {
    if (is_active_[node] != 0) return;
    is_active_[node] = 1;
    active_.push_back(node);
  }
  void fetch(std::size_t position) const;
  void end_packet(Sender& sender, const Injector& injector, Cycle now);
  void finish_message(Sender& sender, std::uint32_t slot, Cycle now);
  void note_credits(std::uint32_t node, bool again, Cycle now);

  network::InjectionNumbers links_;
  std::uint32_t ports_per_node_;
  std::size_t sender_injectors_;  ///< per node
  std::uint64_t flit_bytes_;
  std::uint64_t packet_bytes_;
  bool statistics_on_;
  bool fetches_ahead_;  ///< the state of all nodes is too large for the caches
  FabricSide* fabric_ = nullptr;
  TrainFabricSide* train_fabric_ = nullptr;
  PacketPool* pool_ = nullptr;
  FabricProbe* probe_ = nullptr;
  MessageProbe* message_probe_ = nullptr;
  BigVector<Injector> injectors_;        ///< by node
  std::vector<std::uint8_t> is_active_;  ///< by node: it is on the list of nodes to step
  std::vector<std::uint32_t> active_;
  std::vector<std::uint32_t> stepping_;
  TimingWheel<Credit> credits_;         ///< where packets go as trains: when nodes are to be asked
  LinkWaits waits_;                     ///< by node and port
  std::vector<std::uint32_t> numbers_;  ///< by slot: number of a message of the sender whose state is being given
};

/// The sending side that suits the fabric of `config`.
std::unique_ptr<SendingSide> make_sending_side(const Config& config, const std::vector<NodeId>& nodes);

/// The class of messages that are sent from one node to another and belong to no collective.
MessageClass unicast_class(const FabricSpec& fabric);

template <typename Ports>
void SendingSide::put_on_link(Ports& ports, std::uint32_t node, Injector& injector, Cycle now) {
  Sender& sender = senders_[node];
  const VcId vc{injector.vc};
  const bool head = injector.flits_left == injector.flits;
  const bool tail = injector.flits_left == 1;
  if (probe_ != nullptr) {
    probe_->flit_sent(now, links_.of(sender.id, Ports::port_of(vc)), Ports::vc_on_link(vc),
                      {sender.id, (*pool_)[injector.packet].sequence}, head, tail, ports.credits(node, vc) - 1);
  }
  if (waits_.active()) waits_.sent(std::size_t{node} * ports_per_node_ + Ports::port_of(vc), now);
  ports.send(node, vc, Flit(injector.packet, head, tail), now, *fabric_);
  --injector.flits_left;
  if (tail) end_packet(sender, injector, now);
}

template <typename Ports>
void SendingSide::take_credits_of(Ports& ports, Cycle now) {
  for (const Credit& credit : credits_.at(now)) {
    const VcId vc{credit.vc};
    ports.credit(credit.node, vc);
    if (probe_ != nullptr) {
      probe_->credit_returned(now, links_.of(senders_[credit.node].id, Ports::port_of(vc)), Ports::vc_on_link(vc),
                              ports.credits(credit.node, vc));
    }
    activate(credit.node);
  }
  credits_.clear(now);
}

}  // namespace weft::npu
