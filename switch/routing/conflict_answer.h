// SPDX-License-Identifier: Apache-2.0
// What is done about flows that cannot be routed together. Each answer is one file and one line in the registry.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/policy.h"
#include "switch/routing/placement.h"
#include "switch/routing/route.h"

namespace weft::fred {

/// Flows that run together, and the stored setting for it.
struct Round {
  std::vector<int> flows;  ///< indices into the phase's flows
  SwitchSetting setting;
};

/// A flow that the endpoints carry out: every output port gets the data of every input port but its own and adds them.
/// The unicasts of one round share no port, so that they can go at the same time.
struct EndpointFlow {
  int flow = 0;
  std::vector<std::vector<std::pair<PortId, PortId>>> rounds;  ///< (from, to)
};

struct PhasePlan {
  std::string name;
  std::vector<Round> rounds;  ///< one after the other
  std::vector<EndpointFlow> at_endpoints;
};

/// One phase that did not route as it was.
struct ConflictReport {
  std::string phase;
  std::string found;  ///< which flows conflict and where
  std::string done;
};

struct RoutePlan {
  std::vector<PortId> port_of;   ///< where what was at port p is now
  std::vector<Phase> phases;     ///< flows at their ports, after `port_of`
  std::vector<PhasePlan> plans;  ///< plans of each phase
  std::vector<ConflictReport> reports;
};

/// How a conflict is answered.
class ConflictAnswer {
 public:
  virtual ~ConflictAnswer() = default;
  /// Completes a plan in which each phase has one round, or none where it did not route: `results` says why. Throws
  /// InputError where it has no answer.
  virtual void answer(const Interconnect& net, const std::vector<RouteResult>& results, const RouteLimits& limits,
                      RoutePlan& plan) const = 0;
};

/// An answer as the registry lists it: a constant of its file.
struct AnswerPolicy : Policy {
  std::unique_ptr<ConflictAnswer> (*make)() = nullptr;
};

/// All answers, the default first.
const PolicyList<AnswerPolicy>& answer_policies();
/// Throws InputError for an unknown name.
std::unique_ptr<ConflictAnswer> make_conflict_answer(std::string_view name);

/// Routes all phases, one after the other, and asks the named answer where some do not route.
RoutePlan plan_routes(const Interconnect& net, const std::vector<Phase>& phases, std::string_view answer,
                      const RouteLimits& limits = {});

namespace detail {
/// The flows with these numbers.
FlowSet subset(const FlowSet& flows, const std::vector<int>& numbers);
}  // namespace detail

}  // namespace weft::fred
