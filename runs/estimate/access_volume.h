// SPDX-License-Identifier: Apache-2.0
// What streams of I/O controllers, and loads and stores over them, put on the fabric.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/multicast_plan.h"
#include "config/config.h"
#include "runs/estimate/message_counter.h"
#include "sc_models/fabric_sketch.h"
#include "sc_models/memory/io_plan.h"

namespace weft::runs {

/// Counts all streams of an IoWorkload.
SentVolume volume_of_streams(const Config& config, sc_models::FabricSketch& sketch);

/// Counts loads and stores of a trace with memory.tensors io.
class AccessVolumes {
 public:
  /// `groups`: all of the trace, by number. The references outlive the object.
  AccessVolumes(const Config& config, sc_models::FabricSketch& sketch, const std::vector<npu::SharedGroup>& groups);

  /// Whether the members of a group do this together: copied or summed on its way.
  bool together(const npu::CommGroup& group, bool store) const {
    return store ? plan_.reduces(group) : plan_.copies(group);
  }
  /// Counts a load or store of all members of a group together.
  SentVolume of_group(const npu::CommGroup& group, bool store, std::uint64_t bytes);
  /// Counts a load or store of one NPU.
  SentVolume of_node(NodeId node, bool store, std::uint64_t bytes);

 private:
  /// What one of several controllers has of `bytes`.
  MessageSize share(std::uint64_t bytes) const;
  void add_control(SentVolume& volume, NodeId site, NodeId node, std::uint64_t bytes);

  const Config& config_;
  sc_models::FabricSketch& sketch_;
  MessageCounter counter_;
  sc_models::IoPlan plan_;
  MulticastPlan trees_;
};

}  // namespace weft::runs
