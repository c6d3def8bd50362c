// SPDX-License-Identifier: Apache-2.0
// Events of any time: a ring of buckets for the near future, a heap for the rest.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "kernel/types.h"

namespace weft {

/// Future events by cycle. Adding and taking near ones costs a few instructions; looking for the next one costs a scan
/// of a bit map, whatever the number of events. Events of one cycle come in no particular order.
template <typename Event>
class Calendar {
 public:
  /// Adds an event for cycle `at`, which must be later than the last cycle that was taken.
  void add(Cycle at, const Event& event) {
    if (at - horizon_start_ < kRing) {
      put(at, event);
    } else {
      far_.push({at, event});
    }
  }
  /// Calls `visit(event)` for the events of cycle `now` and forgets them. Cycles without events may be left out; time
  /// must not go backwards.
  template <typename Visit>
  void take(Cycle now, Visit visit) {
    if (now != horizon_start_) {
      horizon_start_ = now;
      while (!far_.empty() && far_.top().at - now < kRing) {
        put(far_.top().at, far_.top().event);
        far_.pop();
      }
    }
    auto& bucket = ring_[now % kRing];
    if (bucket.empty()) return;
    near_ -= bucket.size();
    occupied_[now % kRing / 64] &= ~(std::uint64_t{1} << now % 64);
    taken_.swap(bucket);
    for (const Event& event : taken_) visit(event);
    taken_.clear();
  }
  /// First cycle after `now`, the last one taken, that has an event; kNever if there is none.
  Cycle next_after(Cycle now) const {
    if (near_ > 0) {
      const Cycle first = now + 1;
      for (Cycle skipped = 0; skipped < kRing + 64;) {
        const Cycle cycle = first + skipped;
        const std::uint64_t bits = occupied_[cycle % kRing / 64] >> cycle % 64;
        if (bits != 0) return cycle + static_cast<Cycle>(__builtin_ctzll(bits));
        skipped += 64 - cycle % 64;
      }
    }
    return far_.empty() ? kNever : far_.top().at;
  }
  bool empty() const { return near_ == 0 && far_.empty(); }

 private:
  static constexpr Cycle kRing = 4096;

  struct Far {
    Cycle at;
    Event event;
    friend bool operator>(const Far& a, const Far& b) { return a.at > b.at; }
  };

  void put(Cycle at, const Event& event) {
    ring_[at % kRing].push_back(event);
    occupied_[at % kRing / 64] |= std::uint64_t{1} << at % 64;
    ++near_;
  }

  std::array<std::vector<Event>, kRing> ring_;  ///< cycles horizon_start_ .. horizon_start_ + kRing - 1
  std::array<std::uint64_t, kRing / 64> occupied_{};
  std::size_t near_ = 0;
  Cycle horizon_start_ = 0;
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
  std::vector<Event> taken_;
};

}  // namespace weft
