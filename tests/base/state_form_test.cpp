// SPDX-License-Identifier: Apache-2.0
// A block of three words, by hand: what is equal, what grows, and how far it may be moved on.
#include "base/state_form.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/timing_wheel.h"

namespace weft {
namespace {

using Pass = StateForm::Pass;

struct Counter {
  std::uint64_t phase = 0;
  std::uint32_t done = 0;
  std::uint64_t end = 1000;
  Cycle due = 5;

  void put_state(StateForm& form) {
    form.same(phase);
    form.counts_to(done, end);
    form.time(due);
  }
  bool look(StateForm& form, Pass pass, Cycle now, std::uint64_t periods = 0) {
    form.begin(pass, now, 10, periods);
    put_state(form);
    return form.end();
  }
};

/// Looks at it at 0, 10 and 20; `change` alters it before the second look and before the third one.
template <typename Change>
bool repeats(StateForm& form, Counter& counter, Change change) {
  if (!counter.look(form, Pass::kFirst, 0)) return false;
  change(counter, 1);
  if (!counter.look(form, Pass::kSecond, 10)) return false;
  change(counter, 2);
  return counter.look(form, Pass::kThird, 20);
}

TEST(StateForm, what_grows_evenly_repeats_itself_until_two_periods_before_its_end) {
  StateForm form;
  Counter counter;
  const auto grow = [](Counter& c, int) {
    c.done += 30;
    c.due += 10;
  };
  ASSERT_TRUE(repeats(form, counter, grow));
  // 60 of 1000 are done: 31 more periods of 30 fit, and the last two are left.
  EXPECT_EQ(form.periods(), 29u);
  EXPECT_EQ(form.ends_in(), 31u * 10 + 3);  // a third of a period more
  ASSERT_TRUE(counter.look(form, Pass::kMoveOn, 20, 7));
  EXPECT_EQ(counter.done, 60u + 7 * 30);
  EXPECT_EQ(counter.due, 25u + 70);
  EXPECT_EQ(counter.phase, 0u);
}

// Looks at 0 and 10 are taken, each as a first one, and compared when the third one comes.
TEST(StateForm, looks_that_were_taken_before_are_compared_with_a_third_one) {
  StateForm form;
  Counter counter;
  std::vector<StateForm::Look> looks;
  for (const Cycle now : {0, 10}) {
    ASSERT_TRUE(counter.look(form, Pass::kFirst, now));
    looks.push_back(form.take_look());
    counter.done += 30;
    counter.due += 10;
  }
  ASSERT_TRUE(form.expect(looks[0], looks[1]));
  ++counter.done;
  EXPECT_FALSE(counter.look(form, Pass::kThird, 20)) << "what has grown by more than before is seen";
  --counter.done;
  ++counter.phase;
  EXPECT_FALSE(counter.look(form, Pass::kThird, 20)) << "what has to be equal and is not is seen";
  --counter.phase;
  ASSERT_TRUE(counter.look(form, Pass::kThird, 20));
  EXPECT_EQ(form.periods(), 29u);
  ASSERT_TRUE(counter.look(form, Pass::kMoveOn, 20, 7));
  EXPECT_EQ(counter.done, 60u + 7 * 30);
  EXPECT_EQ(counter.due, 25u + 70);
  looks[1].same[0] ^= 1;
  EXPECT_FALSE(form.expect(looks[0], looks[1]));
}

TEST(StateForm, the_second_look_says_at_most_how_many_periods_can_be_left_out) {
  StateForm form;
  Counter counter;
  ASSERT_TRUE(counter.look(form, Pass::kFirst, 0));
  counter.done += 30;
  counter.due += 10;
  ASSERT_TRUE(counter.look(form, Pass::kSecond, 10));
  // 30 of 1000 are done: 32 more periods of 30 fit, and the last two are left.
  EXPECT_EQ(form.periods(), 30u);
}

// A gap that becomes wider must have been wide in all looks, which only the third one can say: the second one must not
// say less than that.
TEST(StateForm, the_second_look_says_nothing_of_a_gap_that_becomes_wider) {
  StateForm form;
  std::uint64_t released = 0;
  std::uint64_t formed = 0;
  const auto look = [&](Pass pass, Cycle now) {
    form.begin(pass, now, 10);
    form.progress(released, formed, 10'000, 100);
    return form.end();
  };
  ASSERT_TRUE(look(Pass::kFirst, 0));
  released += 200;
  formed += 50;
  ASSERT_TRUE(look(Pass::kSecond, 10));
  // 200 of 10,000 are released: 49 more periods of 200 fit, and the last two are left.
  EXPECT_EQ(form.periods(), 47u);
}

TEST(StateForm, what_grows_evenly_repeats_itself_until_a_block_may_look_ahead_of_its_end) {
  const auto periods = [](std::uint64_t look_ahead) {
    StateForm form;
    form.set_look_ahead(look_ahead);
    Counter counter;
    const bool good = repeats(form, counter, [](Counter& c, int) {
      c.done += 30;
      c.due += 10;
    });
    return good ? form.periods() : 0;
  };
  // 940 are left: 31 periods leave 10 of them, 30 leave 40.
  EXPECT_EQ(periods(9), 31u);
  EXPECT_EQ(periods(10), 31u);
  EXPECT_EQ(periods(11), 30u);
  EXPECT_EQ(periods(40), 30u);
  EXPECT_EQ(periods(41), 29u);
  EXPECT_EQ(periods(1000), 29u) << "never more than two periods";
}

// A number of 32 bits that is 939 below its largest value grows by 30 in 31 more periods at most.
TEST(StateForm, a_number_of_few_bytes_does_not_begin_anew_in_periods_that_are_left_out) {
  StateForm form;
  Counter counter;
  counter.done = 0u - 1000;
  counter.end = std::uint64_t{1} << 40;
  ASSERT_TRUE(repeats(form, counter, [](Counter& c, int) {
    c.done += 30;
    c.due += 10;
  }));
  EXPECT_EQ(form.periods(), 31u);
}

// Cycles 21 to 129 may be left out, which are 10 whole periods.
TEST(StateForm, what_happens_in_a_cycle_that_stays_bounds_the_periods) {
  for (const auto& [at, periods] : {std::pair<Cycle, std::uint64_t>{130, 10}, {131, 11}, {30, 0}, {31, 1}, {20, 0}}) {
    StateForm form;
    Counter counter;
    counter.end = 1'000'000;
    std::uint64_t now = 0;
    for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
      form.begin(pass, now, 10);
      counter.put_state(form);
      form.happens_at(at);
      ASSERT_TRUE(form.end());
      counter.done += 30;
      counter.due += 10;
      now += 10;
    }
    EXPECT_EQ(form.periods(), periods) << at;
  }
}

// One time moves on with each period of 10 cycles, the other one stays at 130.
TEST(StateForm, a_time_ahead_moves_on_or_stays) {
  StateForm form;
  Cycle moving = 1000;
  Cycle staying = 130;
  const auto look = [&](Pass pass, Cycle now, std::uint64_t periods = 0) {
    form.begin(pass, now, 10, periods);
    form.due(moving);
    form.due(staying);
    return form.end();
  };
  ASSERT_TRUE(look(Pass::kFirst, 0));
  moving += 10;
  ASSERT_TRUE(look(Pass::kSecond, 10));
  EXPECT_FALSE(look(Pass::kThird, 20)) << "one that has moved on goes on to do so";
  moving += 10;
  ASSERT_TRUE(look(Pass::kThird, 20));
  // Cycles 21 to 129 may be left out, which are 10 whole periods.
  EXPECT_EQ(form.periods(), 10u);
  EXPECT_EQ(form.ends_in(), 110u);
  ASSERT_TRUE(look(Pass::kMoveOn, 20, 10));
  EXPECT_EQ(moving, 1120u);
  EXPECT_EQ(staying, 130u);
}

TEST(StateForm, a_time_ahead_that_does_neither_is_seen_at_once) {
  StateForm form;
  Cycle at = 100;
  form.begin(Pass::kFirst, 0, 10);
  form.due(at);
  ASSERT_TRUE(form.end());
  at += 4;
  form.begin(Pass::kSecond, 10, 10);
  form.due(at);
  EXPECT_FALSE(form.end());
}

TEST(StateForm, a_state_that_has_changed_its_form_is_not_moved_on) {
  StateForm form;
  std::uint64_t one = 0;
  std::uint64_t other = 0;
  for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
    form.begin(pass, 0, 1);
    form.grows(one);
    ASSERT_TRUE(form.end());
  }
  form.begin(Pass::kMoveOn, 0, 1, 4);
  EXPECT_FALSE(form.end()) << "a word is missing";
  form.begin(Pass::kMoveOn, 0, 1, 4);
  form.grows(one);
  EXPECT_THROW(form.grows(other), ViolationError);
}

TEST(StateForm, what_does_not_is_seen) {
  StateForm form;
  Counter counter;
  EXPECT_FALSE(repeats(form, counter, [](Counter& c, int look) {
    c.done += look == 1 ? 30 : 31;
    c.due += 10;
  })) << "growth that differs";
  EXPECT_FALSE(repeats(form, counter = Counter(), [](Counter& c, int look) {
    c.due += 10;
    c.phase = look == 2 ? 1 : 0;
  })) << "a word that decides";
  EXPECT_FALSE(repeats(form, counter = Counter(), [](Counter&, int) {})) << "a time that does not come nearer";
}

TEST(StateForm, a_second_look_may_fail_and_be_tried_again) {
  StateForm form;
  Counter counter;
  ASSERT_TRUE(counter.look(form, Pass::kFirst, 0));
  counter.done = 7;
  counter.phase = 1;
  counter.due += 10;
  EXPECT_FALSE(counter.look(form, Pass::kSecond, 10));
  counter.done = 50;
  counter.phase = 0;
  counter.due += 10;
  EXPECT_TRUE(counter.look(form, Pass::kSecond, 20));
  counter.done = 100;
  counter.due += 20;
  EXPECT_TRUE(counter.look(form, Pass::kThird, 40));
  EXPECT_EQ(form.periods(), (1000u - 100) / 50 - 2);
}

// Tags above 100 are a family each hundred.
TEST(StateForm, tags_of_a_family_grow_alike_or_nothing_is_left_out) {
  struct Case {
    std::uint64_t tags[3];
    std::uint64_t growth[3];
    bool may_move;
  };
  const Case cases[] = {{{201, 205, 301}, {2, 2, 3}, true},   // two of one family, one of another
                        {{201, 205, 301}, {2, 3, 3}, false},  // unlike in a family
                        {{1, 5, 201}, {2, 3, 1}, true}};      // of none
  for (const Case& each : cases) {
    StateForm form;
    form.set_rules([](std::uint64_t tag) { return tag / 100; }, nullptr);
    std::uint64_t tags[3] = {each.tags[0], each.tags[1], each.tags[2]};
    std::uint64_t steps = 0;
    for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
      form.begin(pass, 10 * steps, 10);
      for (std::uint64_t& tag : tags) form.tag(tag);
      form.counts_to(steps, 50);
      ASSERT_TRUE(form.end());
      ++steps;
      for (std::size_t i = 0; i < 3; ++i) tags[i] += each.growth[i];
    }
    EXPECT_EQ(form.periods() > 0, each.may_move);
  }
}

TEST(StateForm, packets_with_data_are_refused_where_nobody_reads_it) {
  StateForm form;
  form.begin(Pass::kFirst, 0, 1);
  form.payload(nullptr);
  EXPECT_FALSE(form.failed());
  int data = 0;
  form.payload(reinterpret_cast<const PayloadHolder*>(&data));
  EXPECT_EQ(form.refusal(), "packets carry data");
}

TEST(StateForm, nothing_that_grows_has_no_bound) {
  StateForm form;
  Counter counter;
  ASSERT_TRUE(repeats(form, counter, [](Counter& c, int) { c.due += 10; }));
  EXPECT_EQ(form.periods(), StateForm::kNoBound);
}

/// Bytes that are released and sent.
std::uint64_t periods_of_gap(std::uint64_t released, std::uint64_t release, std::uint64_t send,
                             std::uint64_t look_ahead = StateForm::kNoBound) {
  StateForm form;
  form.set_look_ahead(look_ahead);
  std::uint64_t sent = 0;
  for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
    form.begin(pass, 0, 1);
    form.grows(released);
    form.grows(sent);
    form.gap(released, sent, 8);
    if (!form.end()) return 0;
    released += release;
    sent += send;
  }
  return form.periods();
}

TEST(StateForm, a_gap_bounds_what_follows) {
  EXPECT_EQ(periods_of_gap(8, 8, 8), StateForm::kNoBound);
  // 1000 - 2 x 8 in the third look; 8 + 2 x 8 are to be left.
  EXPECT_EQ(periods_of_gap(1000, 0, 8), (1000u - 16 - 24) / 8);
  EXPECT_EQ(periods_of_gap(30, 0, 8), 0u);
  EXPECT_EQ(periods_of_gap(1000, 0, 100, 40), 7u) << "800 in the third look; 8 + 40 are to be left";
  EXPECT_EQ(periods_of_gap(1000, 0, 100, 1000), 5u) << "8 + 2 x 100 are to be left";
  EXPECT_EQ(periods_of_gap(1000, 20, 100, 40), 7u) << "840 in the third look; both grow, so 8 + 2 x 100 are to be left";
  // A gap that becomes wider must have been wide.
  EXPECT_EQ(periods_of_gap(0, 16, 8), 0u);
  EXPECT_EQ(periods_of_gap(40, 16, 8), StateForm::kNoBound);
  EXPECT_EQ(periods_of_gap(0, 16, 8, 1), 0u);
}

TEST(StateForm, a_wheel_of_events_moves_on) {
  TimingWheel<int> wheel;
  wheel.at(99);
  wheel.push(103, 1);
  wheel.push(150, 2);
  wheel.push(2000, 3);
  StateForm form;
  form.begin(Pass::kMoveOn, 99, 7, 5);  // 35 cycles, which do not divide the wheel
  wheel.put_ordered(form, [](int) {});
  std::vector<std::pair<Cycle, int>> found;
  wheel.for_each(99 + 35, [&](Cycle ahead, int event) { found.emplace_back(134 + ahead, event); });
  EXPECT_EQ(found, (std::vector<std::pair<Cycle, int>>{{138, 1}, {185, 2}, {2035, 3}}));
  EXPECT_EQ(wheel.next_after(134), 138u);
  wheel.push(136, 4);
  for (Cycle now = 135; now <= 2035; ++now) {
    for (const int event : wheel.at(now)) found.emplace_back(now, event);
    wheel.clear(now);
  }
  found.erase(found.begin(), found.begin() + 3);
  EXPECT_EQ(found, (std::vector<std::pair<Cycle, int>>{{136, 4}, {138, 1}, {185, 2}, {2035, 3}}));
  EXPECT_TRUE(wheel.empty());
}

}  // namespace
}  // namespace weft
