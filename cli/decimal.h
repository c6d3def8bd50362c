// SPDX-License-Identifier: Apache-2.0
// Decimal numbers as people write them, kept exact: a range 0.1:0.4:0.1 holds 0.3, not 0.30000000000000004.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weft::cli {

/// A number that 64 bits do not hold.
class InexactDecimal : public InputError {
 public:
  using InputError::InputError;
};

/// mantissa / 10^scale. All arithmetic is exact and throws InexactDecimal where 64 bits do not suffice.
class Decimal {
 public:
  Decimal() = default;
  explicit Decimal(std::int64_t mantissa, int scale = 0);

  /// Reads "12", "-0.25", "1e-3"; nothing for any other text.
  static std::optional<Decimal> parse(std::string_view text);
  /// Shortest plain form: "0.3", "12", "-0.001".
  std::string text() const;
  double value() const;
  bool is_zero() const { return mantissa_ == 0; }
  bool is_negative() const { return mantissa_ < 0; }

  friend Decimal operator+(const Decimal& a, const Decimal& b);
  friend Decimal operator*(const Decimal& a, const Decimal& b);
  friend bool operator<(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b);
  friend bool operator<=(const Decimal& a, const Decimal& b) { return !(b < a); }

 private:
  std::int64_t mantissa_ = 0;
  int scale_ = 0;  // >= 0, as small as possible
};

}  // namespace weft::cli
