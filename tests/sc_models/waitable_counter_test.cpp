// SPDX-License-Identifier: Apache-2.0
// A number that threads wait for: nobody is missed, and who waits long does so without a core.
#include "sc_models/waitable_counter.h"

#include <gtest/gtest.h>

#include <pthread.h>
#include <time.h>

#include <chrono>
#include <thread>

namespace weft::sc_models {
namespace {

std::int64_t cpu_ns(std::thread& thread) {
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

TEST(WaitableCounter, returns_at_once_what_is_reached) {
  WaitableCounter counter;
  counter.add();
  counter.add();
  EXPECT_EQ(counter.wait_for(1), 2U);
  EXPECT_EQ(counter.wait_for(2), 2U);
  EXPECT_EQ(counter.sleepers(), 0U);
}

// A thread that waits for 2 goes to sleep, 1 does not end that, and while it sleeps it takes no time of any core.
TEST(WaitableCounter, who_waits_long_sleeps) {
  WaitableCounter counter;
  std::uint64_t seen = 0;
  std::thread waiter([&] { seen = counter.wait_for(2); });
  const auto until_it_sleeps = [&] {
    while (counter.sleepers() == 0) std::this_thread::yield();
    // It is about to: its time stands still when it does.
    for (std::int64_t before = -2; cpu_ns(waiter) != before;) {
      before = cpu_ns(waiter);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  until_it_sleeps();
  counter.add();
  until_it_sleeps();
  EXPECT_EQ(seen, 0U);
  counter.add();
  waiter.join();
  EXPECT_EQ(seen, 2U);
  EXPECT_EQ(counter.sleepers(), 0U);
}

// Two threads that wait for each other in turn, with and without time to fall asleep: a wake-up that is lost would be
// the end of it.
TEST(WaitableCounter, loses_nobody) {
  constexpr std::uint64_t kRounds = 20'000;
  WaitableCounter ping;
  WaitableCounter pong;
  std::uint64_t shared = 0;
  std::thread other([&] {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      ping.wait_for(round);
      shared = 2 * shared + 1;
      if (round % 1000 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      pong.add();
    }
  });
  std::uint64_t expected = 0;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    shared += round;
    expected = 2 * (expected + round) + 1;
    ping.add();
    EXPECT_EQ(pong.wait_for(round), round);
    ASSERT_EQ(shared, expected);
  }
  other.join();
}

}  // namespace
}  // namespace weft::sc_models
