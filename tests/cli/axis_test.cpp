// SPDX-License-Identifier: Apache-2.0
// Ranges, lists and their product.
#include "cli/sweep/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::vector<std::string> values(const char* setting) { return parse_axis(setting).values; }

std::string error_of(const char* setting) {
  try {
    parse_axis(setting);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Axis, ranges_are_exact_and_hold_both_ends) {
  EXPECT_THAT(values("r=0.1:0.5:0.1"), ElementsAre("0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values("r = 1 : 10 : 4"), ElementsAre("1", "5", "9"));
  EXPECT_THAT(values("r=2:2:1"), ElementsAre("2"));
  EXPECT_THAT(values("r=-1:1:1"), ElementsAre("-1", "0", "1"));
  EXPECT_EQ(values("r=0:1:0.001").size(), 1001U);
  EXPECT_EQ(values("r=0:1:0.001")[300], "0.3");
}

TEST(Axis, ranges_keep_units_and_take_factors) {
  EXPECT_THAT(values("s=1 KiB:3 KiB:1 KiB"), ElementsAre("1 KiB", "2 KiB", "3 KiB"));
  EXPECT_THAT(values("s=1 MiB:64 MiB:*4"), ElementsAre("1 MiB", "4 MiB", "16 MiB", "64 MiB"));
  EXPECT_THAT(values("b=100GB/s:200GB/s:50GB/s"), ElementsAre("100 GB/s", "150 GB/s", "200 GB/s"));
  EXPECT_THAT(values("r=0.1:0.5:*2"), ElementsAre("0.1", "0.2", "0.4"));
}

TEST(Axis, lists_nest_and_quote) {
  EXPECT_THAT(values("a=[x, y ,z]"), ElementsAre("x", "y", "z"));
  EXPECT_THAT(values("fabric.size=[[4, 4], [8, 8]]"), ElementsAre("[4, 4]", "[8, 8]"));
  EXPECT_THAT(values("a=['x, y', z]"), ElementsAre("'x, y'", "z"));
  EXPECT_THAT(values("a=[750 GB/s]"), ElementsAre("750 GB/s"));
}

TEST(Axis, one_value_may_hold_colons) {
  EXPECT_THAT(values("a=x"), ElementsAre("x"));
  EXPECT_THAT(values("workload.trace.chakra=a:b:c"), ElementsAre("a:b:c"));
  EXPECT_EQ(parse_axis(" fabric.router.vcs = 4").path, "fabric.router.vcs");
}

TEST(Axis, senseless_ranges_bad) {
  EXPECT_THAT(error_of("r=1:2:0"), HasSubstr("the step must be above 0"));
  EXPECT_THAT(error_of("r=2:8"), HasSubstr("--set r=2:8: '2:8' has no step; a range is a:b:step"));
  EXPECT_THAT(error_of("r=1 GB/s:8 GB/s"), HasSubstr("'1 GB/s:8 GB/s' has no step"));
  EXPECT_THAT(error_of("r=2:1:1"), HasSubstr("the last value lies before the first"));
  EXPECT_THAT(error_of("r=1:8:*1"), HasSubstr("a factor must be above 1"));
  EXPECT_THAT(error_of("r=0:8:*2"), HasSubstr("the first value above 0"));
  EXPECT_THAT(error_of("r=1 KiB:8 MiB:1 KiB"), HasSubstr("same unit"));
  EXPECT_THAT(error_of("r=0:1:0.000001"), HasSubstr("more than 100000 values"));
  EXPECT_THAT(error_of("r=1:2:0"), HasSubstr("--set r=1:2:0"));
  EXPECT_THAT(error_of("rate"), HasSubstr("expected path=value"));
  EXPECT_THAT(error_of("=3"), HasSubstr("expected path=value"));
  EXPECT_THAT(error_of("a=[x,,y]"), HasSubstr("an empty value"));
  EXPECT_THAT(error_of("r=1:2:10000000000000000000"), HasSubstr("--set r=1:2:10000000000000000000: a number has more"));
}

TEST(Axis, product_runs_the_last_axis_fastest) {
  const std::vector<Axis> axes{{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}};
  ASSERT_EQ(count_points(axes), 6U);
  EXPECT_THAT(point_at(axes, 0), ElementsAre(Pair("a", "1"), Pair("b", "x")));
  EXPECT_THAT(point_at(axes, 1), ElementsAre(Pair("a", "1"), Pair("b", "y")));
  EXPECT_THAT(point_at(axes, 5), ElementsAre(Pair("a", "2"), Pair("b", "z")));
  EXPECT_EQ(count_points({}), 1U);
}

TEST(Axis, double_and_huge_products_bad) {
  EXPECT_THROW(count_points({{"a", {"1"}}, {"a", {"2"}}}), InputError);
  const std::vector<std::string> many(2000, "1");
  EXPECT_THROW(count_points({{"a", many}, {"b", many}}), InputError);
}

}  // namespace
}  // namespace weft::cli
