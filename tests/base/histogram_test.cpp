// SPDX-License-Identifier: Apache-2.0
// LatencyHistogram against sorted lists of the same samples.
#include "base/histogram.h"

#include <gtest/gtest.h>
// rapidcheck needs gtest first.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"

namespace weft {
namespace {

TEST(Histogram, counts_by_hand) {
  LatencyHistogram h;
  for (const Cycle value : {5U, 7U, 7U, 100000U}) h.add(value);
  EXPECT_EQ(h.count(), 4U);
  EXPECT_EQ(h.sum(), 100019U);
  EXPECT_DOUBLE_EQ(h.mean(), 100019.0 / 4);
  EXPECT_EQ(h.percentile(25), 5U);
  EXPECT_EQ(h.percentile(26), 7U);
  EXPECT_EQ(h.percentile(50), 7U);
  EXPECT_EQ(h.percentile(75), 7U);
  EXPECT_EQ(h.percentile(76), 100000U);
  EXPECT_EQ(h.max(), 100000U);
}

TEST(Histogram, what_was_counted_since_is_repeated) {
  LatencyHistogram before;
  before.add(3, 5);
  before.add(1'000'000, 2);
  LatencyHistogram histogram = before;
  histogram.add(3);
  histogram.add(900'000);
  histogram.add(1'000'000, 4);
  histogram.repeat_since(before, 10);
  std::vector<std::pair<Cycle, std::uint64_t>> counts;
  histogram.for_each([&](Cycle value, std::uint64_t times) { counts.emplace_back(value, times); });
  EXPECT_EQ(counts, (std::vector<std::pair<Cycle, std::uint64_t>>{{3, 16}, {900'000, 11}, {1'000'000, 46}}));
}

TEST(Histogram, what_was_counted_before_has_to_be_there_now_bad) {
  for (const Cycle value : {3U, 1'000'000U}) {
    LatencyHistogram before, histogram;
    before.add(value, 2);
    histogram.add(value, 1);
    EXPECT_THROW(histogram.repeat_since(before, 1), ViolationError);
    EXPECT_THROW(LatencyHistogram(LatencyHistogram()).repeat_since(before, 1), ViolationError) << value;
  }
}

TEST(Histogram, many_large_values_are_counted_in_any_order) {
  LatencyHistogram histogram;
  for (Cycle i = 0; i < 30'000; ++i) histogram.add(100'000 + i * 7919 % 10'000);
  Cycle next = 100'000;
  histogram.for_each([&](Cycle value, std::uint64_t times) {
    EXPECT_EQ(value, next++);
    EXPECT_EQ(times, 3U);
  });
  EXPECT_EQ(next, 110'000U);
}

TEST(Histogram, empty_has_no_mean_bad) {
  const LatencyHistogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_THROW(h.mean(), ViolationError);
  EXPECT_THROW(h.percentile(50), ViolationError);
  EXPECT_THROW(h.max(), ViolationError);
}

TEST(Histogram, growth_does_not_change_equality) {
  LatencyHistogram a, b;
  a.add(3);
  b.add(60000);
  b.merge(a);
  LatencyHistogram c;
  c.add(60000);
  c.add(3, 1);
  EXPECT_TRUE(b == c);
  EXPECT_FALSE(a == c);
}

RC_GTEST_PROP(Histogram, agrees_with_sorted_samples, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 300), rc::gen::inRange<std::uint32_t>(65000, 70000))));
  const auto cut = *rc::gen::inRange<std::size_t>(0, values.size() + 1);
  LatencyHistogram one, two;
  for (std::size_t i = 0; i < values.size(); ++i) (i < cut ? one : two).add(values[i]);
  one.merge(two);
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  RC_ASSERT(one.count() == sorted.size());
  RC_ASSERT(one.sum() == std::accumulate(sorted.begin(), sorted.end(), std::uint64_t{0}));
  RC_ASSERT(one.max() == sorted.back());
  for (const unsigned percent : {1U, 50U, 99U, 100U}) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    RC_ASSERT(one.percentile(percent) == sorted[rank - 1]);
  }
}

}  // namespace
}  // namespace weft
