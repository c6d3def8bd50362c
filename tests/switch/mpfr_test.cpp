// SPDX-License-Identifier: Apache-2.0
// Reductions of finite numbers, bit for bit against MPFR: random operands and those where rounding goes wrong first.
// WEFT_ARITH_OPERANDS sets how many pairs per format and operation (default 10^6; scripts/nightly takes 10^7).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/reduce_arith.h"
#include "config/names.h"
#include "switch/arith/lane_format.h"
#include "tests/support/mpfr_number.h"

namespace weft::fred {
namespace {

using namespace weft::test;

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
