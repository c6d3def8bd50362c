// SPDX-License-Identifier: Apache-2.0
// Ways of packets and numbers of parts, by hand.
#include "sc_models/fabric_sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "config/load.h"
#include "sc_models/fabric_kinds.h"
#include "tests/config/fred_configs.h"

namespace weft::sc_models {
namespace {

using testing::HasSubstr;

std::unique_ptr<FabricSketch> sketch_of(const std::string& fabric) {
  return make_sketch(load_config_text("fabric: {" + fabric + "}\nworkload: {traffic: {}}\n"));
}

std::uint32_t hops(const FabricSketch& sketch, std::uint32_t from, std::uint32_t to, std::uint64_t random = 0) {
  return sketch.hops(NodeId{from}, NodeId{to}, random);
}

// One router more than the steps along x and y, whatever the order of the turns.
TEST(FabricSketch, ways_on_a_mesh) {
  for (const char* const routing : {"xy", "yx", "odd_even", "o1turn"}) {
    const auto sketch = sketch_of(std::string("size: [5, 3], routing: ") + routing);
    for (std::uint32_t from = 0; from < 15; ++from) {
      for (std::uint32_t to = 0; to < 15; ++to) {
        const int x = static_cast<int>(from % 5) - static_cast<int>(to % 5);
        const int y = static_cast<int>(from / 5) - static_cast<int>(to / 5);
        EXPECT_EQ(hops(*sketch, from, to, 77 * from), 1 + std::abs(x) + std::abs(y)) << routing;
      }
    }
  }
}

// Node 7 is (2, 1) of 5 x 3; the upper half of the random bits times 15 is the number of the router in between.
TEST(FabricSketch, ways_over_a_random_router) {
  const auto sketch = sketch_of("size: [5, 3], routing: valiant");
  EXPECT_EQ(hops(*sketch, 0, 7, 0), 4u);                          // over (0, 0)
  EXPECT_EQ(hops(*sketch, 0, 7, ~std::uint64_t{0}), 1u + 6 + 3);  // over (4, 2)
}

TEST(FabricSketch, ways_around) {
  const auto torus = sketch_of("kind: torus, size: [5, 4]");
  EXPECT_EQ(hops(*torus, 0, 4), 2u);
  EXPECT_EQ(hops(*torus, 0, 12), 1u + 2 + 2);
  const auto ring = sketch_of("kind: ring, size: 7");
  EXPECT_EQ(hops(*ring, 1, 6), 3u);
  EXPECT_EQ(hops(*ring, 1, 4), 4u);
  EXPECT_EQ(hops(*ring, 2, 2), 1u);
  EXPECT_EQ(hops(*sketch_of("kind: fully_connected, size: 7"), 1, 6), 2u);
  EXPECT_EQ(hops(*sketch_of("kind: switch, size: 7"), 1, 6), 1u);
}

// Three NPUs and two uplinks at each lowest switch: 4 x 2 x 5 ports below, and 2 x 2 x 4 above.
TEST(FabricSketch, switches) {
  const auto sketch = make_sketch(load_config_text(kFredConfig));
  EXPECT_EQ(hops(*sketch, 0, 2), 1u);
  EXPECT_EQ(hops(*sketch, 2, 3), 3u);
  EXPECT_EQ(sketch->parts().chiplets, 12);
  EXPECT_EQ(sketch->parts().chiplet_ports, 56);
  EXPECT_EQ(sketch->parts().rtl_ports, 0);
  // Nodes 0, 1 of the first switch and 3 of the second: up twice, down to three at two switches, two outputs above.
  const std::vector<NodeId> nodes = {NodeId{0}, NodeId{1}, NodeId{3}};
  const std::uint32_t flow = sketch->flows()->number_of({{nodes, nodes}}, 0);
  EXPECT_EQ(sketch->flow_outputs(flow), 2 + 2 + 3);
  EXPECT_EQ(sketch->flow_receivers(flow), 3);
}

// Routers of a graph have the ports that they need: 3 on a ring; one router with a port for each NPU.
TEST(FabricSketch, parts_of_routers) {
  EXPECT_EQ(sketch_of("size: [5, 3]")->parts().router_ports, 75);
  EXPECT_EQ(sketch_of("size: [5, 3], router: {vcs: 5}")->parts().vcs, 8);
  EXPECT_EQ(sketch_of("kind: ring, size: 7")->parts().router_ports, 21);
  const FabricParts crossbar = sketch_of("kind: switch, size: 7, router: {vcs: 5}")->parts();
  EXPECT_EQ(crossbar.routers, 1);
  EXPECT_EQ(crossbar.router_ports, 7);
  EXPECT_EQ(crossbar.vcs, 5);
}

// What no builder can make is known before a run, at the place of a key.
TEST(FabricSketch, a_network_that_cannot_be_bad) {
  Config config = load_config_text(kFredConfig);
  EXPECT_TRUE(check_network(config).empty());
  config.fabric.fred.levels[0].groups = 5;
  const std::vector<ConfigProblem> problems = check_network(config);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].path, "fabric.levels");
  EXPECT_THAT(problems[0].sentence, HasSubstr("5"));
}

// A builder of a graph says nothing but what is wrong with the size. `weft check` and `weft run` load in this way.
TEST(FabricSketch, a_size_that_a_graph_cannot_have_bad) {
  const auto refused = [](const std::string& text) -> std::string {
    try {
      load_config_text("fabric: {kind: ring,\n  size: 3, link: {latency: 2}}\nworkload: {traffic: {}}\n", "a.yaml", {},
                       disk_files(),
                       [&text](const Config&) { return std::vector<ConfigProblem>{network_problem(text)}; });
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(refused("3 is odd; legal: an even number"), "a.yaml:2:9: fabric.size: 3 is odd; legal: an even number");
  EXPECT_EQ(refused("fabric.link.latency: 2 is too short"), "a.yaml:2:28: fabric.link.latency: 2 is too short");
}

}  // namespace
}  // namespace weft::sc_models
