// SPDX-License-Identifier: Apache-2.0
#include "npu/player/workload_flows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "config/fabric_facts.h"
#include "config/parallel_groups.h"
#include "npu/collective/engine/flow_groups.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/collective/files/algorithm_table.h"
#include "npu/player/workload_check.h"

namespace weft::npu {

WorkloadFlows::WorkloadFlows(const Config& config) : size_x_(config.fabric.size_x) {
  const bool played = std::holds_alternative<TraceWorkload>(config.workload) ||
                      std::holds_alternative<CollectiveWorkload>(config.workload);
  if (!switches_reduce(config.fabric) || !played) return;
  if (!may_need_switches(collective_spec(config))) return;
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) {
    groups_ = std::make_unique<GroupTable>(groups_of_trace(*trace));
    return;
  }
  const auto& workload = std::get<CollectiveWorkload>(config.workload);
  std::map<std::string, std::vector<RankId>> groups;
  for (const std::vector<RankId>& members : groups_of_phase(workload))
    groups[std::to_string(groups.size() + 1)] = members;
  if (groups.empty() && !workload.collective.group.empty()) groups["1"] = workload.collective.group;
  all_ranks_ = groups.empty();
  groups_ = std::make_unique<GroupTable>(groups, static_cast<std::uint32_t>(config.npu.placement.size()));
  if (!workload.parallelism.empty()) groups_->set_phases(workload.phase);
}

std::vector<std::vector<FabricFlow>> WorkloadFlows::phases(const std::vector<NodeId>& placement) const {
  if (groups_ == nullptr) return {};
  std::vector<SharedGroup> shared;
  for (const ProcessGroup* group : groups_->by_number()) {
    if ((group->number == 0 && !all_ranks_) || group->members.size() < 2) continue;
    shared.push_back(std::make_shared<const CommGroup>(comm_group(*group, placement)));
  }
  const FlowGroups traffic_classes(shared, size_x_);
  std::set<std::vector<FabricFlow>> phases;
  for (const bool barrier : {false, true}) {
    for (const SharedGroup& group : shared) {
      if (!traffic_classes.traffic_class(group->number, barrier)) continue;
      std::vector<FabricFlow> flows;
      for (const SharedGroup& each : traffic_classes.phase(group->number, barrier)) {
        std::vector<NodeId> nodes = each->nodes;
        std::sort(nodes.begin(), nodes.end());
        flows.push_back({nodes, nodes});
      }
      phases.insert(flows);
    }
  }
  return {phases.begin(), phases.end()};
}

}  // namespace weft::npu
