// SPDX-License-Identifier: Apache-2.0
// Graph players of several ranks on an ideal network, with collectives that take a fixed time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "npu/player/graph_player.h"
#include "npu/player/point_to_point.h"
#include "tests/npu/support/ideal_network.h"
#include "tests/npu/support/memory_feeder.h"

namespace weft::npu::testing {

/// Ends each collective `cycles` after its start, on its own rank; 0 = within start(). Keeps what was asked for.
class TimedCollectives final : public CollectiveStarter {
 public:
  TimedCollectives(NetworkInterface& network, Cycle cycles) : network_(network), cycles_(cycles) {}
  void start(const CollectiveOrder& order) override {
    orders.push_back(order);
    if (cycles_ == 0) return player->collective_done(order.handle);
    network_.schedule(cycles_, order.handle);
  }
  std::string waiting_for(std::uint64_t) const override { return "a test's patience"; }

  GraphPlayer* player = nullptr;
  std::vector<CollectiveOrder> orders;

 private:
  NetworkInterface& network_;
  Cycle cycles_;
};

/// What the bench is made of.
struct BenchSpec {
  IdealNetworkSpec network;
  NpuSpec npu;
  std::map<std::string, std::vector<RankId>> groups;
  bool in_order = false;  ///< collectives may have to wait for announcements
  Cycle collective_cycles = 100;
};

/// One player per entry of `traces`, rank = node, at 1 GHz.
class PlayerBench {
 public:
  PlayerBench(BenchSpec spec, std::vector<std::vector<TraceNode>> traces)
      : spec_(with_placement(std::move(spec), traces.size())),
        groups_(spec_.groups, static_cast<std::uint32_t>(traces.size())),
        setup_(spec_.npu, ClockSpec{}, groups_),
        network_(spec_.network) {
    setup_.algorithm = "ring";
    setup_.in_order = spec_.in_order;
    for (std::size_t rank = 0; rank < traces.size(); ++rank) {
      ranks_.push_back(std::make_unique<Rank>(*this, static_cast<std::uint32_t>(rank), std::move(traces[rank])));
    }
  }

  /// Runs to the end of all events.
  void run() {
    start();
    network_.run();
  }
  void start() {
    for (auto& rank : ranks_) rank->player.start();
  }
  void run_until(Cycle last) { network_.run(last); }
  GraphPlayer& player(std::size_t rank) { return ranks_[rank]->player; }
  const RankStatistics& statistics(std::size_t rank) { return ranks_[rank]->player.statistics(); }
  const std::vector<CollectiveOrder>& orders(std::size_t rank) { return ranks_[rank]->collectives.orders; }

 private:
  struct Rank final : Endpoint {
    Rank(PlayerBench& bench, std::uint32_t rank, std::vector<TraceNode> nodes)
        : collectives(bench.network_.at(NodeId{rank}), bench.spec_.collective_cycles),
          player(bench.setup_, {RankId{rank}, nullptr, nullptr}, std::make_unique<MemoryFeeder>(std::move(nodes)),
                 bench.network_.at(NodeId{rank}), collectives) {
      collectives.player = &player;
      bench.network_.at(NodeId{rank}).attach(*this);
    }
    void on_data(const Delivery& delivery) override { player.on_data(delivery, without_owner(delivery.tag)); }
    void on_sent(MessageId id) override { WEFT_CHECK(player.on_sent(id), "a message of nobody was sent"); }
    void on_timer(std::uint64_t cookie) override {
      if (owner_of(cookie) == kPlayerOwner) {
        player.on_timer(without_owner(cookie));
      } else {
        player.collective_done(cookie);
      }
    }
    TimedCollectives collectives;
    GraphPlayer player;
  };

  static BenchSpec with_placement(BenchSpec spec, std::size_t ranks) {
    spec.network.nodes = static_cast<int>(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) spec.npu.placement.push_back(NodeId{rank});
    return spec;
  }

  BenchSpec spec_;
  GroupTable groups_;
  PlayerSetup setup_;
  IdealNetwork network_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace weft::npu::testing
