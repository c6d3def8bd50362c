// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/saturation_search.h"

namespace weft::cli {
namespace {

/// Latency above this many times the zero-load latency counts as past the knee.
constexpr double kKneeFactor = 3;

}  // namespace

std::int64_t SaturationSearch::next_step() const {
  if (!good_) return limits_.low_step;
  if (!bad_) return limits_.high_step;
  return *good_ + (*bad_ - *good_) / 2;
}

std::optional<Decimal> SaturationSearch::next_rate() const {
  if (ended_) return std::nullopt;
  return rate(next_step());
}

void SaturationSearch::add(const RateOutcome& outcome) {
  const std::int64_t step = next_step();
  const bool measured = !outcome.saturated && outcome.mean_latency_cycles;
  if (!good_ && measured) zero_load_ = outcome.mean_latency_cycles;
  if (measured && *outcome.mean_latency_cycles <= kKneeFactor * *zero_load_) {
    good_ = step;
  } else {
    bad_ = step;
  }
  ended_ = !good_ || (!bad_ && step >= limits_.high_step) || (bad_ && *bad_ - *good_ <= 1);
}

std::optional<Decimal> SaturationSearch::last_good() const {
  if (!good_ || !ended_) return std::nullopt;
  return rate(*good_);
}

std::optional<Decimal> SaturationSearch::first_bad() const {
  if (!bad_ || !ended_) return std::nullopt;
  return rate(*bad_);
}

}  // namespace weft::cli
