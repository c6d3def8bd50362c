// SPDX-License-Identifier: Apache-2.0
// The chiplets of a fabric, dealt out to threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "switch/fabric/chiplet_dealing.h"
#include "switch/fabric/fred_fabric.h"

namespace weft::fred {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// L1 switches with 4 NPUs and 4 uplinks of the NPUs' rate below an L2 switch of 2 chiplets in each of `planes` planes.
FabricSpec wafer(int switches, int planes) {
  FabricSpec spec;
  spec.kind = FabricKind::kFred;
  spec.size_x = 4;
  spec.size_y = switches;
  spec.flit_bytes = 32;
  spec.local = {{static_cast<std::uint64_t>(planes), 1}, 3};
  spec.fred.planes = planes;
  FredLevelSpec low;
  low.groups = switches;
  low.uplinks = 4;
  low.uplink_latency_cycles = 7;
  FredLevelSpec top;
  top.ports = 2 * switches;
  spec.fred.levels = {low, top};
  return spec;
}

struct Count {
  int l1 = 0;
  int l2 = 0;
};

std::vector<Count> counts(const FredTopology& topology, const std::vector<std::uint32_t>& part_of, std::size_t parts) {
  std::vector<Count> result(parts);
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    Count& count = result.at(part_of[i]);
    ++(topology.chiplets()[i].coordinates.level == 0 ? count.l1 : count.l2);
  }
  return result;
}

// In every plane an L1 chiplet takes 4 flits per cycle from its NPUs and one over the uplinks together, an L2 chiplet a
// quarter of one over each of its 10 links. Of two threads one has 3 x 6 x 5 with three L1 switches; the other has
// 2 x 6 x 5 with two of them, and all 12 x 10/4 of L2, which is as much.
TEST(ChipletDealing, two_threads_have_as_much_to_do) {
  const FredTopology topology(wafer(5, 6), 4);
  ASSERT_EQ(topology.chiplets().size(), 42u);
  const std::vector<Count> parts = counts(topology, deal_chiplets(topology, 2), 2);
  EXPECT_EQ(parts[0].l1, 18);
  EXPECT_EQ(parts[0].l2, 0);
  EXPECT_EQ(parts[1].l1, 12);
  EXPECT_EQ(parts[1].l2, 12);
}

// 60, 60 and 30 of L1: L2 with its 30 goes to the third.
TEST(ChipletDealing, three_threads_have_as_much_to_do) {
  const FredTopology topology(wafer(5, 6), 4);
  const std::vector<Count> parts = counts(topology, deal_chiplets(topology, 3), 3);
  for (const std::size_t part : {0u, 1u}) {
    EXPECT_EQ(parts[part].l1, 12);
    EXPECT_EQ(parts[part].l2, 0);
  }
  EXPECT_EQ(parts[2].l1, 6);
  EXPECT_EQ(parts[2].l2, 12);
}

TEST(ChipletDealing, planes_of_an_l1_switch_stay_together_and_each_part_has_some) {
  for (const int switches : {1, 2, 3, 5, 7}) {
    const FredTopology topology(wafer(switches, 3), 4);
    for (const int threads : {1, 2, 3, 4, 256}) {
      const std::vector<std::uint32_t> part_of = deal_chiplets(topology, threads);
      ASSERT_EQ(part_of.size(), topology.chiplets().size());
      std::vector<std::uint32_t> parts;
      for (int group = 0; group < switches; ++group) {
        parts.push_back(part_of[topology.chiplet({0, group, 0, 0})]);
        for (const int plane : {1, 2}) EXPECT_EQ(part_of[topology.chiplet({0, group, 0, plane})], parts.back());
      }
      EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
      parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
      EXPECT_EQ(parts.size(), static_cast<std::size_t>(std::min(switches, threads)));
      EXPECT_EQ(parts.back() + 1, parts.size());
    }
  }
}

TEST(ChipletDealing, one_thread_has_all) { EXPECT_THAT(deal_chiplets(FredTopology(wafer(2, 1), 4), 1), Each(0u)); }

// The second part's nodes are 12 to 19, which its network interfaces know as 0 to 7.
TEST(ChipletDealing, groups_number_their_own_nodes) {
  FabricParameters parameters;
  parameters.packet_bytes = 128;
  FredFabric fabric(wafer(5, 2), parameters, FabricForm::kRegion, 2);
  ASSERT_EQ(fabric.groups().size(), 2u);
  EXPECT_EQ(fabric.groups()[0]->nodes().size(), 12u);
  EXPECT_THAT(fabric.groups()[1]->nodes(), ElementsAre(NodeId{12}, NodeId{13}, NodeId{14}, NodeId{15}, NodeId{16},
                                                       NodeId{17}, NodeId{18}, NodeId{19}));
  EXPECT_EQ(fabric.group_number(fabric.topology().chiplet({0, 2, 0, 1})), 0u);
  EXPECT_EQ(fabric.group_number(fabric.topology().chiplet({0, 3, 0, 1})), 1u);
}

}  // namespace
}  // namespace weft::fred
