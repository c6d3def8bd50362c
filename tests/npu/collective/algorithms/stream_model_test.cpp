// SPDX-License-Identifier: Apache-2.0
// Trees on a line against an exact model of streaming: how far the closed forms are from it, and that the trees of the
// table are the fastest of those with the fewest links.
#include "tests/npu/collective/algorithms/stream_model.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "npu/collective/algorithms/auto_gen.h"
#include "npu/collective/algorithms/wafer_forms.h"

namespace weft::npu {
namespace {

using testing::streamed_cycles;

TEST(StreamModel, by_hand) {
  // Two cores: up at 0, added from 5 (ramp 2, hop 1, ramp 2) to 7.
  EXPECT_EQ(streamed_cycles(chain_tree(2), 3), 5u + 3);
  // The published exact times of a streamed tree and of two phases.
  EXPECT_EQ(streamed_cycles(binary_tree(16), 16), 69u);
  EXPECT_EQ(streamed_cycles(two_phase_tree(64), 256), 631u);
}

struct Point {
  std::uint32_t p;
  std::uint64_t b;
};

std::vector<Point> points() {
  std::vector<Point> all{{4, 1}, {16, 16}};
  for (std::uint32_t p = 4; p <= 512; p *= 2) all.push_back({p, 256});
  for (std::uint64_t b = 1; b <= 4096; b *= 2) all.push_back({512, b});
  return all;
}

TEST(StreamModel, star_and_chain_are_their_closed_forms) {
  for (const auto& [p, b] : points()) {
    EXPECT_EQ(static_cast<double>(streamed_cycles(star_tree(p), b)), star_cycles(p, b)) << p << ", " << b;
    EXPECT_EQ(static_cast<double>(streamed_cycles(chain_tree(p), b)), chain_cycles(p, b) - 1) << p << ", " << b;
  }
  const WaferCost slow{3, 2, 0};
  for (const std::uint64_t b : {1u, 2u, 5u, 40u}) {
    EXPECT_EQ(static_cast<double>(streamed_cycles(star_tree(9), b, slow)), star_cycles(9, b, slow)) << b;
    EXPECT_EQ(static_cast<double>(streamed_cycles(chain_tree(9), b, slow)), chain_cycles(9, b, slow) - 1) << b;
  }
}

TEST(StreamModel, estimates_are_near) {
  const std::map<std::string, std::function<LineTree(Point)>> trees{
      {"tree", [](Point at) { return binary_tree(at.p); }},
      {"two_phase", [](Point at) { return two_phase_tree(at.p); }},
      {"auto_gen", [](Point at) { return auto_gen_tree(at.p, at.b, {}); }}};
  for (const auto& [name, make] : trees) {
    for (const Point at : points()) {
      const auto exact = static_cast<double>(streamed_cycles(make(at), at.b));
      const double form = reduce_form(name)(at.p, at.b, {});
      EXPECT_LE(exact, std::max(1.1 * form, form + 3)) << name << " " << at.p << ", " << at.b;
      EXPECT_GE(exact, std::min(0.8 * form, form - 3)) << name << " " << at.p << ", " << at.b;
    }
  }
}

// A short vector's way: 511 hops, nine steps of 5 cycles, eight elements. The bound counts the work of the links on
// top.
TEST(StreamModel, the_lower_bound_is_that_of_the_cost_model) {
  EXPECT_EQ(streamed_cycles(binary_tree(512), 8), 511u + 9 * 5 + 8);
  EXPECT_NEAR(lower_bound_cycles(512, 8), 576.7, 0.1);
  for (const auto& [p, b] : points()) {
    const double bound = lower_bound_cycles(p, b);
    for (const LineTree& tree :
         {star_tree(p), chain_tree(p), binary_tree(p), two_phase_tree(p), auto_gen_tree(p, b, {})}) {
      EXPECT_GE(static_cast<double>(streamed_cycles(tree, b)), 0.96 * bound) << p << ", " << b;
    }
  }
}

// All trees on a line of `size` positions without crossing edges.
void each_tree(std::uint32_t size, const std::function<void(const LineTree&)>& visit) {
  std::vector<std::uint32_t> parents(size, kNoRank);
  const std::function<void(std::uint32_t)> fill = [&](std::uint32_t i) {
    if (i == size) {
      visit(LineTree(parents));
      return;
    }
    for (std::uint32_t parent = i - 1; parent != kNoRank; parent = parents[parent]) {
      parents[i] = parent;
      fill(i + 1);
    }
  };
  fill(1);
}

TEST(StreamModel, trees_of_the_table_pass_the_fewest_links) {
  for (std::uint32_t size = 2; size <= 11; ++size) {
    std::map<std::uint32_t, std::uint64_t> best;  // by height
    each_tree(size, [&](const LineTree& tree) {
      const auto at = best.emplace(tree.height(), tree.hops()).first;
      at->second = std::min<std::uint64_t>(at->second, tree.hops());
    });
    HopsTable table(size, 7, {});
    for (std::uint32_t d = 1; d < size; ++d) {
      if (d > 1) best[d] = std::min(best[d], best[d - 1]);
      EXPECT_EQ(table.hops(d), best[d]) << size << ", " << d;
      EXPECT_EQ(table.tree(d).hops(), best[d]) << size << ", " << d;
    }
  }
}

}  // namespace
}  // namespace weft::npu
