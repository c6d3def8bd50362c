// SPDX-License-Identifier: Apache-2.0
// A region with plain network interfaces around it, driven without SystemC: sources send what a test tells them as soon
// as link and credits allow, sinks take everything at once and remember when it came.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "kernel/packet.h"
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

/// How the region visits its routers; nothing of it may change a result.
struct VisitOrder {
  bool sleep = true;
  std::uint64_t shuffle = 0;  ///< not 0: seed of a random order
};

/// Region for the whole of a grid. A flit sent in cycle I reaches its router in I + 1 + local latency; a credit that
/// the router gives back counts from the cycle in which it is received.
class RegionHarness : public LocalSide {
 public:
  explicit RegionHarness(const FabricSpec& fabric, VisitOrder order = {});

  /// Queues a packet of `src`. Its flits go out on `vc` from cycle `start` on, behind earlier packets of `src`.
  void send(NodeId src, NodeId dst, std::uint32_t flits, int vc = 0, Cycle start = 0);
  /// Steps every cycle up to, not including, `end`.
  void run_to(Cycle end);
  /// Steps until nothing is left; throws std::runtime_error after `limit` cycles. All credits must be home then.
  void run_empty(Cycle limit = 100'000);

  Cycle now() const { return now_; }
  /// Flits that arrived at `node`, in order of time.
  const std::vector<Arrived>& arrived(NodeId node) { return arrived_[node]; }
  /// Cycle in which the head of the n-th packet of `src` was sent.
  Cycle sent(NodeId src, std::uint32_t sequence) { return sources_[src].sent.at(sequence); }
  /// Hash of all that can influence the future.
  std::uint64_t state_hash() const { return region_->state_hash(now_ - 1); }
  Region& region() { return *region_; }

  void eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void credit(std::uint32_t node, VcId vc, Cycle at) override;

 private:
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
  struct Return {
    std::uint32_t node;
    VcId vc;
  };
  struct Tail {
    PacketIndex packet;
  };

  void step();
  void send_flit(NodeId node, Source& source);
  Source& source(NodeId node);

  FabricSpec fabric_;
  PacketPool pool_;
  std::unique_ptr<Region> region_;
  std::map<NodeId, Source> sources_;
  std::map<NodeId, std::vector<Arrived>> arrived_;
  std::multimap<Cycle, Return> sink_credits_;    ///< by the cycle in which the sink takes the flit
  std::multimap<Cycle, Return> source_credits_;  ///< by the cycle in which the source receives it
  std::multimap<Cycle, Tail> releases_;
  Cycle now_ = 0;
};

}  // namespace weft::router::test
