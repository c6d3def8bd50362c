// SPDX-License-Identifier: Apache-2.0
// The events of one cycle, in the order in which they were added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace weft {

/// A vector of small plain events that takes each one by value. Nothing here needs the address of the event that is
/// added, so that its parts go from registers into the list. A std::vector copies it from the stack in wider words than
/// it was written there, and waits until the parts have left the store buffer.
template <typename Event>
class EventList {
 public:
  EventList() = default;
  EventList(EventList&& other) noexcept { swap(other); }
  EventList& operator=(EventList&& other) noexcept {
    swap(other);
    return *this;
  }
  EventList(const EventList&) = delete;
  EventList& operator=(const EventList&) = delete;
  ~EventList() = default;

  void push_back(Event event) {
    if (size_ == capacity_) grow();
    events_[size_++] = event;
  }
  /// Keeps the memory.
  void clear() { size_ = 0; }
  void swap(EventList& other) noexcept {
    events_.swap(other.events_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Event* begin() { return events_.get(); }
  Event* end() { return events_.get() + size_; }
  const Event* begin() const { return events_.get(); }
  const Event* end() const { return events_.get() + size_; }
  Event& operator[](std::size_t i) { return events_[i]; }
  const Event& operator[](std::size_t i) const { return events_[i]; }

 private:
  [[gnu::noinline]] void grow() {
    const std::size_t larger = std::max(kFirst, 2 * capacity_);
    std::unique_ptr<Event[]> events(new Event[larger]);
    std::copy(begin(), end(), events.get());
    events_ = std::move(events);
    capacity_ = larger;
  }

  static constexpr std::size_t kFirst = 4;

  std::unique_ptr<Event[]> events_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace weft
