// SPDX-License-Identifier: Apache-2.0
// From the cycles of clock domains to the time axis of a wave file, exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rational.h"
#include "base/types.h"
#include "config/config.h"

namespace weft::waves {

/// Unit of a wave file's time axis.
enum class TimeUnit { kNanosecond, kPicosecond, kFemtosecond };

/// "ns", "ps" or "fs".
const char* unit_name(TimeUnit unit);
/// Femtoseconds in one unit.
std::uint64_t unit_femtoseconds(TimeUnit unit);

/// Maps edge n of a clock of f = num/den Hz to floor(n * 10^15 * den / num) fs. The unit is the coarsest one in which
/// all periods are whole, else the femtosecond.
class TimeAxis {
 public:
  /// Throws InputError for a clock whose period is below 1 fs.
  explicit TimeAxis(const std::vector<ClockSpec>& clocks);

  TimeUnit unit() const { return unit_; }
  /// Time of an edge, in units. `clock` is an index into the constructor's list. Throws ViolationError above 2^63.
  std::uint64_t edge(std::size_t clock, Cycle cycle) const;
  /// The same, but 2^63 above that: the last time that a file can show.
  std::uint64_t edge_shown(std::size_t clock, Cycle cycle) const;
  /// A time given in nanoseconds, in units, rounded up.
  std::uint64_t from_ns(double ns) const;
  /// As `from_ns`, rounded down.
  std::uint64_t to_ns_floor(double ns) const;
  double ns(std::uint64_t units) const;

 private:
  UInt128 units_to(std::size_t clock, Cycle cycle) const;

  struct Period {
    std::uint64_t num = 1;  ///< units per cycle = num / den, in lowest terms
    std::uint64_t den = 1;
  };
  std::vector<Period> periods_;
  TimeUnit unit_ = TimeUnit::kFemtosecond;
};

}  // namespace weft::waves
