// SPDX-License-Identifier: Apache-2.0
// Links into routers: which VCs a packet may start in. Places by hand on a 5x4 grid, node = y * 5 + x.
#include "npu/interface/injection_port.h"
#include <gtest/gtest.h>

namespace weft::npu {
namespace {

InjectionPorts ports(int vcs, InjectionVcs policy, int classes = 1, FabricKind kind = FabricKind::kMesh) {
  FabricSpec fabric;
  fabric.kind = kind;
  fabric.size_x = 5;
  fabric.size_y = 4;
  fabric.router.vcs = vcs;
  return {fabric, classes, 20, policy};
}

TEST(InjectionVcs, any_of_the_class_by_default) {
  const InjectionPorts found = ports(6, InjectionVcs::kAny, 2);
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{8}, 0), 0b000111u);
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{2}, 1), 0b111000u);
}

TEST(InjectionVcs, each_direction_has_its_own_by_x_then_y) {
  const InjectionPorts found = ports(8, InjectionVcs::kByDirection);
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{8}, 0), 0b00010001u) << "east";
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{19}, 0), 0b00010001u) << "east, then north";
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{5}, 0), 0b00100010u) << "west";
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{17}, 0), 0b01000100u) << "north";
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{2}, 0), 0b10001000u) << "south";
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{7}, 0), 0b11111111u) << "to itself";
}

TEST(InjectionVcs, directions_share_where_a_class_has_less_than_four) {
  const InjectionPorts found = ports(6, InjectionVcs::kByDirection, 2);
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{8}, 1), 0b001000u);
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{6}, 1), 0b010000u);
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{12}, 1), 0b100000u);
  EXPECT_EQ(found.vcs_towards(NodeId{7}, NodeId{2}, 1), 0b001000u);
}

TEST(InjectionVcs, a_torus_goes_the_shorter_way) {
  const InjectionPorts found = ports(4, InjectionVcs::kByDirection, 1, FabricKind::kTorus);
  EXPECT_EQ(found.vcs_towards(NodeId{5}, NodeId{9}, 0), 0b0010u) << "0 to 4 of 5: west";
  EXPECT_EQ(found.vcs_towards(NodeId{9}, NodeId{5}, 0), 0b0001u) << "4 to 0 of 5: east";
  EXPECT_EQ(found.vcs_towards(NodeId{2}, NodeId{17}, 0), 0b1000u) << "0 to 3 of 4: south";
}

// A VC of one direction that is out of credits leaves those of the others free.
TEST(InjectionVcs, only_those_allowed_are_taken) {
  InjectionPorts found = ports(4, InjectionVcs::kByDirection);
  const std::uint32_t east = found.vcs_towards(NodeId{0}, NodeId{1}, 0);
  const std::uint32_t north = found.vcs_towards(NodeId{0}, NodeId{5}, 0);
  EXPECT_EQ(found.take_vc(0, east), 0);
  EXPECT_FALSE(found.can_take_vc(0, east));
  EXPECT_EQ(found.take_vc(0, east), -1);
  EXPECT_TRUE(found.can_take_vc(0, north));
  EXPECT_EQ(found.take_vc(0, north), 2);
}

}  // namespace
}  // namespace weft::npu
