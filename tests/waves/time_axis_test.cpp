// SPDX-License-Identifier: Apache-2.0
// Times of clock edges: floor(n * 10^15 * den / num) fs in the coarsest unit that is exact.
#include "waves/time_axis.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::waves {
namespace {

ClockSpec hertz(std::uint64_t num, std::uint64_t den = 1) { return ClockSpec{make_rational(num, den)}; }

TEST(TimeAxis, a_gigahertz_counts_nanoseconds) {
  const TimeAxis axis({hertz(1'000'000'000)});
  EXPECT_EQ(axis.unit(), TimeUnit::kNanosecond);
  EXPECT_EQ(axis.edge(0, 0), 0u);
  EXPECT_EQ(axis.edge(0, 1'000'000'000'007), 1'000'000'000'007u);
}

TEST(TimeAxis, the_unit_fits_all_clocks) {
  EXPECT_EQ(TimeAxis({hertz(1'000'000'000), hertz(500'000'000)}).unit(), TimeUnit::kNanosecond);
  EXPECT_EQ(TimeAxis({hertz(1'000'000'000), hertz(800'000'000)}).unit(), TimeUnit::kPicosecond);  // 1.25 ns
  EXPECT_EQ(TimeAxis({hertz(1'000'000'000), hertz(976'562'500)}).unit(), TimeUnit::kPicosecond);  // 1.024 ns
  EXPECT_EQ(TimeAxis({hertz(1'000'000'000), hertz(3'000'000'000)}).unit(), TimeUnit::kFemtosecond);
}

TEST(TimeAxis, a_period_that_is_not_whole_does_not_drift) {
  const TimeAxis axis({hertz(3'000'000'000)});  // 333333.33.. fs
  EXPECT_EQ(axis.edge(0, 1), 333'333u);
  EXPECT_EQ(axis.edge(0, 2), 666'666u);
  EXPECT_EQ(axis.edge(0, 3), 1'000'000u);
  EXPECT_EQ(axis.edge(0, 3'000'000'000), 1'000'000'000'000'000u);  // one second later, exactly
}

TEST(TimeAxis, a_frequency_may_be_a_fraction) {
  const TimeAxis axis({hertz(2'000'000'000, 3)});  // period 1.5 ns
  EXPECT_EQ(axis.unit(), TimeUnit::kPicosecond);
  EXPECT_EQ(axis.edge(0, 5), 7'500u);
}

TEST(TimeAxis, windows_are_cut_inwards) {
  const TimeAxis axis({hertz(1'000'000'000)});
  EXPECT_EQ(axis.from_ns(2.25), 3u);
  EXPECT_EQ(axis.from_ns(2.0), 2u);
  EXPECT_EQ(axis.to_ns_floor(2.75), 2u);
  EXPECT_DOUBLE_EQ(axis.ns(17), 17.0);
}

TEST(TimeAxis, a_time_no_viewer_can_hold_is_an_error_bad) {
  const TimeAxis axis({hertz(3'000'000'000)});
  EXPECT_NO_THROW(axis.edge(0, 27'000'000'000'000));               // 9 * 10^18 fs
  EXPECT_THROW(axis.edge(0, 28'000'000'000'000), ViolationError);  // beyond 2^63 fs
  EXPECT_THROW(axis.edge(0, kNever), ViolationError);
}

// 10,000 s are beyond 2^63 fs, but not beyond 2^63 ns.
TEST(TimeAxis, windows_may_lie_beyond_2_to_63_fs) {
  const TimeAxis axis({hertz(1'000'000'000)});
  EXPECT_EQ(axis.from_ns(1e13), 10'000'000'000'000u);
  EXPECT_EQ(axis.to_ns_floor(1e17), 100'000'000'000'000'000u);
  const TimeAxis fine({hertz(3'000'000'000)});
  EXPECT_EQ(fine.from_ns(1e13), std::uint64_t{1} << 63);
}

TEST(TimeAxis, the_end_of_a_run_is_shown_at_the_last_time_at_most) {
  const TimeAxis axis({hertz(3'000'000'000)});
  EXPECT_EQ(axis.edge_shown(0, 3'000'000'000), 1'000'000'000'000'000u);
  EXPECT_EQ(axis.edge_shown(0, 28'000'000'000'000), std::uint64_t{1} << 63);
}

TEST(TimeAxis, a_clock_above_the_finest_unit_is_refused_bad) {
  EXPECT_THROW(TimeAxis({hertz(2'000'000'000'000'000)}), InputError);
}

}  // namespace
}  // namespace weft::waves
