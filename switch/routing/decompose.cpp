// SPDX-License-Identifier: Apache-2.0
// Answer "decompose": as few ports as the conflicts allow leave the switch's flows; their endpoints exchange unicasts.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "switch/routing/conflict_answer.h"

namespace weft::fred {
namespace {

/// In round k input i sends to output i + k, cyclically: no port sends or receives twice in a round.
EndpointFlow unicasts_of(const Flow& flow, int number) {
  EndpointFlow endpoint{number, {}};
  const std::size_t rounds = std::max(flow.inputs.size(), flow.outputs.size());
  for (std::size_t k = 0; k < rounds; ++k) {
    std::vector<std::pair<PortId, PortId>> round;
    for (std::size_t i = 0; i < flow.inputs.size(); ++i) {
      const std::size_t o = (i + k) % rounds;
      if (o < flow.outputs.size() && flow.outputs[o] != flow.inputs[i])
        round.emplace_back(flow.inputs[i], flow.outputs[o]);
    }
    if (!round.empty()) endpoint.rounds.push_back(std::move(round));
  }
  return endpoint;
}

class Decompose final : public ConflictAnswer {
 public:
  void answer(const Interconnect& net, const std::vector<RouteResult>& results, const RouteLimits& limits,
              RoutePlan& plan) const override {
    for (std::size_t p = 0; p < results.size(); ++p) {
      if (results[p].status != RouteStatus::kRouted) answer_phase(net, results[p], limits, plan, p);
    }
  }

 private:
  /// Takes flows out until the rest routes: of those that conflict the one with the fewest ports.
  static void answer_phase(const Interconnect& net, const RouteResult& first, const RouteLimits& limits,
                           RoutePlan& plan, std::size_t p) {
    const FlowSet& flows = plan.phases[p].flows;
    std::vector<int> kept(flows.size());
    std::iota(kept.begin(), kept.end(), 0);
    RouteResult result = first;
    std::string names;
    while (result.status != RouteStatus::kRouted) {
      const int out = smallest(detail::subset(flows, kept), result.conflict.flows);
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", flows[kept[out]].name);
      plan.plans[p].at_endpoints.push_back(unicasts_of(flows[kept[out]], kept[out]));
      kept.erase(kept.begin() + out);
      result = route_flows(net, detail::subset(flows, kept), limits);
    }
    plan.plans[p].rounds.push_back({kept, result.setting});
    plan.reports.push_back(
        {plan.phases[p].name, describe(net, flows, first),
         fmt::format("endpoints carry out {} by unicasts, the switch the other {} flows", names, kept.size())});
  }

  /// The smallest of the flows that conflict, or of all flows where the search could not tell which do.
  static int smallest(const FlowSet& flows, std::vector<int> conflicting) {
    if (conflicting.empty()) {
      conflicting.resize(flows.size());
      std::iota(conflicting.begin(), conflicting.end(), 0);
    }
    const auto ports = [&](int f) { return flows[f].inputs.size() + flows[f].outputs.size(); };
    return *std::min_element(conflicting.begin(), conflicting.end(), [&](int a, int b) { return ports(a) < ports(b); });
  }
};

}  // namespace

extern const AnswerPolicy kDecompose;
const AnswerPolicy kDecompose{{"decompose", "let the endpoints carry some of them out"},
                              []() -> std::unique_ptr<ConflictAnswer> { return std::make_unique<Decompose>(); }};

}  // namespace weft::fred
