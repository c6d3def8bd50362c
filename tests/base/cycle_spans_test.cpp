// SPDX-License-Identifier: Apache-2.0
// Spans of cycles, by hand.
#include "base/cycle_spans.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace weft {
namespace {

TEST(CycleSpans, spans_that_touch_are_one) {
  CycleSpans spans;
  spans.add({3, 5});
  spans.add({5, 5});
  spans.add({5, 9});
  spans.add({11, 12});
  EXPECT_EQ(spans.all().size(), 2U);
  EXPECT_EQ(spans.cycles(), 7U);
}

// 0 to 10 with 20 to 30, and 5 to 22: 0 to 30. One that lies within another adds nothing.
TEST(CycleSpans, a_cycle_in_which_both_are_so_counts_once) {
  CycleSpans both;
  both.add({0, 10});
  both.add({20, 30});
  CycleSpans other;
  other.add({5, 22});
  other.add({24, 25});
  both.merge(other);
  EXPECT_EQ(both.all().size(), 1U);
  EXPECT_EQ(both.cycles(), 30U);
}

// From 10 to 20 there are 12 to 15 and 18 to 20. Every 11 cycles they come again, twice: 23 to 26, 29 to 31 and so on.
TEST(CycleSpans, what_happened_last_happens_again) {
  CycleSpans spans;
  spans.add({2, 4});
  spans.add({12, 15});
  spans.add({18, 20});
  spans.repeat(10, 20, 11, 2);
  ASSERT_EQ(spans.all().size(), 7U);
  EXPECT_EQ(spans.all()[3].begin, 23U);
  EXPECT_EQ(spans.all()[4].end, 31U);
  EXPECT_EQ(spans.all()[6].end, 42U);
  EXPECT_EQ(spans.cycles(), 2U + 3 * 5U);
}

RC_GTEST_PROP(CycleSpans, merged_spans_hold_each_cycle_of_either_once, ()) {
  std::set<Cycle> cycles;
  CycleSpans merged;
  for (int i = 0; i < 3; ++i) {
    CycleSpans spans;
    Cycle at = 0;
    for (const unsigned step : *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, 6U))) {
      spans.add({at, at + step});
      for (Cycle cycle = at; cycle < at + step; ++cycle) cycles.insert(cycle);
      at += step + *rc::gen::inRange(0U, 6U);
    }
    merged.merge(spans);
  }
  RC_ASSERT(merged.cycles() == cycles.size());
}

}  // namespace
}  // namespace weft
