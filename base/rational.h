// SPDX-License-Identifier: Apache-2.0
// Exact fractions for rates and clock ratios.
#pragma once

#include <cstdint>
#include <numeric>

namespace weft {

/// 128 bits for exact products; outside ISO C++, hence the marker that keeps -Wpedantic quiet.
__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using): an alias takes no __extension__

/// A non-negative fraction in lowest terms.
struct Rational {
  std::uint64_t num = 0;
  std::uint64_t den = 1;

  friend constexpr bool operator==(Rational a, Rational b) { return a.num == b.num && a.den == b.den; }
  friend constexpr bool operator!=(Rational a, Rational b) { return !(a == b); }
  friend constexpr bool operator<(Rational a, Rational b) {
    return static_cast<UInt128>(a.num) * b.den < static_cast<UInt128>(b.num) * a.den;
  }
  double value() const { return static_cast<double>(num) / static_cast<double>(den); }
};

/// The fraction num/den in lowest terms. `den` must not be 0.
constexpr Rational make_rational(std::uint64_t num, std::uint64_t den) {
  const std::uint64_t g = std::gcd(num, den);
  return g == 0 ? Rational{0, 1} : Rational{num / g, den / g};
}

}  // namespace weft
