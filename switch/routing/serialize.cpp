// SPDX-License-Identifier: Apache-2.0
// Answer "serialize": the flows of a phase that does not route run in several rounds.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "switch/routing/conflict_answer.h"

namespace weft::fred {
namespace {

/// Flows with the most ports first: they are the hardest to place.
std::vector<int> largest_first(const FlowSet& flows) {
  std::vector<int> order(flows.size());
  std::iota(order.begin(), order.end(), 0);
  const auto ports = [&](int f) { return flows[f].inputs.size() + flows[f].outputs.size(); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ports(a) > ports(b); });
  return order;
}

/// Each flow joins the first round with which it routes. A single flow always routes, so this ends.
std::vector<Round> greedy_rounds(const Interconnect& net, const FlowSet& flows, const RouteLimits& limits) {
  std::vector<Round> rounds;
  for (const int flow : largest_first(flows)) {
    bool placed = false;
    for (std::size_t r = 0; r <= rounds.size() && !placed; ++r) {
      std::vector<int> joined = r < rounds.size() ? rounds[r].flows : std::vector<int>{};
      joined.insert(std::lower_bound(joined.begin(), joined.end(), flow), flow);
      RouteResult result = route_flows(net, detail::subset(flows, joined), limits);
      placed = result.status == RouteStatus::kRouted;
      if (!placed) continue;
      if (r == rounds.size()) rounds.emplace_back();
      rounds[r] = {std::move(joined), std::move(result.setting)};
    }
  }
  return rounds;
}

class Serialize final : public ConflictAnswer {
 public:
  void answer(const Interconnect& net, const std::vector<RouteResult>& results, const RouteLimits& limits,
              RoutePlan& plan) const override {
    for (std::size_t p = 0; p < results.size(); ++p) {
      if (results[p].status == RouteStatus::kRouted) continue;
      const FlowSet& flows = plan.phases[p].flows;
      plan.plans[p].rounds = greedy_rounds(net, flows, limits);
      plan.reports.push_back({plan.phases[p].name, describe(net, flows, results[p]),
                              fmt::format("{} flows run in {} rounds", flows.size(), plan.plans[p].rounds.size())});
    }
  }
};

}  // namespace

extern const AnswerPolicy kSerialize;
const AnswerPolicy kSerialize{{"serialize", "run them one after another"},
                              []() -> std::unique_ptr<ConflictAnswer> { return std::make_unique<Serialize>(); }};

}  // namespace weft::fred
