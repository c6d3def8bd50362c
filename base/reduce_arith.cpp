// SPDX-License-Identifier: Apache-2.0
#include "base/reduce_arith.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace weft {
namespace {

template <typename To, typename From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

constexpr std::uint32_t kCanonicalNan = 0x7FC00000;

float reduce_floats(ReduceOp op, float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return bits_as<float>(kCanonicalNan);
  if (op == ReduceOp::kSum) {
    const float sum = a + b;
    return std::isnan(sum) ? bits_as<float>(kCanonicalNan) : sum;
  }
  const bool a_first = a < b || (a == b && std::signbit(a));  // -0 comes before +0
  return (op == ReduceOp::kMin) == a_first ? a : b;
}

/// How an element is kept in memory and what it is as a number. Sums of 16-bit formats are formed in FP32 and rounded
/// once more; with 24 >= 2 * 11 + 2 bits the second rounding never changes the result.
struct Fp32 {
  using Bits = std::uint32_t;
  static float number(Bits bits) { return bits_as<float>(bits); }
  static Bits bits(float value) { return bits_as<Bits>(value); }
  static Bits reduce(ReduceOp op, Bits a, Bits b) { return bits(reduce_floats(op, number(a), number(b))); }
};

struct Bf16 {
  using Bits = std::uint16_t;
  static float number(Bits bits) { return bits_as<float>(static_cast<std::uint32_t>(bits) << 16); }
  static Bits bits(float value) {
    if (std::isnan(value)) return 0x7FC0;
    std::uint32_t word = bits_as<std::uint32_t>(value);
    word += 0x7FFF + (word >> 16 & 1);  // to nearest, ties to even; overflows to infinity
    return static_cast<Bits>(word >> 16);
  }
  static Bits reduce(ReduceOp op, Bits a, Bits b) { return bits(reduce_floats(op, number(a), number(b))); }
};

struct Fp16 {
  using Bits = std::uint16_t;
  static float number(Bits bits) {
    const int exponent = bits >> 10 & 0x1F;
    const int fraction = bits & 0x3FF;
    const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == 0x1F) return fraction != 0 ? bits_as<float>(kCanonicalNan) : sign * HUGE_VALF;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  static Bits bits(float value) {
    if (std::isnan(value)) return 0x7E00;
    const auto sign = static_cast<Bits>(std::signbit(value) ? 0x8000 : 0);
    const float size = std::fabs(value);
    if (size == 0.0F) return sign;
    if (size >= 65520.0F) return static_cast<Bits>(sign | 0x7C00);  // halfway between the largest number and 2^16
    int exponent = 0;
    std::frexp(size, &exponent);  // size = f * 2^exponent, 0.5 <= f < 1
    const int unit = std::max(exponent - 11, -24);
    const float units = std::nearbyint(std::ldexp(size, -unit));  // exact but for this rounding to even
    const int steps = static_cast<int>(units);
    // A carry out of the fraction moves on into the exponent, as it should.
    return static_cast<Bits>(sign | (unit == -24 ? steps : (unit + 24) * 0x400 + steps));
  }
  static Bits reduce(ReduceOp op, Bits a, Bits b) { return bits(reduce_floats(op, number(a), number(b))); }
};

struct Int32 {
  using Bits = std::uint32_t;
  static Bits reduce(ReduceOp op, Bits a, Bits b) {
    const bool a_first = static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    return op == ReduceOp::kSum ? a + b : (op == ReduceOp::kMin) == a_first ? a : b;
  }
};

template <typename Format>
void reduce_as(ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand, std::size_t count) {
  using Bits = typename Format::Bits;
  for (std::size_t i = 0; i < count; ++i) {
    Bits a;
    Bits b;
    std::memcpy(&a, accumulator + i * sizeof(Bits), sizeof(Bits));
    std::memcpy(&b, operand + i * sizeof(Bits), sizeof(Bits));
    a = Format::reduce(op, a, b);
    std::memcpy(accumulator + i * sizeof(Bits), &a, sizeof(Bits));
  }
}

}  // namespace

std::uint32_t reduce_bits(ReduceOp op, DataType dtype, std::uint32_t a, std::uint32_t b) {
  // In the order in which runs with values have them; a switch would cost a jump table for each element.
  if (dtype == DataType::kFp32) return Fp32::reduce(op, a, b);
  if (dtype == DataType::kBf16) return Bf16::reduce(op, static_cast<Bf16::Bits>(a), static_cast<Bf16::Bits>(b));
  if (dtype == DataType::kFp16) return Fp16::reduce(op, static_cast<Fp16::Bits>(a), static_cast<Fp16::Bits>(b));
  if (dtype == DataType::kInt32) return Int32::reduce(op, a, b);
  violation("a reduction of elements of no known type");
}

void reduce_elements(ReduceOp op, DataType dtype, std::uint8_t* accumulator, const std::uint8_t* operand,
                     std::size_t count) {
  switch (dtype) {
    case DataType::kFp32:
      return reduce_as<Fp32>(op, accumulator, operand, count);
    case DataType::kFp16:
      return reduce_as<Fp16>(op, accumulator, operand, count);
    case DataType::kBf16:
      return reduce_as<Bf16>(op, accumulator, operand, count);
    case DataType::kInt32:
      return reduce_as<Int32>(op, accumulator, operand, count);
  }
  violation("a reduction of elements of no known type");
}

std::uint32_t widen_to_fp32(DataType dtype, std::uint32_t element) {
  WEFT_CHECK(dtype != DataType::kInt32, "INT32 elements have no equal in FP32");
  const float value = dtype == DataType::kFp32   ? Fp32::number(element)
                      : dtype == DataType::kFp16 ? Fp16::number(static_cast<Fp16::Bits>(element))
                                                 : Bf16::number(static_cast<Bf16::Bits>(element));
  return std::isnan(value) ? kCanonicalNan : Fp32::bits(value);
}

std::uint32_t round_from_fp32(DataType dtype, std::uint32_t fp32) {
  const float value = Fp32::number(fp32);
  if (dtype == DataType::kFp32) return std::isnan(value) ? kCanonicalNan : fp32;
  WEFT_CHECK(dtype != DataType::kInt32, "INT32 elements are not rounded from FP32");
  return dtype == DataType::kFp16 ? Fp16::bits(value) : Bf16::bits(value);
}

}  // namespace weft
