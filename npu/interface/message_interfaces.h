// SPDX-License-Identifier: Apache-2.0
// Network interfaces that send and receive messages: messages to packets to flits, and back in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "base/activity_probe.h"
#include "base/histogram.h"
#include "base/timing_wheel.h"
#include "network/link_numbers.h"
#include "npu/interface/injection_port.h"
#include "npu/interface/link_waits.h"
#include "npu/interface/local_block.h"
#include "npu/interface/network_interface.h"
#include "npu/interface/plane_ports.h"

namespace weft {

/// Data of a message on the way: kept by the message until it is sent and by each of its packets until delivery.
struct PayloadHolder {
  std::shared_ptr<npu::Payload> data;
  std::uint32_t refs = 1;
  std::uint64_t first = 0;  ///< byte of the message that `data` begins with
};

/// Data that begins with byte `first` of its message, with one reference.
inline PayloadHolder* hold_payload(std::shared_ptr<npu::Payload> data, std::uint64_t first) {
  return new PayloadHolder{std::move(data), 1, first};
}

/// Gives up one reference; the last one deletes the holder.
inline void drop(PayloadHolder* payload) {
  if (payload != nullptr && __atomic_sub_fetch(&payload->refs, 1, __ATOMIC_ACQ_REL) == 0) delete payload;
}

}  // namespace weft

namespace weft::npu {

/// Traffic of the network interfaces of one region.
struct MessageStatistics {
  LatencyHistogram latency;          ///< packets: bytes ready to tail received
  LatencyHistogram network_latency;  ///< packets: head sent to tail received
  std::uint64_t hops = 0;            ///< routers visited, over all packets
  std::uint64_t packets_received = 0;
  std::uint64_t flits_received = 0;
};

/// The network interfaces of the nodes of one region, as contiguous state.
///
/// Sending: ready messages of a node take turns packet by packet (`npu.message_turns`), higher priority first; up to
/// `npu.injectors` packets (default: one per VC) enter the fabric side by side, their flits taking turns. Into FRED
/// switches one packet per plane enters side by side; circuits have priorities, and flow messages of a circuit go one
/// by one. Receiving: every flit is taken in the cycle of its arrival; the packets of a message are handed over in
/// order of their offset.
class MessageInterfaces final : public LocalBlock {
 public:
  MessageInterfaces(const Config& config, std::vector<NodeId> nodes);
  ~MessageInterfaces() override;

  void connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) override;
  /// Who is told what happens here; null = nobody. Before the first message.
  void set_message_probe(MessageProbe* probe) { message_probe_ = probe; }
  /// The message API of the region's node number `node`.
  NetworkInterface& at(std::uint32_t node);
  void step(Cycle now) override;
  /// First cycle after `now` with work; kNever = none. Before the first step: what was sent already.
  Cycle next_work(Cycle now) const override;

  const MessageStatistics& statistics() const { return statistics_; }
  const InjectionLinks& ports() const override {
    return planes_ ? static_cast<const InjectionLinks&>(*planes_) : ports_;
  }
  LinkValues link_values(std::uint32_t node) const override;
  void finish_stalls(Cycle end) override { waits_.finish(end); }
  std::uint64_t packets_sent(std::uint32_t node) const override { return nodes_[node].packets_sent; }
  std::uint64_t packets_received(std::uint32_t node) const override { return nodes_[node].packets_received; }
  std::uint64_t flits_received(std::uint32_t node) const override { return nodes_[node].flits_received; }
  /// No message is waiting or on the way here.
  bool idle() const override;
  Cycle next_timer() const override;

  void eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void credit(std::uint32_t node, VcId vc, Cycle at) override;

 private:
  class Port;  // the NetworkInterface of one node

  /// Timers so near are kept in buckets, others in a heap.
  static constexpr Cycle kNear = 32;

  /// A message that is being sent.
  struct Outgoing {
    Message message;
    PayloadHolder* payload = nullptr;
    std::uint64_t released = 0;  ///< bytes that may leave
    std::uint64_t formed = 0;    ///< bytes put into packets
    std::uint32_t sequence = 0;
    Cycle ready_since = 0;  ///< statistics: when its next bytes became ready
    bool all_formed = false;
    bool in_use = false;
  };
  /// A packet that is entering the fabric.
  struct Injector {
    PacketIndex packet = 0;
    std::uint32_t flits_left = 0;  ///< 0 = free
    std::uint32_t flits = 0;
    std::uint32_t message = 0;
    std::uint8_t vc = 0;
    bool last = false;  ///< of its message
  };
  /// A message of which some packets have arrived.
  struct Incoming {
    std::uint64_t delivered = 0;            ///< bytes handed over
    std::map<std::uint64_t, Packet> early;  ///< by offset: packets that overtook others
  };
  struct Node {
    NodeId id{};
    Endpoint* endpoint = nullptr;
    std::vector<Outgoing> messages;
    std::vector<std::uint32_t> free_messages;
    std::vector<std::uint32_t> sendable;  ///< messages with packets to form, in order of turn
    std::vector<Injector> injectors;
    std::uint32_t next_injector = 0;
    bool credit_missing = false;  ///< as last told to the message probe
    std::uint32_t packet_sequence = 0;
    std::uint32_t message_sequence = 0;
    std::uint64_t packets_sent = 0;
    std::uint64_t packets_received = 0;
    std::uint64_t flits_received = 0;
    std::unordered_map<std::uint64_t, Incoming> incoming;  ///< by sender and its message sequence
    std::uint64_t last_key = 0;                            ///< of the entry used last: streams come in a row
    Incoming* last_incoming = nullptr;
    bool active = false;
  };
  /// Of one node, with planes.
  struct PlaneQueues {
    std::array<std::deque<std::uint32_t>, kCircuits> flows;  ///< flow messages, oldest first
    int next_plane = 0;                                      ///< for the next packet that may take any
  };
  struct Arrival {
    std::uint32_t node;
    Flit flit;
    std::uint8_t vc;
  };
  struct Credit {
    std::uint32_t node;
    std::uint8_t vc;
  };
  struct Timer {
    Cycle at;
    std::uint64_t order;  ///< timers of one cycle fire in the order in which they were set
    std::uint32_t node;
    std::uint64_t cookie;
    friend bool operator>(const Timer& a, const Timer& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  MessageId send(std::uint32_t node, const Message& message, std::uint64_t released);
  void release(std::uint32_t node, MessageId id, std::uint64_t bytes);
  void schedule(std::uint32_t node, Cycle delay, std::uint64_t cookie);

  void receive(const Arrival& arrival, Cycle now);
  void receive_packet(std::uint32_t node, Packet packet, Cycle now);
  void deliver(std::uint32_t node, const Packet& packet, bool last);
  void fire_timers(Cycle now);
  bool take_timer(Cycle now, Timer* timer);

  void activate(std::uint32_t node);
  bool inject(std::uint32_t node, Cycle now);
  void start_packets(std::uint32_t node, Cycle now);
  int choose_message(const Node& node) const;
  bool has_turn_before(const Message& a, const Message& b) const;
  bool can_start(const Node& node, const Outgoing& outgoing) const;
  std::uint32_t vcs_for(const Node& node, const Message& message) const {
    return ports_.vcs_towards(node.id, message.dst, static_cast<unsigned>(message.message_class));
  }
  void form_packet(std::uint32_t node, std::uint32_t slot, Injector& injector, int vc, Cycle now);
  bool can_form(const Outgoing& outgoing) const;
  std::uint64_t packet_size(const Outgoing& outgoing) const {
    return std::min(packet_bytes_, outgoing.message.bytes - outgoing.formed);
  }
  std::uint32_t flits_of(std::uint64_t bytes) const {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (bytes + flit_bytes_ - 1) / flit_bytes_));
  }
  void send_flit(std::uint32_t node, Injector& injector, Cycle now);
  void finish_message(std::uint32_t node, std::uint32_t slot);

  void make_sendable(std::uint32_t node, std::uint32_t slot);
  bool inject_planes(std::uint32_t node, Cycle now);
  bool start_of_circuit(std::uint32_t node, Circuit circuit, Cycle now);
  void start_on(std::uint32_t node, std::uint32_t slot, int plane, Cycle now);
  int plane_for(std::uint32_t node, const Outgoing& outgoing, Cycle now) const;
  void send_plane_flit(std::uint32_t node, Injector& injector, Cycle now);
  void take_credit(const Credit& credit, Cycle now);
  void sort_arrivals(Cycle now);
  void note_credits(std::uint32_t node, bool again, Cycle now);
  void note_waits(std::uint32_t node, bool again, Cycle now);
  StallReason why_nothing_goes(std::uint32_t node) const;
  StallReason why_plane_idle(std::uint32_t node, int plane, Cycle now) const;

  network::InjectionNumbers links_;
  std::uint64_t flit_bytes_;
  std::uint64_t packet_bytes_;
  bool oldest_first_;
  FabricSide* fabric_ = nullptr;
  PacketPool* pool_ = nullptr;
  FabricProbe* probe_ = nullptr;
  MessageProbe* message_probe_ = nullptr;
  InjectionPorts ports_;                ///< into routers
  std::unique_ptr<PlanePorts> planes_;  ///< into FRED switches; null on meshes
  std::vector<PlaneQueues> plane_queues_;
  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<Port>> interfaces_;
  std::vector<std::uint32_t> active_;
  std::vector<std::uint32_t> stepping_;
  TimingWheel<Arrival> arriving_;
  TimingWheel<Credit> credits_;
  bool statistics_on_;
  LinkWaits waits_;  ///< by node, with planes by node and plane
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  TimingWheel<Timer> near_timers_;
  std::size_t fired_ = 0;  ///< of this cycle's near timers
  std::uint64_t timers_set_ = 0;
  Cycle now_ = 0;
  MessageStatistics statistics_;
};

}  // namespace weft::npu
