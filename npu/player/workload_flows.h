// SPDX-License-Identifier: Apache-2.0
// The flows that a workload may have active at once in FRED switches, for any placement of its ranks.
#pragma once

#include <memory>
#include <vector>

#include "base/fabric_flows.h"
#include "config/config.h"
#include "npu/player/group_table.h"

namespace weft::npu {

/// The groups of a workload with an algorithm that has flows in switches.
class WorkloadFlows {
 public:
  /// Reads the groups of a trace. Throws InputError as NpuArray does for traces and groups that cannot be used.
  explicit WorkloadFlows(const Config& config);

  /// Flows that may be active together, one list for each set of groups that do the same at the same time (FlowGroups).
  /// As all-reduces: those of other kinds need a part of what these do. Empty where the workload has no flows.
  std::vector<std::vector<FabricFlow>> phases(const std::vector<NodeId>& placement) const;

 private:
  int size_x_;
  std::unique_ptr<GroupTable> groups_;  ///< null = no flows
  bool all_ranks_ = true;               ///< group 0 is used, too
};

}  // namespace weft::npu
