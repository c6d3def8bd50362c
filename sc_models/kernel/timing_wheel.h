// SPDX-License-Identifier: Apache-2.0
// Events of the near future, one bucket per cycle: what is on the links of a block.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/error.h"
#include "kernel/types.h"

namespace weft {

/// Ring of buckets for events at most `horizon` cycles ahead. A bucket keeps its memory, so that a running fabric
/// allocates nothing. Events of one bucket must not depend on their order.
template <typename Event>
class TimingWheel {
 public:
  explicit TimingWheel(Cycle horizon = 1) { set_horizon(horizon); }

  /// May be called while the wheel is empty.
  void set_horizon(Cycle horizon) {
    std::size_t size = 2;
    while (size <= horizon) size *= 2;
    buckets_.assign(size, {});
  }
  /// Adds an event for cycle `at`, which must lie in (now, now + horizon].
  void push(Cycle at, const Event& event) {
    buckets_[at & (buckets_.size() - 1)].push_back(event);
    ++pending_;
  }
  /// As push, with a check of the horizon: for events from outside the block.
  void push_checked(Cycle now, Cycle at, const Event& event) {
    WEFT_CHECK(at > now && at - now < buckets_.size(),
               "an event from outside lies in the past or beyond the horizon of a block");
    push(at, event);
  }
  /// The events of cycle `now`; call `clear` when they are done.
  std::vector<Event>& at(Cycle now) { return buckets_[now & (buckets_.size() - 1)]; }
  void clear(Cycle now) {
    auto& bucket = at(now);
    pending_ -= bucket.size();
    bucket.clear();
  }
  bool empty() const { return pending_ == 0; }
  std::size_t pending() const { return pending_; }
  /// The first cycle after `now` that has an event; kNever if there is none.
  Cycle next_after(Cycle now) const {
    if (pending_ == 0) return kNever;
    for (Cycle ahead = 1; ahead <= buckets_.size(); ++ahead) {
      if (!buckets_[(now + ahead) & (buckets_.size() - 1)].empty()) return now + ahead;
    }
    return kNever;
  }
  /// Calls `visit(cycles ahead, event)` for all events, nearest first.
  template <typename Visit>
  void for_each(Cycle now, Visit visit) const {
    for (Cycle ahead = 1; ahead <= buckets_.size(); ++ahead) {
      for (const Event& event : buckets_[(now + ahead) & (buckets_.size() - 1)]) visit(ahead, event);
    }
  }

 private:
  std::vector<std::vector<Event>> buckets_;
  std::size_t pending_ = 0;
};

}  // namespace weft
