// SPDX-License-Identifier: Apache-2.0
// Times of things that wait in a queue, and numbers that say who goes first, by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/state_form.h"

namespace weft {
namespace {

using Pass = StateForm::Pass;
constexpr Cycle kPeriod = 10;

/// Things with numbers in a row; the last one has the number before `next`.
struct Queue {
  std::vector<Cycle> times;
  std::uint64_t next = 8;
  bool in_row = true;
  std::size_t begun = 1;
};

/// Gives a form a queue and returns whether the pass finds what is looked for.
bool look(StateForm& form, Pass pass, Cycle now, Queue& queue, std::uint64_t periods = 0) {
  form.begin(pass, now, kPeriod, periods);
  form.number(queue.next);
  std::vector<Cycle*> times;
  for (Cycle& time : queue.times) times.push_back(&time);
  form.queue(times, queue.in_row, queue.begun);
  return form.end();
}

/// Looks at a queue in cycles 0, 10 and 20.
bool repeats(StateForm& form, Queue first, Queue second, Queue third) {
  return look(form, Pass::kFirst, 0, first) && look(form, Pass::kSecond, 10, second) &&
         look(form, Pass::kThird, 20, third);
}

// One leaves in each period, and one comes in its third cycle. All that stood there at first came in cycle 0.
TEST(StateQueue, those_in_front_may_have_waited_for_longer_than_those_behind) {
  StateForm form;
  Queue now{{0, 0, 0, 0, 0, 3, 13, 23}, 10};
  ASSERT_TRUE(repeats(form, {{0, 0, 0, 0, 0, 0, 0, 3}, 8}, {{0, 0, 0, 0, 0, 0, 3, 13}, 9}, now));
  // Something is done with the first two in each period. They are of cycle 0 until three more have left: behind that
  // the second one would be of cycle 3.
  EXPECT_EQ(form.periods(), 3u);
  ASSERT_TRUE(look(form, Pass::kMoveOn, 20, now, 3));
  EXPECT_EQ(now.next, 13u);
  EXPECT_EQ(now.times, (std::vector<Cycle>{0, 0, 3, 13, 23, 33, 43, 53}));
}

// Five leave in five periods, more than wait: all that wait then have come in cycles that were left out.
TEST(StateQueue, a_queue_moves_up_by_more_than_its_length) {
  StateForm form;
  Queue now{{3, 13, 23}, 10, true, 0};
  ASSERT_TRUE(repeats(form, {{0, 0, 3}, 8, true, 0}, {{0, 3, 13}, 9, true, 0}, now));
  EXPECT_EQ(form.periods(), 0u) << "the first one was of cycle 0 twice and is of cycle 3 then";
  ASSERT_TRUE(look(form, Pass::kMoveOn, 20, now, 5));
  EXPECT_EQ(now.times, (std::vector<Cycle>{53, 63, 73}));
}

TEST(StateQueue, what_grows_evenly_is_no_queue_that_moves_up) {
  StateForm form;
  Queue now{{5, 24}, 8};
  ASSERT_TRUE(repeats(form, {{5, 4}, 8}, {{5, 14}, 8}, now));
  EXPECT_EQ(form.periods(), StateForm::kNoBound);
  ASSERT_TRUE(look(form, Pass::kMoveOn, 20, now, 2));
  EXPECT_EQ(now.times, (std::vector<Cycle>{5, 44}));
}

TEST(StateQueue, queues_that_do_not_move_up_evenly_are_seen) {
  const Queue first{{0, 0, 0, 3}, 8};
  const Queue second{{0, 0, 3, 13}, 9};
  StateForm form;
  ASSERT_TRUE(repeats(form, first, second, {{0, 3, 13, 23}, 10}));
  EXPECT_FALSE(repeats(form, first, second, {{0, 3, 13, 23}, 10, false})) << "another one stands between them";
  EXPECT_FALSE(repeats(form, first, second, {{0, 3, 13, 24}, 10})) << "the last one came a cycle later";
  EXPECT_FALSE(repeats(form, first, second, {{0, 4, 13, 23}, 10})) << "one is of another time than before";
  EXPECT_FALSE(repeats(form, first, second, {{0, 3, 13}, 10})) << "there are fewer";
  EXPECT_FALSE(repeats(form, {{0, 0, 0, 3}, 8}, {{0, 0, 3, 13}, 8}, {{0, 3, 13, 23}, 8})) << "nothing comes";
}

/// Periods that can be left out after three looks at two numbers that say who goes first.
std::uint64_t periods_of(const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other) {
  StateForm form;
  constexpr Pass kPasses[] = {Pass::kFirst, Pass::kSecond, Pass::kThird};
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint32_t first = one[i];
    std::uint32_t second = other[i];
    form.begin(kPasses[i], kPeriod * i, kPeriod);
    form.order(first);
    form.order(second);
    EXPECT_TRUE(form.end());
  }
  return form.periods();
}

TEST(StateQueue, orders_that_do_not_grow_alike_are_not_moved_on) {
  EXPECT_EQ(periods_of({4, 7, 10}, {0, 3, 6}), StateForm::kNoBound);
  EXPECT_EQ(periods_of({4, 7, 10}, {0, 2, 4}), 0u);
  EXPECT_EQ(periods_of({4, 7, 10}, {0, 0, 0}), 0u);
  EXPECT_EQ(periods_of({4, 4, 4}, {0, 0, 0}), StateForm::kNoBound);
}

}  // namespace
}  // namespace weft
