// SPDX-License-Identifier: Apache-2.0
// Tables of what MPFR does not say: NaNs, zeros and infinities; names of formats.
#include "switch/arith/lane_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "base/reduce_arith.h"
#include "config/names.h"

namespace weft::fred {
namespace {

/// Special values of a format.
struct Specials {
  DataType dtype;
  std::uint32_t zero, minus_zero, one, infinity, minus_infinity, largest;
  std::uint32_t nan;                          ///< the canonical one
  std::uint32_t quiet, signalling, negative;  ///< NaNs that are not canonical
};

constexpr Specials kSpecials[] = {
    {DataType::kFp32, 0, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x7FC00000, 0x7FC12345, 0x7F800001,
     0xFFC00000},
    {DataType::kFp16, 0, 0x8000, 0x3C00, 0x7C00, 0xFC00, 0x7BFF, 0x7E00, 0x7E55, 0x7C01, 0xFE00},
    {DataType::kBf16, 0, 0x8000, 0x3F80, 0x7F80, 0xFF80, 0x7F7F, 0x7FC0, 0x7FC5, 0x7F81, 0xFFC0},
};

class Specially : public ::testing::TestWithParam<Specials> {};

/// Both orders of the operands.
void expect_result(const Specials& s, ReduceOp op, std::uint32_t a, std::uint32_t b, std::uint32_t result) {
  EXPECT_EQ(reduce_bits(op, s.dtype, a, b), result) << std::hex << a << " " << name_of(op) << " " << b;
  EXPECT_EQ(reduce_bits(op, s.dtype, b, a), result) << std::hex << b << " " << name_of(op) << " " << a;
}

TEST_P(Specially, nan_wins_and_is_canonical) {
  const Specials& s = GetParam();
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) {
    for (const std::uint32_t nan : {s.nan, s.quiet, s.signalling, s.negative}) {
      for (const std::uint32_t other : {s.zero, s.one, s.infinity, s.minus_infinity, s.nan, s.quiet, s.negative}) {
        expect_result(s, op, nan, other, s.nan);
      }
    }
  }
}

TEST_P(Specially, zeros_have_signs) {
  const Specials& s = GetParam();
  expect_result(s, ReduceOp::kSum, s.zero, s.zero, s.zero);
  expect_result(s, ReduceOp::kSum, s.zero, s.minus_zero, s.zero);
  expect_result(s, ReduceOp::kSum, s.minus_zero, s.minus_zero, s.minus_zero);
  expect_result(s, ReduceOp::kSum, s.one, s.one | s.minus_zero, s.zero);
  expect_result(s, ReduceOp::kMin, s.zero, s.minus_zero, s.minus_zero);
  expect_result(s, ReduceOp::kMax, s.zero, s.minus_zero, s.zero);
  expect_result(s, ReduceOp::kMin, s.zero, s.zero, s.zero);
  expect_result(s, ReduceOp::kMax, s.minus_zero, s.minus_zero, s.minus_zero);
}

TEST_P(Specially, infinities_add_and_compare) {
  const Specials& s = GetParam();
  expect_result(s, ReduceOp::kSum, s.infinity, s.minus_infinity, s.nan);
  expect_result(s, ReduceOp::kSum, s.infinity, s.infinity, s.infinity);
  expect_result(s, ReduceOp::kSum, s.largest, s.largest, s.infinity);
  expect_result(s, ReduceOp::kSum, s.minus_infinity, s.largest, s.minus_infinity);
  expect_result(s, ReduceOp::kMin, s.minus_infinity, s.largest, s.minus_infinity);
  expect_result(s, ReduceOp::kMax, s.infinity, s.largest, s.infinity);
  expect_result(s, ReduceOp::kMin, s.infinity, s.largest, s.largest);
}

INSTANTIATE_TEST_SUITE_P(formats, Specially, ::testing::ValuesIn(kSpecials),
                         [](const auto& c) { return std::string(name_of(c.param.dtype)); });

TEST(LaneFormat, widening_and_rounding_keep_specials) {
  for (const Specials& s : kSpecials) {
    for (const std::uint32_t nan : {s.nan, s.quiet, s.signalling, s.negative}) {
      EXPECT_EQ(widen_to_fp32(s.dtype, nan), 0x7FC00000U);
    }
    for (const std::uint32_t nan : {0x7FC00000U, 0x7F800001U, 0xFFC00000U, 0xFFFFFFFFU}) {
      EXPECT_EQ(round_from_fp32(s.dtype, nan), s.nan);
    }
    EXPECT_EQ(widen_to_fp32(s.dtype, s.minus_infinity), 0xFF800000U);
    EXPECT_EQ(round_from_fp32(s.dtype, 0xFF800000U), s.minus_infinity);
    EXPECT_EQ(round_from_fp32(s.dtype, 0x80000000U), s.minus_zero);
  }
}

TEST(LaneFormat, int32_sums_wrap) {
  EXPECT_EQ(reduce_bits(ReduceOp::kSum, DataType::kInt32, 0x7FFFFFFF, 1), 0x80000000U);
  EXPECT_EQ(reduce_bits(ReduceOp::kSum, DataType::kInt32, 0x80000000, 0xFFFFFFFF), 0x7FFFFFFFU);
  EXPECT_EQ(reduce_bits(ReduceOp::kMin, DataType::kInt32, 0x80000000, 1), 0x80000000U);
  EXPECT_EQ(reduce_bits(ReduceOp::kMax, DataType::kInt32, 0x80000000, 1), 1U);
}

/// 1 + 256 * 2^-8 in BF16, whose unit at 1 is 2^-7: rounded at each step every addend is lost (ties to even), rounded
/// once the sum is 2.
TEST(LaneFormat, fp32_accumulation_keeps_small_addends) {
  for (const auto& [name, expected] : {std::pair{"bf16", 0x3F80}, {"bf16_fp32", 0x4000}}) {
    const LaneFormat format = lane_format(name);
    const std::uint16_t one = 0x3F80;
    const std::uint16_t small = 0x3B80;  // 2^-8
    std::uint32_t sum = 0;
    std::uint32_t addend = 0;
    enter_lanes(format, reinterpret_cast<const std::uint8_t*>(&one), &sum, 1);
    enter_lanes(format, reinterpret_cast<const std::uint8_t*>(&small), &addend, 1);
    for (int i = 0; i < 256; ++i) reduce_lanes(format, ReduceOp::kSum, &sum, &addend, 1);
    std::uint16_t result = 0;
    leave_lanes(format, &sum, reinterpret_cast<std::uint8_t*>(&result), 1);
    EXPECT_EQ(result, expected) << name;
  }
}

TEST(LaneFormat, elements_pass_unchanged) {
  for (const std::string_view name : lane_format_names()) {
    const LaneFormat format = lane_format(name);
    const std::uint8_t elements[8] = {0x01, 0x3C, 0xFF, 0x7B, 0x00, 0x80, 0x12, 0xC4};
    const std::size_t count = 8 / element_bytes(format.element);
    std::uint32_t words[4];
    std::uint8_t left[8];
    enter_lanes(format, elements, words, count);
    leave_lanes(format, words, left, count);
    EXPECT_EQ(std::memcmp(elements, left, 8), 0) << name;
  }
}

TEST(LaneFormat, unknown_name_bad) {
  try {
    lane_format("fp61");
    FAIL() << "fp61 was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'fp61'; known: fp32, int32, fp16, bf16, fp16_fp32, bf16_fp32"));
  }
}

}  // namespace
}  // namespace weft::fred
