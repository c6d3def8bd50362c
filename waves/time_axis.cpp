// SPDX-License-Identifier: Apache-2.0
#include "waves/time_axis.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace weft::waves {
namespace {

constexpr std::uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;
constexpr double kFemtosecondsPerNanosecond = 1e6;
constexpr double kExactBelow = 9007199254740992.0;  // 2^53: doubles above are whole, but not every whole number is one
constexpr std::uint64_t kLatest = std::uint64_t{1} << 63;  // viewers keep time in signed 64 bits

/// Units per cycle of a clock as a fraction in lowest terms; num does not fit if it is above 2^64.
void period(const ClockSpec& clock, std::uint64_t units_per_second, UInt128& num, std::uint64_t& den) {
  const std::uint64_t common = std::gcd(units_per_second, clock.hertz.num);
  den = clock.hertz.num / common;
  num = static_cast<UInt128>(units_per_second / common) * clock.hertz.den;
}

UInt128 femtoseconds(double ns) {
  WEFT_CHECK(ns >= 0, fmt::format("a wave window has the time {} ns", ns));
  const double fs = std::round(ns * kFemtosecondsPerNanosecond);
  constexpr auto kLatestOfAll = static_cast<UInt128>(kLatest) * 1'000'000;  // in the coarsest unit
  if (fs >= static_cast<double>(kLatestOfAll)) return kLatestOfAll;
  if (fs < kExactBelow) return static_cast<UInt128>(fs);
  // The product is no longer exact; that of whole nanoseconds is.
  const double whole = std::floor(ns);
  return static_cast<UInt128>(whole) * 1'000'000 +
         static_cast<std::uint64_t>(std::round((ns - whole) * kFemtosecondsPerNanosecond));
}

std::uint64_t at_most_latest(UInt128 units) { return units > kLatest ? kLatest : static_cast<std::uint64_t>(units); }

}  // namespace

const char* unit_name(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNanosecond:
      return "ns";
    case TimeUnit::kPicosecond:
      return "ps";
    case TimeUnit::kFemtosecond:
      return "fs";
  }
  return "fs";
}

std::uint64_t unit_femtoseconds(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNanosecond:
      return 1'000'000;
    case TimeUnit::kPicosecond:
      return 1'000;
    case TimeUnit::kFemtosecond:
      return 1;
  }
  return 1;
}

TimeAxis::TimeAxis(const std::vector<ClockSpec>& clocks) {
  for (const TimeUnit unit : {TimeUnit::kNanosecond, TimeUnit::kPicosecond, TimeUnit::kFemtosecond}) {
    unit_ = unit;
    periods_.clear();
    bool whole = true;
    for (const ClockSpec& clock : clocks) {
      UInt128 num = 0;
      std::uint64_t den = 1;
      period(clock, kFemtosecondsPerSecond / unit_femtoseconds(unit), num, den);
      WEFT_CHECK(num <= kLatest,
                 fmt::format("a clock of {} Hz has no edge within the time axis of a wave file", clock.hertz.value()));
      periods_.push_back({static_cast<std::uint64_t>(num), den});
      whole = whole && den == 1;
    }
    if (whole) break;
  }
  for (const ClockSpec& clock : clocks) {
    if (clock.hertz.value() <= static_cast<double>(kFemtosecondsPerSecond)) continue;
    throw InputError(fmt::format("waves: a clock of {} Hz is faster than the finest time unit of a wave file, 1 fs",
                                 clock.hertz.value()));
  }
}

UInt128 TimeAxis::units_to(std::size_t clock, Cycle cycle) const {
  const Period& period = periods_[clock];
  return static_cast<UInt128>(cycle) * period.num / period.den;
}

std::uint64_t TimeAxis::edge_shown(std::size_t clock, Cycle cycle) const {
  return at_most_latest(units_to(clock, cycle));
}

std::uint64_t TimeAxis::edge(std::size_t clock, Cycle cycle) const {
  const UInt128 time = units_to(clock, cycle);
  WEFT_CHECK(time <= kLatest,
             fmt::format("cycle {} is beyond the {} {} that a wave file can show", cycle, kLatest, unit_name(unit_)));
  return static_cast<std::uint64_t>(time);
}

std::uint64_t TimeAxis::from_ns(double ns) const {
  const std::uint64_t unit = unit_femtoseconds(unit_);
  return at_most_latest((femtoseconds(ns) + unit - 1) / unit);
}

std::uint64_t TimeAxis::to_ns_floor(double ns) const {
  return at_most_latest(femtoseconds(ns) / unit_femtoseconds(unit_));
}

double TimeAxis::ns(std::uint64_t units) const {
  return static_cast<double>(units) * static_cast<double>(unit_femtoseconds(unit_)) / kFemtosecondsPerNanosecond;
}

}  // namespace weft::waves
