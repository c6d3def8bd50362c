// SPDX-License-Identifier: Apache-2.0
// Answer "replace": another placement, with which all phases route.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "switch/routing/conflict_answer.h"

namespace weft::fred {
namespace {

constexpr int kMostTries = 2000;
constexpr int kTriesPerStart = 100;  ///< swaps before the search starts again from a random placement

/// A placement and how well it does.
struct Candidate {
  std::vector<PortId> port_of;
  std::vector<Phase> phases;
  std::vector<RouteResult> results;
  std::size_t unrouted = 0;
};

Candidate judge(const Interconnect& net, const std::vector<Phase>& phases, std::vector<PortId> port_of,
                const RouteLimits& limits) {
  Candidate candidate{std::move(port_of), {}, {}, 0};
  candidate.phases = placed(phases, candidate.port_of);
  for (const Phase& phase : candidate.phases) {
    candidate.results.push_back(route_flows(net, phase.flows, limits));
    if (candidate.results.back().status != RouteStatus::kRouted) ++candidate.unrouted;
  }
  return candidate;
}

void swap_two(std::vector<PortId>& port_of, RandomStream& random) {
  const std::size_t a = random.below(port_of.size());
  std::swap(port_of[a], port_of[random.below(port_of.size())]);
}

void shuffle(std::vector<PortId>& port_of, RandomStream& random) {
  for (std::size_t i = port_of.size() - 1; i > 0; --i) std::swap(port_of[i], port_of[random.below(i + 1)]);
}

/// Swaps two NPUs at a time and keeps what does no worse; the same for the same arguments.
Candidate search(const Interconnect& net, const std::vector<Phase>& phases, const std::vector<PortId>& start,
                 const RouteLimits& limits) {
  RandomStream random(1, NodeId{0});
  Candidate best = judge(net, phases, start, limits);
  for (int t = 1; t <= kMostTries && best.unrouted > 0; ++t) {
    std::vector<PortId> port_of = best.port_of;
    const bool restart = t % kTriesPerStart == 0;
    restart ? shuffle(port_of, random) : swap_two(port_of, random);
    Candidate next = judge(net, phases, std::move(port_of), limits);
    if (restart || next.unrouted <= best.unrouted) best = std::move(next);
  }
  return best;
}

class Replace final : public ConflictAnswer {
 public:
  void answer(const Interconnect& net, const std::vector<RouteResult>& results, const RouteLimits& limits,
              RoutePlan& plan) const override {
    Candidate found = search(net, plan.phases, plan.port_of, limits);
    std::string moved;
    for (std::size_t p = 0; p < found.port_of.size(); ++p) {
      if (index(found.port_of[p]) == p) continue;
      moved += fmt::format("{}{} -> {}", moved.empty() ? "" : ", ", p, index(found.port_of[p]));
    }
    for (std::size_t p = 0; p < results.size(); ++p) {
      if (results[p].status == RouteStatus::kRouted) continue;
      const std::string conflict = describe(net, plan.phases[p].flows, results[p]);
      if (found.unrouted > 0) {
        throw InputError(fmt::format("phase '{}': {}; none of {} other placements routes all phases",
                                     plan.phases[p].name, conflict, kMostTries));
      }
      plan.reports.push_back({plan.phases[p].name, conflict, "ports moved: " + moved});
    }
    for (std::size_t p = 0; p < results.size(); ++p) {
      std::vector<int> all;
      for (std::size_t f = 0; f < found.phases[p].flows.size(); ++f) all.push_back(static_cast<int>(f));
      plan.plans[p].rounds = {{all, found.results[p].setting}};
    }
    plan.port_of = std::move(found.port_of);
    plan.phases = std::move(found.phases);
  }
};

}  // namespace

extern const AnswerPolicy kReplace;
const AnswerPolicy kReplace{{"replace", "search another placement of the ranks before the run"},
                            []() -> std::unique_ptr<ConflictAnswer> { return std::make_unique<Replace>(); }};

}  // namespace weft::fred
