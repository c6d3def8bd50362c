// SPDX-License-Identifier: Apache-2.0
// The wafer of configs/fred-d.yaml: 20 NPUs and 18 I/O controllers, five L1 switches and one L2 switch of two slices,
// five planes. 18 controllers are 4, 4, 4, 3, 3 at the L1 switches, so that the chiplets of two of them have 11 ports.
#include "switch/fabric/fred_network.h"

#include <gtest/gtest.h>

#include "config/load.h"
#include "network/link_numbers.h"
#include "tests/support/source.h"

namespace weft::fred {
namespace {

TEST(FredNetwork, names_of_a_wafer) {
  const Config config = load_config(test::source("configs/fred-d.yaml"), {});
  const FredNetwork network(config);
  EXPECT_EQ(network.endpoints(), 38u);
  EXPECT_EQ(network.nodes(), 38u + 5 * 5 + 2 * 5);
  EXPECT_EQ(network.node(NodeId{19}).name, "npu[19]");
  EXPECT_EQ(network.node(NodeId{19}).y, 4u);  // its L1 switch
  EXPECT_EQ(network.node(NodeId{20}).name, "io[0]");
  EXPECT_EQ(network.node(NodeId{20}).kind, network::NodeKind::kIoController);
  EXPECT_EQ(network.node(NodeId{38}).name, "fabric.l1[0].plane[0]");
  EXPECT_EQ(network.node(NodeId{38}).kind, network::NodeKind::kSwitch);
  const network::Link link = network.link(LinkId{3 * 5 + 2});
  EXPECT_EQ(link.name, "npu[3].out.plane[2]");
  EXPECT_EQ(link.to, "l1[0].plane[2]");
  EXPECT_EQ(link.vc_names, (std::vector<std::string>{"mp", "pp", "dp", "control"}));
  EXPECT_EQ(link.buffer_flits, (std::vector<int>{128, 128, 128, 4}));
  EXPECT_EQ(link.parts.plane, 2);
  EXPECT_EQ(link.parts.row, -1);
  // The first port of the chiplet in plane 3 of L1 switch 0, behind the links of 38 interfaces and three chiplets.
  EXPECT_EQ(network.link(LinkId{38 * 5 + 3 * 12}).name, "fabric.l1[0].plane[3].port[0]");
  EXPECT_EQ(network.link(LinkId{38 * 5 + 3 * 12}).parts.plane, 3);
  // The first port of L1 switch 4, plane 2, behind 15 chiplets of 12 ports and seven of 11.
  EXPECT_EQ(network.link(LinkId{38 * 5 + 15 * 12 + 7 * 11}).name, "fabric.l1[4].plane[2].port[0]");
  // NPUs and controllers, then all ports of each L1 and L2 chiplet.
  EXPECT_EQ(network.link_rows(), 38u + 5 * (3 * 12 + 2 * 11) + 5 * 2 * 10);
  EXPECT_EQ(network.link_row(3).name, "npu[3].out");
  EXPECT_EQ(network.link_row(3).to, "l1[0]");
  EXPECT_EQ(network.link_row(3).flits_per_cycle, (Rational{5, 1}));
  EXPECT_EQ(network.link_row(38).name, "fabric.l1[0].plane[0].port[0]");
  EXPECT_EQ(network.link_row(38).to, "npu[0]");
  // The rows of 38 interfaces, and in each of five planes a port towards each of them.
  std::size_t at_endpoints = 0;
  for (std::size_t row = 0; row < network.link_rows(); ++row) at_endpoints += network.link_row(row).at_endpoint ? 1 : 0;
  EXPECT_EQ(at_endpoints, 38u + 5 * 38);
  EXPECT_EQ(network.summary(), "20 NPUs, fred, 2 levels, 5 planes");
  const network::InjectionNumbers numbers = network::injection_numbers(config.fabric);
  EXPECT_EQ(network.link(numbers.of(NodeId{3}, 2)).name, "npu[3].out.plane[2]");
  EXPECT_EQ(network.link(numbers.of(NodeId{37}, 4)).name, "io[17].out.plane[4]");
}

}  // namespace
}  // namespace weft::fred
