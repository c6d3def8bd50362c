// SPDX-License-Identifier: Apache-2.0
// All answers to conflicts by name, and the plan that they complete.
#include "switch/routing/conflict_answer.h"

#include <algorithm>
#include <numeric>

namespace weft::fred {

// Each is in the file of its name.
extern const AnswerPolicy kSerialize, kDecompose, kReplace, kRefuse;

const PolicyList<AnswerPolicy>& answer_policies() {
  static const PolicyList<AnswerPolicy> list("no answer to routing conflicts is called",
                                             {&kSerialize, &kDecompose, &kReplace, &kRefuse});
  return list;
}

std::unique_ptr<ConflictAnswer> make_conflict_answer(std::string_view name) {
  return answer_policies().at(name).make();
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
      phase_plan.rounds.push_back({all, results.back().setting});
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
