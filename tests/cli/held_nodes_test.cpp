// SPDX-License-Identifier: Apache-2.0
// Nodes of a trace that wait for what stands further on in its file.
#include "cli/held_nodes.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::cli {
namespace {

/// The most nodes held of a file whose nodes have these ids and dependencies.
std::uint64_t most_of(const std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>>& nodes) {
  HeldNodes held;
  for (const auto& [id, deps] : nodes) {
    npu::TraceNode node;
    node.id = id;
    node.deps = deps;
    held.add(node);
  }
  return held.most();
}

TEST(HeldNodes, none_in_the_order_of_the_dependencies) {
  EXPECT_EQ(most_of({}), 0u);
  EXPECT_EQ(most_of({{7, {}}, {3, {7}}, {5, {7, 3}}, {1, {5}}}), 0u);
}

TEST(HeldNodes, all_but_the_first_one_backwards) { EXPECT_EQ(most_of({{4, {3}}, {3, {2}}, {2, {1}}, {1, {}}}), 3u); }

// 4 and 3 wait for 1; then 6 and 5 wait for 2, one of them for 1 as well.
TEST(HeldNodes, are_done_with_what_they_wait_for) {
  EXPECT_EQ(most_of({{4, {3, 1}}, {3, {1}}, {1, {}}, {6, {2}}, {5, {2, 1}}, {7, {4}}, {2, {}}}), 2u);
}

TEST(HeldNodes, wait_for_ever_for_nodes_that_are_absent) { EXPECT_EQ(most_of({{1, {99}}, {2, {1}}, {3, {}}}), 2u); }

}  // namespace
}  // namespace weft::cli
