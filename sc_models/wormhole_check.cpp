// SPDX-License-Identifier: Apache-2.0
#include "sc_models/wormhole_check.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/position_of.h"
#include "config/wormhole_rule.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/player/workload_check.h"
#include "sc_models/io_sites.h"
#include "sc_models/rank_placement.h"
#include "switch/fabric/flow_compiler.h"
#include "switch/fabric/fred_network.h"

namespace weft::sc_models {
namespace {

/// The settings that a compiler has made.
void count_settings(const fred::FredTopology& topology, const fred::FlowCompiler& compiler, WormholeLoad* load) {
  std::set<std::uint32_t> crossing;
  for (std::uint32_t number = 0; number < compiler.flows(); ++number) {
    const fred::CompiledFlow& compiled = compiler.flow(number);
    std::set<int> switches;
    for (const auto* nodes : {&compiled.flow.inputs, &compiled.flow.outputs}) {
      for (const NodeId node : *nodes) switches.insert(topology.group_of(index(node)));
    }
    if (switches.size() > 1) crossing.insert(compiled.stripes.begin(), compiled.stripes.end());
  }
  load->settings = compiler.settings();
  load->crossing_settings = crossing.size();
}

void add_collective(const Config& config, const CollectiveWorkload& workload, fred::FlowCompiler& compiler,
                    WormholeLoad* load) {
  const auto moved = placement_without_conflicts(config);
  const std::vector<NodeId>& placement = moved ? moved->placement : config.npu.placement;
  npu::ProgramCache programs(config);
  std::vector<npu::SharedGroup> shared;
  std::vector<std::uint32_t> roots;
  for (const npu::ProcessGroup& group : npu::groups_of_collective(workload, placement.size())) {
    if (group.members.size() < 2) continue;
    shared.push_back(std::make_shared<const npu::CommGroup>(npu::comm_group(group, placement)));
    const auto root =
        workload.parallelism.empty() ? position_of(group.members, workload.collective.root) : std::nullopt;
    roots.push_back(static_cast<std::uint32_t>(root.value_or(0)));
  }
  if (config.fabric.fred.in_switch) programs.use_switches(compiler, shared, {});
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const auto plan = programs.plan(workload.collective.kind, *shared[i], roots[i], workload.collective.bytes);
    if (!plan->flows.empty()) continue;
    load->unicasts = true;
    load->unicasts_cross = load->unicasts_cross || !npu::below_one_switch(*shared[i], config.fabric.size_x);
  }
}

}  // namespace

std::vector<ConfigProblem> check_wormhole(const Config& config) {
  if (!wormhole_between_switches(config.fabric)) return {};
  WormholeLoad load;
  try {
    const fred::FredNetwork network(config);
    const fred::FredTopology& topology = network.topology();
    fred::FlowCompiler compiler(topology, config.fabric.fred.conflict);
    if (const auto* single = std::get_if<CollectiveWorkload>(&config.workload)) {
      add_collective(config, *single, compiler, &load);
    } else if (std::holds_alternative<IoWorkload>(config.workload) && config.fabric.fred.in_switch) {
      const auto streams = static_cast<std::uint32_t>(config.fabric.io.controllers);
      for (std::uint32_t stream = 0; stream < streams; ++stream)
        compiler.number_of({stream_flow(config.fabric, stream)}, 0);
    } else {
      load.unicasts = load.unicasts_cross = true;
    }
    count_settings(topology, compiler, &load);
  } catch (const InputError&) {
    return {};  // said where the program is made
  }
  const std::string reason = wormhole_deadlock(config.fabric, load);
  if (reason.empty()) return {};
  return {{"fabric.flow_control", reason}};
}

}  // namespace weft::sc_models
