// SPDX-License-Identifier: Apache-2.0
// What the small builders make: every link has its counterpart, and names are those of its ends.
#include "network/graph_network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "config/load.h"
#include "config/policies.h"
#include "network/link_numbers.h"

namespace weft::network {
namespace {

Config config_of(const std::string& kind, int size) {
  return load_config_text(
      fmt::format("fabric: {{kind: {}, size: {}, router: {{vcs: 2}}}}\nworkload: {{traffic: {{rate: "
                  "0.1}}}}\n",
                  kind, size),
      "c.yaml", {});
}

class GraphKinds : public testing::TestWithParam<const char*> {};

// A link from a to b has one from b to a; rows and links are the same in the same order; each router's name occurs.
TEST_P(GraphKinds, links_go_both_ways) {
  for (const int size : {1, 2, 3, 8}) {
    const GraphNetwork network(config_of(GetParam(), size));
    ASSERT_EQ(network.endpoints(), static_cast<std::size_t>(size));
    std::map<std::pair<std::string, std::string>, int> count;
    std::map<std::string, int> names;
    for (std::uint32_t i = 0; i < network.links(); ++i) {
      const Link link = network.link(LinkId{i});
      ++count[{link.from, link.to}];
      ++names[link.name];
      EXPECT_EQ(network.link_row(i).name, link.name);
      EXPECT_EQ(network.link_row(i).at_endpoint, link.from.rfind("npu", 0) == 0 || link.to.rfind("npu", 0) == 0);
    }
    const InjectionNumbers numbers = injection_numbers(config_of(GetParam(), size).fabric);
    for (std::uint32_t npu = 0; npu < network.endpoints(); ++npu) {
      EXPECT_EQ(network.link(numbers.of(NodeId{npu})).from, fmt::format("npu[{}]", npu));
    }
    for (const auto& [ends, links] : count) {
      EXPECT_EQ((count[{ends.second, ends.first}]), links) << ends.first << " " << ends.second;
    }
    for (const auto& [name, times] : names) EXPECT_EQ(times, 1) << name;
  }
}

// What the configuration says of a kind beforehand is what its builder makes.
TEST_P(GraphKinds, rules_are_those_of_the_built_fabric) {
  for (const int size : {1, 2, 3, 8}) {
    const Config config = config_of(GetParam(), size);
    const GraphFacts& rule = graph_facts(config.fabric);
    const GraphNetwork network(config);
    EXPECT_EQ(rule.vc_sets(size, 1).split, network.routing().vc_classes());
    std::size_t widest = 0;
    for (const RouterNode& router : network.graph().routers()) widest = std::max(widest, router.ports.size());
    EXPECT_EQ(static_cast<std::size_t>(rule.ports(size)), widest) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, GraphKinds, testing::Values("ring", "fully_connected", "switch"));

TEST(GraphNetwork, a_ring_by_hand) {
  const GraphNetwork network(config_of("ring", 5));
  EXPECT_EQ(network.links(), 5u + 5 * 3);
  EXPECT_EQ(network.link(LinkId{3}).name, "npu[3].out");
  EXPECT_EQ(network.link(LinkId{3}).to, "router[3]");
  const Link up = network.link(network.graph().link_of(4, 0));
  EXPECT_EQ(up.name, "fabric.router[4].up");
  EXPECT_EQ(up.to, "router[0]");
  EXPECT_EQ(network.link(network.graph().link_of(0, 1)).to, "router[4]");
  EXPECT_EQ(network.link(network.graph().link_of(4, 2)).to, "npu[4]");
  EXPECT_EQ(network.summary(), "ring of 5, shortest_way");
}

TEST(GraphNetwork, fully_connected_by_hand) {
  const GraphNetwork network(config_of("fully_connected", 4));
  EXPECT_EQ(network.links(), 4u + 4 * 4);
  const Link link = network.link(network.graph().link_of(2, 2));
  EXPECT_EQ(link.name, "fabric.router[2].to[3]");
  EXPECT_EQ(link.to, "router[3]");
  EXPECT_EQ(network.link(network.graph().link_of(2, 1)).to, "router[1]");
  EXPECT_EQ(network.link(network.graph().link_of(2, 3)).to, "npu[2]");
}

TEST(GraphNetwork, a_switch_by_hand) {
  const GraphNetwork network(config_of("switch", 4));
  EXPECT_EQ(network.links(), 8u);
  EXPECT_EQ(network.link(LinkId{1}).to, "switch");
  EXPECT_EQ(network.link(LinkId{5}).name, "fabric.switch.port[1]");
  EXPECT_EQ(network.link(LinkId{5}).to, "npu[1]");
}

TEST(RouterGraph, ports_that_lead_nowhere_or_twice_bad) {
  RouterGraph graph;
  graph.add_router("a", 0, 0);
  graph.add_router("b", 1, 0);
  graph.add_port(0, "x", {});
  EXPECT_THROW(graph.number_links(), ViolationError);
  graph.add_port(1, "x", {});
  graph.join({0, 0}, {1, 0});
  EXPECT_THROW(graph.join({0, 0}, {1, 0}), ViolationError);
  graph.number_links();
  EXPECT_EQ(graph.links(), 2u);
  EXPECT_EQ(graph.port_of(graph.link_of(1, 0)).router, 1u);
}

}  // namespace
}  // namespace weft::network
