// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/operands.h"

#include <fmt/format.h>

namespace weft::tb {
namespace {

struct FloatShape {
  std::uint32_t exponent_bits;
  std::uint32_t fraction_bits;
  std::uint32_t exponent_mask() const { return (1U << exponent_bits) - 1; }
  std::uint32_t fraction_mask() const { return (1U << fraction_bits) - 1; }
  std::uint32_t make(std::uint32_t sign, std::uint32_t exponent, std::uint32_t fraction) const {
    return sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
  }
};

FloatShape float_shape(DataType type) {
  if (type == DataType::kFp16) return {5, 10};
  if (type == DataType::kBf16) return {8, 7};
  return {8, 23};
}

enum FloatClass { kZero, kSubnormal, kNormal, kInfinity, kNan };

std::uint32_t draw_float(DataType type, RandomStream& random) {
  const FloatShape shape = float_shape(type);
  const auto sign = static_cast<std::uint32_t>(random.below(2));
  const auto fraction = static_cast<std::uint32_t>(random.bits()) & shape.fraction_mask();
  const std::uint64_t dice = random.below(16);
  if (dice == 0) return shape.make(sign, 0, 0);
  if (dice == 1) return shape.make(sign, shape.exponent_mask(), 0);
  if (dice == 2) return shape.make(sign, shape.exponent_mask(), fraction == 0 ? 1 : fraction);
  if (dice <= 5) return shape.make(sign, 0, fraction >> random.below(shape.fraction_bits));
  if (dice == 6) return shape.make(sign, static_cast<std::uint32_t>(1 + random.below(2)), fraction);
  if (dice == 7) return shape.make(sign, shape.exponent_mask() - 1, shape.fraction_mask() >> random.below(3));
  return shape.make(sign, static_cast<std::uint32_t>(random.below(shape.exponent_mask())), fraction);
}

std::uint32_t draw_int(RandomStream& random) {
  const auto bits = static_cast<std::uint32_t>(random.bits());
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return bits % 17 - 8;
    case 2:
      return 0x7fffffffU + bits % 2;
    default:
      return bits;
  }
}

}  // namespace

const std::vector<std::string_view>& operand_classes(DataType type) {
  static const std::vector<std::string_view> floats = {"zero", "subnormal", "normal", "infinity", "nan"};
  static const std::vector<std::string_view> ints = {"zero", "small", "large", "extreme"};
  return type == DataType::kInt32 ? ints : floats;
}

std::size_t operand_class(DataType type, std::uint32_t bits) {
  if (type == DataType::kInt32) {
    if (bits == 0) return 0;
    if (bits == 0x7fffffffU || bits == 0x80000000U) return 3;
    return bits + 8 <= 16 ? 1 : 2;
  }
  const FloatShape shape = float_shape(type);
  const std::uint32_t exponent = bits >> shape.fraction_bits & shape.exponent_mask();
  const std::uint32_t fraction = bits & shape.fraction_mask();
  if (exponent == shape.exponent_mask()) return fraction == 0 ? kInfinity : kNan;
  if (exponent == 0) return fraction == 0 ? kZero : kSubnormal;
  return kNormal;
}

std::uint32_t draw_element(DataType type, RandomStream& random) {
  return type == DataType::kInt32 ? draw_int(random) : draw_float(type, random);
}

OperandPairs::OperandPairs(Coverage& coverage, const std::string& prefix, ReduceOp op, DataType type)
    : coverage_(coverage), type_(type), classes_(operand_classes(type).size()) {
  for (const std::string_view a : operand_classes(type)) {
    for (const std::string_view b : operand_classes(type)) {
      bins_.push_back(coverage.bin(fmt::format("{}.{}.{}.{}.{}", prefix, name_of_op(op), name_of_type(type), a, b)));
    }
  }
}

OperandPairs::Pair OperandPairs::draw(RandomStream& random) {
  Pair pair{draw_element(type_, random), draw_element(type_, random)};
  if (type_ != DataType::kInt32) {
    const FloatShape shape = float_shape(type_);
    const std::uint32_t sign = shape.make(1, 0, 0);
    const std::uint64_t dice = random.below(6);
    // A neighbour with the other sign: most digits cancel. One of nearby exponent: every digit of the sum is rounded.
    if (dice == 0) pair.b = (pair.a ^ sign) + static_cast<std::uint32_t>(random.below(5)) - 2;
    if (dice == 1) pair.b ^= (pair.a ^ pair.b) & shape.make(0, shape.exponent_mask(), 0) & ~shape.make(0, 31, 0);
    pair.b &= shape.make(1, shape.exponent_mask(), shape.fraction_mask());
  } else if (random.below(8) == 0) {
    pair.b = 0U - pair.a;
  }
  coverage_.hit(bins_[operand_class(type_, pair.a) * classes_ + operand_class(type_, pair.b)]);
  return pair;
}

std::string_view name_of_op(ReduceOp op) { return op == ReduceOp::kSum ? "sum" : op == ReduceOp::kMin ? "min" : "max"; }

std::string_view name_of_type(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return "fp32";
    case DataType::kInt32:
      return "int32";
    case DataType::kFp16:
      return "fp16";
    default:
      return "bf16";
  }
}

}  // namespace weft::tb
