// SPDX-License-Identifier: Apache-2.0
// A fabric for tests of network interfaces: every VC of every pair of nodes is a pipe of its own with a delay that the
// test sets per VC, so that packets overtake each other when it wants them to. Credits come back when flits arrive.
#pragma once

#include <map>
#include <vector>

#include "base/region_ports.h"

namespace weft::npu::test {

class LoopFabric final : public FabricSide {
 public:
  LoopFabric(LocalSide& local, PacketPool& pool, std::vector<NodeId> nodes)
      : local_(local), pool_(pool), nodes_(std::move(nodes)) {}

  /// Cycles from injection to arrival on `vc`.
  void set_delay(int vc, Cycle delay) { delays_[vc] = delay; }
  /// Keeps all flits that come on `vc` and their credits until `open`.
  void close(int vc) { closed_[vc] = true; }
  void open(int vc, Cycle now) {
    closed_[vc] = false;
    for (const Held& held : held_[vc]) pass(held.node, VcId(static_cast<std::uint8_t>(vc)), held.flit, now + 1);
    held_[vc].clear();
  }

  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override {
    injected.push_back({node, index(vc), flit.head(), at});
    if (closed_[index(vc)]) {
      held_[index(vc)].push_back({node, flit});
    } else {
      pass(node, vc, flit, at);
    }
  }
  void return_credit(std::uint32_t, VcId, Cycle) override { ++credits_returned; }

  struct Injected {
    std::uint32_t node;
    int vc;
    bool head;
    Cycle at;
  };
  std::vector<Injected> injected;
  int credits_returned = 0;

 private:
  struct Held {
    std::uint32_t node;
    Flit flit;
  };

  void pass(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
    const NodeId dst = pool_[flit.packet()].dst;
    for (std::uint32_t to = 0; to < nodes_.size(); ++to) {
      if (nodes_[to] == dst) local_.eject(to, vc, flit, at + delays_[index(vc)]);
    }
    local_.credit(node, vc, at + 1);
  }

  LocalSide& local_;
  PacketPool& pool_;
  std::vector<NodeId> nodes_;
  std::map<int, Cycle> delays_;
  std::map<int, bool> closed_;
  std::map<int, std::vector<Held>> held_;
};

}  // namespace weft::npu::test
