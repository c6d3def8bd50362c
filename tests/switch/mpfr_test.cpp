// SPDX-License-Identifier: Apache-2.0
// Reductions of finite numbers, bit for bit against MPFR: random operands and those where rounding goes wrong first.
// WEFT_ARITH_OPERANDS sets how many pairs per format and operation (default 10^6; scripts/nightly takes 10^7).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernel/config_names.h"
#include "kernel/random.h"
#include "kernel/reduce_arith.h"
#include "switch/arith/lane_format.h"

namespace weft::fred {
namespace {

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

constexpr Binary kFp32{DataType::kFp32, 24, 128, -148, 32};
constexpr Binary kFp16{DataType::kFp16, 11, 16, -23, 16};
constexpr Binary kBf16{DataType::kBf16, 8, 128, -132, 16};

const Binary& binary_of(DataType dtype) {
  return dtype == DataType::kFp32 ? kFp32 : dtype == DataType::kFp16 ? kFp16 : kBf16;
}

double decode(const Binary& format, std::uint32_t bits) {
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

std::uint64_t operand_count() {
  const char* text = std::getenv("WEFT_ARITH_OPERANDS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1'000'000;
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

bool same(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

struct Case {
  DataType dtype;
  ReduceOp op;
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  return std::string(name_of(info.param.dtype)) + "_" + std::string(name_of(info.param.op));
}

class AgainstMpfr : public ::testing::TestWithParam<Case> {};

TEST_P(AgainstMpfr, agrees_bit_for_bit) {
  const auto [dtype, op] = GetParam();
  const Binary& format = binary_of(dtype);
  Operands operands(format, 11);
  Number a(format);
  Number b(format);
  Number expected(format);
  for (std::uint64_t i = operand_count(); i > 0; --i) {
    const auto [x, y] = operands.next();
    if (op != ReduceOp::kSum && ((x | y) & (format.sign() - 1)) == 0) continue;  // MPFR leaves open which zero
    a.set(decode(format, x));
    b.set(decode(format, y));
    expected.reduce(op, a, b);
    const std::uint32_t found = reduce_bits(op, dtype, x, y);
    ASSERT_TRUE(same(decode(format, found), expected.get()))
        << fmt::format("{:#x} (op) {:#x} gives {:#x} = {}, not {}", x, y, found, decode(format, found), expected.get());
  }
}

std::vector<Case> float_cases() {
  std::vector<Case> cases;
  for (const DataType dtype : {DataType::kFp32, DataType::kFp16, DataType::kBf16}) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) cases.push_back({dtype, op});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(formats, AgainstMpfr, ::testing::ValuesIn(float_cases()), name_of_case);

class Int32AgainstMpfr : public ::testing::TestWithParam<ReduceOp> {};

TEST_P(Int32AgainstMpfr, agrees_and_sums_wrap) {
  const ReduceOp op = GetParam();
  RandomStream random(3, NodeId{1});
  constexpr Binary kWide{DataType::kInt32, 64, 900, -900, 32};
  Number a(kWide);
  Number b(kWide);
  Number expected(kWide);
  for (std::uint64_t i = operand_count(); i > 0; --i) {
    const std::uint64_t bits = random.bits();
    auto x = static_cast<std::uint32_t>(bits);
    auto y = static_cast<std::uint32_t>(bits >> 32);
    if (i % 4 == 0) x = 0x7FFFFFFF - x % 3;  // near the ends, where sums wrap
    if (i % 8 == 0) y = 0x80000000 + y % 3;
    a.set(static_cast<std::int32_t>(x));
    b.set(static_cast<std::int32_t>(y));
    expected.reduce(op, a, b);
    const auto sum = static_cast<std::int64_t>(expected.get());
    ASSERT_EQ(reduce_bits(op, DataType::kInt32, x, y), static_cast<std::uint32_t>(sum)) << x << " " << y;
  }
}

INSTANTIATE_TEST_SUITE_P(ops, Int32AgainstMpfr, ::testing::Values(ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax),
                         [](const auto& c) { return std::string(name_of(c.param)); });

class Accumulated : public ::testing::TestWithParam<std::string> {};

/// Two to eight elements, added one after the other in FP32 and rounded once at the end.
TEST_P(Accumulated, sums_in_fp32_and_rounds_once) {
  const LaneFormat format = lane_format(GetParam());
  const Binary& narrow = binary_of(format.element);
  Operands operands(narrow, 5);
  Number sum(kFp32);
  Number next(kFp32);
  Number expected(narrow);
  for (std::uint64_t i = 0; i < operand_count(); ++i) {
    const auto [first, second] = operands.next();
    sum.set(decode(narrow, first));
    std::uint32_t word = 0;
    const auto enter = [&format](std::uint32_t element) {
      std::uint8_t bytes[4];
      std::memcpy(bytes, &element, sizeof(bytes));
      std::uint32_t entered = 0;
      enter_lanes(format, bytes, &entered, 1);
      return entered;
    };
    word = enter(first);
    for (std::uint64_t k = 0; k <= i % 7; ++k) {
      const std::uint32_t operand = k == 0 ? second : operands.next().first;
      next.set(decode(narrow, operand));
      sum.reduce(ReduceOp::kSum, sum, next);
      const std::uint32_t entered = enter(operand);
      reduce_lanes(format, ReduceOp::kSum, &word, &entered, 1);
      if (std::isinf(sum.get())) break;  // infinities are in the tables
    }
    expected.round(sum);
    std::uint8_t bytes[4] = {};
    leave_lanes(format, &word, bytes, 1);
    std::uint32_t found = 0;
    std::memcpy(&found, bytes, sizeof(found));
    ASSERT_TRUE(same(decode(narrow, found), expected.get()))
        << fmt::format("sum {:#x} rounds to {:#x} = {}, not {}", word, found, decode(narrow, found), expected.get());
  }
}

TEST_P(Accumulated, widens_exactly_and_rounds_any_fp32) {
  const DataType dtype = lane_format(GetParam()).element;
  const Binary& narrow = binary_of(dtype);
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (!narrow.finite(bits)) continue;
    ASSERT_TRUE(same(decode(kFp32, widen_to_fp32(dtype, bits)), decode(narrow, bits))) << bits;
    ASSERT_EQ(round_from_fp32(dtype, widen_to_fp32(dtype, bits)), bits);
  }
  Operands operands(kFp32, 9);
  Number wide(kFp32);
  Number expected(narrow);
  for (std::uint64_t i = 0; i < operand_count(); ++i) {
    std::uint32_t bits = operands.next().second;
    // Every second one in the range of FP16, every fourth exactly between two numbers.
    if (i % 2 == 0) bits = (bits & 0x80FFFFFF) | static_cast<std::uint32_t>(0x30 + i / 2 % 0x20) << 24;
    if (i % 4 == 0) bits = bits >> (24 - narrow.precision) << (24 - narrow.precision) | 1U << (23 - narrow.precision);
    wide.set(decode(kFp32, bits));
    expected.round(wide);
    const std::uint32_t found = round_from_fp32(dtype, bits);
    ASSERT_TRUE(same(decode(narrow, found), expected.get()))
        << fmt::format("{:#x} rounds to {:#x}, not {}", bits, found, expected.get());
  }
}

INSTANTIATE_TEST_SUITE_P(formats, Accumulated, ::testing::Values("fp16_fp32", "bf16_fp32"),
                         [](const auto& c) { return c.param; });

}  // namespace
}  // namespace weft::fred
