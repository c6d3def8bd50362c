// SPDX-License-Identifier: Apache-2.0
// Trees on a line: their form by hand, the laws of their edge numbers, and the table E(P, d) against the sheet.
#include "npu/collective/algorithms/line_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "npu/collective/algorithms/auto_gen.h"

namespace weft::npu {
namespace {

using Positions = std::vector<std::uint32_t>;

Positions parents(const LineTree& tree) {
  Positions all;
  for (std::uint32_t i = 1; i < tree.size(); ++i) all.push_back(tree.parent(i));
  return all;
}

Positions edges(const LineTree& tree) {
  Positions all;
  for (std::uint32_t i = 1; i < tree.size(); ++i) all.push_back(tree.edge(i));
  return all;
}

TEST(LineTree, forms_by_hand) {
  EXPECT_EQ(parents(star_tree(4)), (Positions{0, 0, 0}));
  EXPECT_EQ(parents(chain_tree(4)), (Positions{0, 1, 2}));
  EXPECT_EQ(parents(binary_tree(8)), (Positions{0, 0, 2, 0, 4, 4, 6}));
  EXPECT_EQ(parents(binary_tree(6)), (Positions{0, 0, 2, 0, 4}));
  // S = 3: groups 0 1 2 | 3 4 5 | 6 7; their first members 0 3 6.
  EXPECT_EQ(parents(two_phase_tree(8)), (Positions{0, 1, 0, 3, 4, 3, 6}));
  EXPECT_EQ(two_phase_group(1), 1u);
  EXPECT_EQ(two_phase_group(16), 4u);
  EXPECT_EQ(two_phase_group(17), 5u);
  EXPECT_EQ(two_phase_group(512), 23u);
}

TEST(LineTree, edges_are_numbered_in_post_order) {
  EXPECT_EQ(edges(chain_tree(5)), (Positions{3, 2, 1, 0}));
  EXPECT_EQ(edges(star_tree(5)), (Positions{0, 1, 2, 3}));
  // 1->0, 3->2, 2->0, 5->4, 7->6, 6->4, 4->0.
  EXPECT_EQ(edges(binary_tree(8)), (Positions{0, 2, 1, 6, 3, 5, 4}));
}

TEST(LineTree, measures) {
  EXPECT_EQ(binary_tree(8).hops(), 12u);  // 4 x 1 + 2 x 2 + 1 x 4
  EXPECT_EQ(binary_tree(8).height(), 3u);
  EXPECT_EQ(binary_tree(8).degree(), 3u);
  EXPECT_EQ(two_phase_tree(512).hops(), 995u);  // 22 x 22 + 5 in groups, 22 x 23 between them
  EXPECT_EQ(two_phase_tree(64).height(), 14u);
}

TEST(LineTree, crossing_edges_bad) {
  EXPECT_THROW(LineTree({0, 0, 0, 1}), ViolationError);  // 3 -> 1 crosses 2 -> 0
  EXPECT_THROW(LineTree({0, 2, 1}), ViolationError);     // 1 and 2 hang below each other
  EXPECT_THROW(LineTree(Positions{}), ViolationError);
}

Positions random_parents(std::uint32_t size) {
  Positions all(size, 0);
  for (std::uint32_t i = 1; i < size; ++i) {
    all[i] = i - 1;
    for (std::uint32_t ups = *rc::gen::inRange(0u, 4u); ups > 0 && all[i] > 0; --ups) all[i] = all[all[i]];
  }
  return all;
}

RC_GTEST_PROP(LineTreeLaws, edges_follow_what_they_depend_on, ()) {
  const LineTree tree(random_parents(*rc::gen::inRange(1u, 60u)));
  std::vector<bool> used(tree.size(), false);
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    RC_ASSERT(tree.edge(i) + 1 < tree.size());
    RC_ASSERT(!used[tree.edge(i)]);
    used[tree.edge(i)] = true;
    RC_ASSERT(tree.depth(i) == tree.depth(tree.parent(i)) + 1);
    const std::uint32_t children = tree.child_count(i);
    for (std::uint32_t k = 0; k < children; ++k) {
      RC_ASSERT(tree.parent(tree.child(i, k)) == i);
      if (k > 0) RC_ASSERT(tree.edge(tree.child(i, k - 1)) < tree.edge(tree.child(i, k)));
    }
    if (children > 0) RC_ASSERT(tree.edge(tree.child(i, children - 1)) + 1 == tree.edge(i));
  }
}

RC_GTEST_PROP(LineTreeLaws, a_root_in_the_middle_has_two_arms, ()) {
  const auto size = *rc::gen::inRange(1u, 40u);
  const auto root = *rc::gen::inRange(0u, size);
  const RootedLine line(size, root, binary_tree);
  RC_ASSERT(line.size() == size);
  std::vector<bool> used(size, false);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (i == root) {
      RC_ASSERT(line.parent(i) == kNoRank);
      continue;
    }
    RC_ASSERT((i > root) == (line.parent(i) < i));
    RC_ASSERT(line.edge(i) + 1 < size);
    RC_ASSERT(!used[line.edge(i)]);
    used[line.edge(i)] = true;
    for (std::uint32_t k = 0; k < line.child_count(i); ++k) RC_ASSERT(line.parent(line.child(i, k)) == i);
  }
  for (std::uint32_t k = 1; k < line.child_count(root); ++k) {
    RC_ASSERT(line.edge(line.child(root, k - 1)) < line.edge(line.child(root, k)));
  }
}

TEST(HopsTable, agrees_with_the_published_numbers) {
  const std::vector<std::pair<std::uint32_t, std::vector<std::uint64_t>>> published{
      {4, {6, 4, 3}}, {8, {28, 14, 11, 10, 9, 8, 7}}, {16, {120, 45, 33, 27, 25}}};
  for (const auto& [size, hops] : published) {
    HopsTable table(size, 256, {});
    for (std::uint32_t d = 1; d <= hops.size(); ++d) EXPECT_EQ(table.hops(d), hops[d - 1]) << size << ", " << d;
    EXPECT_EQ(table.hops(0), HopsTable::kImpossible);
    EXPECT_EQ(table.hops(size + 100), size - 1) << "deeper than a chain is a chain";
  }
  EXPECT_EQ(HopsTable(1, 5, {}).hops(3), 0u);
}

TEST(HopsTable, trees_have_the_links_and_the_depth_of_the_table) {
  for (const std::uint32_t size : {2u, 3u, 7u, 16u, 33u, 100u}) {
    for (const std::uint64_t elements : {1u, 50u, 5000u}) {
      HopsTable table(size, elements, {});
      for (std::uint32_t d = 1; d < size; ++d) {
        const LineTree tree = table.tree(d);
        EXPECT_EQ(tree.size(), size);
        EXPECT_EQ(tree.hops(), table.hops(d)) << size << ", " << d;
        EXPECT_LE(tree.height(), d);
      }
    }
  }
}

TEST(HopsTable, long_and_short_vectors_choose_the_ends) {
  EXPECT_EQ(parents(auto_gen_tree(16, 1, {})), parents(star_tree(16)));
  EXPECT_EQ(parents(auto_gen_tree(16, 100'000, {})), parents(chain_tree(16)));
  const std::uint32_t between = auto_gen_tree(64, 256, {}).height();
  EXPECT_GT(between, 2u);
  EXPECT_LT(between, 63u);
  EXPECT_EQ(auto_gen_tree(1, 10, {}).size(), 1u);
}

TEST(HopsTable, too_long_a_line_bad) {
  try {
    const HopsTable table(5000, 1, {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "auto_gen finds trees of lines of 1..4096 cores, found 5000");
  }
}

}  // namespace
}  // namespace weft::npu
