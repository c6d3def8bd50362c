// SPDX-License-Identifier: Apache-2.0
// A short list whose first items lie in the object itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace weft {

/// A vector of plain values that asks for memory only beyond `kInline` items: most instructions of a collective have
/// one receiver and one or two dependencies, and there are thousands of them in each NPU.
template <typename Item, std::uint32_t kInline>
class InlineVector {
  static_assert(std::is_trivially_copyable<Item>::value, "items are copied as bytes");

 public:
  using value_type = Item;
  using iterator = Item*;
  using const_iterator = const Item*;

  InlineVector() = default;
  InlineVector(std::initializer_list<Item> items) { assign(items.begin(), items.end()); }
  template <typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
  InlineVector(Iterator first, Iterator last) {
    assign(first, last);
  }
  /// Copies the items of a vector, so that lists of either kind may be given.
  InlineVector(const std::vector<Item>& items) { assign(items.begin(), items.end()); }
  InlineVector(const InlineVector& other) { assign(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  InlineVector& operator=(std::initializer_list<Item> items) {
    assign(items.begin(), items.end());
    return *this;
  }
  ~InlineVector() { drop(); }

  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    for (; first != last; ++first) push_back(*first);
  }
  void push_back(Item item) {
    if (size_ == capacity_) grow(std::size_t{capacity_} * 2);
    data()[size_++] = item;
  }
  void reserve(std::size_t items) {
    if (items > capacity_) grow(items);
  }
  /// New items are zero.
  void resize(std::size_t items) {
    reserve(items);
    while (size_ < items) push_back(Item{});
    size_ = static_cast<decltype(size_)>(items);
  }
  void clear() { size_ = 0; }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Item* begin() { return data(); }
  Item* end() { return data() + size_; }
  const Item* begin() const { return data(); }
  const Item* end() const { return data() + size_; }
  Item& operator[](std::size_t i) { return data()[i]; }
  const Item& operator[](std::size_t i) const { return data()[i]; }
  /// Throws std::out_of_range where there is no such item.
  const Item& at(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("InlineVector::at");
    return data()[i];
  }
  Item& front() { return data()[0]; }
  const Item& front() const { return data()[0]; }
  Item& back() { return data()[size_ - 1]; }
  const Item& back() const { return data()[size_ - 1]; }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const InlineVector& a, const InlineVector& b) { return !(a == b); }

 private:
  Item* data() { return capacity_ == kInline ? own : heap; }
  const Item* data() const { return capacity_ == kInline ? own : heap; }
  void drop() {
    if (capacity_ != kInline) delete[] heap;
    capacity_ = kInline;
    size_ = 0;
  }
  /// This is empty and has no memory of its own.
  void take(InlineVector& other) {
    if (other.capacity_ == kInline) {
      std::copy(other.own, other.own + other.size_, own);
    } else {
      heap = other.heap;
      capacity_ = other.capacity_;
    }
    size_ = other.size_;
    other.capacity_ = kInline;
    other.size_ = 0;
  }
  void grow(std::size_t wanted) {
    const std::size_t larger = std::max(wanted, size_ + std::size_t{1});
    Item* const items = new Item[larger];
    std::copy(begin(), end(), items);
    if (capacity_ != kInline) delete[] heap;
    heap = items;
    capacity_ = static_cast<std::uint32_t>(larger);
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  union {
    Item own[kInline];
    Item* heap = nullptr;
  };
};

}  // namespace weft
