// SPDX-License-Identifier: Apache-2.0
// Routing of flows: which middle stage carries which flow, at every depth of the recursion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/routing/flow.h"
#include "switch/routing/switch_setting.h"
#include "switch/topology/interconnect.h"

namespace weft::fred {

/// Bounds of the search.
struct RouteLimits {
  std::uint64_t steps = 1'000'000;  ///< flows given to middle stages, tries included
};

enum class RouteStatus {
  kRouted,
  kConflict,  ///< proven: no choice of middle stages carries all flows
  kGaveUp,    ///< RouteLimits::steps did not suffice to tell
};

/// Two flows that want one uSwitch and so must not share a middle stage.
struct SharedUSwitch {
  int first = 0;   ///< index of a flow
  int second = 0;  ///< index of a later flow
  std::string path;
};

/// Why flows cannot be routed together.
struct Conflict {
  std::vector<int> flows;             ///< that conflict: without any one of them the rest of them routes
  std::string where;                  ///< "" = outermost stages; mid[*] = in whichever middle stage they meet
  std::vector<int> there;             ///< members of `flows` that meet there and do not fit
  std::vector<SharedUSwitch> shared;  ///< the edges of the conflict graph between `there`
};

/// The middle stage that carries a flow through one stage.
struct Assignment {
  std::uint32_t stage = 0;  ///< index into Interconnect::stages
  int flow = 0;
  int middle = 0;
};

struct RouteResult {
  RouteStatus status = RouteStatus::kRouted;
  SwitchSetting setting;                ///< if routed
  std::vector<Assignment> assignments;  ///< if routed; by stage, then flow
  Conflict conflict;                    ///< if in conflict
  std::uint64_t steps = 0;
};

/// Routes flows that are active together. Exact: middle stages are chosen by a search over all colourings of the
/// conflict graphs, at all depths, until one is found or none is left. Throws InputError for flows that are none.
RouteResult route_flows(const Interconnect& net, const FlowSet& flows, const RouteLimits& limits = {});

/// "flows 'a', 'b', 'c' conflict in the outermost stages: 'a' and 'b' share in[1], ..." for reports and errors.
std::string describe(const Interconnect& net, const FlowSet& flows, const RouteResult& result);

}  // namespace weft::fred
