// SPDX-License-Identifier: Apache-2.0
// Network interfaces that send and receive messages: messages to packets to flits, and back in order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "base/activity_probe.h"
#include "base/big_vector.h"
#include "base/histogram.h"
#include "base/queue_ring.h"
#include "base/timing_wheel.h"
#include "npu/interface/local_block.h"
#include "npu/interface/network_interface.h"
#include "npu/interface/sending_side.h"

namespace weft::npu {

/// Traffic of the network interfaces of one region.
struct MessageStatistics {
  LatencyHistogram latency;          ///< packets: bytes ready to tail received
  LatencyHistogram network_latency;  ///< packets: head sent to tail received
  std::uint64_t hops = 0;            ///< routers visited, over all packets
  std::uint64_t packets_received = 0;
  std::uint64_t flits_received = 0;
};

/// What a packet took, in cycles.
struct PacketLatency {
  std::uint32_t node = 0;  ///< where it was received
  Cycle latency = 0;
  Cycle network_latency = 0;
};

/// Latencies of the packets of a span of time. Those of packets that became ready before `from` grow along their
/// message, and only their time in the network is here; a stream of messages, such as a load, has all of them.
struct SpanLatencies {
  Cycle from = 0;
  StateForm::TagFamily family = nullptr;  ///< says by its tag whether a packet belongs to a stream
  LatencyHistogram latency;
  LatencyHistogram network_latency;

  void clear(Cycle new_from) { *this = SpanLatencies{new_from, family, {}, {}}; }
  void add(const Packet& packet, Cycle now) {
    const bool of_stream = family != nullptr && family(packet.tag) != 0;
    if (packet.created >= from || of_stream) latency.add(now - packet.created);
    network_latency.add(now - packet.injected);
  }
  void merge(const SpanLatencies& other) {
    latency.merge(other.latency);
    network_latency.merge(other.network_latency);
  }
};

/// The network interfaces of the nodes of one region, as contiguous state. How messages become packets and enter the
/// fabric is their SendingSide. Receiving: every flit is taken in the cycle of its arrival; the packets of a message
/// are handed over in order of their offset.
class MessageInterfaces final : public LocalBlock, private TrainLocalSide {
 public:
  MessageInterfaces(const Config& config, std::vector<NodeId> nodes);
  ~MessageInterfaces() override;

  void connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) override;
  /// Who is told what happens here; null = nobody. Before the first message.
  void set_message_probe(MessageProbe* probe);
  /// The message API of the region's node number `node`.
  NetworkInterface& at(std::uint32_t node);
  void step(Cycle now) override;
  /// First cycle after `now` with work; kNever = none. Before the first step: what was sent already.
  Cycle next_work(Cycle now) const override;

  const MessageStatistics& statistics() const { return statistics_; }
  const InjectionLinks& ports() const override { return ports_; }
  LinkValues link_values(std::uint32_t node) const override { return sending_->link_values(node); }
  void finish_stalls(Cycle end) override { sending_->finish_stalls(end); }
  NodeValues node_values(std::uint32_t node) const override;
  /// No message is waiting or on the way here.
  bool idle() const override;
  Cycle next_timer() const override;

  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;
  /// Where the latencies of each packet are written down, besides the histograms; null = nowhere.
  void set_latency_tap(std::vector<PacketLatency>* latencies) { latencies_ = latencies; }
  /// Where the latencies of the packets that come are counted, besides the statistics; null = nowhere.
  void set_span_latencies(SpanLatencies* span) { span_latencies_ = span; }
  MessageStatistics& statistics() { return statistics_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Events that endpoints have noted so far.
  std::uint64_t events() const { return events_; }
  /// The same, with chunks of collectives that have begun behind others.
  std::uint64_t events_and_chunks() const { return events_and_chunks_; }
  /// The piece of a stream that has come last, and when.
  struct Piece {
    Cycle at = kNever;
    std::uint64_t family = 0;
  };
  const Piece& last_piece() const { return last_piece_; }
  /// Chunks of collectives at a node, as far as its endpoint has noted them.
  struct Chunks {
    std::uint32_t begun = 0;  ///< when others had ended
    std::uint32_t left = 0;   ///< to begin, of the collective whose chunk was the last of these
  };
  const Chunks& chunks(std::uint32_t node) const { return nodes_[node].chunks; }
  /// Messages that a node has sent so far.
  std::uint32_t messages_sent(std::uint32_t node) const { return sending_->messages_sent(node); }

  TrainLocalSide* trains() override { return sending_->may_send_trains() ? this : nullptr; }
  void settle(Cycle end) override;
  void eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void credit(std::uint32_t node, VcId vc, Cycle at) override { sending_->credit(node, vc, at); }

 private:
  friend struct InterfaceState;  // tests change single fields to see that a look has them
  class Port;                    // the NetworkInterface of one node

  /// Timers so near are kept in buckets, others in a heap.
  static constexpr Cycle kNear = 32;

  /// A message of which some packets have arrived.
  struct Incoming {
    std::uint64_t delivered = 0;            ///< bytes handed over
    std::map<std::uint64_t, Packet> early;  ///< by offset: packets that overtook others
  };
  struct Node {
    NodeId id{};
    Endpoint* endpoint = nullptr;
    std::uint64_t packets_received = 0;
    std::uint64_t flits_received = 0;
    std::unordered_map<std::uint64_t, Incoming> incoming;  ///< by sender and its message sequence
    std::uint64_t last_key = 0;                            ///< key of the entry used last: streams come in a row
    Incoming* last_incoming = nullptr;
    Chunks chunks;
    std::vector<QueueRing<FlitTrain>> ejecting;  ///< by VC: packets that come as trains, whose tails are to come
  };
  struct Timer {
    Cycle at;
    std::uint64_t order;  ///< timers of one cycle fire in the order in which they were set
    std::uint32_t node;
    std::uint64_t cookie;
    friend bool operator>(const Timer& a, const Timer& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  void keep(Checkpoint& checkpoint, Node& node);
  void keep_timers(Checkpoint& checkpoint);
  void put_incoming(StateForm& form, Node& node);
  void count_moved_on(std::uint64_t bytes, Node& node);
  void put_far_timers(StateForm& form);
  void put_repeated_timers(StateForm& form);
  void put_near_timers(StateForm& form);
  void put_timer(StateForm& form, Timer& timer, bool may_stay);
  static void put_early(StateForm& form, Incoming& incoming);
  static void put_ejecting(StateForm& form, Node& node);
  void fetch_timers(Cycle now);
  void schedule(std::uint32_t node, Cycle delay, std::uint64_t cookie);
  void fire_timers(Cycle now);
  bool take_timer(Cycle now, Timer* timer);

  void eject(std::uint32_t node, VcId vc, PacketIndex packet, const FlitTrain& arrivals) override;
  void credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals) override {
    sending_->credits(node, vc, arrivals);
  }
  void fetch(const EventList<Arrival>& arrivals, std::size_t position) const;
  static void fetch_endpoint(const Endpoint* endpoint);
  static void fetch_behind(const Endpoint* endpoint, int depth);
  void receive(const Arrival& arrival, Cycle now);
  void receive_train(const Arrival& arrival, Cycle now);
  void receive_tail(const Arrival& arrival, std::uint32_t flits_received, Cycle now);
  void count_flits(Node& node, std::uint32_t flits);
  void receive_packet(std::uint32_t node, const Packet& packet);
  void deliver(std::uint32_t node, const Packet& packet, bool last);

  std::unique_ptr<SendingSide> sending_;
  const InjectionLinks& ports_;
  FabricSide* fabric_ = nullptr;
  TrainFabricSide* train_fabric_ = nullptr;  ///< null where flits come one by one
  PacketPool* pool_ = nullptr;
  MessageProbe* message_probe_ = nullptr;
  bool fetches_ahead_;  ///< the state of all nodes is too large for the caches
  BigVector<Node> nodes_;
  std::vector<std::unique_ptr<Port>> interfaces_;
  TimingWheel<Arrival> arriving_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  TimingWheel<Timer> near_timers_;
  std::size_t fired_ = 0;  ///< near timers of this cycle that have fired
  std::uint64_t timers_set_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t events_and_chunks_ = 0;
  Piece last_piece_;
  Cycle now_ = 0;
  MessageStatistics statistics_;
  std::vector<PacketLatency>* latencies_ = nullptr;
  SpanLatencies* span_latencies_ = nullptr;
};

}  // namespace weft::npu
