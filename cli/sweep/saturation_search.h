// SPDX-License-Identifier: Apache-2.0
// Finds the knee of a load-latency curve by bisection over the injection rate.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/decimal.h"

namespace weft::cli {

/// Rates lie on the grid tolerance, 2 tolerance, ... so that a search that is taken up again asks for the same
/// points.
struct SaturationLimits {
  Decimal tolerance{1, 2};       ///< flits/node/cycle; distance of the two rates in the answer
  std::int64_t low_step = 1;     ///< the rate for the zero-load latency, in tolerances
  std::int64_t high_step = 100;  ///< the highest rate tried, in tolerances
};

/// What one run told.
struct RateOutcome {
  bool saturated = false;
  std::optional<double> mean_latency_cycles;  ///< none when saturated, or when no packet was measured
};

/// One search. A rate is above the knee when its run is saturated or its mean latency is more than three times the
/// latency at the lowest rate (taken as zero load).
class SaturationSearch {
 public:
  explicit SaturationSearch(const SaturationLimits& limits) : limits_(limits) {}

  /// The next rate to run; none when the search has ended.
  std::optional<Decimal> next_rate() const;
  /// Hands in the outcome of `next_rate()`.
  void add(const RateOutcome& outcome);
  /// Ends the search without an answer: the run of `next_rate()` failed.
  void give_up() { ended_ = true; }

  /// The highest rate below the knee; none if even the lowest is above it or the search gave up.
  std::optional<Decimal> last_good() const;
  /// The lowest rate above the knee; none if the highest rate is below it or the search gave up.
  std::optional<Decimal> first_bad() const;
  std::optional<double> zero_load_cycles() const { return zero_load_; }

 private:
  Decimal rate(std::int64_t step) const { return Decimal(step) * limits_.tolerance; }
  std::int64_t next_step() const;

  SaturationLimits limits_;
  std::optional<double> zero_load_;
  std::optional<std::int64_t> good_;
  std::optional<std::int64_t> bad_;
  bool ended_ = false;
};

}  // namespace weft::cli
