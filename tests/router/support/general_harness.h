// SPDX-License-Identifier: Apache-2.0
// Routers of any number of ports with plain network interfaces around them, driven without SystemC: sources send what a
// test tells them as soon as credits allow, sinks take everything at once and remember when it came.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/packet.h"
#include "network/graph_network.h"
#include "router/general/general_routers.h"

namespace weft::router::test {

/// A flit that has left the fabric: NPU, source, sequence, tail, and the cycles from the first one.
using Left = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool, Cycle>;

/// The routers of a fabric with a `fabric.kind` of network/kinds.
class GeneralHarness final : public LocalSide {
 public:
  /// What may not change any result; `start` is the first cycle, at least 1.
  struct Execution {
    bool sleep = true;
    std::uint64_t shuffle = 0;
    Cycle start = 1;
    std::uint32_t descriptors_before = 0;  ///< that others hold in the pool
  };

  GeneralHarness(const Config& config, const Execution& execution)
      : config_(config),
        network_(config_),
        routers_({network_.graph(), network_.routing(), config_.fabric.router, config_.npu.message_classes,
                  config_.seed, true, execution.sleep, execution.shuffle}),
        start_(execution.start),
        now_(execution.start),
        sources_(network_.endpoints()) {
    for (std::uint32_t i = 0; i < execution.descriptors_before; ++i) pool_.allocate();
    for (Source& source : sources_) {
      source.credits.assign(static_cast<std::size_t>(config_.fabric.router.vcs), config_.fabric.router.buffer_flits);
    }
    routers_.connect(this, &pool_, nullptr);
  }

  /// Queues a packet of `src`; its flits go out on `vc` behind earlier ones, `after` cycles from the start or later.
  void send(std::uint32_t src, std::uint32_t dst, std::uint32_t flits, int vc = 0, Cycle after = 0) {
    Source& source = sources_[src];
    const PacketIndex packet = pool_.allocate();
    pool_[packet].src = NodeId{src};
    pool_[packet].dst = NodeId{dst};
    pool_[packet].flits = flits;
    pool_[packet].sequence = source.packets++;
    for (std::uint32_t i = 0; i < flits; ++i) {
      source.queue.push_back({Flit(packet, i == 0, i + 1 == flits), vc, start_ + after});
    }
  }
  void step() {
    const auto [first, last] = credits_.equal_range(now_);
    for (auto credit = first; credit != last; ++credit) {
      ++sources_[credit->second.first].credits[static_cast<std::size_t>(credit->second.second)];
    }
    credits_.erase(first, last);
    for (std::uint32_t npu = 0; npu < sources_.size(); ++npu) send_flit(npu, sources_[npu]);
    routers_.step(now_);
    ++now_;
  }
  bool busy() const {
    return routers_.flits_inside() > 0 || !credits_.empty() || routers_.next_work(now_ - 1) != kNever ||
           std::any_of(sources_.begin(), sources_.end(), [](const Source& source) { return !source.queue.empty(); });
  }
  Cycle last_cycle() const { return now_ - 1; }
  std::uint64_t hash() const { return routers_.state_hash(now_ - 1); }
  const std::vector<Left>& left() const { return left_; }
  GeneralRouters& routers() { return routers_; }
  PacketPool& pool() { return pool_; }

  void eject(std::uint32_t npu, VcId vc, Flit flit, Cycle at) override {
    left_.emplace_back(npu, index(pool_[flit.packet()].src), pool_[flit.packet()].sequence, flit.tail(), at - start_);
    routers_.return_credit(npu, vc, at + 1 + config_.fabric.local.latency_cycles);
  }
  void credit(std::uint32_t npu, VcId vc, Cycle at) override {
    credits_.emplace(at, std::pair<std::uint32_t, int>{npu, index(vc)});
  }

 private:
  struct Waiting {
    Flit flit;
    int vc;
    Cycle start;
  };
  struct Source {
    std::deque<Waiting> queue;
    std::vector<int> credits;
    std::uint32_t packets = 0;
  };

  void send_flit(std::uint32_t npu, Source& source) {
    if (source.queue.empty() || source.queue.front().start > now_) return;
    const Waiting& next = source.queue.front();
    int& credits = source.credits[static_cast<std::size_t>(next.vc)];
    if (credits == 0) return;
    --credits;
    routers_.inject(npu, VcId(static_cast<std::uint8_t>(next.vc)), next.flit,
                    now_ + 1 + config_.fabric.local.latency_cycles);
    source.queue.pop_front();
  }

  Config config_;
  network::GraphNetwork network_;
  PacketPool pool_;
  GeneralRouters routers_;
  Cycle start_;
  Cycle now_;
  std::vector<Source> sources_;
  std::multimap<Cycle, std::pair<std::uint32_t, int>> credits_;  ///< by the cycle in which the source has them
  std::vector<Left> left_;
};

}  // namespace weft::router::test
