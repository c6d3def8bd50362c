// SPDX-License-Identifier: Apache-2.0
// The timing wheel against a sorted map of the same events.
#include "base/timing_wheel.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace weft {
namespace {

using Events = std::vector<std::pair<Cycle, int>>;

template <typename Wheel>
Events all_events(const Wheel& wheel, Cycle now) {
  Events events;
  wheel.for_each(now, [&](Cycle ahead, int event) { events.emplace_back(now + ahead, event); });
  return events;
}

RC_GTEST_PROP(TimingWheel, gives_back_what_a_sorted_map_would, ()) {
  TimingWheel<int> wheel;
  std::multimap<Cycle, int> reference;  // keeps the order in which events of one cycle were added
  Cycle now = 0;
  int next_event = 0;
  for (int round = 0; round < 60; ++round) {
    const auto added = *rc::gen::inRange(0, 4);
    for (int i = 0; i < added; ++i) {
      // Near and far, on both sides of the ring's length of 64, and several times the same cycle.
      const Cycle at = now + 1 + *rc::gen::element<Cycle>(0, 1, 61, 62, 63, 64, 65, 128, 5000, 1ULL << 40) +
                       *rc::gen::element<Cycle>(0, 0, 0, 1, 70);
      wheel.push(at, next_event);
      reference.emplace(at, next_event++);
    }
    RC_ASSERT(wheel.pending() == reference.size());
    RC_ASSERT(wheel.empty() == reference.empty());
    RC_ASSERT(all_events(wheel, now) == Events(reference.begin(), reference.end()));
    const Cycle expected = reference.empty() ? kNever : reference.begin()->first;
    RC_ASSERT(wheel.next_after(now) == expected);
    if (expected == kNever) continue;
    // At times an empty cycle before it is visited.
    const bool early = expected - now > 1 && *rc::gen::arbitrary<bool>();
    now = early ? expected - 1 : expected;
    Events wanted;
    for (auto it = reference.begin(); it != reference.end() && it->first == now; it = reference.erase(it)) {
      wanted.push_back(*it);
    }
    Events taken;
    for (const int event : wheel.at(now)) taken.emplace_back(now, event);
    wheel.clear(now);
    RC_ASSERT(taken == wanted);
  }
}

TEST(TimingWheel, takes_an_event_of_the_ring_s_length_while_a_bucket_is_read) {
  TimingWheel<int> wheel;
  wheel.push(5, 1);
  int seen = 0;
  for (const int event : wheel.at(5)) {
    seen += event;
    wheel.push(5 + 64, 2);  // the same place of the ring as cycle 5
  }
  wheel.clear(5);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(wheel.next_after(5), 69U);
  ASSERT_EQ(wheel.at(69).size(), 1U);
  EXPECT_EQ(wheel.at(69)[0], 2);
}

// The memory that a wheel asks for follows the events that it holds at once, not how far ahead they lie.
TEST(TimingWheel, a_wheel_in_use_keeps_its_buckets) {
  TimingWheel<int> wheel;
  Cycle now = 0;
  const int* first = nullptr;
  for (int round = 0; round < 1000; ++round) {
    wheel.push(now + (round % 2 == 0 ? 10 : 1000000), round);
    now = wheel.next_after(now);
    const auto& events = wheel.at(now);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0], round);
    if (first == nullptr) first = events.begin();
    EXPECT_EQ(events.begin(), first) << "round " << round;  // the one bucket that is needed is used again
    wheel.clear(now);
  }
}

TEST(TimingWheel, an_event_of_the_past_bad) {
  TimingWheel<int> wheel;
  wheel.at(100);
  EXPECT_THROW(wheel.push(100, 1), ViolationError);
  EXPECT_THROW(wheel.push(7, 1), ViolationError);
  EXPECT_THROW(wheel.push_checked(200, 150, 1), ViolationError);
  EXPECT_TRUE(wheel.empty());
}

}  // namespace
}  // namespace weft
