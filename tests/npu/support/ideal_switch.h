// SPDX-License-Identifier: Apache-2.0
// A fabric for tests of nodes in front of FRED switches: one tree of two levels per plane that takes whole packets,
// reduces (in the order of the ports, then of the switches) and copies those of flows, and never conflicts. Packets of
// a node and VC leave in the order in which they came, so that operands that are issued in different orders block each
// other as they do in hardware.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fabric_flows.h"
#include "base/packet.h"
#include "base/region_ports.h"
#include "base/tree_order.h"

namespace weft::npu::test {

class IdealSwitch final : public FabricSide, public FlowDirectory {
 public:
  /// `ports` nodes below each lowest switch. `data` may be null: packets without payload.
  IdealSwitch(LocalSide& local, PacketPool& pool, std::uint32_t ports, PacketData* data)
      : local_(local), pool_(pool), ports_(ports), data_(data) {}

  /// Keeps packets of `vc` that have come to `node` inside until `open`.
  void close(std::uint32_t node, VcId vc) { closed_.insert({node, index(vc)}); }
  void open(std::uint32_t node, VcId vc) { closed_.erase({node, index(vc)}); }
  /// Flows of these inputs are left to the endpoints.
  void decline(const std::vector<NodeId>& inputs) { declined_.insert(inputs); }

  std::uint32_t number_of(const std::vector<FabricFlow>& flows, std::size_t which) override {
    phases.push_back(flows);
    const FabricFlow& flow = flows.at(which);
    if (declined_.count(flow.inputs) > 0) return kNoFlow;
    const auto [found, fresh] = numbers_.emplace(flow, static_cast<std::uint32_t>(list_.size()));
    if (fresh) list_.push_back(flow);
    return found->second;
  }

  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override {
    injected.push_back({node, vc, flit.head(), at, pool_[flit.packet()].tag});
    if (flit.tail()) queues_[{index(vc), node}].push_back({flit.packet(), at});
  }
  void return_credit(std::uint32_t, VcId, Cycle) override { ++credits_returned; }

  /// Passes on what can go in cycle `now`.
  void step(Cycle now) {
    for (auto& [key, queue] : queues_) {
      const auto [vc, node] = key;
      while (!queue.empty() && ready(node, vc, now)) pass(node, vc, now);
    }
  }
  bool empty() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& entry) { return entry.second.empty(); });
  }

  struct Injected {
    std::uint32_t node;
    VcId vc;
    bool head;
    Cycle at;
    std::uint64_t tag;
  };
  std::vector<Injected> injected;
  std::vector<std::vector<FabricFlow>> phases;  ///< that number_of was asked for
  int credits_returned = 0;
  std::uint64_t flow_packets = 0;  ///< results of flows, counted once

 private:
  struct Waiting {
    PacketIndex packet;
    Cycle at;
  };
  using Key = std::pair<int, std::uint32_t>;  // VC, node

  const Waiting* front(std::uint32_t node, int vc, Cycle now) const {
    if (closed_.count({node, vc}) > 0) return nullptr;
    const auto queue = queues_.find({vc, node});
    if (queue == queues_.end() || queue->second.empty() || queue->second.front().at > now) return nullptr;
    return &queue->second.front();
  }

  bool ready(std::uint32_t node, int vc, Cycle now) const {
    const Waiting* own = front(node, vc, now);
    if (own == nullptr) return false;
    const std::uint32_t flow = pool_[own->packet].switch_flow;
    if (flow == kNoFlow) return true;
    const auto& inputs = list_.at(flow).inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](NodeId input) {
      const Waiting* other = front(index(input), vc, now);
      return other != nullptr && pool_[other->packet].switch_flow == flow;
    });
  }

  PacketIndex take(std::uint32_t node, int vc, Cycle now) {
    auto& queue = queues_.at({vc, node});
    const PacketIndex packet = queue.front().packet;
    queue.pop_front();
    for (std::uint32_t i = 0; i < pool_[packet].flits; ++i) local_.credit(node, vc_id(vc), now + 1);
    return packet;
  }

  void pass(std::uint32_t node, int vc, Cycle now) {
    const std::uint32_t number = pool_[queues_.at({vc, node}).front().packet].switch_flow;
    if (number == kNoFlow) {
      const PacketIndex packet = take(node, vc, now);
      eject(index(pool_[packet].dst), vc, packet, now);
      return;
    }
    ++flow_packets;
    const FabricFlow flow = list_[number];
    const PacketIndex sum = reduce(flow, vc, now);
    for (std::size_t i = 1; i < flow.outputs.size(); ++i) {
      const PacketIndex copy = pool_.allocate();
      pool_[copy] = pool_[sum];
      if (data_ != nullptr) data_->copied(pool_[copy]);
      eject(index(flow.outputs[i]), vc, copy, now);
    }
    eject(index(flow.outputs.front()), vc, sum, now);
  }

  PacketIndex reduce(const FabricFlow& flow, int vc, Cycle now) {
    using Operands = std::vector<std::optional<PacketIndex>>;
    const auto add = [this](PacketIndex left, PacketIndex right) {
      WEFT_CHECK(pool_[left].offset == pool_[right].offset && pool_[left].tag == pool_[right].tag,
                 "operands of different packets meet in a flow");
      if (data_ != nullptr) data_->merged(pool_[left], pool_[right]);
      pool_.release(right);
      return left;
    };
    Operands sums(index(flow.inputs.back()) / ports_ + 1);
    for (std::uint32_t group = 0; group < sums.size(); ++group) {
      Operands operands(ports_);
      bool any = false;
      for (const NodeId input : flow.inputs) {
        if (index(input) / ports_ != group) continue;
        operands[index(input) % ports_] = take(index(input), vc, now);
        any = true;
      }
      if (any) sums[group] = reduce_in_tree_order(std::move(operands), add);
    }
    return reduce_in_tree_order(std::move(sums), add);
  }

  void eject(std::uint32_t to, int vc, PacketIndex packet, Cycle now) {
    const std::uint32_t flits = pool_[packet].flits;
    Cycle& free = free_[{plane_of(vc_id(vc)), to}];
    free = std::max(free, now + 1);
    for (std::uint32_t i = 0; i < flits; ++i) {
      local_.eject(to, vc_id(vc), Flit(packet, i == 0, i + 1 == flits), free++);
    }
  }
  static VcId vc_id(int vc) { return VcId{static_cast<std::uint8_t>(vc)}; }

  LocalSide& local_;
  PacketPool& pool_;
  std::uint32_t ports_;
  PacketData* data_;
  std::map<FabricFlow, std::uint32_t> numbers_;
  std::vector<FabricFlow> list_;
  std::set<std::vector<NodeId>> declined_;
  std::set<std::pair<std::uint32_t, int>> closed_;
  std::map<Key, std::deque<Waiting>> queues_;
  std::map<std::pair<int, std::uint32_t>, Cycle> free_;
};

}  // namespace weft::npu::test
