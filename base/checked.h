// SPDX-License-Identifier: Apache-2.0
// Sums and products of bytes and cycles that say when they need more than 64 bits.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

/// Throws InputError: "`what`: `a` `sign` `b` needs more than 64 bits".
[[noreturn]] void refuse_overflow(const std::string& what, std::uint64_t a, const char* sign, std::uint64_t b);

/// a + b of what the user gave. `what` names it in the InputError that is thrown where the sum needs more than 64 bits.
inline std::uint64_t checked_add(std::uint64_t a, std::uint64_t b, const char* what) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) refuse_overflow(what, a, "+", b);
  return sum;
}
/// As checked_add, a * b.
inline std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b, const char* what) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse_overflow(what, a, "*", b);
  return product;
}

/// a / b, rounded up.
constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace weft
