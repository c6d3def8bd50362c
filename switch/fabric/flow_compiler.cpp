// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/flow_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace weft::fred {
namespace {

PortId port_id(int port) { return PortId{static_cast<std::uint8_t>(port)}; }

/// Distinct values, ascending.
std::vector<int> distinct(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Distinct ports, ascending.
std::vector<PortId> port_ids(const std::vector<int>& ports) {
  std::vector<PortId> ids;
  for (const int port : distinct(ports)) ids.push_back(port_id(port));
  return ids;
}

}  // namespace

FlowCompiler::FlowCompiler(const FredTopology& topology, std::string answer)
    : topology_(topology), answer_(std::move(answer)) {}

std::uint32_t FlowCompiler::number_of(const std::vector<FabricFlow>& flows, std::size_t which) {
  return compile(flows).numbers[which];
}

const CompiledPhase& FlowCompiler::compile(const std::vector<FabricFlow>& flows) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = phases_.find(flows);
  if (known != phases_.end()) return known->second;
  check(flows);
  CompiledPhase phase;
  phase.numbers.assign(flows.size(), kNoFlow);
  std::vector<Round> rounds;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    std::string why;
    bool placed = false;
    for (std::size_t r = 0; r < rounds.size() && !placed; ++r) {
      Round tried = rounds[r];
      tried.flows.push_back(f);
      placed = route(flows, tried, r == 0 ? &why : nullptr);
      if (placed) rounds[r] = std::move(tried);
    }
    if (placed) continue;
    if (!rounds.empty()) {
      if (answer_ == "refuse") throw InputError(fmt::format("fabric.conflict: refuse: {}", why));
      if (answer_ == "replace") {
        throw InputError(
            fmt::format("fabric.conflict: replace: {}. The placement was chosen before the run, without these "
                        "flows",
                        why));
      }
      const bool endpoints = answer_ == "decompose";
      phase.conflicts.push_back(
          {why, fmt::format("{} {}", name_of(flows[f]),
                            endpoints ? "is left to the endpoints" : "runs in a stored setting of its own")});
      if (endpoints) continue;
    }
    Round own;
    own.flows = {f};
    if (!route(flows, own, &why)) throw InputError(why);
    rounds.push_back(std::move(own));
  }
  for (const Round& round : rounds) keep(flows, round, phase);
  const auto added = phases_.emplace(flows, std::move(phase)).first;
  in_order_.push_back(&added->first);
  return added->second;
}

// What has been asked for before is not asked for anew: both runs have begun with the same.
void FlowCompiler::keep(Checkpoint& checkpoint) {
  checkpoint.section("flows");
  std::vector<std::vector<FabricFlow>> asked;
  for (const std::vector<FabricFlow>* flows : in_order_) asked.push_back(*flows);
  checkpoint.each(asked, [&](std::vector<FabricFlow>& flows) {
    checkpoint.each(flows, [&](FabricFlow& flow) {
      checkpoint.list(flow.inputs);
      checkpoint.list(flow.outputs);
    });
  });
  if (!checkpoint.loads()) return;
  for (const std::vector<FabricFlow>& flows : asked) compile(flows);
  const auto alike = [](const std::vector<FabricFlow>* own, const std::vector<FabricFlow>& kept) {
    return *own == kept;
  };
  WEFT_CHECK(std::equal(in_order_.begin(), in_order_.end(), asked.begin(), asked.end(), alike),
             "a checkpoint is of a run that has numbered its flows in another order");
}

void FlowCompiler::check(const std::vector<FabricFlow>& flows) const {
  std::set<NodeId> used[2];
  for (const FabricFlow& flow : flows) {
    if (flow.inputs.empty() || flow.outputs.empty())
      throw InputError("a flow of the fabric has no inputs or no outputs");
    for (const bool out : {false, true}) {
      for (const NodeId node : out ? flow.outputs : flow.inputs) {
        if (index(node) >= topology_.nodes()) {
          throw InputError(fmt::format("flow {} names node {}; the fabric has nodes 0 to {}", name_of(flow),
                                       index(node), topology_.nodes() - 1));
        }
        if (!used[out ? 1 : 0].insert(node).second) {
          throw InputError(
              fmt::format("two flows of one phase share node {} as an {}", index(node), out ? "output" : "input"));
        }
      }
    }
  }
}

std::string name_of(const FabricFlow& flow) {
  const auto list = [](const std::vector<NodeId>& nodes) {
    std::string text;
    for (const NodeId node : nodes) text += fmt::format("{}{}", text.empty() ? "" : ",", index(node));
    return "{" + text + "}";
  };
  return flow.inputs == flow.outputs ? list(flow.inputs) : list(flow.inputs) + "->" + list(flow.outputs);
}

int FlowCompiler::top_level(const FabricFlow& flow) const {
  for (int level = 0;; ++level) {
    std::set<int> groups;
    for (const NodeId node : flow.inputs) groups.insert(topology_.group_at(level, topology_.group_of(index(node))));
    for (const NodeId node : flow.outputs) groups.insert(topology_.group_at(level, topology_.group_of(index(node))));
    if (groups.size() == 1) return level;
  }
}

/// Routes over the uplinks: a choice of the L1 switches' uplink, of the chiplet's uplink above, and so on.
std::uint32_t FlowCompiler::routes() const {
  std::uint32_t routes = 1;
  for (const LevelShape& shape : topology_.levels()) {
    if (shape.uplinks > 0) routes *= static_cast<std::uint32_t>(shape.uplinks);
  }
  return routes;
}

/// What a flow asks of each chiplet on its way. What has one input is copied on its way up, too, so that nothing comes
/// back where it came from; operands of several inputs are not together before the top.
std::vector<FlowCompiler::Part> FlowCompiler::parts(const FabricFlow& flow, const std::string& name,
                                                    std::uint32_t route) const {
  std::vector<Part> result;
  const int top = top_level(flow);
  const bool one_input = flow.inputs.size() == 1;
  int slice = 0;
  int link = 0;  // number of the uplink from below, within this level's chiplet
  const auto at = [this](int level, NodeId node) { return topology_.group_at(level, topology_.group_of(index(node))); };
  const auto served_below = [&](int level, NodeId node) {
    return one_input && level > 0 && at(level - 1, node) == at(level - 1, flow.inputs.front());
  };
  for (int level = 0; level <= top; ++level) {
    const LevelShape& shape = topology_.levels()[static_cast<std::size_t>(level)];
    // Routes over different links into one chiplet take different uplinks out of it, so that as few routes as an NPU's
    // rate needs spread over the uplinks of every level.
    const int uplink = shape.uplinks > 0 ? (static_cast<int>(route) + link) % shape.uplinks : 0;
    const auto port_to = [&](NodeId node) {
      return level == 0 ? topology_.port_of(index(node))
                        : at(level - 1, node) % shape.children * shape.links_per_child + link;
    };
    std::vector<int> groups;
    for (const NodeId node : flow.inputs) groups.push_back(at(level, node));
    for (const NodeId node : flow.outputs) groups.push_back(at(level, node));
    for (const int group : distinct(groups)) {
      std::vector<int> from;
      std::vector<int> to;
      for (const NodeId node : flow.inputs) {
        if (at(level, node) == group) from.push_back(port_to(node));
      }
      for (const NodeId node : flow.outputs) {
        if (at(level, node) == group && !served_below(level, node)) to.push_back(port_to(node));
      }
      const std::uint32_t position = topology_.position(topology_.chiplet({level, group, slice, 0}));
      const std::vector<PortId> inputs = port_ids(from);
      std::vector<PortId> outputs = port_ids(to);
      if (level == top) {
        result.push_back({position, {name, inputs, outputs}});
        continue;
      }
      const PortId up = port_id(shape.children * shape.links_per_child + uplink);
      if (one_input && !inputs.empty()) {
        outputs.push_back(up);
        result.push_back({position, {name, inputs, outputs}});
        continue;
      }
      if (!inputs.empty()) result.push_back({position, {name, inputs, {up}}});
      if (!outputs.empty()) result.push_back({position, {name, {up}, outputs}});
    }
    if (level == top) break;
    const LevelShape& above = topology_.levels()[static_cast<std::size_t>(level) + 1];
    const int uplink_of_switch = slice * shape.uplinks + uplink;
    slice = uplink_of_switch / above.links_per_child;
    link = uplink_of_switch % above.links_per_child;
    route /= static_cast<std::uint32_t>(shape.uplinks);
  }
  return result;
}

/// Gives flows that meet in a switch, on their routes up, different routes. Returns how many that takes.
std::uint32_t FlowCompiler::colour_routes(const std::vector<FabricFlow>& flows, Round& round) const {
  round.route.assign(round.flows.size(), 0);
  std::vector<std::set<int>> l1(round.flows.size());
  std::uint32_t used = 1;
  for (std::size_t i = 0; i < round.flows.size(); ++i) {
    const FabricFlow& flow = flows[round.flows[i]];
    if (top_level(flow) == 0) continue;
    for (const NodeId node : flow.inputs) l1[i].insert(topology_.group_of(index(node)));
    for (const NodeId node : flow.outputs) l1[i].insert(topology_.group_of(index(node)));
    std::set<std::uint32_t> taken;
    for (std::size_t j = 0; j < i; ++j) {
      const bool meet = std::any_of(l1[j].begin(), l1[j].end(), [&](int group) { return l1[i].count(group) > 0; });
      if (meet) taken.insert(round.route[j]);
    }
    while (taken.count(round.route[i]) > 0) ++round.route[i];
    used = std::max(used, round.route[i] + 1);
  }
  return used;
}

/// Uplinks that carry what the fastest flow of a round does that crosses switches. A flow is no faster than the slowest
/// link of its nodes.
std::uint32_t FlowCompiler::uplinks_needed(const std::vector<FabricFlow>& flows, const Round& round) const {
  std::uint32_t most = 1;
  for (const std::size_t f : round.flows) {
    if (top_level(flows[f]) == 0) continue;
    std::uint32_t needed = topology_.uplinks_for_full_rate();
    for (const NodeId node : flows[f].inputs) needed = std::min(needed, topology_.uplinks_for(index(node)));
    for (const NodeId node : flows[f].outputs) needed = std::min(needed, topology_.uplinks_for(index(node)));
    most = std::max(most, needed);
  }
  return most;
}

/// The number of the first I/O controller of a round; 0 where it has none. Controllers that stream at the same time
/// begin with one uplink after the other.
std::uint32_t FlowCompiler::first_controller(const std::vector<FabricFlow>& flows, const Round& round) const {
  for (const std::size_t f : round.flows) {
    for (const auto* nodes : {&flows[f].inputs, &flows[f].outputs}) {
      for (const NodeId node : *nodes) {
        if (index(node) >= topology_.npus()) return index(node) - topology_.npus();
      }
    }
  }
  return 0;
}

/// Whether these flows can be active at once; fills the round's stripes. `why` may be null.
bool FlowCompiler::route(const std::vector<FabricFlow>& flows, Round& round, std::string* why) const {
  const std::uint32_t used = colour_routes(flows, round);
  const std::uint32_t all = routes();
  if (used > all) {
    if (why != nullptr) {
      *why = fmt::format("flow {} meets {} others in an L1 switch that has {} ways up",
                         name_of(flows[round.flows.back()]), used - 1, all);
    }
    return false;
  }
  const bool crosses =
      std::any_of(round.flows.begin(), round.flows.end(), [&](std::size_t f) { return top_level(flows[f]) > 0; });
  round.distance = used;
  const std::uint32_t needed = uplinks_needed(flows, round);
  const std::uint32_t stripes = crosses ? std::min(all / used, needed) : 1;
  const bool slow = needed < topology_.uplinks_for_full_rate();
  const std::uint32_t first = slow ? first_controller(flows, round) * stripes * used % all : 0;
  // Other routes may pair other flows in a uSwitch.
  return route_from(first, stripes, flows, round, why) || (first > 0 && route_from(0, stripes, flows, round, why));
}

/// The same with stripes whose routes begin with number `first`.
bool FlowCompiler::route_from(std::uint32_t first, std::uint32_t stripes, const std::vector<FabricFlow>& flows,
                              Round& round, std::string* why) const {
  round.stripes.clear();
  for (std::uint32_t s = 0; s < stripes; ++s) {
    FabricSetting made;
    made.flows.resize(topology_.positions());
    made.settings.resize(topology_.positions());
    for (std::size_t i = 0; i < round.flows.size(); ++i) {
      const FabricFlow& flow = flows[round.flows[i]];
      for (Part& part : parts(flow, name_of(flow), (first + round.route[i] + s * round.distance) % routes())) {
        made.flows[part.position].push_back(std::move(part.flow));
      }
    }
    for (std::uint32_t position = 0; position < topology_.positions(); ++position) {
      const FlowSet& set = made.flows[position];
      if (set.empty()) continue;
      const Chiplet& chiplet = topology_.chiplets()[topology_.chiplet_at(position, 0)];
      const Interconnect net = build_interconnect(chiplet.spec.m, chiplet.spec.ports);
      const RouteResult result = route_flows(net, set);
      if (result.status != RouteStatus::kRouted) {
        if (why != nullptr) *why = fmt::format("{}: {}", chiplet.name, describe(net, set, result));
        return false;
      }
      made.settings[position] = result.setting;
    }
    round.stripes.push_back(std::move(made));
  }
  return true;
}

void FlowCompiler::keep(const std::vector<FabricFlow>& flows, const Round& round, CompiledPhase& phase) {
  CompiledFlow compiled;
  for (const FabricSetting& stripe : round.stripes) {
    compiled.stripes.push_back(settings_.add(stripe));
  }
  for (const std::size_t f : round.flows) {
    compiled.flow = flows[f];
    compiled.name = name_of(flows[f]);
    phase.numbers[f] = flows_.add(compiled);
  }
}

}  // namespace weft::fred
