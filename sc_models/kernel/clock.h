// SPDX-License-Identifier: Apache-2.0
// Exact instants of clock edges.
#pragma once

#include <cstdint>

#include "kernel/config.h"
#include "kernel/types.h"

namespace weft {

/// Instants of a clock of exact frequency, in femtoseconds from the start of the run. Edge n lies at
/// floor(n * 10^15 / f), so that no rounding adds up. 64 bits of femtoseconds last for 5 hours.
class Clock {
 public:
  explicit Clock(ClockSpec spec)
      : numerator_(Wide{kFemtosecondsPerSecond} * spec.hertz.den), denominator_(spec.hertz.num) {}

  std::uint64_t edge_fs(Cycle n) const { return static_cast<std::uint64_t>(Wide{n} * numerator_ / denominator_); }
  /// The first edge at or after instant `fs`.
  Cycle first_edge_from(std::uint64_t fs) const {
    // floor(n * p) >= fs  <=>  n * p >= fs, because fs is whole.
    return static_cast<Cycle>((Wide{fs} * denominator_ + numerator_ - 1) / numerator_);
  }
  double period_ns() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_) * 1e-6; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

  Wide numerator_;
  Wide denominator_;
};

}  // namespace weft
