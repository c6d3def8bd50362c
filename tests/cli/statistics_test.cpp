// SPDX-License-Identifier: Apache-2.0
// Student's t against the printed tables, intervals against a worked example.
#include "cli/sweep/statistics.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::cli {
namespace {

TEST(Statistics, t_quantiles_of_the_tables) {
  EXPECT_NEAR(student_t_975(1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_975(2), 4.303, 5e-4);
  EXPECT_NEAR(student_t_975(10), 2.228, 5e-4);
  EXPECT_NEAR(student_t_975(11), 2.201, 5e-4);
  EXPECT_NEAR(student_t_975(15), 2.131, 5e-4);
  EXPECT_NEAR(student_t_975(20), 2.086, 5e-4);
  EXPECT_NEAR(student_t_975(30), 2.042, 5e-4);
  EXPECT_NEAR(student_t_975(60), 2.000, 5e-4);
  EXPECT_NEAR(student_t_975(120), 1.980, 5e-4);
  EXPECT_NEAR(student_t_975(1'000'000), 1.960, 5e-4);
  EXPECT_THROW(student_t_975(0), ViolationError);
}

TEST(Statistics, interval_by_hand) {
  // Mean 4, deviation sqrt(((2)^2 + 0 + (2)^2) / 2) = 2, half width 4.302653 * 2 / sqrt(3).
  const MeanInterval interval = mean_interval({2, 4, 6});
  EXPECT_DOUBLE_EQ(interval.mean, 4);
  ASSERT_TRUE(interval.half_width);
  EXPECT_NEAR(*interval.half_width, 4.968276, 1e-5);
}

TEST(Statistics, one_sample_has_no_interval) {
  EXPECT_DOUBLE_EQ(mean_interval({7}).mean, 7);
  EXPECT_FALSE(mean_interval({7}).half_width);
  EXPECT_THROW(mean_interval({}), ViolationError);
}

}  // namespace
}  // namespace weft::cli
