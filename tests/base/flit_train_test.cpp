// SPDX-License-Identifier: Apache-2.0
// Trains of flits: cycles by hand, and those of a link that is asked cycle by cycle.
#include "base/flit_train.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/link_stalls.h"
#include "base/packet_rate.h"
#include "base/state_form.h"
#include "base/train_queue.h"
#include "base/types.h"

namespace weft {
namespace {

std::vector<Cycle> cycles_of(FlitTrain train) {
  std::vector<Cycle> cycles;
  for (; !train.empty(); train.pop()) cycles.push_back(train.next());
  return cycles;
}

/// What a look at the end of cycle `now` sees.
template <typename Item>
std::uint64_t seen_of(Item item, Cycle now) {
  StateForm form;
  form.begin(StateForm::Pass::kHash, now, 1);
  item.put_state(form);
  EXPECT_TRUE(form.end());
  return form.hash();
}

TEST(FlitTrain, comes_in_even_steps) {
  const FlitTrain train(10, 3, 4);
  EXPECT_EQ(cycles_of(train), (std::vector<Cycle>{10, 14, 18}));
  EXPECT_EQ(train.last(), 18U);
  EXPECT_EQ(train.nth(3), 18U);
  EXPECT_EQ(cycles_of(train.later(5)), (std::vector<Cycle>{15, 19, 23}));
}

// Two flits take three cycles of the link: it may take one in cycles 0, 1.5, 3, 4.5 and 6, rounded up. A header of a
// flit's size takes 1.5 cycles more behind the tail.
TEST(FlitTrain, keeps_the_rate_of_a_slow_link) {
  const PacketRateSpec spec{Rational{2, 3}, 32, 32};
  PacketRate rate;
  const FlitTrain train(spec, &rate, 0, 5, 1);
  EXPECT_EQ(cycles_of(train), (std::vector<Cycle>{0, 2, 3, 5, 6}));
  EXPECT_EQ(train.last(), 6U);
  EXPECT_EQ(train.nth(4), 5U);
  EXPECT_EQ(cycles_of(train.later(7)), (std::vector<Cycle>{7, 9, 10, 12, 13}));
  EXPECT_EQ(rate.next_slot(0), 9U);
}

// A header takes a quarter of a cycle: with n flits, packet k starts at k (n + 1/4), rounded up.
TEST(FlitTrain, follows_others_on_a_link_of_one_flit_per_cycle) {
  const PacketRateSpec spec{Rational{1, 1}, 32, 8};
  for (std::uint32_t flits = 1; flits < 10; ++flits) {
    PacketRate rate;
    for (Cycle k = 0; k < 12; ++k) {
      const FlitTrain train(spec, &rate, 0, flits, 1);
      EXPECT_EQ(train.next(), (k * (4 * flits + 1) + 3) / 4) << flits << " flits, packet " << k;
      EXPECT_EQ(train.last(), train.next() + flits - 1);
    }
  }
}

TEST(FlitTrain, is_taken_off_up_to_a_cycle) {
  FlitTrain train(10, 4, 2);
  EXPECT_EQ(train.pop_until(9), 0U);
  EXPECT_EQ(train.pop_until(12), 2U);
  EXPECT_EQ(train.next(), 14U);
  EXPECT_EQ(train.pop_until(100), 2U);
  EXPECT_TRUE(train.empty());
}

// The reference asks the link in every cycle whether it can send, as a port that sends flit by flit does.
RC_GTEST_PROP(FlitTrain, is_what_a_link_does_cycle_by_cycle, ()) {
  const auto num = *rc::gen::inRange<std::uint64_t>(1, 6);
  // Many links take a flit in each cycle, and have a way of their own.
  const auto den = *rc::gen::oneOf(rc::gen::just(num), rc::gen::inRange<std::uint64_t>(num, 9));
  const PacketRateSpec spec{Rational{num, den}, 32, *rc::gen::element<std::uint64_t>(0, 6, 32)};
  const auto step = *rc::gen::inRange<Cycle>(1, 5);
  PacketRate rate;
  PacketRate reference;
  Cycle first = 0;
  for (int packet = 0; packet < 4; ++packet) {
    first += *rc::gen::inRange<Cycle>(0, 12);
    const auto flits = *rc::gen::inRange<std::uint32_t>(1, 9);
    std::vector<Cycle> expected;
    Cycle now = first;
    for (std::uint32_t flit = 0; flit < flits; ++now) {
      if (now < first + flit * step || !reference.can_send(now)) continue;
      expected.push_back(now);
      reference.send(spec, now, ++flit == flits);
    }
    const FlitTrain train(spec, &rate, first, flits, step);
    RC_ASSERT(cycles_of(train) == expected);
    RC_ASSERT(train.last() == expected.back());
    for (std::uint32_t n = 1; n <= flits; ++n) RC_ASSERT(train.nth(n) == expected[n - 1]);
    // In two parts, the first up to and with a cycle anywhere before, in or behind the train.
    const auto end = *rc::gen::inRange<Cycle>(first, expected.back() + 3);
    const auto passed = static_cast<std::uint32_t>(
        std::count_if(expected.begin(), expected.end(), [end](Cycle cycle) { return cycle <= end; }));
    FlitTrain rest = train;
    RC_ASSERT(rest.pop_until(end) == passed);
    RC_ASSERT(rest.left() == flits - passed);
    RC_ASSERT(cycles_of(rest) == std::vector<Cycle>(expected.begin() + passed, expected.end()));
    first += flits * step;
  }
}

// The reference is told of each flit by itself.
RC_GTEST_PROP(StallClock, counts_a_row_of_flits_as_one_by_one, ()) {
  StallClock clock;
  StallClock reference;
  Cycle now = 0;
  for (int row = 0; row < 6; ++row) {
    now += *rc::gen::inRange<Cycle>(0, 9);
    const auto reason = static_cast<StallReason>(*rc::gen::inRange(0, 4));
    clock.set(now, reason);
    reference.set(now, reason);
    const auto flits = *rc::gen::inRange<std::uint32_t>(1, 7);
    const auto step = *rc::gen::inRange<Cycle>(1, 5);
    clock.sent({now, flits, step});
    for (std::uint32_t i = 0; i < flits; ++i) reference.sent(now + i * step);
    now += (flits - 1) * step + 1;
  }
  clock.finish(now + 3);
  reference.finish(now + 3);
  for (const LinkQuantity reason :
       {LinkQuantity::kNoCredit, LinkQuantity::kLostArbitration, LinkQuantity::kWaitingOperand}) {
    RC_ASSERT(clock.values().at(reason) == reference.values().at(reason));
  }
}

TEST(TrainQueue, counts_over_the_border_of_two_packets) {
  TrainQueue queue;
  queue.push(FlitTrain(10, 2, 3));  // 10, 13
  queue.push(FlitTrain(20, 3, 1));  // 20, 21, 22
  EXPECT_EQ(queue.next_tail(), 13U);
  EXPECT_EQ(queue.nth(4), 21U);
  EXPECT_EQ(queue.nth(6), kNever);
  EXPECT_EQ(queue.pop_until(20), 3U);
  EXPECT_EQ(queue.next(), 21U);
  EXPECT_EQ(queue.nth(2), 22U);
  EXPECT_EQ(queue.pop_until(22), 2U);
  EXPECT_TRUE(queue.empty());
}

TEST(FlitTrain, a_look_sees_what_is_left_of_it_relative_to_now) {
  const FlitTrain even(10, 3, 4);
  EXPECT_EQ(seen_of(even, 5), seen_of(even.later(100), 105));
  EXPECT_NE(seen_of(even, 5), seen_of(even, 6));
  EXPECT_NE(seen_of(even, 5), seen_of(FlitTrain(10, 4, 4), 5));
  EXPECT_NE(seen_of(even, 5), seen_of(FlitTrain(10, 5, 2), 5));
  EXPECT_NE(seen_of(FlitTrain(), 5), seen_of(even, 5));
  const auto uneven = [](Rational flits_per_cycle, Cycle from, Cycle first, std::uint32_t flits) {
    static std::vector<std::unique_ptr<PacketRateSpec>> specs;
    specs.push_back(std::make_unique<PacketRateSpec>(PacketRateSpec{flits_per_cycle, 32, 6}));
    PacketRate rate;
    rate.send(*specs.back(), from, true);
    return FlitTrain(*specs.back(), &rate, first, flits, 1);
  };
  const FlitTrain slow = uneven({2, 3}, 4, 10, 5);
  EXPECT_EQ(seen_of(slow, 5), seen_of(uneven({2, 3}, 104, 110, 5), 105));
  EXPECT_NE(seen_of(slow, 5), seen_of(uneven({3, 5}, 4, 10, 5), 5));
  EXPECT_NE(seen_of(slow, 5), seen_of(uneven({2, 3}, 9, 10, 5), 5));
  EXPECT_NE(seen_of(slow, 5), seen_of(uneven({2, 3}, 4, 11, 5), 5));
  EXPECT_NE(seen_of(slow, 5), seen_of(uneven({2, 3}, 4, 10, 6), 5));
  EXPECT_EQ(seen_of(slow, 5), seen_of(slow.later(1), 6));  // on the way it does not meet the link's rate again
}

TEST(FlitTrain, a_look_sees_the_trains_of_a_queue_and_the_rate_of_a_link) {
  TrainQueue one;
  one.push(FlitTrain(10, 3));
  TrainQueue two = one;
  two.push(FlitTrain(20, 3));
  EXPECT_NE(seen_of(one, 5), seen_of(two, 5));
  const PacketRateSpec spec{Rational{2, 3}, 32, 6};
  PacketRate rate;
  rate.send(spec, 10, false);
  EXPECT_NE(seen_of(PacketRate(), 10), seen_of(rate, 10));
  EXPECT_EQ(seen_of(PacketRate(), 12), seen_of(rate, 12));  // free again
  PacketRate further = rate;
  further.send(spec, 12, false);
  PacketRate behind_tail = rate;
  behind_tail.send(spec, 12, true);
  EXPECT_NE(seen_of(further, 12), seen_of(behind_tail, 12));
}

RC_GTEST_PROP(FlitTrain, is_moved_on_by_whole_periods, ()) {
  const auto num = *rc::gen::inRange<std::uint64_t>(1, 6);
  // Many links take a flit in each cycle, and have a way of their own.
  const auto den = *rc::gen::oneOf(rc::gen::just(num), rc::gen::inRange<std::uint64_t>(num, 9));
  const PacketRateSpec spec{Rational{num, den}, 32, *rc::gen::element<std::uint64_t>(0, 6, 32)};
  PacketRate rate;
  rate.send(spec, *rc::gen::inRange<Cycle>(0, 50), true);
  FlitTrain train(spec, &rate, *rc::gen::inRange<Cycle>(0, 60), *rc::gen::inRange<std::uint32_t>(1, 9),
                  *rc::gen::inRange<Cycle>(1, 4));
  train = train.later(*rc::gen::inRange<Cycle>(0, 9));
  const Cycle now = train.next() - 1;
  std::vector<Cycle> expected = cycles_of(train);
  for (Cycle& cycle : expected) cycle += 7 * 3;
  const Cycle free = rate.next_slot(0) + 7 * 3;
  StateForm form;
  form.begin(StateForm::Pass::kMoveOn, now, 7, 3);
  train.put_state(form);
  rate.put_all_state(form);
  RC_ASSERT(cycles_of(train) == expected);
  RC_ASSERT(rate.next_slot(0) == free);
}

}  // namespace
}  // namespace weft
