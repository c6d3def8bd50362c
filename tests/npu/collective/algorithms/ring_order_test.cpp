// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/ring_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace weft::npu {
namespace {

int hops(NodeId a, NodeId b, int size_x, int size_y, bool torus) {
  int dx = std::abs(static_cast<int>(index(a)) % size_x - static_cast<int>(index(b)) % size_x);
  int dy = std::abs(static_cast<int>(index(a)) / size_x - static_cast<int>(index(b)) / size_x);
  if (torus) {
    dx = std::min(dx, size_x - dx);
    dy = std::min(dy, size_y - dy);
  }
  return dx + dy;
}

// Lengths of the ring's steps, sorted, after checking that it visits everybody once and starts with position 0.
std::vector<int> steps(const std::vector<NodeId>& nodes, int size_x, int size_y, bool torus) {
  const std::vector<std::uint32_t> order = ring_order(nodes, size_x, size_y, torus);
  EXPECT_EQ(order.size(), nodes.size());
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), nodes.size());
  EXPECT_EQ(order.at(0), 0u);
  std::vector<int> lengths;
  for (std::size_t i = 0; i < order.size(); ++i) {
    lengths.push_back(hops(nodes[order[i]], nodes[order[(i + 1) % order.size()]], size_x, size_y, torus));
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

std::vector<NodeId> rectangle(int x0, int y0, int width, int height, int size_x) {
  std::vector<NodeId> nodes;
  for (int y = y0; y < y0 + height; ++y) {
    for (int x = x0; x < x0 + width; ++x) nodes.push_back(NodeId{static_cast<std::uint32_t>(y * size_x + x)});
  }
  return nodes;
}

TEST(RingIndex, takes_positions_modulo_the_ring_near_and_far) {
  EXPECT_EQ(ring_index(0, 5), 0u);
  EXPECT_EQ(ring_index(4, 5), 4u);
  EXPECT_EQ(ring_index(5, 5), 0u);
  EXPECT_EQ(ring_index(-1, 5), 4u);
  EXPECT_EQ(ring_index(-5, 5), 0u);
  EXPECT_EQ(ring_index(-6, 5), 4u);
  EXPECT_EQ(ring_index(12, 5), 2u);
  EXPECT_EQ(ring_index(-12, 5), 3u);
  EXPECT_EQ(ring_index(7, 1), 0u);
}

TEST(RingOrder, sub_meshes_have_a_cycle_of_neighbours) {
  for (int width = 2; width <= 7; ++width) {
    for (int height = 2; height <= 7; ++height) {
      const std::vector<int> lengths = steps(rectangle(1, 2, width, height, 10), 10, 10, false);
      EXPECT_EQ(lengths.at(lengths.size() - 2), 1) << width << "x" << height;
      EXPECT_EQ(lengths.back(), width * height % 2 == 0 ? 1 : 2) << width << "x" << height;
    }
  }
}

TEST(RingOrder, full_torus_has_a_cycle_of_neighbours_always) {
  for (int width = 2; width <= 7; ++width) {
    for (int height = 2; height <= 7; ++height) {
      EXPECT_EQ(steps(rectangle(0, 0, width, height, width), width, height, true).back(), 1) << width << "x" << height;
    }
  }
}

TEST(RingOrder, lines_fold_or_close) {
  EXPECT_EQ(line_ring(6, false), (std::vector<std::uint32_t>{0, 2, 4, 5, 3, 1}));
  EXPECT_EQ(line_ring(5, false), (std::vector<std::uint32_t>{0, 2, 4, 3, 1}));
  EXPECT_EQ(line_ring(4, true), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(steps(rectangle(0, 3, 8, 1, 8), 8, 8, false).back(), 2);
  EXPECT_EQ(steps(rectangle(0, 3, 8, 1, 8), 8, 8, true).back(), 1);
  EXPECT_EQ(steps(rectangle(3, 0, 1, 7, 8), 8, 7, true).back(), 1);
  EXPECT_EQ(steps(rectangle(3, 0, 1, 6, 8), 8, 7, true).back(), 2);
}

TEST(RingOrder, scattered_groups_go_to_the_nearest) {
  // On a line of 10: 0, then 3 (3 away), then 9; by the order of the group it would be 9 first.
  EXPECT_EQ(ring_order({NodeId{0}, NodeId{9}, NodeId{3}}, 10, 1, false), (std::vector<std::uint32_t>{0, 2, 1}));
  // On the ring of 10 node 9 is a neighbour of 0.
  EXPECT_EQ(ring_order({NodeId{0}, NodeId{3}, NodeId{9}}, 10, 1, true), (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(RingOrder, below_switches_members_of_one_follow_each_other) {
  // Four nodes below each switch: {5, 7} and {6, 4} are below the second one, {1} below the first, {9} below the third.
  EXPECT_EQ(switch_ring_order({NodeId{5}, NodeId{1}, NodeId{7}, NodeId{9}, NodeId{6}, NodeId{4}}, 4),
            (std::vector<std::uint32_t>{0, 2, 4, 5, 1, 3}));
}

TEST(RingOrder, below_switches_groups_that_lie_alike_send_alike) {
  // MP3-DP3-PP2: DP groups {0, 6, 12} and {2, 8, 14}, four nodes below a switch. All switches are as far from each
  // other.
  EXPECT_EQ(switch_ring_order({NodeId{0}, NodeId{6}, NodeId{12}}, 4), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(switch_ring_order({NodeId{2}, NodeId{8}, NodeId{14}}, 4), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(RingOrder, order_of_the_group_does_not_spoil_the_cycle) {
  std::vector<NodeId> nodes = rectangle(0, 0, 5, 4, 5);
  std::reverse(nodes.begin(), nodes.end());
  std::swap(nodes[3], nodes[11]);
  EXPECT_EQ(steps(nodes, 5, 4, false).back(), 1);
}

TEST(RingOrder, large_scattered_groups_are_ordered_quickly) {
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < 20000; ++i) nodes.push_back(NodeId{3 * i});
  EXPECT_LE(steps(nodes, 300, 200, false).at(19000), 3);
}

}  // namespace
}  // namespace weft::npu
