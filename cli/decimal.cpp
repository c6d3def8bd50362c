// SPDX-License-Identifier: Apache-2.0
#include "cli/decimal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace weft::cli {
namespace {

constexpr int kMaxScale = 18;

[[noreturn]] void too_long() { throw InexactDecimal("a number has more than 18 digits, which cannot be exact"); }

std::int64_t times_power_of_ten(std::int64_t number, int power) {
  for (; power > 0; --power) {
    if (__builtin_mul_overflow(number, std::int64_t{10}, &number)) too_long();
  }
  return number;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a whole number of at most four digits with an optional sign; 0 for an empty text.
std::optional<int> parse_exponent(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.empty() || text.size() > 4 || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  const int magnitude = std::stoi(std::string(text));
  return negative ? -magnitude : magnitude;
}

}  // namespace

Decimal::Decimal(std::int64_t mantissa, int scale) : mantissa_(mantissa), scale_(scale) {
  while (scale_ > 0 && mantissa_ % 10 == 0) {
    mantissa_ /= 10;
    --scale_;
  }
  if (scale_ < 0) {
    mantissa_ = times_power_of_ten(mantissa_, -scale_);
    scale_ = 0;
  }
  if (scale_ > kMaxScale) too_long();
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  int exponent = 0;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto parsed = parse_exponent(text.substr(e + 1));
    if (!parsed) return std::nullopt;
    exponent = *parsed;
    text = text.substr(0, e);
  }
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  std::int64_t mantissa = 0;
  int scale = 0;
  bool point = false;
  bool digits = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) return std::nullopt;
    digits = true;
    if (__builtin_mul_overflow(mantissa, std::int64_t{10}, &mantissa) ||
        __builtin_add_overflow(mantissa, std::int64_t{c - '0'}, &mantissa)) {
      too_long();
    }
    if (point) ++scale;
  }
  if (!digits) return std::nullopt;
  if (mantissa == 0) return Decimal();
  return Decimal(negative ? -mantissa : mantissa, scale - exponent);
}

std::string Decimal::text() const {
  std::string digits = std::to_string(mantissa_ < 0 ? -mantissa_ : mantissa_);
  const auto scale = static_cast<std::size_t>(scale_);
  if (scale > 0) {
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    digits.insert(digits.size() - scale, 1, '.');
  }
  return (mantissa_ < 0 ? "-" : "") + digits;
}

double Decimal::value() const { return std::stod(text()); }

namespace {

/// Both mantissas at the larger scale.
std::pair<std::int64_t, std::int64_t> aligned(std::int64_t a, int a_scale, std::int64_t b, int b_scale) {
  const int scale = std::max(a_scale, b_scale);
  return {times_power_of_ten(a, scale - a_scale), times_power_of_ten(b, scale - b_scale)};
}

}  // namespace

Decimal operator+(const Decimal& a, const Decimal& b) {
  const auto [left, right] = aligned(a.mantissa_, a.scale_, b.mantissa_, b.scale_);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) too_long();
  return Decimal(sum, std::max(a.scale_, b.scale_));
}

Decimal operator*(const Decimal& a, const Decimal& b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a.mantissa_, b.mantissa_, &product)) too_long();
  return Decimal(product, a.scale_ + b.scale_);
}

bool operator<(const Decimal& a, const Decimal& b) {
  const auto [left, right] = aligned(a.mantissa_, a.scale_, b.mantissa_, b.scale_);
  return left < right;
}

bool operator==(const Decimal& a, const Decimal& b) { return a.mantissa_ == b.mantissa_ && a.scale_ == b.scale_; }

}  // namespace weft::cli
