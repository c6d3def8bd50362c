// SPDX-License-Identifier: Apache-2.0
// A region with plain network interfaces around it, driven without SystemC: sources send what a test tells them as soon
// as link and credits allow, sinks take everything at once and remember when it came.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/packet.h"
#include "router/region.h"

namespace weft::router::test {

/// A flit that has left the fabric.
struct Arrived {
  NodeId src{};
  std::uint32_t sequence = 0;
  bool head = false;
  bool tail = false;
  VcId vc{};
  Cycle at = 0;
};

/// What may not change any result: how routers are visited and how the grid is cut.
struct Execution {
  bool sleep = true;
  std::uint64_t shuffle = 0;  ///< not 0: visit routers in a random order with this seed
  int parts = 1;              ///< regions, each of some full rows; at most the number of rows
  const ColourPlan* colours = nullptr;
  const MulticastPlan* multicast = nullptr;
  int message_classes = 1;
};

/// The regions of a whole grid. A flit sent in cycle I reaches its router in I + 1 + local latency; a credit that the
/// router gives back counts from the cycle in which it is received.
class RegionHarness {
 public:
  explicit RegionHarness(const FabricSpec& fabric, const Execution& execution = {});
  ~RegionHarness();

  /// Queues a packet of `src`. Its flits go out on `vc` from cycle `start` on, behind earlier packets of `src`. On a
  /// colour (`vc` = index(colour_vc(c))) each packet is a message.
  void send(NodeId src, NodeId dst, std::uint32_t flits, int vc = 0, Cycle start = 0);
  /// As send, but the packet goes along the tree of `src` in its message class.
  void send_multicast(NodeId src, std::uint32_t flits, int vc = 0, Cycle start = 0, std::uint8_t message_class = 0);
  /// Steps every cycle up to, not including, `end`.
  void run_to(Cycle end);
  /// Steps until nothing is left; throws std::runtime_error after `limit` cycles. All credits must be home then.
  void run_empty(Cycle limit = 100'000);

  /// Throws ViolationError unless all buffers are empty and all credits are home.
  void require_empty() const;

  /// The next cycle to be stepped.
  Cycle now() const { return now_; }
  /// Flits that arrived at `node`, in order of time.
  const std::vector<Arrived>& arrived(NodeId node) { return arrived_[node]; }
  /// Cycle in which the head of the n-th packet of `src` was sent.
  Cycle sent(NodeId src, std::uint32_t sequence) { return sources_[src].sent.at(sequence); }
  /// Why an output of a router has carried nothing so far.
  LinkValues link_values(NodeId node, PortId port);
  /// The first region.
  Region& region();
  /// Hash of all that can influence the future; the same however the grid is cut.
  std::uint64_t state_hash() const;

 private:
  class Part;
  struct Waiting {
    PacketIndex packet;
    std::uint32_t flits;
    std::uint32_t left;
    int vc;
    Cycle start;
  };
  struct Source {
    std::deque<Waiting> queue;
    std::vector<int> credits;
    std::vector<Cycle> sent;
    std::uint32_t sequence = 0;
  };

  void step();
  void enqueue(Packet packet, int vc, Cycle start);
  bool busy() const;
  void send_flit(NodeId node, Source& source);
  Source& source(NodeId node);
  Part& part_of(NodeId node) {
    return *parts_[static_cast<std::size_t>(part_of_row_[static_cast<std::size_t>(grid_.coordinates(node).y)])];
  }

  FabricSpec fabric_;
  Grid grid_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<int> part_of_row_;
  std::map<NodeId, Source> sources_;
  std::map<NodeId, std::vector<Arrived>> arrived_;
  Cycle now_ = 0;
};

/// Node, source, sequence, head, tail, VC and cycle of flits.
using Flits = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool, bool, int, Cycle>>;

/// Every flit that has left the fabric of `nodes` nodes, node by node, with all that a run may not change.
inline Flits all_arrivals(RegionHarness& harness, int nodes) {
  Flits flits;
  for (int node = 0; node < nodes; ++node) {
    for (const Arrived& flit : harness.arrived(static_cast<NodeId>(node))) {
      flits.emplace_back(node, index(flit.src), flit.sequence, flit.head, flit.tail, index(flit.vc), flit.at);
    }
  }
  return flits;
}

}  // namespace weft::router::test
