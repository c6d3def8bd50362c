// SPDX-License-Identifier: Apache-2.0
// Large arrays of zeros of which only what is written takes memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/error.h"

namespace weft {

/// A fixed number of elements that begin as zeros. Pages of which nothing is written take no memory, such as those of
/// VC buffers in a run that uses set-up routes only. Large pages are asked for where the array has some.
template <typename T>
class ZeroArray {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  ZeroArray() = default;
  /// Throws std::bad_alloc where there is no memory for them.
  explicit ZeroArray(std::size_t count) : count_(count) {
    check_zero();
    const std::size_t bytes = count * sizeof(T);
    if (bytes >= kLargePage) {
      map(bytes);
    } else if (count > 0) {
      items_ = static_cast<T*>(std::calloc(count, sizeof(T)));
      if (items_ == nullptr) throw std::bad_alloc();
    }
  }
  ~ZeroArray() {
    if (mapping_ == nullptr) {
      std::free(items_);
    } else {
      munmap(mapping_, mapped_);
    }
  }
  ZeroArray(const ZeroArray&) = delete;
  ZeroArray& operator=(const ZeroArray&) = delete;

  T& operator[](std::size_t at) { return items_[at]; }
  const T& operator[](std::size_t at) const { return items_[at]; }
  T* data() { return items_; }
  const T* data() const { return items_; }
  std::size_t size() const { return count_; }

 private:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;

  // Fresh pages of the kernel are zeros. The array begins where a large page may begin.
  void map(std::size_t bytes) {
    mapped_ = bytes + kLargePage;
    mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    const std::size_t behind = reinterpret_cast<std::uintptr_t>(mapping_) % kLargePage;
    items_ = reinterpret_cast<T*>(static_cast<char*>(mapping_) + (behind == 0 ? 0 : kLargePage - behind));
    madvise(items_, bytes, MADV_HUGEPAGE);
  }

  // Nobody constructs the elements, so that fresh memory must be what a constructor would have left.
  static void check_zero() {
    alignas(T) unsigned char fresh[sizeof(T)] = {};
    const unsigned char zeros[sizeof(T)] = {};
    new (fresh) T();
    WEFT_CHECK(std::memcmp(fresh, zeros, sizeof(T)) == 0, "elements of an array of zeros do not begin as zeros");
  }

  std::size_t count_ = 0;
  std::size_t mapped_ = 0;
  void* mapping_ = nullptr;
  T* items_ = nullptr;
};

}  // namespace weft
