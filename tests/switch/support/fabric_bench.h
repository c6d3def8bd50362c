// SPDX-License-Identifier: Apache-2.0
// A fabric of FRED switches with nodes that send packets in a given order and keep what arrives, data included.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/packet_rate.h"
#include "switch/fabric/fred_fabric.h"

namespace weft::fred::test {

/// A packet that a node sends: operand of a flow, or a unicast to `dst`.
struct ToSend {
  std::uint32_t flow = kNoFlow;
  std::uint32_t dst = 0;
  TrafficClass traffic_class = TrafficClass::kDp;
  std::uint64_t offset = 0;  ///< names the packet within its flow
  std::vector<std::int32_t> data;
  Cycle not_before = 0;
};

struct Received {
  Cycle at = 0;
  std::uint32_t src = 0;  ///< sender of a unicast
  std::uint32_t flow = kNoFlow;
  std::uint64_t offset = 0;
  std::vector<std::int32_t> data;  ///< data of a flow
};

/// One plane. Nodes have the rate and latency of `local`; a packet starts when it has credits for all of it.
class FabricBench final : public LocalSide, public PacketData {
 public:
  FabricBench(const FabricSpec& spec, const FabricParameters& parameters)
      : fabric(spec, parameters),
        rate_{spec.local.flits_per_cycle, spec.flit_bytes, spec.fred.header_bytes},
        latency_(spec.local.latency_cycles),
        depth_(static_cast<std::uint32_t>(spec.fred.levels.front().buffer_flits)),
        nodes_(fabric.topology().nodes()) {
    for (Node& node : nodes_) std::fill(std::begin(node.credits), std::end(node.credits), depth_);
    fabric.connect(this, &pool, parameters.values ? this : nullptr, nullptr);
  }

  void send(std::uint32_t node, ToSend packet) { nodes_[node].queue.push_back(std::move(packet)); }
  const std::vector<Received>& received(std::uint32_t node) const { return nodes_[node].received; }
  /// Keeps the credits of what arrives at `node` on `traffic_class` back until cycle `until`.
  void hold(std::uint32_t node, TrafficClass traffic_class, Cycle until) {
    nodes_[node].held[static_cast<int>(traffic_class)] = until;
  }
  /// Reads of operands; each may be read once.
  std::uint64_t reads = 0;

  /// Steps until nothing happens any more; the cycle in which the last packet arrived.
  Cycle run(Cycle limit) {
    Cycle last = 0;
    for (Cycle now = 1;; ++now) {
      WEFT_CHECK(now < limit, "the fabric does not come to rest");
      fabric.step(now);
      for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
        if (receive(n, now)) last = now;
        inject(n, now);
      }
      const bool idle = std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
        return node.next == node.queue.size() && node.arriving.empty() && node.returning.empty() && node.owed.empty();
      });
      if (idle && fabric.next_work(now) == kNever) return last;
    }
  }
  /// Everything has arrived, and all credits are home.
  void require_empty() const {
    fabric.require_empty();
    for (const Node& node : nodes_) {
      for (int c = 0; c < kTrafficClasses; ++c) {
        WEFT_CHECK(node.credits[c] == depth_, "a node lacks credits at the end");
      }
    }
    WEFT_CHECK(pool.in_use() == 0, "packets are left");
  }

  void eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override {
    Arrival arrival{vc, flit, {}};
    if (flit.tail()) arrival.data.swap(made_);
    nodes_[node].arriving.emplace(at, std::move(arrival));
  }
  void credit(std::uint32_t node, VcId vc, Cycle at) override {
    nodes_[node].returning.emplace(at, traffic_class_of(vc));
  }

  void copied(const Packet& /*packet*/) override {}
  void merged(Packet& /*into*/, const Packet& /*from*/) override {}
  const std::uint8_t* bytes(const Packet& packet) const override {
    return reinterpret_cast<const std::uint8_t*>(nodes_[index(packet.src)].queue[packet.message_sequence].data.data());
  }
  void read(Packet& packet) override {
    ++reads;
    Node& node = nodes_[index(packet.src)];
    WEFT_CHECK(node.read.emplace(packet.message_sequence, true).second, "an operand is read twice");
  }
  void made(Packet& /*packet*/, std::vector<std::uint8_t> bytes) override { made_ = std::move(bytes); }

  PacketPool pool;
  FredFabric fabric;

 private:
  struct Arrival {
    VcId vc{};
    Flit flit;
    std::vector<std::uint8_t> data;
  };
  struct Node {
    std::vector<ToSend> queue;
    std::size_t next = 0;
    std::uint32_t flits_left = 0;
    PacketIndex sending = 0;
    PacketRate rate;
    std::uint32_t credits[kTrafficClasses] = {};
    std::multimap<Cycle, Arrival> arriving;
    std::multimap<Cycle, TrafficClass> returning;
    std::multimap<Cycle, VcId> owed;
    Cycle held[kTrafficClasses] = {};
    std::map<std::uint32_t, bool> read;
    std::uint32_t flits_of[kTrafficClasses] = {};  ///< flits so far of the packet that is coming in
    std::vector<Received> received;
  };

  bool receive(std::uint32_t number, Cycle now) {
    Node& node = nodes_[number];
    for (; !node.returning.empty() && node.returning.begin()->first <= now;
         node.returning.erase(node.returning.begin())) {
      ++node.credits[static_cast<std::size_t>(node.returning.begin()->second)];
    }
    for (; !node.owed.empty() && node.owed.begin()->first <= now; node.owed.erase(node.owed.begin())) {
      fabric.return_credit(number, node.owed.begin()->second, now + latency_ + 1);
    }
    bool complete = false;
    for (; !node.arriving.empty() && node.arriving.begin()->first <= now; node.arriving.erase(node.arriving.begin())) {
      Arrival& arrival = node.arriving.begin()->second;
      const Cycle held = node.held[static_cast<int>(traffic_class_of(arrival.vc))];
      if (now < held) {
        node.owed.emplace(held, arrival.vc);
      } else {
        fabric.return_credit(number, arrival.vc, now + latency_ + 1);
      }
      const Packet& packet = pool[arrival.flit.packet()];
      std::uint32_t& flits = node.flits_of[static_cast<std::size_t>(traffic_class_of(arrival.vc))];
      WEFT_CHECK(arrival.flit.head() == (flits == 0), "flits arrive out of order");
      ++flits;
      if (!arrival.flit.tail()) continue;
      WEFT_CHECK(flits == packet.flits, "a packet arrives in part");
      flits = 0;
      complete = true;
      Received got{now, index(packet.src), packet.switch_flow, packet.offset, {}};
      got.data.resize(arrival.data.size() / 4);
      if (!got.data.empty()) std::memcpy(got.data.data(), arrival.data.data(), arrival.data.size());
      node.received.push_back(std::move(got));
      pool.release(arrival.flit.packet());
    }
    return complete;
  }

  void inject(std::uint32_t number, Cycle now) {
    Node& node = nodes_[number];
    if (node.next == node.queue.size() || !node.rate.can_send(now)) return;
    const ToSend& wanted = node.queue[node.next];
    if (now < wanted.not_before) return;
    const auto traffic_class = static_cast<std::size_t>(wanted.traffic_class);
    const std::uint64_t bytes = wanted.data.size() * 4;
    const auto flits = static_cast<std::uint32_t>((bytes + rate_.flit_bytes - 1) / rate_.flit_bytes);
    if (node.flits_left == 0) {
      if (node.credits[traffic_class] < flits) return;
      node.credits[traffic_class] -= flits;
      node.flits_left = flits;
      node.sending = pool.allocate();
      Packet& packet = pool[node.sending];
      packet.src = NodeId{number};
      packet.dst = NodeId{wanted.dst};
      packet.sequence = packet.message_sequence = static_cast<std::uint32_t>(node.next);
      packet.flits = flits;
      packet.bytes = static_cast<std::uint32_t>(bytes);
      packet.switch_flow = wanted.flow;
      packet.offset = wanted.offset;
    }
    const bool head = node.flits_left == flits;
    const bool tail = --node.flits_left == 0;
    node.rate.send(rate_, now, tail);
    if (tail) ++node.next;
    fabric.inject(number, plane_vc(0, TrafficClass(traffic_class)), Flit(node.sending, head, tail),
                  now + rate_.flit_cycles() + latency_);
  }

  PacketRateSpec rate_;
  Cycle latency_;
  std::uint32_t depth_;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> made_;
};

}  // namespace weft::fred::test
