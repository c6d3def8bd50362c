// SPDX-License-Identifier: Apache-2.0
#include "sc_models/rank_placement.h"

#include "npu/player/workload_flows.h"
#include "switch/fabric/fred_network.h"
#include "switch/fabric/placement_search.h"

namespace weft::sc_models {
namespace {

/// The parallelism whose phase the workload is.
std::optional<fred::Parallelism> parallelism_of(const CollectiveWorkload* workload) {
  if (workload == nullptr || workload->parallelism.size() != 3) return std::nullopt;
  const auto size = [&](std::size_t axis) { return static_cast<int>(workload->parallelism[axis]); };
  return fred::Parallelism{size(0), size(1), size(2)};
}

}  // namespace

std::optional<PlacementRecord> placement_without_conflicts(const Config& config) {
  if (config.fabric.fred.conflict != "replace") return std::nullopt;
  const npu::WorkloadFlows own(config);
  if (own.phases(config.npu.placement).empty()) return std::nullopt;
  const auto* workload = std::get_if<CollectiveWorkload>(&config.workload);
  const std::optional<fred::Parallelism> degrees = parallelism_of(workload);
  const auto phases_of = [&](const std::vector<NodeId>& placement) {
    std::vector<fred::FabricPhase> phases;
    if (degrees) phases = fred::training_flows(*degrees, {placement.begin(), placement.begin() + degrees->npus()});
    // Flows of MP and DP are all-reduces already; the stages of PP only send to each other there.
    if (degrees && workload->phase != TrainingPhase::kPp) return phases;
    for (std::vector<FabricFlow>& flows : own.phases(placement)) phases.push_back({"", std::move(flows)});
    return phases;
  };
  const fred::FredNetwork network(config);
  const fred::FredTopology& topology = network.topology();
  PlacementRecord record;
  for (const fred::FabricPhase& phase : phases_of(config.npu.placement)) {
    for (const fred::FlowConflict& conflict : fred::conflicts_to_move(topology, phase))
      record.conflicts.push_back(conflict.found);
  }
  if (record.conflicts.empty()) return std::nullopt;
  record.before = config.npu.placement;
  record.placement = fred::replaced_placement(topology, phases_of, record.before);
  return record;
}

}  // namespace weft::sc_models
