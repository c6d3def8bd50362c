// SPDX-License-Identifier: Apache-2.0
// Hashes of state, relative to now.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/types.h"

namespace weft {

/// Takes values up in their order.
class StateHash {
 public:
  StateHash& add(std::uint64_t value) {
    hash_ = mix64(hash_ ^ value) + 0x9e3779b97f4a7c15ULL;
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0x706f6f6cULL;
};

/// Takes a value up in fewer steps than StateHash, and worse: where hashes are equal, a comparison has to follow.
constexpr std::uint64_t quick_mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15ULL;
}

/// Cycles from `now` until something may happen; 0 if it may already.
constexpr Cycle cycles_until(Cycle at, Cycle now) { return at > now ? at - now : 0; }

}  // namespace weft
