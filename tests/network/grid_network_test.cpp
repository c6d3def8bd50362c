// SPDX-License-Identifier: Apache-2.0
// Names, ends and rates of the links of meshes and tori, by hand.
#include "network/grid_network.h"

#include <gtest/gtest.h>

#include "base/region_ports.h"
#include "config/load.h"
#include "network/link_numbers.h"

namespace weft::network {
namespace {

constexpr const char* kMesh =
    "clock: 1 GHz\nfabric: {kind: mesh, size: [3, 2], flit_bytes: 32 B, link: {bandwidth: 64 GB/s}, link_y: "
    "{bandwidth: "
    "16 GB/s}, local: {bandwidth: 96 GB/s}, router: {vcs: 3, buffer_flits: 7}}\nworkload: {traffic: {rate: 0.1}}\n";

Config config_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  return load_config_text(text, "c.yaml", sets);
}

TEST(GridNetwork, links_of_a_mesh) {
  const GridNetwork network(config_of(kMesh));
  EXPECT_EQ(network.endpoints(), 6u);
  EXPECT_EQ(network.nodes(), 6u);
  EXPECT_EQ(network.links(), 36u);
  // 2 x 2 along x and 3 along y, both ways; two per NPU.
  EXPECT_EQ(network.link_rows(), 2u * 4 + 2 * 3 + 2 * 6);
  std::size_t at_npus = 0;
  for (std::size_t row = 0; row < network.link_rows(); ++row) at_npus += network.link_row(row).at_endpoint ? 1 : 0;
  EXPECT_EQ(at_npus, 2u * 6);
  EXPECT_FALSE(network.link_row(0).at_endpoint);  // fabric.router[0,0].east
  const Link east = network.link(output_link(NodeId{4}, kEast));
  EXPECT_EQ(east.name, "fabric.router[1,1].east");
  EXPECT_EQ(east.from, "router[1,1]");
  EXPECT_EQ(east.to, "router[2,1]");
  EXPECT_EQ(east.flits_per_cycle, (Rational{2, 1}));
  EXPECT_EQ(east.vcs, 3);
  EXPECT_EQ(east.buffer_flits, std::vector<int>{7});
  EXPECT_EQ(network.link(output_link(NodeId{4}, kSouth)).to, "router[1,0]");
  EXPECT_EQ(network.link(output_link(NodeId{4}, kSouth)).flits_per_cycle, (Rational{1, 2}));
  EXPECT_EQ(network.link(output_link(NodeId{4}, kNorth)).name, "");  // beyond the edge
  EXPECT_EQ(network.link(output_link(NodeId{4}, kLocal)).to, "npu[4]");
  const Link in = network.link(injection_link(NodeId{4}));
  EXPECT_EQ(in.name, "fabric.router[1,1].inject");
  EXPECT_EQ(in.from, "npu[4]");
  EXPECT_EQ(in.to, "router[1,1]");
  EXPECT_EQ(in.flits_per_cycle, (Rational{3, 1}));
  EXPECT_EQ(network.summary(), "3 x 2 mesh, xy");
  const InjectionNumbers numbers = injection_numbers(config_of(kMesh).fabric);
  EXPECT_EQ(network.link(numbers.of(NodeId{4})).name, "fabric.router[1,1].inject");
}

TEST(GridNetwork, links_lie_in_rows_and_columns) {
  const GridNetwork network(config_of(kMesh));
  const LinkParts east = network.link(output_link(NodeId{4}, kEast)).parts;  // from router[1,1]
  EXPECT_EQ(east.row, 1);
  EXPECT_EQ(east.column, -1);
  const LinkParts south = network.link(output_link(NodeId{4}, kSouth)).parts;
  EXPECT_EQ(south.row, -1);
  EXPECT_EQ(south.column, 1);
  for (const LinkId link : {output_link(NodeId{5}, kLocal), injection_link(NodeId{5})}) {
    EXPECT_EQ(network.link(link).parts.row, 1);
    EXPECT_EQ(network.link(link).parts.column, 2);
    EXPECT_EQ(network.link(link).parts.plane, -1);
  }
}

TEST(GridNetwork, a_torus_leads_round) {
  const GridNetwork network(
      config_of("fabric: {kind: torus, size: [3, 1]}\nnpu: {clock: 500 MHz}\nworkload: {collective: {size: 4 KiB}}\n"));
  EXPECT_EQ(network.link(output_link(NodeId{2}, kEast)).to, "router[0,0]");
  EXPECT_EQ(network.link(output_link(NodeId{2}, kNorth)).name, "");  // one row has no links along y
  EXPECT_EQ(network.link_rows(), 2u * 3 + 2 * 3);
  // Who sends counts in its clock.
  EXPECT_EQ(network.link(injection_link(NodeId{2})).clock, kNpuClock);
  EXPECT_EQ(network.link(output_link(NodeId{2}, kLocal)).clock, kFabricClock);
  EXPECT_EQ(network.node(NodeId{2}).clock, kNpuClock);
  EXPECT_EQ(network.node(NodeId{2}).x, 2u);
}

}  // namespace
}  // namespace weft::network
