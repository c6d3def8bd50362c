// SPDX-License-Identifier: Apache-2.0
// Trains of flits: cycles by hand, and those of a link that is asked cycle by cycle.
#include "base/flit_train.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/packet_rate.h"
#include "base/train_queue.h"
#include "base/types.h"

namespace weft {
namespace {

std::vector<Cycle> cycles_of(FlitTrain train) {
  std::vector<Cycle> cycles;
  for (; !train.empty(); train.pop()) cycles.push_back(train.next());
  return cycles;
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
  const auto den = *rc::gen::inRange<std::uint64_t>(num, 9);
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

}  // namespace
}  // namespace weft
