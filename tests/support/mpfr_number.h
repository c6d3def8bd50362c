// SPDX-License-Identifier: Apache-2.0
// Finite floating-point numbers by MPFR, and operands where rounding goes wrong first; shared by the tests of the
// model's and of the RTL's arithmetic. Shares nothing with the code under test.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/random.h"
#include "config/config.h"

namespace weft::test {

/// A binary format as IEEE 754 describes it; written down here again so that the test shares nothing with the code.
struct Binary {
  DataType dtype;
  int precision;     ///< bits with the hidden one
  int max_exponent;  ///< numbers are below 2^max_exponent
  int min_exponent;  ///< the smallest subnormal is 2^(min_exponent - 1)
  int width;

  int fraction_bits() const { return precision - 1; }
  std::uint32_t sign() const { return 1U << (width - 1); }
  std::uint32_t infinity() const { return (sign() - 1) >> fraction_bits() << fraction_bits(); }
  bool finite(std::uint32_t bits) const { return (bits & infinity()) != infinity(); }
};

inline constexpr Binary kFp32{DataType::kFp32, 24, 128, -148, 32};
inline constexpr Binary kFp16{DataType::kFp16, 11, 16, -23, 16};
inline constexpr Binary kBf16{DataType::kBf16, 8, 128, -132, 16};

inline const Binary& binary_of(DataType dtype) {
  return dtype == DataType::kFp32 ? kFp32 : dtype == DataType::kFp16 ? kFp16 : kBf16;
}

inline double decode(const Binary& format, std::uint32_t bits) {
  const std::uint32_t size = bits & (format.sign() - 1);
  const int exponent = static_cast<int>(size >> format.fraction_bits());
  const std::uint32_t fraction = size & ((1U << format.fraction_bits()) - 1);
  const int unit = format.min_exponent - 1;  // exponent of the last place of subnormals
  double value = exponent == 0 ? std::ldexp(fraction, unit)
                               : std::ldexp(fraction + (1U << format.fraction_bits()), unit + exponent - 1);
  if (size == format.infinity()) value = HUGE_VAL;
  return (bits & format.sign()) != 0 ? -value : value;
}

/// An MPFR number that is rounded like one of `format`.
class Number {
 public:
  explicit Number(const Binary& format) : format_(format) { mpfr_init2(value_, format.precision); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value_); }

  void set(double value) { finish(mpfr_set_d(value_, value, MPFR_RNDN)); }
  void round(const Number& other) {
    in_range();
    finish(mpfr_set(value_, other.value_, MPFR_RNDN));
  }
  void reduce(ReduceOp op, const Number& a, const Number& b) {
    in_range();
    finish(op == ReduceOp::kSum   ? mpfr_add(value_, a.value_, b.value_, MPFR_RNDN)
           : op == ReduceOp::kMin ? mpfr_min(value_, a.value_, b.value_, MPFR_RNDN)
                                  : mpfr_max(value_, a.value_, b.value_, MPFR_RNDN));
  }
  double get() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  /// Operands of a wider range must not be out of it while the operation runs.
  static void in_range() {
    mpfr_set_emin(-1000);
    mpfr_set_emax(1000);
  }
  void finish(int direction) {
    mpfr_set_emin(format_.min_exponent);
    mpfr_set_emax(format_.max_exponent);
    direction = mpfr_check_range(value_, direction, MPFR_RNDN);
    mpfr_subnormalize(value_, direction, MPFR_RNDN);
    in_range();
  }
  Binary format_;
  mpfr_t value_;
};

/// Pairs per format and operation: WEFT_ARITH_OPERANDS, such as 10000000 or 1e7; 10^6 where it is not set. Throws for
/// what is no number of pairs.
inline std::uint64_t operand_count() {
  const char* text = std::getenv("WEFT_ARITH_OPERANDS");
  if (text == nullptr) return 1'000'000;
  char* end = nullptr;
  const double count = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(count >= 1 && count <= 1e12))
    throw std::invalid_argument(std::string("WEFT_ARITH_OPERANDS: ") + text + " is no number from 1 to 1e12");
  return static_cast<std::uint64_t>(count);
}

/// Pairs of finite operands. In turn: any bits; near exponents; cancellation but for a few units; subnormals and
/// smallest normals; largest numbers; a second operand of about half a unit of the first, where ties are.
class Operands {
 public:
  Operands(const Binary& format, std::uint64_t seed) : format_(format), random_(seed, NodeId{7}) {}

  std::pair<std::uint32_t, std::uint32_t> next() {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    do {
      a = any();
      b = second(a, kind_);
    } while (!format_.finite(a) || !format_.finite(b));
    kind_ = (kind_ + 1) % 6;
    return {a, b};
  }

 private:
  std::uint32_t any() { return static_cast<std::uint32_t>(random_.bits()) & (format_.sign() * 2 - 1); }
  std::uint32_t second(std::uint32_t& a, int kind) {
    const std::uint32_t f = 1U << format_.fraction_bits();
    const std::uint32_t size = a & (format_.sign() - 1);
    const std::uint32_t b_sign = any() & format_.sign();
    const auto few = static_cast<std::uint32_t>(random_.below(5));
    switch (kind) {
      case 1:
        return (size / f + few) * f % format_.infinity() + any() % f + b_sign;
      case 2:
        return ((size + few) % format_.infinity()) | (~a & format_.sign());
      case 3:
        a = any() % (2 * f) | (a & format_.sign());
        return any() % (2 * f) | b_sign;
      case 4:
        a = (format_.infinity() - 1 - few * f - any() % 4) | b_sign;
        return (format_.infinity() - 1 - static_cast<std::uint32_t>(random_.below(format_.precision + 2)) * f -
                any() % 4) |
               b_sign;
      case 5: {  // exponent lower by the precision or by one more or less; mostly a power of two, so a tie
        const std::uint32_t exponent = size / f;
        const std::uint32_t lower = format_.precision - 1 + few % 3;
        return (exponent > lower ? (exponent - lower) * f : f) + (any() % 4 == 0 ? any() % f : 0) + b_sign;
      }
      default:
        return any();
    }
  }

  Binary format_;
  RandomStream random_;
  int kind_ = 0;
};

/// Equal, zeros with their signs.
inline bool same(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

}  // namespace weft::test
