// SPDX-License-Identifier: Apache-2.0
// Fetching state into the caches ahead of its use: large fabrics spend their time waiting for memory.
#pragma once

#include <cstddef>

namespace weft {

/// Elements ahead of the one in work at which loops over nodes fetch what lies at a known address, and at which they
/// fetch what that points to, and so on.
inline constexpr std::size_t kFetchAhead = 8;
inline constexpr std::size_t kFetchSecond = 6;
inline constexpr std::size_t kFetchThird = 4;
inline constexpr std::size_t kFetchFourth = 2;
/// Blocks of fewer nodes stay in the caches, so that nothing is fetched ahead.
inline constexpr std::size_t kFetchFrom = 256;

/// Fetches the cache lines of `bytes` bytes from `first` on, to be written. There is something at `first`.
inline void fetch_lines(const void* first, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  // GCC 12 drops calls of functions that do nothing but fetch; a volatile statement, even an empty one, keeps them.
  asm volatile("");
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(static_cast<const char*>(first) + at, 1);
}
/// Fetches the cache line of `address`, to be written; `address` may be null.
inline void fetch_line(const void* address) { fetch_lines(address, 1); }

}  // namespace weft
