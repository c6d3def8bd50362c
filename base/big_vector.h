// SPDX-License-Identifier: Apache-2.0
// Vectors of large contiguous state.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace weft {

/// Allocates cache-line aligned; large blocks on 2 MiB borders, for which large pages are asked for: with small ones a
/// fabric of many routers spends its time on misses of the address translation.
template <typename T>
class BigAllocator {
 public:
  using value_type = T;

  BigAllocator() = default;
  template <typename U>
  BigAllocator(const BigAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const std::size_t alignment = bytes >= kLargePage ? kLargePage : kCacheLine;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    if (bytes >= kLargePage) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  friend bool operator==(const BigAllocator&, const BigAllocator&) { return true; }
  friend bool operator!=(const BigAllocator&, const BigAllocator&) { return false; }

 private:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;
  static constexpr std::size_t kCacheLine = 64;
};

/// A vector for state that is walked through at random.
template <typename T>
using BigVector = std::vector<T, BigAllocator<T>>;

}  // namespace weft
