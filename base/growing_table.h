// SPDX-License-Identifier: Apache-2.0
// A table that grows while other threads read what is in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/error.h"

namespace weft {

/// Elements by number. They never move, so that a thread may read an element while another one adds more. One thread at
/// a time adds; how the number of an element reaches its readers has to order them behind that.
template <typename T>
class GrowingTable {
 public:
  /// Adds an element and returns its number.
  std::uint32_t add(T element) {
    WEFT_CHECK(size_ < kMost, "a table has no room for more elements");
    const std::uint32_t number = size_++;
    const int chunk = chunk_of(number);
    if (chunks_[static_cast<std::size_t>(chunk)] == nullptr) {
      chunks_[static_cast<std::size_t>(chunk)] = std::make_unique<T[]>(std::size_t{1} << chunk);
    }
    at(number) = std::move(element);
    return number;
  }
  const T& operator[](std::uint32_t number) const { return at(number); }
  /// How many elements there are. Only the thread that adds may ask.
  std::uint32_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kMost = ~std::uint32_t{0} - 1;

  /// Chunk c has 2^c elements, the first of which is number 2^c - 1.
  static int chunk_of(std::uint32_t number) { return 31 - __builtin_clz(number + 1); }
  T& at(std::uint32_t number) const {
    const int chunk = chunk_of(number);
    return chunks_[static_cast<std::size_t>(chunk)][number + 1 - (std::uint32_t{1} << chunk)];
  }

  std::array<std::unique_ptr<T[]>, 32> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace weft
