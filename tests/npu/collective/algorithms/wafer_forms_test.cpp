// SPDX-License-Identifier: Apache-2.0
// The closed forms against the check values computed from the paper's formulas.
#include "npu/collective/algorithms/wafer_forms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::npu {
namespace {

constexpr double kNone = -1;

struct Row {
  std::uint32_t p;
  std::uint64_t b;
  double star, chain, tree, two_phase, bound, ring_paper, ring;
};

TEST(WaferForms, check_table) {
  const Row rows[] = {{4, 1, 8, 19, 14, 14, kNone, 42, kNone},
                      {4, 256, 773, 274, 522, 522, 274, 424, 418},
                      {16, 16, 245, 106, 84, 71, 64, 238, 208},
                      {64, 256, 16133, 634, 1566, 588, 584, 1384, 1258},
                      {512, 256, 130821, 3322, 2349, 1229, 1162, 7663, kNone},
                      {512, 4096, 2093061, 7162, 36909, 8707, 7162, 15328, 14306}};
  for (const Row& row : rows) {
    const auto expect = [&](double printed, double form, const char* name) {
      if (printed == kNone) return;
      EXPECT_NEAR(printed, form, 1.0) << name << " of " << row.p << ", " << row.b;
    };
    expect(row.star, star_cycles(row.p, row.b), "star");
    expect(row.chain, chain_cycles(row.p, row.b), "chain");
    expect(row.tree, tree_cycles(row.p, row.b), "tree");
    expect(row.two_phase, two_phase_cycles(row.p, row.b), "two_phase");
    expect(row.bound, lower_bound_cycles(row.p, row.b), "lower bound");
    expect(row.ring_paper, ring_paper_cycles(row.p, row.b), "ring of the paper");
    expect(row.ring, ring_cycles(row.p, row.b), "ring");
  }
}

TEST(WaferForms, by_hand) {
  EXPECT_EQ(broadcast_cycles(16, 100), 120);
  EXPECT_EQ(broadcast_2d_cycles(4, 8, 100), 115);
  EXPECT_EQ(all_reduce_cycles(chain_cycles, 4, 256), 274 + 264);
  EXPECT_EQ(reduce_2d_cycles(star_cycles, 4, 16, 16), 53 + 245);
  EXPECT_EQ(auto_gen_cycles(512, 1), 516) << "the star";
  EXPECT_EQ(lower_bound_cycles(512, 1), 516);
  // P = 4, B = 2: d = 1 gives 2 x 6 / 3 + 3 + 5; a star needs one cycle less.
  EXPECT_EQ(lower_bound_cycles(4, 2), 12);
  EXPECT_EQ(auto_gen_cycles(4, 2), 11);
}

TEST(WaferForms, ramp_hop_and_turn_are_parameters) {
  const WaferCost slow{3, 2, 20};
  EXPECT_EQ(chain_cycles(5, 10, slow), 10 + (7 + 2) * 4);
  EXPECT_EQ(star_cycles(5, 10, slow), 10 * 4 + 1 + 7) << "streams follow each other from the first core on";
  EXPECT_EQ(star_cycles(5, 1, slow), 8 + 7) << "the last core is 8 cycles away";
  EXPECT_EQ(broadcast_cycles(5, 10, slow), 10 + 8 + 1 + 6);
  EXPECT_EQ(broadcast_2d_cycles(5, 4, 10, slow), 10 + 14 + 20 + 7);
  EXPECT_EQ(broadcast_2d_cycles(1, 4, 10, slow), 10 + 6 + 7);
  EXPECT_EQ(tree_cycles(8, 100, slow), 300 + 7 * 3) << "3 streams into the root";
  EXPECT_EQ(tree_cycles(8, 1, slow), 12.0 / 7 + 14 + 7 * 3);
}

TEST(WaferForms, one_core_takes_no_time) {
  for (const char* name : {"star", "chain", "tree", "two_phase", "auto_gen"}) {
    EXPECT_EQ(reduce_form(name)(1, 100, {}), 0) << name;
  }
  EXPECT_EQ(ring_cycles(1, 100), 0);
  EXPECT_EQ(broadcast_cycles(1, 100), 0);
  EXPECT_EQ(broadcast_2d_cycles(1, 1, 100), 0);
  EXPECT_EQ(lower_bound_cycles(1, 100), 0);
  EXPECT_FALSE(reduce_form("ring"));
}

}  // namespace
}  // namespace weft::npu
