// SPDX-License-Identifier: Apache-2.0
// NPUs in front of FRED switches, on an ideal tree of switches.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "npu/collective/engine/packet_reducer.h"
#include "npu/interface/message_interfaces.h"
#include "npu/player/npu_array.h"
#include "tests/npu/support/ideal_switch.h"

namespace weft::npu::test {

// Three switches of four NPUs, two planes; flits of 16 bytes, packets of 64.
inline Config fred_config() {
  Config config;
  config.fabric.kind = FabricKind::kFred;
  config.fabric.size_x = 4;
  config.fabric.size_y = 3;
  config.fabric.flit_bytes = 16;
  config.fabric.local.flits_per_cycle = {2, 1};
  config.fabric.fred.planes = 2;
  config.fabric.fred.levels.resize(2);
  config.fabric.fred.levels[0].groups = 3;
  config.fabric.fred.levels[0].buffer_flits = 16;
  config.npu.packet_bytes = 64;
  for (std::uint32_t node = 0; node < 12; ++node) config.npu.placement.push_back(NodeId{node});
  return config;
}

inline CollectiveSpec in_switch(CollectiveKind kind, std::uint64_t bytes) {
  CollectiveSpec spec;
  spec.kind = kind;
  spec.algorithm = "in_switch";
  spec.bytes = bytes;
  spec.data = DataMode::kValues;
  return spec;
}

class SwitchBench {
 public:
  explicit SwitchBench(const Config& config) : config_(config), data_(make_packet_data(config_)) {
    std::vector<NodeId> nodes;
    for (int n = 0; n < config_.fabric.nodes(); ++n) nodes.push_back(NodeId{static_cast<std::uint32_t>(n)});
    interfaces_ = std::make_unique<MessageInterfaces>(config_, nodes);
    fabric_ = std::make_unique<IdealSwitch>(*interfaces_, pool_, static_cast<std::uint32_t>(config_.fabric.size_x),
                                            data_.get());
    interfaces_->connect(fabric_.get(), &pool_, nullptr);
  }
  /// Plays the workload to its end, or for so many cycles.
  void run(Cycle most = 100000) {
    array_ = std::make_unique<NpuArray>(
        config_, [this](NodeId node) -> NetworkInterface& { return interfaces_->at(index(node)); }, fabric_.get());
    array_->start();
    for (now_ = 0; now_ < most && !(array_->finished() && interfaces_->idle() && now_ > 0); ++now_) {
      interfaces_->step(now_);
      fabric_->step(now_);
    }
  }
  void expect_done(std::uint64_t collectives) {
    EXPECT_TRUE(array_->finished());
    EXPECT_EQ(array_->verified_collectives(), collectives);
    EXPECT_TRUE(interfaces_->idle());
    for (Cycle end = now_ + 8; now_ < end; ++now_) interfaces_->step(now_);
    EXPECT_NO_THROW(interfaces_->ports().require_empty());
    EXPECT_EQ(pool_.in_use(), 0u);
  }
  /// Traffic classes on which `node` has sent.
  std::set<TrafficClass> traffic_classes(std::uint32_t node) const {
    std::set<TrafficClass> used;
    for (const auto& flit : fabric_->injected) {
      if (flit.node == node) used.insert(traffic_class_of(flit.vc));
    }
    return used;
  }
  IdealSwitch& fabric() { return *fabric_; }
  NpuArray& array() { return *array_; }
  MessageInterfaces& interfaces() { return *interfaces_; }

 private:
  Config config_;
  PacketPool pool_;
  std::unique_ptr<PacketData> data_;
  std::unique_ptr<MessageInterfaces> interfaces_;
  std::unique_ptr<IdealSwitch> fabric_;
  std::unique_ptr<NpuArray> array_;
  Cycle now_ = 0;
};

inline Config single(CollectiveSpec spec) {
  Config config = fred_config();
  CollectiveWorkload workload;
  workload.collective = std::move(spec);
  config.workload = workload;
  return config;
}

}  // namespace weft::npu::test
