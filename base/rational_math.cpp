// SPDX-License-Identifier: Apache-2.0
#include "base/rational_math.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "base/error.h"

namespace weft {
namespace {

constexpr UInt128 kMostDigits = (~UInt128{0} - 9) / 10;
// Longer decimals are printed as fractions: this many digits always fit the 128 bits that reading has.
constexpr std::size_t kMostPrintedDigits = 36;
constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

UInt128 wide_gcd(UInt128 a, UInt128 b) {
  while (b != 0) {
    const UInt128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number as (digits, power of ten). Digits may need more than 64 bits before the fraction is reduced.
struct Decimal {
  UInt128 digits = 0;
  int exponent = 0;
};

[[noreturn]] void too_precise(std::string_view text) {
  throw InputError(fmt::format("'{}' has more digits than can be kept exactly (64 bits)", text));
}

/// Reads digits[.digits][e[+-]digits].
Decimal parse_decimal(std::string_view text) {
  Decimal result;
  std::size_t at = 0;
  bool any_digit = false;
  bool after_point = false;
  int waiting_zeros = 0;  // zeros are counted first, so that 1.5000 needs no more room than 1.5
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !after_point)); ++at) {
    if (text[at] == '.') {
      after_point = true;
      continue;
    }
    any_digit = true;
    if (after_point) --result.exponent;
    ++waiting_zeros;
    if (text[at] == '0') continue;
    for (; waiting_zeros > 0; --waiting_zeros) {
      if (result.digits > kMostDigits) too_precise(text);
      result.digits *= 10;
    }
    result.digits += static_cast<UInt128>(text[at] - '0');
  }
  result.exponent += waiting_zeros;
  if (!any_digit) throw InputError(fmt::format("'{}' is not a number", text));
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (at == text.size()) throw InputError(fmt::format("'{}' is not a number", text));
    int exponent = 0;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      exponent = exponent * 10 + (text[at] - '0');
      if (exponent > 1000) too_precise(text);
    }
    result.exponent += negative ? -exponent : exponent;
  }
  if (at != text.size()) throw InputError(fmt::format("'{}' is not a number", text));
  return result;
}

Rational to_rational(const Decimal& decimal, std::string_view text) {
  if (decimal.digits == 0) return Rational{0, 1};
  std::uint64_t power = 1;
  const int magnitude = decimal.exponent < 0 ? -decimal.exponent : decimal.exponent;
  UInt128 digits = decimal.digits;
  // Common factors of 2 and 5 go first: they are what makes the power of ten too large.
  for (int i = 0; i < magnitude; ++i) {
    std::uint64_t factor = 10;
    if (decimal.exponent < 0) {
      for (const std::uint64_t prime : {2, 5}) {
        if (digits % prime == 0) {
          digits /= prime;
          factor /= prime;
        }
      }
    }
    if (power > kMax / factor) too_precise(text);
    power *= factor;
  }
  if (digits > kMax) too_precise(text);
  const auto whole = static_cast<std::uint64_t>(digits);
  if (decimal.exponent < 0) return make_rational(whole, power);
  if (whole > kMax / power) too_precise(text);
  return Rational{whole * power, 1};
}

}  // namespace

std::optional<Rational> checked_multiply(Rational a, Rational b) {
  const UInt128 num = static_cast<UInt128>(a.num) * b.num;
  const UInt128 den = static_cast<UInt128>(a.den) * b.den;
  const UInt128 g = wide_gcd(num, den);
  if (g == 0 || num / g > kMax || den / g > kMax) return std::nullopt;
  return Rational{static_cast<std::uint64_t>(num / g), static_cast<std::uint64_t>(den / g)};
}

std::optional<Rational> checked_divide(Rational a, Rational b) {
  if (b.num == 0) return std::nullopt;
  return checked_multiply(a, Rational{b.den, b.num});
}

std::uint64_t round_up(Rational a) { return a.num / a.den + (a.num % a.den != 0 ? 1 : 0); }

Rational parse_rational(std::string_view text) {
  if (!text.empty() && text[0] == '-') throw InputError(fmt::format("'{}' is negative", text));
  const std::size_t slash = text.find('/');
  const Rational top = to_rational(parse_decimal(text.substr(0, slash)), text);
  if (slash == std::string_view::npos) return top;
  const Rational bottom = to_rational(parse_decimal(text.substr(slash + 1)), text);
  if (bottom.num == 0) throw InputError(fmt::format("'{}' divides by zero", text));
  const auto quotient = checked_divide(top, bottom);
  if (!quotient) too_precise(text);
  return *quotient;
}

std::string to_text(Rational a) {
  std::uint64_t rest_of_den = a.den;
  for (const std::uint64_t prime : {2, 5})
    while (rest_of_den % prime == 0) rest_of_den /= prime;
  if (rest_of_den != 1) return fmt::format("{}/{}", a.num, a.den);
  std::string text = fmt::format("{}", a.num / a.den);
  std::uint64_t rest = a.num % a.den;
  if (rest != 0) text += '.';
  while (rest != 0) {
    const UInt128 next = static_cast<UInt128>(rest) * 10;
    text += static_cast<char>('0' + static_cast<int>(next / a.den));
    rest = static_cast<std::uint64_t>(next % a.den);
    if (text.size() > kMostPrintedDigits) return fmt::format("{}/{}", a.num, a.den);
  }
  return text;
}

std::string short_text(Rational a) {
  const std::string exact = to_text(a);
  return exact.size() <= 12 ? exact : fmt::format("{:.6g}", a.value());
}

double to_double(Rational a) {
  const std::string text = to_text(a);
  if (text.find('/') != std::string::npos) return a.value();
  return std::strtod(text.c_str(), nullptr);  // rounds once, unlike a division of two rounded numbers
}

Rational from_double(double a) { return parse_rational(fmt::format("{}", a)); }

}  // namespace weft
