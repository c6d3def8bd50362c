// SPDX-License-Identifier: Apache-2.0
// The two parts of hierarchical_2d: their sizes by hand, and what each link carries, counted from the programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "npu/collective/algorithms/plane_steps.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/checker.h"

namespace weft::npu {
namespace {

struct Fabric {
  int x;
  int y;
  bool torus = false;
};

std::unique_ptr<const Program> all_reduce(Fabric fabric) {
  ProgramRequest request;
  request.kind = CollectiveKind::kAllReduce;
  request.ranks = static_cast<std::uint32_t>(fabric.x * fabric.y);
  request.size_x = fabric.x;
  request.size_y = fabric.y;
  request.torus = fabric.torus;
  return make_program("hierarchical_2d", request);
}

/// Fragments on the busiest link along x and along y, by walking every message along its line.
std::array<std::uint64_t, 2> busiest(const Program& program, Fabric fabric) {
  std::map<std::tuple<int, int, int, bool>, std::uint64_t> links;  // x, y, dimension, upwards -> fragments
  std::array<std::uint64_t, 2> most{};
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
    for (std::uint32_t i = 0; i < program.length(rank); ++i) {
      const Instruction in = program.at(rank, i);
      if (!op_sends(in.op)) continue;
      std::array<int, 2> at{static_cast<int>(rank) % fabric.x, static_cast<int>(rank) / fabric.x};
      const int to = static_cast<int>(in.to.at(0));
      const std::array<int, 2> target{to % fabric.x, to / fabric.x};
      for (const int d : {0, 1}) {
        const std::size_t along = static_cast<std::size_t>(d);
        const int size = d == 0 ? fabric.x : fabric.y;
        bool up = target[along] > at[along];
        if (fabric.torus && 2 * std::abs(target[along] - at[along]) > size) up = !up;
        while (at[along] != target[along]) {
          std::uint64_t& load = links[{at[0], at[1], d, up}];
          load += in.src.count;
          most[along] = std::max(most[along], load);
          at[along] = (at[along] + (up ? 1 : size - 1)) % size;
        }
      }
    }
  }
  return most;
}

std::pair<std::uint32_t, std::uint32_t> split(std::uint32_t x, std::uint32_t y, bool closed_x, bool closed_y) {
  const PlaneSplit found = balanced_split(x, y, closed_x, closed_y);
  return {found.first, found.whole};
}

using Fraction = std::pair<std::uint32_t, std::uint32_t>;

TEST(PlaneSplit, by_hand) {
  // 5x4: f 1.6 + (1 - f) 0.4 = f 0.3 + (1 - f) 1.5.
  EXPECT_EQ(split(5, 4, false, false), Fraction(11, 24));
  EXPECT_EQ(split(4, 5, false, false), Fraction(13, 24));
  EXPECT_EQ(split(2, 3, false, false), Fraction(3, 4));
  for (std::uint32_t n = 2; n < 40; ++n) EXPECT_EQ(split(n, n, false, false), Fraction(1, 2)) << n;
  for (std::uint32_t n = 3; n < 40; ++n) EXPECT_EQ(split(n, n, true, true), Fraction(1, 2)) << n;
  // Rings of a torus: f 2 (x - 1) / x = (1 - f) 2 (y - 1) / y.
  EXPECT_EQ(split(5, 4, true, true), Fraction(15, 31));
  // A ring along x only: f 1.6 = f 0.3 + (1 - f) 1.5.
  EXPECT_EQ(split(5, 4, true, false), Fraction(15, 28));
  EXPECT_EQ(split(7, 1, false, false), Fraction(1, 2));
  EXPECT_EQ(split(1, 7, true, true), Fraction(1, 2));
}

// 30x31 would take 871 of 1740 units; the nearest fraction with at most 64 is 1/2. The largest sizes do not overflow.
TEST(PlaneSplit, many_units_are_rounded) {
  EXPECT_EQ(split(30, 31, false, false), Fraction(1, 2));
  EXPECT_EQ(split(4096, 4095, false, false), Fraction(1, 2));
  EXPECT_EQ(split(2, 4096, false, false), Fraction(63, 64));
  EXPECT_EQ(split(4096, 2, false, false), Fraction(1, 64));
}

TEST(PlaneSplit, loads_both_dimensions_alike) {
  for (const Fabric fabric : {Fabric{5, 4}, {4, 5}, {2, 3}, {3, 3}, {6, 3}, {5, 4, true}, {4, 3, true}, {4, 4, true}}) {
    const auto program = all_reduce(fabric);
    const auto most = busiest(*program, fabric);
    EXPECT_EQ(most[0], most[1]) << fabric.x << "x" << fabric.y << (fabric.torus ? " torus" : "");
    EXPECT_TRUE(check_program(*program).ok());
  }
  // 0.95 of the data on each of the corners' links: 1.9 D through two of them.
  const auto program = all_reduce({5, 4});
  EXPECT_EQ(busiest(*program, {5, 4})[0] * 20, 19 * program->shape().share);
}

}  // namespace
}  // namespace weft::npu
