// SPDX-License-Identifier: Apache-2.0
// Arithmetic on Rational that says when a result does not fit, and exact decimal text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/rational.h"

namespace weft {

/// a * b; nullopt when numerator or denominator needs more than 64 bits.
std::optional<Rational> checked_multiply(Rational a, Rational b);
/// a / b; nullopt when `b` is 0 or the result needs more than 64 bits.
std::optional<Rational> checked_divide(Rational a, Rational b);
/// The smallest whole number at or above `a`.
std::uint64_t round_up(Rational a);

/// Reads a decimal number ("976.5625", "1e-3") or a fraction of one ("32/3") without loss. Throws InputError with the
/// reason, without a place.
Rational parse_rational(std::string_view text);
/// The exact decimal ("0.125") where it ends, else a fraction ("1/3"); parse_rational reads both back.
std::string to_text(Rational a);
/// As to_text, or six digits where that is longer than people care to read.
std::string short_text(Rational a);
/// The double nearest to `a`.
double to_double(Rational a);
/// The shortest decimal that reads back as the double `a`, which must be finite, not negative and below 2^64.
Rational from_double(double a);

}  // namespace weft
