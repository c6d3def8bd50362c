// SPDX-License-Identifier: Apache-2.0
// Quantities with units as they stand in configuration files: exact reading and printing.
// GB = 10^9 bytes, GiB = 2^30 bytes; letters are case-sensitive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/rational.h"
#include "base/types.h"

namespace weft {

/// What a quantity measures; amounts are kept in the base unit named here.
enum class Dimension {
  kBandwidth,    ///< B/s
  kComputeRate,  ///< FLOP/s
  kFrequency,    ///< Hz
  kDuration,     ///< s
  kBytes,        ///< B, whole numbers only
};

/// Reads "750 GB/s", "20 ns", "24 KiB", "976.5625 MHz" into base units without loss. Throws InputError that names what
/// was found and the legal units, without a place.
Rational parse_quantity(std::string_view text, Dimension dimension);
/// Text that parse_quantity reads back as the same amount, in the largest unit that keeps the number at 1 or above.
std::string format_quantity(Rational amount, Dimension dimension);
/// "B, kB, KiB, ..." for messages.
std::string legal_units(Dimension dimension);
/// An example for messages: "750 GB/s".
std::string_view example_quantity(Dimension dimension);

/// Clock edges that cover `seconds` (rounded up). Throws InputError when they do not fit 64 bits.
Cycle cycles_of(Rational seconds, Rational hertz);
/// Exact flits per cycle of a link. Throws InputError when the fraction does not fit.
Rational flits_per_cycle(Rational bytes_per_second, std::uint64_t flit_bytes, Rational hertz);
/// The bandwidth of a link, B/s; the inverse of flits_per_cycle.
Rational bandwidth_of(Rational flits_per_cycle, std::uint64_t flit_bytes, Rational hertz);

/// "3.2 k", "12 M": three digits are more than an estimate is worth.
std::string short_number(double value);

}  // namespace weft
