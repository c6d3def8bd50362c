// SPDX-License-Identifier: Apache-2.0
// Exact instants of clock edges.
#pragma once

#include <cstdint>
#include <numeric>

#include "kernel/config.h"
#include "kernel/types.h"

namespace weft {

/// Instants of a clock of exact frequency, in femtoseconds from the start of the run. Edge n lies at
/// floor(n * 10^15 / f), so that no rounding adds up. 64 bits of femtoseconds last for 5 hours.
class Clock {
 public:
  explicit Clock(ClockSpec spec) {
    const std::uint64_t common = std::gcd(kFemtosecondsPerSecond, spec.hertz.num);
    numerator_ = Wide{kFemtosecondsPerSecond / common} * spec.hertz.den;
    denominator_ = spec.hertz.num / common;
    if (numerator_ <= ~std::uint64_t{0}) narrow_numerator_ = static_cast<std::uint64_t>(numerator_);
  }

  // A division of 64 bits costs a fraction of one of 128: taken wherever the product fits, for hours with usual clocks.
  std::uint64_t edge_fs(Cycle n) const {
    std::uint64_t product = 0;
    if (narrow_numerator_ != 0 && !__builtin_mul_overflow(n, narrow_numerator_, &product))
      return product / denominator_;
    return static_cast<std::uint64_t>(Wide{n} * numerator_ / denominator_);
  }
  /// The first edge at or after instant `fs`.
  Cycle first_edge_from(std::uint64_t fs) const {
    // floor(n * p) >= fs  <=>  n * p >= fs, because fs is whole.
    std::uint64_t product = 0;
    if (narrow_numerator_ != 0 && !__builtin_mul_overflow(fs, denominator_, &product) &&
        !__builtin_add_overflow(product, narrow_numerator_ - 1, &product))
      return product / narrow_numerator_;
    return static_cast<Cycle>((Wide{fs} * denominator_ + numerator_ - 1) / numerator_);
  }
  double period_ns() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_) * 1e-6; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

  // Of the period in femtoseconds, in lowest terms.
  Wide numerator_ = 1;
  std::uint64_t narrow_numerator_ = 0;  // 0 = does not fit
  std::uint64_t denominator_ = 1;
};

}  // namespace weft
