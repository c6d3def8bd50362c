// SPDX-License-Identifier: Apache-2.0
#include "cli/route/route_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "config/names.h"
#include "sc_models/fabric_kinds.h"
#include "switch/fabric/fred_network.h"
#include "switch/fabric/placement_search.h"
#include "switch/picture/carried_flows.h"

namespace weft::cli {
namespace {

/// Whether the fabric has switches that have settings.
bool has_switches(const Config& config) {
  const auto network = sc_models::make_network(config);
  return network->nodes() > network->endpoints();
}

/// The single flow of the configuration's collective.
fred::FabricPhase collective_flow(const Config& config) {
  const auto* workload = std::get_if<CollectiveWorkload>(&config.workload);
  if (workload == nullptr) throw InputError("weft route: a trace has no flows of its own; say --parallelism MP,PP,DP");
  const CollectiveSpec& spec = workload->collective;
  std::vector<NodeId> nodes;
  for (std::size_t rank = 0; rank < (spec.group.empty() ? config.npu.placement.size() : spec.group.size()); ++rank)
    nodes.push_back(config.npu.placement[spec.group.empty() ? rank : index(spec.group[rank])]);
  std::sort(nodes.begin(), nodes.end());
  const std::vector<NodeId> root = {config.npu.placement[index(spec.root)]};
  fred::FabricPhase phase{std::string(name_of(spec.kind)), {}};
  switch (spec.kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kBarrier:
      phase.flows = {{nodes, nodes}};
      return phase;
    case CollectiveKind::kReduce:
      phase.flows = {{nodes, root}};
      return phase;
    case CollectiveKind::kBroadcast:
      phase.flows = {{root, nodes}};
      return phase;
    default:
      throw InputError(
          fmt::format("weft route: {} is a series of flows, not one; legal: all_reduce, reduce, broadcast, barrier, or "
                      "--parallelism MP,PP,DP",
                      name_of(spec.kind)));
  }
}

std::vector<fred::FabricPhase> chosen_phases(const Config& config, const RouteChoice& choice,
                                             const std::vector<NodeId>& placement) {
  if (!choice.degrees) {
    if (!choice.phase.empty()) throw InputError("weft route: --phase needs --parallelism MP,PP,DP");
    return {collective_flow(config)};
  }
  std::vector<fred::FabricPhase> phases = fred::training_flows(*choice.degrees, placement);
  if (phases.empty()) throw InputError("weft route: --parallelism 1,1,1 has no flows");
  if (choice.phase.empty()) return phases;
  const auto is_other = [&](const fred::FabricPhase& phase) { return phase.name != choice.phase; };
  std::string known;
  for (const fred::FabricPhase& phase : phases) known += (known.empty() ? "" : ", ") + phase.name;
  phases.erase(std::remove_if(phases.begin(), phases.end(), is_other), phases.end());
  if (phases.empty())
    throw InputError(
        fmt::format("weft route: --phase {}: there is no such phase; legal here: {}", choice.phase, known));
  return phases;
}

/// Alike but for the names of the flows.
bool same_work(const fred::InterconnectPicture& a, const fred::FlowSet& flows, const fred::SwitchSetting& settings) {
  const auto same_ports = [](const fred::Flow& x, const fred::Flow& y) {
    return x.inputs == y.inputs && x.outputs == y.outputs;
  };
  return a.flows.size() == flows.size() && a.setting == settings &&
         std::equal(flows.begin(), flows.end(), a.flows.begin(), same_ports);
}

RoutedSetting routed(const fred::FredTopology& topology, const fred::FabricSetting& made) {
  RoutedSetting result;
  for (std::uint32_t position = 0; position < topology.positions(); ++position) {
    const fred::FlowSet& flows = made.flows[position];
    if (flows.empty()) continue;
    const fred::Chiplet& chiplet = topology.chiplets()[topology.chiplet_at(position, 0)];
    const std::string name = topology.position_name(position);
    const auto alike = std::find_if(result.chiplets.begin(), result.chiplets.end(), [&](const RoutedChiplets& each) {
      return each.picture.net.ports == chiplet.spec.ports && same_work(each.picture, flows, made.settings[position]);
    });
    if (alike != result.chiplets.end()) {
      alike->names.push_back(name);
      continue;
    }
    RoutedChiplets one;
    one.names = {name};
    one.picture = {"", fred::build_interconnect(chiplet.spec.m, chiplet.spec.ports), flows, made.settings[position]};
    const fred::RouteResult again = fred::route_flows(one.picture.net, flows);
    WEFT_CHECK(again.setting == one.picture.setting, "routing the same flows again gave other settings");
    for (int flow = 0; flow < static_cast<int>(flows.size()); ++flow)
      one.middle_stages.push_back(fred::middle_stages(one.picture.net, again.assignments, flow));
    result.chiplets.push_back(std::move(one));
  }
  return result;
}

/// `all` gets what the phase needs stored.
RoutedPhase route_phase(const fred::FredTopology& topology, const fred::FabricPhase& phase, const std::string& answer,
                        std::vector<fred::FabricSetting>& all) {
  fred::FlowCompiler compiler(topology, answer);
  const fred::CompiledPhase& compiled = compiler.compile(phase.flows);
  RoutedPhase result;
  result.name = phase.name;
  result.conflicts = compiled.conflicts;
  std::vector<std::vector<std::string>> carried(compiler.settings());
  for (std::size_t f = 0; f < phase.flows.size(); ++f) {
    result.flows.push_back(fred::name_of(phase.flows[f]));
    if (compiled.numbers[f] == kNoFlow) {
      result.at_endpoints.push_back(result.flows.back());
      continue;
    }
    for (const std::uint32_t stripe : compiler.flow(compiled.numbers[f]).stripes)
      carried[stripe].push_back(result.flows.back());
  }
  for (std::uint32_t c = 0; c < compiler.settings(); ++c) {
    all.push_back(compiler.setting(c));
    result.settings.push_back(routed(topology, compiler.setting(c)));
    RoutedSetting& last = result.settings.back();
    last.flows = std::move(carried[c]);
    for (RoutedChiplets& each : last.chiplets)
      each.picture.title = fmt::format("phase {}, stored setting {}, {}", phase.name, c, fmt::join(each.names, ", "));
  }
  return result;
}

/// The phases at a placement without conflicts, which goes into the plan.
std::vector<fred::FabricPhase> moved_phases(const Config& config, const RouteChoice& choice,
                                            const fred::FredTopology& topology, RoutePlan& plan) {
  // All phases count, also those that are not shown.
  plan.placement = fred::replaced_placement(
      topology, [&](const std::vector<NodeId>& placement) { return fred::training_flows(*choice.degrees, placement); },
      plan.placement);
  plan.moved = true;
  return chosen_phases(config, choice, plan.placement);
}

}  // namespace

RoutePlan plan_route(const Config& config, const RouteChoice& choice) {
  const FabricSpec& fabric = config.fabric;
  if (!has_switches(config))
    throw InputError(fmt::format("weft route: flows are routed in FRED switches, but fabric.kind is {}; legal: fred",
                                 name_of(fabric.kind)));
  const fred::FredNetwork network(config);
  const fred::FredTopology& topology = network.topology();
  RoutePlan plan;
  plan.placement = config.npu.placement;
  std::vector<fred::FabricPhase> phases = chosen_phases(config, choice, plan.placement);
  std::vector<fred::FabricPhase> before;  // moved: with the placement that was given
  std::string answer = fabric.fred.conflict;
  if (answer == "replace") {
    answer = "serialize";  // where the search has nothing to do
    if (choice.degrees && fred::count_conflicts(topology, phases) > 0)
      before = std::exchange(phases, moved_phases(config, choice, topology, plan));
  }
  std::vector<fred::FabricSetting> all;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    plan.phases.push_back(route_phase(topology, phases[p], answer, all));
    if (plan.moved) plan.phases.back().conflicts = fred::conflicts_to_move(topology, before[p]);
  }
  plan.memory = fred::memory_need(topology, all);
  return plan;
}

}  // namespace weft::cli
