// SPDX-License-Identifier: Apache-2.0
// A queue in one block of memory, which grows when it is full and is kept when it empties.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"

namespace weft {

template <typename Item>
class QueueRing {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Item `offset` behind the front.
  Item& operator[](std::size_t offset) { return items_[slot(offset)]; }
  const Item& operator[](std::size_t offset) const { return items_[slot(offset)]; }
  Item& front() { return items_[first_]; }
  const Item& front() const { return items_[first_]; }

  /// The item that was added last; the queue is not empty.
  Item& back() { return items_[slot(size_ - 1)]; }

  void push(const Item& item) { add() = item; }
  /// Adds an item that still holds what an earlier one in its slot did: the caller sets all of it.
  Item& add() {
    if (size_ == items_.size()) grow();
    return items_[slot(size_++)];
  }
  void pop() {
    WEFT_CHECK(size_ > 0, "an item is taken out of an empty queue");
    // An empty queue begins anew, so that one that is mostly empty takes few lines of the caches.
    first_ = --size_ == 0 ? 0 : slot(1);
  }

  /// Takes out the item that was added last.
  void pop_back() {
    WEFT_CHECK(size_ > 0, "an item is taken out of an empty queue");
    --size_;
  }

 private:
  std::size_t slot(std::size_t offset) const { return (first_ + offset) & (items_.size() - 1); }
  void grow() {
    std::vector<Item> larger(items_.empty() ? 4 : items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    items_.swap(larger);
    first_ = 0;
  }

  std::vector<Item> items_;  ///< a power of two, or none
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weft
