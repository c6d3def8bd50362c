// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "switch/routing/colour_search.h"

namespace weft::fred {
namespace {

using detail::ColourSearch;
using detail::FlowList;

/// Ports of a flow as a stage at that depth sees them.
std::vector<std::uint32_t> local_ports(const std::vector<PortId>& ports, int depth) {
  std::vector<std::uint32_t> local;
  for (const PortId port : ports) local.push_back(static_cast<std::uint32_t>(index(port)) >> depth);
  std::sort(local.begin(), local.end());
  local.erase(std::unique(local.begin(), local.end()), local.end());
  return local;
}

/// Turns the colours that the search found into uSwitch settings, from the outermost stages inwards.
class UswitchSettings {
 public:
  UswitchSettings(const Interconnect& net, const FlowSet& flows, const ColourSearch& search, RouteResult& result)
      : net_(net), flows_(flows), search_(search), result_(result) {
    result_.setting.assign(net.elements.size(), UswitchSetting{});
  }

  void set(std::uint32_t number, const FlowList& flows) {
    if (flows.empty()) return;
    const Stage& stage = net_.stages[number];
    if (stage.base()) return set_base(stage, flows);
    const std::vector<std::uint8_t>& colours = search_.colours(stage.depth, flows);
    std::vector<FlowList> within(net_.m);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      within[colours[i]].push_back(flows[i]);
      result_.assignments.push_back({number, flows[i], colours[i]});
      set_ends(stage, flows_[flows[i]], static_cast<std::uint8_t>(colours[i] + 1));
    }
    for (int k = 0; k < net_.m; ++k) set(stage.middles[k], within[k]);
  }

 private:
  void set_base(const Stage& stage, const FlowList& flows) {
    UswitchSetting& rd = result_.setting[stage.first_in];
    for (const std::uint16_t f : flows) {
      std::uint32_t mask = 0;
      for (const std::uint32_t port : local_ports(flows_[f].inputs, stage.depth)) mask |= 1U << port;
      for (const std::uint32_t port : local_ports(flows_[f].outputs, stage.depth)) {
        rd.select[port] = static_cast<std::uint8_t>(mask);
      }
    }
    rd.reduce = rd.select[0] == 3 || rd.select[1] == 3;
    rd.distribute = rd.select[0] != 0 && rd.select[0] == rd.select[1];
  }

  void set_ends(const Stage& stage, const Flow& flow, std::uint8_t select) {
    const std::uint32_t paired = 2 * stage.pairs();
    for (const std::uint32_t port : local_ports(flow.inputs, stage.depth)) {
      UswitchSetting& uswitch_setting = result_.setting[port < paired ? stage.first_in + port / 2 : stage.demux];
      uswitch_setting.select[port < paired ? port % 2 : 0] = select;
      uswitch_setting.reduce = port < paired && uswitch_setting.select[0] == uswitch_setting.select[1];
    }
    for (const std::uint32_t port : local_ports(flow.outputs, stage.depth)) {
      UswitchSetting& uswitch_setting = result_.setting[port < paired ? stage.first_out + port / 2 : stage.mux];
      uswitch_setting.select[port < paired ? port % 2 : 0] = select;
      uswitch_setting.distribute = port < paired && uswitch_setting.select[0] == uswitch_setting.select[1];
    }
  }

  const Interconnect& net_;
  const FlowSet& flows_;
  const ColourSearch& search_;
  RouteResult& result_;
};

/// The first uSwitch of a stage that both flows want on one side; -1 if none.
int shared_pair(const std::vector<PortId>& a, const std::vector<PortId>& b, int depth) {
  const std::vector<std::uint32_t> pairs_a = local_ports(a, depth + 1);
  const std::vector<std::uint32_t> pairs_b = local_ports(b, depth + 1);
  std::vector<std::uint32_t> both;
  std::set_intersection(pairs_a.begin(), pairs_a.end(), pairs_b.begin(), pairs_b.end(), std::back_inserter(both));
  return both.empty() ? -1 : static_cast<int>(both.front());
}

/// Finds the depth at which a smallest set of conflicting flows does not colour, and what they share there.
Conflict explain(ColourSearch& search, const FlowSet& flows, const FlowList& all) {
  FlowList there = search.smallest_conflict(0, all);
  Conflict conflict;
  conflict.flows.assign(there.begin(), there.end());
  int depth = 0;
  while (search.colourable(depth, there)) {
    there = search.conflict_within(depth, there);
    WEFT_CHECK(!there.empty(), "flows colour and conflict nowhere within");
    conflict.where += depth == 0 ? "mid[*]" : ".mid[*]";
    ++depth;
  }
  conflict.there.assign(there.begin(), there.end());
  const std::string prefix = conflict.where.empty() ? "" : conflict.where + ".";
  for (const int a : conflict.there) {
    for (const int b : conflict.there) {
      if (b <= a) continue;
      const int in = shared_pair(flows[a].inputs, flows[b].inputs, depth);
      const int out = shared_pair(flows[a].outputs, flows[b].outputs, depth);
      if (in >= 0) conflict.shared.push_back({a, b, fmt::format("{}in[{}]", prefix, in)});
      if (out >= 0) conflict.shared.push_back({a, b, fmt::format("{}out[{}]", prefix, out)});
    }
  }
  return conflict;
}

std::string names_of(const FlowSet& flows, const std::vector<int>& numbers) {
  std::string text;
  for (const int f : numbers) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", flows[f].name);
  return text;
}

}  // namespace

RouteResult route_flows(const Interconnect& net, const FlowSet& flows, const RouteLimits& limits) {
  check_flows(net, flows);
  RouteResult result;
  ColourSearch search(net, flows, limits);
  FlowList all(flows.size());
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  try {
    if (search.routable(0, all)) {
      UswitchSettings(net, flows, search, result).set(0, all);
    } else {
      result.status = RouteStatus::kConflict;
      result.conflict.flows.assign(all.begin(), all.end());
      result.conflict = explain(search, flows, all);
    }
  } catch (const detail::GiveUp&) {
    // A conflict that is proven stays one, even if no small set that explains it could be found in time.
    if (result.status != RouteStatus::kConflict) result.status = RouteStatus::kGaveUp;
  }
  result.steps = search.steps();
  return result;
}

std::string describe(const Interconnect& net, const FlowSet& flows, const RouteResult& result) {
  if (result.status == RouteStatus::kRouted) return fmt::format("{} flows route on {}", flows.size(), net.name());
  if (result.status == RouteStatus::kGaveUp) {
    return fmt::format("no routing of {} flows on {} found, and no proof that there is none, in {} steps", flows.size(),
                       net.name(), result.steps - 1);
  }
  const Conflict& conflict = result.conflict;
  std::string text = fmt::format("flows {} conflict on {}", names_of(flows, conflict.flows), net.name());
  if (conflict.there.empty()) return text;
  text += conflict.where.empty() ? fmt::format(": {} middle stages are too few where", net.m)
                                 : fmt::format(": {} must meet in a middle stage, and {} are too few there where",
                                               names_of(flows, conflict.there), net.m);
  for (std::size_t i = 0; i < conflict.shared.size(); ++i) {
    const SharedUSwitch& shared = conflict.shared[i];
    text += fmt::format("{} '{}' and '{}' share {}", i == 0 ? "" : ",", flows[shared.first].name,
                        flows[shared.second].name, shared.path);
  }
  return text;
}

}  // namespace weft::fred
