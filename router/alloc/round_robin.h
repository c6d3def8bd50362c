// SPDX-License-Identifier: Apache-2.0
// Round-robin arbitration over bit masks.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weft::router {

__extension__ using Uint128 = unsigned __int128;

/// Position of the lowest set bit; the mask must not be 0.
template <typename Mask>
int lowest_bit(Mask mask) {
  if constexpr (sizeof(Mask) <= 4) {
    return __builtin_ctz(static_cast<unsigned>(mask));
  } else if constexpr (sizeof(Mask) == 8) {
    return __builtin_ctzll(mask);
  } else {
    const auto low = static_cast<std::uint64_t>(mask);
    return low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(static_cast<std::uint64_t>(mask >> 64));
  }
}

/// A round-robin arbiter's choice: the first set bit at or after `pointer`, going round. `pointer` may equal the
/// number of positions, which means 0. The mask must not be 0.
template <typename Mask>
int first_at_or_after(Mask mask, int pointer) {
  const Mask behind = static_cast<Mask>(mask >> pointer);
  return behind != 0 ? pointer + lowest_bit(behind) : lowest_bit(mask);
}

/// Calls `visit(position)` for each set bit, lowest first.
template <typename Mask, typename Visit>
void for_each_bit(Mask mask, Visit visit) {
  while (mask != 0) {
    visit(lowest_bit(mask));
    mask &= static_cast<Mask>(mask - 1);
  }
}

}  // namespace weft::router
