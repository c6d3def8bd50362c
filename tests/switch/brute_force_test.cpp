// SPDX-License-Identifier: Apache-2.0
// Routing against trying every assignment of middle stages: routable exactly when one exists.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "switch/routing/route.h"
#include "tests/switch/support/flows.h"

namespace weft::fred {
namespace {

using testing::random_flows;

using PlainPorts = std::set<int>;
struct Ends {
  PlainPorts inputs;
  PlainPorts outputs;
};

bool meet(const PlainPorts& a, const PlainPorts& b, int size) {
  for (const int p : a) {
    for (const int q : b) {
      if (p / 2 == q / 2 && p / 2 < size / 2) return true;
    }
  }
  return false;
}

PlainPorts inwards(const PlainPorts& ports, int size) {
  PlainPorts inner;
  for (const int p : ports) inner.insert(p == size - 1 && size % 2 == 1 ? size / 2 : p / 2);
  return inner;
}

/// Tries every assignment of middle stages.
bool some_assignment_exists(int m, int size, const std::vector<Ends>& flows) {
  if (size == 2 || flows.empty()) return true;
  std::vector<int> middle(flows.size(), 0);
  while (true) {
    bool good = true;
    for (std::size_t a = 0; a < flows.size() && good; ++a) {
      for (std::size_t b = 0; b < a && good; ++b) {
        good = middle[a] != middle[b] ||
               !(meet(flows[a].inputs, flows[b].inputs, size) || meet(flows[a].outputs, flows[b].outputs, size));
      }
    }
    for (int k = 0; k < m && good; ++k) {
      std::vector<Ends> inner;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        if (middle[f] == k) inner.push_back({inwards(flows[f].inputs, size), inwards(flows[f].outputs, size)});
      }
      good = some_assignment_exists(m, (size + 1) / 2, inner);
    }
    if (good) return true;
    std::size_t f = 0;
    while (f < flows.size() && ++middle[f] == m) middle[f++] = 0;
    if (f == flows.size()) return false;
  }
}

struct Counts {
  int routed = 0;
  int conflicts = 0;
};

void compare(const Interconnect& net, const FlowSet& flows, Counts& counts) {
  std::vector<Ends> ends;
  for (const Flow& flow : flows) {
    Ends end;
    for (const PortId port : flow.inputs) end.inputs.insert(index(port));
    for (const PortId port : flow.outputs) end.outputs.insert(index(port));
    ends.push_back(end);
  }
  const RouteResult result = route_flows(net, flows);
  const bool exists = some_assignment_exists(net.m, net.ports, ends);
  ASSERT_NE(result.status, RouteStatus::kGaveUp);
  ASSERT_EQ(result.status == RouteStatus::kRouted, exists) << describe(net, flows, result);
  if (exists) verify_setting(net, flows, result.setting);
  ++(exists ? counts.routed : counts.conflicts);
}

/// All flow sets on the ports: every way to give each input, and each output, to a flow or to none. Sets that differ in
/// the order of their flows only are taken once: flows are numbered by their first input.
void for_all_flow_sets(const Interconnect& net, FlowSet& flows, int end, Counts& counts) {
  const int p = net.ports;
  if (end == 2 * p) {
    for (const Flow& flow : flows) {
      if (flow.outputs.empty()) return;
    }
    compare(net, flows, counts);
    return;
  }
  const PortId port{static_cast<std::uint8_t>(end % p)};
  for_all_flow_sets(net, flows, end + 1, counts);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    std::vector<PortId>& ports = end < p ? flows[f].inputs : flows[f].outputs;
    ports.push_back(port);
    for_all_flow_sets(net, flows, end + 1, counts);
    (end < p ? flows[f].inputs : flows[f].outputs).pop_back();
  }
  if (end < p) {
    flows.push_back({std::to_string(flows.size()), {port}, {}});
    for_all_flow_sets(net, flows, end + 1, counts);
    flows.pop_back();
  }
}

Counts exhaustive(int m, int ports) {
  Counts counts;
  FlowSet flows;
  for_all_flow_sets(build_interconnect(m, ports), flows, 0, counts);
  return counts;
}

/// Flow sets on P ports: the sum over k of S(P + 1, k + 1) * S(P + 1, k + 1) * k!, S the Stirling numbers of the second
/// kind; the empty set included.
TEST(BruteForce, agrees_on_all_flow_sets_of_up_to_five_ports) {
  for (int m = 2; m <= 3; ++m) {
    for (const auto& [ports, all] : {std::pair{2, 1 + 9 + 2},
                                     {3, 1 + 49 + 72 + 6},
                                     {4, 1 + 225 + 1250 + 600 + 24},
                                     {5, 1 + 961 + 16200 + 25350 + 5400 + 120}}) {
      const Counts counts = exhaustive(m, ports);
      EXPECT_EQ(counts.routed + counts.conflicts, all) << "Fred_" << m << "(" << ports << ")";
      EXPECT_EQ(counts.conflicts > 0, m == 2 && ports >= 4);
      RecordProperty("conflicts_" + std::to_string(m) + "_" + std::to_string(ports), counts.conflicts);
    }
  }
}

TEST(BruteForce, agrees_on_random_flow_sets_of_six_to_eight_ports) {
  RandomStream random(17, NodeId{3});
  for (int m = 2; m <= 3; ++m) {
    for (int ports = 6; ports <= 8; ++ports) {
      const Interconnect net = build_interconnect(m, ports);
      Counts counts;
      for (int i = 0; i < 3000; ++i) compare(net, random_flows(ports, 6, random), counts);
      EXPECT_GT(counts.routed, 100) << net.name();
      EXPECT_GT(counts.conflicts, m == 2 ? 100 : ports == 8 ? 0 : -1) << net.name();
    }
  }
}

}  // namespace
}  // namespace weft::fred
