// SPDX-License-Identifier: Apache-2.0
// Exact instants of clock edges.
#pragma once

#include <cstdint>
#include <numeric>

#include "base/rational.h"
#include "base/types.h"

namespace weft {

/// A clock of exact frequency num/den Hz.
struct ClockSpec {
  Rational hertz{1'000'000'000, 1};
};

/// Femtoseconds from the start of the run. 64 bits of them would last for 5 hours, 128 for longer than any clock
/// counts.
using Instant = UInt128;

/// "No instant": later than every edge of a run.
inline constexpr Instant kNoInstant = ~Instant{0};

/// The last edge that a run may reach. No delay is longer either, so that a sum of both does not wrap.
inline constexpr Cycle kLastCycle = kNever >> 1;

/// Instants of a clock of exact frequency. Edge n lies at floor(n * 10^15 / f), so that no rounding adds up. For clocks
/// of 1 Hz and more every number of an edge has its instant.
class Clock {
 public:
  explicit Clock(ClockSpec spec) {
    const std::uint64_t common = std::gcd(kFemtosecondsPerSecond, spec.hertz.num);
    numerator_ = Instant{kFemtosecondsPerSecond / common} * spec.hertz.den;
    denominator_ = spec.hertz.num / common;
    if (numerator_ <= ~std::uint64_t{0}) narrow_numerator_ = static_cast<std::uint64_t>(numerator_);
  }

  // A division of 64 bits costs a fraction of one of 128: taken wherever the product fits, for hours with usual clocks.
  Instant edge_fs(Cycle n) const {
    std::uint64_t product = 0;
    if (narrow_numerator_ != 0 && !__builtin_mul_overflow(n, narrow_numerator_, &product))
      return product / denominator_;
    return wide_edge_fs(n);
  }
  /// The first edge at or after instant `fs`. Throws ViolationError where its number needs more than 64 bits.
  Cycle first_edge_from(Instant fs) const {
    // floor(n * p) >= fs  <=>  n * p >= fs, because fs is whole.
    std::uint64_t product = 0;
    if (narrow_numerator_ != 0 && fs >> 64 == 0 &&
        !__builtin_mul_overflow(static_cast<std::uint64_t>(fs), denominator_, &product) &&
        !__builtin_add_overflow(product, narrow_numerator_ - 1, &product))
      return product / narrow_numerator_;
    return wide_first_edge_from(fs);
  }
  double period_ns() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_) * 1e-6; }

 private:
  static constexpr std::uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

  Instant wide_edge_fs(Cycle n) const;
  Cycle wide_first_edge_from(Instant fs) const;

  // Numerator and denominator of the period in femtoseconds, in lowest terms.
  Instant numerator_ = 1;
  std::uint64_t narrow_numerator_ = 0;  // 0 = does not fit
  std::uint64_t denominator_ = 1;
};

}  // namespace weft
