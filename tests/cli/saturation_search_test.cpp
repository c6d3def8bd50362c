// SPDX-License-Identifier: Apache-2.0
// The bisection against curves whose knee is known.
#include "cli/sweep/saturation_search.h"

#include <gtest/gtest.h>

#include <functional>

namespace weft::cli {
namespace {

using Curve = std::function<RateOutcome(double rate)>;

/// Runs the search on a curve; returns the number of rates asked for.
int run(SaturationSearch& search, const Curve& curve) {
  int runs = 0;
  while (const auto rate = search.next_rate()) {
    search.add(curve(rate->value()));
    if (++runs > 100) break;
  }
  return runs;
}

/// Latency 20 / (1 - rate / limit): above 3 x 20 from two thirds of the limit on; saturated from the limit on.
Curve queue(double limit) {
  return [limit](double rate) {
    if (rate >= limit) return RateOutcome{true, std::nullopt};
    return RateOutcome{false, 20 / (1 - rate / limit)};
  };
}

TEST(SaturationSearch, finds_the_knee_of_a_queue) {
  // Zero load is taken at 0.01: 20 / (1 - 0.01 / 0.6) = 20.339; three times that is reached at
  // 0.6 (1 - 20 / 61.017) = 0.40333.
  SaturationSearch search(SaturationLimits{});
  const int runs = run(search, queue(0.6));
  ASSERT_TRUE(search.last_good() && search.first_bad());
  EXPECT_EQ(search.last_good()->text(), "0.4");
  EXPECT_EQ(search.first_bad()->text(), "0.41");
  EXPECT_NEAR(*search.zero_load_cycles(), 20.339, 1e-3);
  EXPECT_LE(runs, 9);  // two ends and log2(99) halvings
}

TEST(SaturationSearch, a_network_that_never_saturates_has_no_rate_above) {
  SaturationSearch search(SaturationLimits{});
  EXPECT_EQ(run(search, [](double) { return RateOutcome{false, 12.0}; }), 2);
  EXPECT_EQ(search.last_good()->text(), "1");
  EXPECT_FALSE(search.first_bad());
}

TEST(SaturationSearch, saturated_at_the_lowest_rate_has_no_rate_below) {
  SaturationSearch search(SaturationLimits{});
  EXPECT_EQ(run(search, [](double) { return RateOutcome{true, std::nullopt}; }), 1);
  EXPECT_FALSE(search.last_good());
  EXPECT_EQ(search.first_bad()->text(), "0.01");
}

TEST(SaturationSearch, finer_grid_finds_a_finer_answer) {
  SaturationSearch search(SaturationLimits{Decimal(1, 3), 1, 1000});
  run(search, queue(0.6));
  // Zero load at 0.001 is 20.0334, three times that 60.1002, reached at 0.6 (1 - 20 / 60.1002) = 0.40033.
  EXPECT_EQ(search.last_good()->text(), "0.4");
  EXPECT_EQ(search.first_bad()->text(), "0.401");
}

TEST(SaturationSearch, giving_up_leaves_no_answer) {
  SaturationSearch search(SaturationLimits{});
  search.add({false, 20.0});
  search.give_up();
  EXPECT_FALSE(search.next_rate());
  EXPECT_FALSE(search.first_bad());
}

}  // namespace
}  // namespace weft::cli
