// SPDX-License-Identifier: Apache-2.0
// The messages of one node that can form a packet, in the order in which they go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prefetch.h"

namespace weft::npu {

/// When a message goes: lower ranks first, then who has waited longer.
struct Precedence {
  std::uint64_t rank = 0;
  std::uint64_t ticket = 0;  ///< counts who lined up before
  friend bool operator<(const Precedence& a, const Precedence& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.ticket < b.ticket;
  }
};

/// One queue for each need: messages whose next packets start under the same condition, so that only the first of each
/// queue has to be asked.
class ReadyMessages {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  bool empty() const { return size_ == 0; }
  /// Fetches the queues into the cache.
  void fetch() const {
    if (size_ > 0) fetch_line(queues_.data());
  }
  /// `slot` can form a packet that has the need `need`.
  void push(std::uint64_t need, Precedence precedence, std::uint32_t slot) {
    std::vector<Entry>& heap = queue_of(need).heap;
    heap.push_back({precedence, slot});
    std::push_heap(heap.begin(), heap.end(), later);
    ++size_;
  }
  /// The queue of the message that is next among those for whose need `can_start(need)` holds; kNone if there is
  /// none.
  template <typename CanStart>
  std::size_t choose(CanStart can_start) const {
    std::size_t best = kNone;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const Queue& queue = queues_[i];
      if (queue.heap.empty()) continue;
      if (best != kNone && !(queue.heap.front().precedence < precedence(best))) continue;
      if (can_start(queue.need)) best = i;
    }
    return best;
  }
  Precedence precedence(std::size_t queue) const { return queues_[queue].heap.front().precedence; }
  std::uint32_t slot(std::size_t queue) const { return queues_[queue].heap.front().slot; }
  /// Takes the first message of a queue out of it.
  void pop(std::size_t queue) {
    std::vector<Entry>& heap = queues_[queue].heap;
    std::pop_heap(heap.begin(), heap.end(), later);
    heap.pop_back();
    --size_;
  }
  /// The first message of `queue` lines up anew: it has the need `need` now, and another precedence.
  void line_up_again(std::size_t queue, std::uint64_t need, Precedence precedence) {
    const Entry again{precedence, slot(queue)};
    if (need != queues_[queue].need) {
      pop(queue);
      push(need, precedence, again.slot);
      return;
    }
    // It mostly stays where it is, or near.
    std::vector<Entry>& heap = queues_[queue].heap;
    std::size_t at = 0;
    for (std::size_t next = 1; next < heap.size(); next = 2 * at + 1) {
      if (next + 1 < heap.size() && later(heap[next], heap[next + 1])) ++next;
      if (!later(again, heap[next])) break;
      heap[at] = heap[next];
      at = next;
    }
    heap[at] = again;
  }
  /// Calls visit(need) once for all messages of one need.
  template <typename Visit>
  void for_each_need(Visit visit) const {
    for (const Queue& queue : queues_) {
      if (!queue.heap.empty()) visit(queue.need);
    }
  }
  /// Whether `has(need)` holds for the need of some message.
  template <typename Has>
  bool any(Has has) const {
    return std::any_of(queues_.begin(), queues_.end(),
                       [&](const Queue& queue) { return !queue.heap.empty() && has(queue.need); });
  }
  /// Gives `form` its state; `numbers` = numbers of the messages of its node, by slot, and `rank_of(slot)` the rank of
  /// one as its fields say it, which grows with them. Who gives the messages gives the order of their tickets.
  template <typename Form, typename RankOf>
  void put_state(Form& form, const std::vector<std::uint32_t>& numbers, RankOf rank_of) {
    form.same(queues_.size());
    for (Queue& queue : queues_) {
      form.same(queue.need);
      form.same(queue.heap.size());
      std::vector<Entry*> in_order;
      for (Entry& entry : queue.heap) in_order.push_back(&entry);
      std::sort(in_order.begin(), in_order.end(),
                [](const Entry* a, const Entry* b) { return a->precedence < b->precedence; });
      for (Entry* entry : in_order) {
        form.same(entry->precedence.rank - rank_of(entry->slot));
        if (form.moves_on()) entry->precedence.rank = rank_of(entry->slot);
        form.same(numbers[entry->slot]);
        form.number(entry->precedence.ticket);
      }
    }
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(size_);
    checkpoint.each(queues_, [&](Queue& queue) {
      checkpoint.values(queue.need);
      checkpoint.each(queue.heap, [&](Entry& entry) {
        checkpoint.values(entry.precedence.rank, entry.precedence.ticket, entry.slot);
      });
    });
  }

 private:
  friend struct InterfaceState;  // tests change single fields to see that a look has them
  struct Entry {
    Precedence precedence;
    std::uint32_t slot = 0;
  };
  struct Queue {
    std::uint64_t need = 0;
    std::vector<Entry> heap;  ///< who goes first is in front
  };

  static bool later(const Entry& a, const Entry& b) { return b.precedence < a.precedence; }
  Queue& queue_of(std::uint64_t need) {
    for (Queue& queue : queues_) {
      if (queue.need == need) return queue;
    }
    queues_.push_back({need, {}});
    return queues_.back();
  }

  std::vector<Queue> queues_;
  std::size_t size_ = 0;
};

}  // namespace weft::npu
