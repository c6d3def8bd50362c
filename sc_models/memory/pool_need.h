// SPDX-License-Identifier: Apache-2.0
// The loads and stores of a trace as what its tensors need of a pool, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "mem/io/tensor_need.h"
#include "npu/player/group_table.h"
#include "npu/trace/trace_node.h"
#include "sc_models/memory/io_plan.h"

namespace weft::sc_models {

/// Collects the loads and stores of all ranks; who owns a tensor depends on what the fabric copies and reduces.
class PoolNeed {
 public:
  /// `config` has a pool and a trace; it outlives this. Throws InputError as mem::pool_of does, and where the pool has
  /// no page for each rank and group.
  explicit PoolNeed(const Config& config);

  /// A node of a trace, with the group of a load or store.
  void add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group);

  /// Throws InputError where a rank or group has no room for its tensors: who, and how large the pool has to be.
  void check() const { need_.check(); }
  /// Grants that decide nothing.
  std::vector<std::string> warnings() const { return need_.warnings(); }

 private:
  std::vector<npu::SharedGroup> groups_;
  IoPlan plan_;
  mem::TensorNeed need_;
};

}  // namespace weft::sc_models
