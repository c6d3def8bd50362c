// SPDX-License-Identifier: Apache-2.0
// Flits of links over a period that comes again, against closed forms of what the links carry.
#include "sc_models/period_flits.h"

#include <gtest/gtest.h>

namespace weft::sc_models {
namespace {

constexpr Cycle kPeriod = 10;
constexpr std::uint64_t kManyWords = 1'000'000;

/// Flits that the first link has carried by the end of cycle `at`: one in each even cycle.
std::uint64_t even_cycles(Cycle at) { return at / 2 + 1; }
/// And the second one: three in each cycle that ends with 7.
std::uint64_t sevens(Cycle at) { return (at + 3) / 10 * 3; }

/// Two links, whose flits a cycle counts when it is executed, or when it is settled.
class PeriodFlitsBench {
 public:
  explicit PeriodFlitsBench(bool passes)
      : windows(2, 8, [this](std::uint64_t* flits) { read(flits); }),
        notes({2, [this](std::uint64_t* flits) { read(flits); }, [passes] { return passes; },
               [this](Cycle at) { counted_by_ = at; }},
              windows) {}

  /// Cycle `now` has been executed.
  void execute(Cycle now) { counted_by_ = now; }
  /// All cycles of a period that begins behind `begin`, each of them executed.
  void note_period(Cycle begin) {
    for (Cycle now = begin; now < begin + kPeriod; ++now) {
      execute(now);
      notes.note(now + 1);
    }
    execute(begin + kPeriod);
    notes.end();
  }
  /// Whether what both links have carried by the end of cycle `at` is known as it is.
  testing::AssertionResult knows(Cycle at) const {
    std::uint64_t flits[2] = {};
    notes.read(at, flits);
    if (flits[0] == even_cycles(at) && flits[1] == sevens(at)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << flits[0] << " and " << flits[1] << " flits in cycle " << at << " instead of "
                                       << even_cycles(at) << " and " << sevens(at);
  }

  LinkWindows windows;
  PeriodFlits notes;

 private:
  void read(std::uint64_t* flits) const {
    flits[0] = even_cycles(counted_by_);
    flits[1] = sevens(counted_by_);
  }

  Cycle counted_by_ = 0;
};

// Behind cycle 110, windows of 16 cycles end with cycles 111 and 127; from there on eight are four of 32, which end
// with cycles 159, 191, 223 and 255, and then those of 64.
TEST(PeriodFlits, flits_in_windows_that_end_in_later_periods_are_known) {
  PeriodFlitsBench bench(false);
  bench.notes.begin(kPeriod, 100, 400, kManyWords);
  bench.note_period(100);
  ASSERT_TRUE(bench.notes.on());
  EXPECT_EQ(bench.notes.known_until(), 400U);
  for (const Cycle at : {111, 127, 159, 191, 223, 255, 319, 383}) EXPECT_TRUE(bench.knows(at));
}

// The windows of the test above end 11, 27, 59, 91, 123, 155, 219 and 283 cycles behind cycle 100.
TEST(PeriodFlits, notes_are_due_in_the_cycles_that_are_noted_and_in_no_others) {
  PeriodFlitsBench bench(false);
  EXPECT_EQ(bench.notes.due(), kNever);
  bench.notes.begin(kPeriod, 100, 400, kManyWords);
  for (const Cycle at : {100, 101, 103, 105, 107, 109}) {
    EXPECT_EQ(bench.notes.due(), at);
    bench.notes.note(at);  // the cycle that has been executed last lies before it
    EXPECT_EQ(bench.notes.due(), at);
    bench.execute(at);
    bench.notes.note(at + 1);
  }
  EXPECT_EQ(bench.notes.due(), kNever);
  bench.notes.drop();
  EXPECT_EQ(bench.notes.due(), kNever);
}

// Many windows end before cycle 10^9, so that all ten cycles of the period are noted.
TEST(PeriodFlits, a_short_period_is_noted_as_a_whole) {
  PeriodFlitsBench bench(false);
  bench.notes.begin(kPeriod, 100, 1'000'000'000, 10);
  EXPECT_EQ(bench.notes.known_until(), kNever);
  bench.note_period(100);
  for (Cycle at = 111; at < 200; ++at) EXPECT_TRUE(bench.knows(at));
  EXPECT_TRUE(bench.knows(999'999'937));
}

// Cycles 104 to 106 are not executed, as nothing happens in them: the links have carried what they had in 103.
TEST(PeriodFlits, cycles_that_are_not_executed_have_the_flits_of_the_last_one_before) {
  PeriodFlitsBench bench(false);
  bench.notes.begin(kPeriod, 100, 1'000'000'000, 10);
  for (Cycle now = 100; now < 104; ++now) {
    bench.execute(now);
    bench.notes.note(now < 103 ? now + 1 : 107);
  }
  for (Cycle now = 107; now < 110; ++now) {
    bench.execute(now);
    bench.notes.note(now + 1);
  }
  bench.execute(110);
  bench.notes.end();
  std::uint64_t flits[2] = {};
  for (const Cycle at : {113, 114, 115, 116}) {
    bench.notes.read(at, flits);
    EXPECT_EQ(flits[0], even_cycles(113)) << at;
  }
  EXPECT_TRUE(bench.knows(117));
}

// Where flits pass without a step, each noted cycle is settled before it is read, though none but the first is
// executed.
TEST(PeriodFlits, flits_that_pass_without_a_step_are_settled_before_they_are_read) {
  PeriodFlitsBench bench(true);
  bench.windows.close_until(112);
  bench.notes.begin(kPeriod, 100, 400, kManyWords);
  bench.execute(100);
  bench.notes.note(110);
  ASSERT_TRUE(bench.notes.on());
  bench.execute(110);
  bench.notes.end();
  for (const Cycle at : {127, 159, 191, 383}) EXPECT_TRUE(bench.knows(at));
}

// The window up to cycle 127 is still open. Cycle 129, with which one ends three periods later, is settled behind it:
// the window has what the links had carried by the end of cycle 127, and the next one what comes behind.
TEST(PeriodFlits, a_window_that_ends_before_a_noted_cycle_is_closed_before_that_is_settled) {
  PeriodFlitsBench bench(true);
  bench.execute(111);
  bench.windows.close_until(112);
  bench.notes.begin(kPeriod, 122, 400, kManyWords);
  bench.execute(122);
  bench.notes.note(132);
  ASSERT_TRUE(bench.notes.on());
  bench.execute(132);
  bench.notes.end();
  EXPECT_EQ(bench.windows.border(), 160U);  // the eighth window was closed, and windows have 32 cycles now
  bench.execute(143);
  const LinkWindowTable table = bench.windows.finish(144);
  ASSERT_EQ(table.ends.back(), 144U);
  const std::size_t last = (table.ends.size() - 1) * 2;
  EXPECT_EQ(table.flits[last], even_cycles(143) - even_cycles(127));
  EXPECT_EQ(table.flits[last + 1], sevens(143) - sevens(127));
}

TEST(PeriodFlits, little_work_pays_for_the_windows_that_come_first_and_next_to_none_for_no_notes) {
  PeriodFlitsBench bench(true);
  bench.notes.begin(kPeriod * 10, 100, 1'000'000'000, 2 * 8);  // two links, eight windows
  EXPECT_TRUE(bench.notes.on());
  // Behind cycle 200: 224, 256, 320, 384, 448, 512, 640 and 768.
  EXPECT_EQ(bench.notes.known_until(), 767U);
  bench.notes.begin(kPeriod * 10, 100, 1'000'000'000, 2 * 8 - 1);
  EXPECT_FALSE(bench.notes.on());
}

TEST(PeriodFlits, a_window_that_ends_in_a_cycle_that_is_not_noted_is_an_error) {
  PeriodFlitsBench bench(false);
  bench.notes.begin(kPeriod, 100, 200, kManyWords);
  bench.note_period(100);
  std::uint64_t flits[2] = {};
  EXPECT_ANY_THROW(bench.notes.read(113, flits));
}

}  // namespace
}  // namespace weft::sc_models
