// SPDX-License-Identifier: Apache-2.0
#include "npu/program/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel/error.h"

namespace weft::npu {
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
};

struct Bf16 {
  using Bits = std::uint16_t;
  static float number(Bits bits) { return bits_as<float>(static_cast<std::uint32_t>(bits) << 16); }
  static Bits bits(float value) {
    std::uint32_t word = bits_as<std::uint32_t>(value);
    if (!std::isnan(value)) word += 0x7FFF + (word >> 16 & 1);  // to nearest, ties to even; overflows to infinity
    return static_cast<Bits>(word >> 16);
  }
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
};

template <typename Format>
void reduce_as(ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand, std::size_t count) {
  using Bits = typename Format::Bits;
  for (std::size_t i = 0; i < count; ++i) {
    Bits a;
    Bits b;
    std::memcpy(&a, accumulator + i * sizeof(Bits), sizeof(Bits));
    std::memcpy(&b, operand + i * sizeof(Bits), sizeof(Bits));
    a = Format::bits(reduce_floats(op, Format::number(a), Format::number(b)));
    std::memcpy(accumulator + i * sizeof(Bits), &a, sizeof(Bits));
  }
}

void reduce_int32(ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t a;
    std::uint32_t b;
    std::memcpy(&a, accumulator + i * sizeof(a), sizeof(a));
    std::memcpy(&b, operand + i * sizeof(b), sizeof(b));
    const bool a_first = static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    a = op == ReduceOp::kSum ? a + b : (op == ReduceOp::kMin) == a_first ? a : b;
    std::memcpy(accumulator + i * sizeof(a), &a, sizeof(a));
  }
}

// Steele, Lea, Flood: SplitMix64's output function; each argument has its own number.
std::uint64_t scramble(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace

std::size_t element_bytes(DataType dtype) { return dtype == DataType::kFp16 || dtype == DataType::kBf16 ? 2 : 4; }

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
      return reduce_int32(op, accumulator, operand, count);
  }
  violation("a reduction of elements of no known type");
}

Payload make_input(DataType dtype, std::uint64_t count, std::uint64_t seed, std::uint32_t rank) {
  Payload input(count * element_bytes(dtype));
  const std::uint64_t stream = scramble(scramble(seed) ^ rank);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = scramble(stream ^ i);
    const auto mantissa = static_cast<float>(static_cast<std::int32_t>(random & 0xFFFFFF) - 0x800000);
    const float value = std::ldexp(mantissa, static_cast<int>(random >> 24 & 15) - 8 - 23);
    std::uint32_t bits = static_cast<std::uint32_t>(random);
    if (dtype == DataType::kFp32) bits = Fp32::bits(value);
    if (dtype == DataType::kFp16) bits = Fp16::bits(value);
    if (dtype == DataType::kBf16) bits = Bf16::bits(value);
    std::memcpy(input.data() + i * element_bytes(dtype), &bits, element_bytes(dtype));
  }
  return input;
}

}  // namespace weft::npu
