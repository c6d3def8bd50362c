// SPDX-License-Identifier: Apache-2.0
// All NPUs of a workload on an ideal network: 10 bytes per cycle and sender, 20 cycles of latency, 1 GHz.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "npu/player/npu_array.h"
#include "tests/npu/support/ideal_network.h"

namespace weft::npu::testing {

inline Config array_config(int nodes) {
  Config config;
  config.fabric.size_x = nodes;
  config.fabric.size_y = 1;
  for (int node = 0; node < nodes; ++node) config.npu.placement.push_back(NodeId{static_cast<std::uint32_t>(node)});
  return config;
}

inline Config collective_config(int nodes, CollectiveKind kind, std::uint64_t bytes) {
  Config config = array_config(nodes);
  CollectiveWorkload workload;
  workload.collective.kind = kind;
  workload.collective.bytes = bytes;
  config.workload = workload;
  return config;
}

inline Config trace_config(int nodes, const std::string& prefix, const std::string& groups = "") {
  Config config = array_config(nodes);
  TraceWorkload workload;
  workload.chakra = prefix;
  workload.groups = groups;
  config.workload = workload;
  return config;
}

class ArrayBench {
 public:
  explicit ArrayBench(Config config, IdealNetworkSpec network = default_network())
      : config_(std::move(config)),
        network_(sized(network, config_.fabric.nodes())),
        array_(config_, [this](NodeId node) -> NetworkInterface& { return network_.at(node); }) {}

  /// Plays to the end of all events and returns the last cycle.
  Cycle run() {
    array_.start();
    return network_.run();
  }
  NpuArray& array() { return array_; }
  IdealNetwork& network() { return network_; }
  const RankStatistics& statistics(std::uint32_t rank) { return array_.npu(RankId{rank}).statistics(); }

  static IdealNetworkSpec default_network() {
    IdealNetworkSpec spec;
    spec.latency = 20;
    spec.bytes_per_cycle = Rational{10, 1};
    return spec;
  }

 private:
  static IdealNetworkSpec sized(IdealNetworkSpec spec, int nodes) {
    spec.nodes = nodes;
    return spec;
  }

  Config config_;
  IdealNetwork network_;
  NpuArray array_;
};

}  // namespace weft::npu::testing
