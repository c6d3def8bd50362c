// SPDX-License-Identifier: Apache-2.0
// A number that threads wait for: they spin for a short while and then sleep in the kernel.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace weft::sc_models {

/// A number that only grows. What a thread wrote before `add` is visible to a thread whose `wait_for` it ends.
class WaitableCounter {
 public:
  /// Adds 1 and wakes the threads that sleep until the number is reached.
  void add() {
    value_.fetch_add(1);
    if (sleepers_.load() == 0) return;
    // A thread that sleeps has let go of the lock, so it cannot miss this.
    const std::lock_guard<std::mutex> lock(mutex_);
    grown_.notify_all();
  }
  std::uint64_t value() const { return value_.load(std::memory_order_acquire); }
  /// Returns the number once it is at least `least`.
  std::uint64_t wait_for(std::uint64_t least) {
    for (int spin = 0; spin < kSpins; ++spin) {
      const std::uint64_t value = value_.load(std::memory_order_acquire);
      if (value >= least) return value;
    }
    return sleep_until(least);
  }
  /// Threads that sleep in `wait_for`, or are about to.
  std::uint32_t sleepers() const { return sleepers_.load(); }

 private:
  /// Some hundred microseconds, many times what partitions differ in a step. Whoever waits longer waits for a thread
  /// that has no core, and must leave its own core to it.
  static constexpr int kSpins = 200'000;

  std::uint64_t sleep_until(std::uint64_t least) {
    std::unique_lock<std::mutex> lock(mutex_);
    // First this, then a look at the value: `add` changes the value first and then looks at this.
    sleepers_.fetch_add(1);
    grown_.wait(lock, [&] { return value_.load() >= least; });
    sleepers_.fetch_sub(1);
    return value_.load();
  }

  std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable grown_;
};

}  // namespace weft::sc_models
