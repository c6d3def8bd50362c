// SPDX-License-Identifier: Apache-2.0
// n collective engines on an ideal network, and what became of their collectives.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "npu/collective/engine/collective_engine.h"
#include "tests/npu/support/ideal_network.h"

namespace weft::npu::testing {

/// One NPU with nothing but an engine.
class EngineNode final : public Endpoint, public CollectiveListener {
 public:
  EngineNode(NetworkInterface& network, const NpuSpec& spec, const ClockSpec& clock, ProgramCache& programs)
      : cost(spec, clock), engine(network, cost, spec.packet_bytes, programs, *this) {
    network.attach(*this);
  }
  void on_data(const Delivery& delivery) override { engine.on_data(delivery); }
  void on_sent(MessageId id) override { WEFT_CHECK(engine.on_sent(id), "a message of nobody"); }
  void on_timer(std::uint64_t cookie) override {
    if (cookie >= kStartCookie) {
      engine.start(later.at(cookie - kStartCookie));
    } else {
      engine.on_timer(cookie);
    }
  }
  void on_collective_done(const CollectiveDone& finished) override { done[finished.handle] = finished; }

  static constexpr std::uint64_t kStartCookie = std::uint64_t{1} << 60;
  EndpointCost cost;
  CollectiveEngine engine;
  std::vector<CollectiveRequest> later;  ///< to be started by a timer
  std::map<std::uint64_t, CollectiveDone> done;
};

/// `spec.nodes` of them.
class EngineBench {
 public:
  EngineBench(const IdealNetworkSpec& spec, const std::string& algorithm, const NpuSpec& npu = {},
              const FabricSpec& fabric = {})
      : network(spec), programs(collective_spec(algorithm), fabric) {
    for (int i = 0; i < spec.nodes; ++i) {
      NetworkInterface& interface = network.at(NodeId{static_cast<std::uint32_t>(i)});
      nodes.push_back(std::make_unique<EngineNode>(interface, npu, ClockSpec{}, programs));
    }
  }

  static CollectiveSpec collective_spec(const std::string& algorithm) {
    CollectiveSpec spec;
    spec.algorithm = algorithm;
    return spec;
  }

  /// A group of the nodes first, first + stride, ...
  static std::shared_ptr<const CommGroup> group(std::uint32_t number, std::uint32_t first, std::uint32_t count,
                                                std::uint32_t stride = 1) {
    auto group = std::make_shared<CommGroup>();
    group->number = number;
    group->name = std::to_string(number);
    for (std::uint32_t i = 0; i < count; ++i) group->nodes.push_back(NodeId{first + i * stride});
    return group;
  }

  /// Starts `request` on all members of its group `start(rank)` cycles from now.
  template <typename Start>
  void start(CollectiveRequest request, const std::vector<Payload>& inputs, Start start_cycle) {
    for (std::uint32_t rank = 0; rank < request.group->nodes.size(); ++rank) {
      request.my_index = rank;
      if (!inputs.empty()) request.input = std::make_shared<Payload>(inputs[rank]);
      EngineNode& node = *nodes[index(request.group->nodes[rank])];
      node.later.push_back(request);
      network.at(request.group->nodes[rank])
          .schedule(start_cycle(rank), EngineNode::kStartCookie + node.later.size() - 1);
    }
  }
  void start(const CollectiveRequest& request, const std::vector<Payload>& inputs = {}) {
    start(request, inputs, [](std::uint32_t /*rank*/) { return Cycle{0}; });
  }

  /// Latest end of a collective over all nodes that took part.
  Cycle end(std::uint64_t handle) const {
    Cycle last = 0;
    for (const auto& node : nodes) {
      const auto found = node->done.find(handle);
      if (found != node->done.end()) last = std::max(last, found->second.end_cycle);
    }
    return last;
  }
  bool idle() const {
    return std::all_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->engine.idle(); });
  }

  IdealNetwork network;
  ProgramCache programs;
  std::vector<std::unique_ptr<EngineNode>> nodes;
};

/// A collective of nodes 0 to `ranks` - 1.
inline CollectiveRequest request_for(CollectiveKind kind, std::uint64_t bytes, std::uint32_t ranks,
                                     std::uint32_t chunks = 1, std::uint32_t active = 0) {
  CollectiveRequest request;
  request.name = std::string(kind_name(kind)) + "_0";
  request.group = EngineBench::group(0, 0, ranks);
  request.kind = kind;
  request.bytes = bytes;
  request.chunks = chunks;
  request.active_chunks = active;
  return request;
}

}  // namespace weft::npu::testing
