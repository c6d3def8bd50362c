// SPDX-License-Identifier: Apache-2.0
// Events of any time: a ring of buckets for the next cycles, a map for what is further ahead.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/event_list.h"
#include "base/types.h"

namespace weft {

/// Future events by cycle, one bucket per cycle. Memory and time follow the events, not how far ahead they lie. Buckets
/// are used again, so that a running fabric allocates nothing. The events of a cycle come in the order in which they
/// were added, but a block's results must not depend on it.
template <typename Event>
class TimingWheel {
 public:
  /// Adds an event for cycle `at`, which must be later than the last cycle that was taken.
  void push(Cycle at, Event event) {
    if (at - first_ < kRing - 1 && (occupied_ >> at % kRing & 1) != 0) {
      ring_[at % kRing].push_back(event);
    } else {
      push_first(at, event);
    }
  }
  /// As push, with a check against `now`, the last cycle that was executed: for events from outside the block.
  void push_checked(Cycle now, Cycle at, Event event) {
    WEFT_CHECK(at > now, "an event from outside lies in the past of a block");
    push(at, event);
  }
  /// The events of cycle `now`; call `clear` when they are done. Cycles without events may be left out; time must not
  /// go backwards. Events that are added meanwhile must be for later cycles.
  EventList<Event>& at(Cycle now) {
    first_ = now + 1;
    if (first_far_ - now < kRing) fetch_far(now);
    return ring_[now % kRing];
  }
  void clear(Cycle now) {
    const std::uint64_t bit = std::uint64_t{1} << now % kRing;
    if ((occupied_ & bit) == 0) return;
    occupied_ &= ~bit;
    auto& bucket = ring_[now % kRing];
    bucket.clear();
    spare_buckets_.push_back(std::move(bucket));
  }
  bool empty() const { return occupied_ == 0 && far_.empty(); }
  /// Number of events.
  std::size_t pending() const {
    std::size_t sum = 0;
    for (const auto& bucket : ring_) sum += bucket.size();
    for (const auto& [at, bucket] : far_) sum += bucket.size();
    return sum;
  }
  /// The first cycle after `now` that has an event; kNever if there is none.
  Cycle next_after(Cycle now) const {
    if (occupied_ == 0) return first_far_;
    return now + 1 + static_cast<Cycle>(__builtin_ctzll(occupied_from(now + 1)));
  }
  /// Calls `visit(cycles ahead, event)` for all events, nearest first.
  template <typename Visit>
  void for_each(Cycle now, Visit visit) const {
    for (Cycle ahead = 1; ahead <= kRing; ++ahead) {
      for (const Event& event : ring_[(now + ahead) % kRing]) visit(ahead, event);
    }
    for (const auto& [at, bucket] : far_) {
      for (const Event& event : bucket) visit(at - now, event);
    }
  }
  /// Gives `form` when the events come, and lets `event` give it each of them. As the events of a cycle have no order,
  /// they are put in that of `key(event)` first; those with the same key stay as they are.
  template <typename Form, typename Key, typename Describe>
  void put_state(Form& form, Key key, Describe event) {
    const auto before = [&key](const Event& a, const Event& b) { return key(a) < key(b); };
    const auto sort = [&before](auto& bucket) {
      if (!std::is_sorted(bucket.begin(), bucket.end(), before)) {
        std::stable_sort(bucket.begin(), bucket.end(), before);
      }
    };
    for (auto& bucket : ring_) sort(bucket);
    for (auto& [at, bucket] : far_) sort(bucket);
    put_ordered(form, event);
  }
  /// The same for events that have an order.
  template <typename Form, typename Describe>
  void put_ordered(Form& form, Describe event) {
    for (Cycle ahead = 1; ahead <= kRing; ++ahead) {
      for (Event& each : ring_[(form.now() + ahead) % kRing]) {
        form.same(ahead);
        event(each);
      }
    }
    for (auto& [at, bucket] : far_) {
      for (Event& each : bucket) {
        form.same(at - form.now());
        event(each);
      }
    }
    if (form.moves_on()) move_on(form.skipped());
  }

  /// Writes its events into `checkpoint`, or takes them from there; `event(each)` keeps one of them.
  template <typename Checkpoint, typename Keep>
  void keep(Checkpoint& checkpoint, Keep event) {
    std::size_t events = pending();
    checkpoint.values(first_, events);
    if (checkpoint.loads()) {
      drop_all();
      for (; events > 0; --events) {
        Cycle at = 0;
        Event each{};
        checkpoint.values(at);
        event(each);
        push(at, each);
      }
      return;
    }
    for (Cycle ahead = 0; ahead < kRing - 1; ++ahead) {
      const Cycle at = first_ + ahead;
      if ((occupied_ >> at % kRing & 1) == 0) continue;
      for (Event& each : ring_[at % kRing]) keep_one(checkpoint, at, each, event);
    }
    for (auto& [at, bucket] : far_) {
      for (Event& each : bucket) keep_one(checkpoint, at, each, event);
    }
  }

 private:
  template <typename Checkpoint, typename Keep>
  static void keep_one(Checkpoint& checkpoint, Cycle at, Event& each, Keep event) {
    checkpoint.values(at);
    event(each);
  }
  void drop_all() {
    for (auto& bucket : ring_) bucket.clear();
    occupied_ = 0;
    far_.clear();
    first_far_ = kNever;
  }
  static constexpr Cycle kRing = 64;  ///< cycles in the ring: one bit each in a word
  using Far = std::map<Cycle, EventList<Event>>;

  /// All events come `cycles` later.
  void move_on(Cycle cycles) {
    const auto by = static_cast<unsigned>(cycles % kRing);
    std::rotate(ring_.begin(), ring_.begin() + (kRing - by) % kRing, ring_.end());
    if (by != 0) occupied_ = occupied_ << by | occupied_ >> (kRing - by);
    first_ += cycles;
    Far moved;
    for (auto& [at, bucket] : far_) moved.emplace(at + cycles, std::move(bucket));
    far_.swap(moved);
    last_far_ = far_.begin();
    first_far_ = far_.empty() ? kNever : far_.begin()->first;
  }
  /// Returns which cycles of the ring have events; bit i stands for cycle + i.
  std::uint64_t occupied_from(Cycle cycle) const {
    const auto shift = static_cast<unsigned>(cycle % kRing);
    return occupied_ >> shift | occupied_ << (-shift % kRing);
  }
  /// The first event of a cycle, or one beyond the ring: apart from the others.
  [[gnu::noinline]] void push_first(Cycle at, Event event) {
    if (at - first_ >= kRing - 1) {
      far_bucket(at).push_back(event);
      return;
    }
    occupied_ |= std::uint64_t{1} << at % kRing;
    take_spare(ring_[at % kRing]);
    ring_[at % kRing].push_back(event);
  }
  void take_spare(EventList<Event>& bucket) {
    if (spare_buckets_.empty()) return;
    bucket.swap(spare_buckets_.back());
    spare_buckets_.pop_back();
  }
  /// The bucket of a cycle beyond the ring. What is sent in a row over links of one kind comes at the same time.
  EventList<Event>& far_bucket(Cycle at) {
    WEFT_CHECK(at >= first_, "an event lies in the past of a block");
    if (!far_.empty() && last_far_->first == at) return last_far_->second;
    last_far_ = far_.lower_bound(at);
    if (last_far_ != far_.end() && last_far_->first == at) return last_far_->second;
    if (spare_nodes_.empty()) {
      last_far_ = far_.emplace_hint(last_far_, at, EventList<Event>());
    } else {
      spare_nodes_.back().key() = at;
      last_far_ = far_.insert(last_far_, std::move(spare_nodes_.back()));
      spare_nodes_.pop_back();
    }
    take_spare(last_far_->second);
    first_far_ = far_.begin()->first;
    return last_far_->second;
  }
  /// Moves what has come near into the ring, whose buckets of these cycles are empty.
  [[gnu::noinline]] void fetch_far(Cycle now) {
    while (!far_.empty() && far_.begin()->first - now < kRing) {
      auto node = far_.extract(far_.begin());
      occupied_ |= std::uint64_t{1} << node.key() % kRing;
      ring_[node.key() % kRing].swap(node.mapped());
      spare_nodes_.push_back(std::move(node));
    }
    last_far_ = far_.begin();
    first_far_ = far_.empty() ? kNever : far_.begin()->first;
  }

  std::array<EventList<Event>, kRing> ring_;  ///< cycles up to first_ + kRing - 2, and the one that is being taken
  std::uint64_t occupied_ = 0;                ///< buckets of the ring with events, as bits
  Cycle first_ = 0;                           ///< first cycle that may get events
  Cycle first_far_ = kNever;                  ///< first cycle beyond the ring that has events
  Far far_;
  typename Far::iterator last_far_;  ///< used last; not valid while far_ is empty
  std::vector<EventList<Event>> spare_buckets_;
  std::vector<typename Far::node_type> spare_nodes_;
};

}  // namespace weft
