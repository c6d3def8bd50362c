// SPDX-License-Identifier: Apache-2.0
// What each answer to a conflict plans, and that its plans route.
#include "switch/routing/conflict_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "tests/switch/support/flows.h"

namespace weft::fred {
namespace {

using testing::all_reduces;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ports;

/// A triangle, which two middle stages cannot carry, and a phase that routes.
std::vector<Phase> triangle_phases() {
  return {{"dp", all_reduces({{0, 2}, {1, 4}, {3, 5}})}, {"mp", all_reduces({{0, 1}, {2, 3}, {4, 5}, {6, 7}})}};
}

void verify_rounds(const Interconnect& net, const RoutePlan& plan) {
  for (std::size_t p = 0; p < plan.plans.size(); ++p) {
    for (const Round& round : plan.plans[p].rounds) {
      verify_setting(net, detail::subset(plan.phases[p].flows, round.flows), round.setting);
    }
  }
}

TEST(ConflictAnswer, no_conflict_needs_no_answer) {
  const Interconnect net = build_interconnect(3, 8);
  for (const std::string_view name : answer_policies().names()) {
    const RoutePlan plan = plan_routes(net, triangle_phases(), name);
    EXPECT_TRUE(plan.reports.empty());
    EXPECT_EQ(plan.plans[0].rounds.size(), 1U);
    EXPECT_EQ(plan.plans[1].rounds.size(), 1U);
    verify_rounds(net, plan);
  }
}

TEST(ConflictAnswer, serialize_runs_a_triangle_in_two_rounds) {
  const Interconnect net = build_interconnect(2, 8);
  const RoutePlan plan = plan_routes(net, triangle_phases(), "serialize");
  ASSERT_EQ(plan.plans[0].rounds.size(), 2U);
  EXPECT_THAT(plan.plans[0].rounds[0].flows, ElementsAre(0, 1));
  EXPECT_THAT(plan.plans[0].rounds[1].flows, ElementsAre(2));
  EXPECT_EQ(plan.plans[1].rounds.size(), 1U);
  verify_rounds(net, plan);
  ASSERT_EQ(plan.reports.size(), 1U);
  EXPECT_EQ(plan.reports[0].phase, "dp");
  EXPECT_THAT(plan.reports[0].found, HasSubstr("flows 'a', 'b', 'c' conflict on Fred_2(8)"));
  EXPECT_EQ(plan.reports[0].done, "3 flows run in 2 rounds");
}

TEST(ConflictAnswer, decompose_takes_out_one_flow_of_a_triangle) {
  const Interconnect net = build_interconnect(2, 8);
  const RoutePlan plan = plan_routes(net, triangle_phases(), "decompose");
  ASSERT_EQ(plan.plans[0].at_endpoints.size(), 1U);
  EXPECT_EQ(plan.plans[0].at_endpoints[0].flow, 0);
  using Unicasts = std::vector<std::pair<PortId, PortId>>;
  EXPECT_THAT(plan.plans[0].at_endpoints[0].rounds,
              ElementsAre(Unicasts{{PortId{0}, PortId{2}}, {PortId{2}, PortId{0}}}));
  EXPECT_THAT(plan.plans[0].rounds.at(0).flows, ElementsAre(1, 2));
  EXPECT_EQ(plan.reports[0].done, "endpoints carry out 'a' by unicasts, the switch the other 2 flows");
  verify_rounds(net, plan);
}

/// Every member gets the data of every other once, and each round of unicasts is a permutation that routes.
TEST(ConflictAnswer, decomposed_flows_are_complete_and_route) {
  const Interconnect net = build_interconnect(3, 12);
  const FlowSet flows = all_reduces({{0, 2, 4}, {1, 6, 8}, {3, 7, 10}, {5, 9, 11}});
  const RoutePlan plan = plan_routes(net, {{"dp", flows}}, "decompose");
  ASSERT_EQ(plan.plans[0].at_endpoints.size(), 1U);
  const EndpointFlow& endpoint = plan.plans[0].at_endpoints[0];
  std::set<std::pair<PortId, PortId>> pairs;
  for (const auto& round : endpoint.rounds) {
    FlowSet unicasts;
    for (const auto& [from, to] : round) {
      EXPECT_TRUE(pairs.emplace(from, to).second);
      unicasts.push_back({"u", {from}, {to}});
    }
    EXPECT_EQ(route_flows(net, unicasts).status, RouteStatus::kRouted);
  }
  EXPECT_EQ(pairs.size(), 3U * 2);
  verify_rounds(net, plan);
}

TEST(ConflictAnswer, decompose_handles_reduces_and_multicasts) {
  // The same triangle of flows with inputs and outputs of different number.
  const FlowSet flows{
      {"a", ports({0, 2}), ports({6})}, {"b", ports({1, 4}), ports({5, 7})}, {"c", ports({3, 5}), ports({4})}};
  const Interconnect net = build_interconnect(2, 8);
  const RoutePlan plan = plan_routes(net, {{"mixed", flows}}, "decompose");
  ASSERT_EQ(plan.plans[0].at_endpoints.size(), 1U);
  EXPECT_EQ(plan.plans[0].at_endpoints[0].flow, 0);
  EXPECT_EQ(plan.plans[0].at_endpoints[0].rounds.size(), 2U);  // 0 -> 6, then 2 -> 6
  verify_rounds(net, plan);
}

TEST(ConflictAnswer, replace_finds_a_placement_for_all_phases) {
  const Interconnect net = build_interconnect(3, 12);
  const FlowSet flows = all_reduces({{0, 2, 4}, {1, 6, 8}, {3, 7, 10}, {5, 9, 11}});
  const std::vector<Phase> phases{{"dp", flows}, {"mp", all_reduces({{0, 1}, {2, 3}})}};
  const RoutePlan plan = plan_routes(net, phases, "replace");
  EXPECT_EQ(std::set<PortId>(plan.port_of.begin(), plan.port_of.end()).size(), 12U);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    std::set<PortId> moved;
    for (const PortId port : flows[f].inputs) moved.insert(plan.port_of[index(port)]);
    const Flow& flow = plan.phases[0].flows[f];
    EXPECT_EQ(std::vector<PortId>(moved.begin(), moved.end()), flow.inputs);
  }
  EXPECT_EQ(plan.plans[0].rounds.at(0).flows.size(), 4U);
  EXPECT_EQ(plan.plans[1].rounds.at(0).flows.size(), 2U);
  verify_rounds(net, plan);
  EXPECT_THAT(plan.reports.at(0).done, HasSubstr("ports moved: "));
}

/// All 15 ways to pair six ports, each as a phase of three all-reduces.
void add_pairings(std::vector<int> left, const FlowSet& flows, std::vector<Phase>& phases) {
  if (left.empty()) {
    phases.push_back({"pairing " + std::to_string(phases.size()), flows});
    return;
  }
  for (std::size_t i = 1; i < left.size(); ++i) {
    FlowSet more = flows;
    more.push_back(all_reduce_flow("f" + std::to_string(flows.size()), ports({left[0], left[i]})));
    std::vector<int> rest;
    for (std::size_t k = 1; k < left.size(); ++k) {
      if (k != i) rest.push_back(left[k]);
    }
    add_pairings(rest, more, phases);
  }
}

/// Wherever the NPUs sit, some pairing forms a ring of six with the pairs that share a uSwitch: a triangle of flows.
TEST(ConflictAnswer, replace_without_a_placement_bad) {
  std::vector<Phase> phases;
  add_pairings({0, 1, 2, 3, 4, 5}, {}, phases);
  ASSERT_EQ(phases.size(), 15U);
  try {
    plan_routes(build_interconnect(2, 6), phases, "replace");
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none of 2000 other placements routes all phases"));
  }
}

TEST(ConflictAnswer, refuse_bad) {
  try {
    plan_routes(build_interconnect(2, 8), triangle_phases(), "refuse");
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("phase 'dp': flows 'a', 'b', 'c' conflict on Fred_2(8)"));
    EXPECT_THAT(error.what(), HasSubstr("Take more middle stages (m is 2)"));
  }
}

TEST(ConflictAnswer, unknown_name_bad) {
  try {
    make_conflict_answer("serialise");
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("known: serialize, decompose, replace, refuse; did you mean 'serialize'?"));
  }
}

}  // namespace
}  // namespace weft::fred
