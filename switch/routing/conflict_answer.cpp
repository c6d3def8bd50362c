// SPDX-License-Identifier: Apache-2.0
// All answers to conflicts by name, and the plan that they complete.
#include "switch/routing/conflict_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft::fred {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<ConflictAnswer> (*make)();
};

constexpr Entry kEntries[] = {
    {"serialize", make_serialize}, {"decompose", make_decompose}, {"replace", make_replace}, {"refuse", make_refuse}};

}  // namespace

const std::vector<std::string_view>& conflict_answer_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Entry& entry : kEntries) names.push_back(entry.name);
    return names;
  }();
  return kNames;
}

std::unique_ptr<ConflictAnswer> make_conflict_answer(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.make();
  }
  throw InputError(fmt::format("no answer to routing conflicts is called {}; known: {}{}", in_quotes(name),
                               fmt::join(conflict_answer_names(), ", "), did_you_mean(name, conflict_answer_names())));
}

RoutePlan plan_routes(const Interconnect& net, const std::vector<Phase>& phases, std::string_view answer,
                      const RouteLimits& limits) {
  const std::unique_ptr<ConflictAnswer> policy = make_conflict_answer(answer);
  RoutePlan plan;
  for (int p = 0; p < net.ports; ++p) plan.port_of.push_back(PortId{static_cast<std::uint8_t>(p)});
  plan.phases = phases;
  std::vector<RouteResult> results;
  for (const Phase& phase : phases) {
    results.push_back(route_flows(net, phase.flows, limits));
    PhasePlan phase_plan{phase.name, {}, {}};
    if (results.back().status == RouteStatus::kRouted) {
      std::vector<int> all(phase.flows.size());
      std::iota(all.begin(), all.end(), 0);
      phase_plan.rounds.push_back({all, results.back().configuration});
    }
    plan.plans.push_back(std::move(phase_plan));
  }
  const bool all_routed = std::all_of(results.begin(), results.end(),
                                      [](const RouteResult& r) { return r.status == RouteStatus::kRouted; });
  if (!all_routed) policy->answer(net, results, limits, plan);
  return plan;
}

FlowSet detail::subset(const FlowSet& flows, const std::vector<int>& numbers) {
  FlowSet chosen;
  for (const int f : numbers) chosen.push_back(flows[f]);
  return chosen;
}

}  // namespace weft::fred
