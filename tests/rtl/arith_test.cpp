// SPDX-License-Identifier: Apache-2.0
// The arithmetic blocks of rtl/ bit for bit: sums against MPFR, everything against the model's arithmetic.
// WEFT_ARITH_OPERANDS sets how many pairs per format and operation (default 10^6; scripts/nightly takes 10^7).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "config/names.h"
#include "switch/arith/lane_format.h"
#include "tests/rtl/arith_bench.h"
#include "tests/support/mpfr_number.h"

namespace weft::rtl_test {
namespace {

struct Case {
  DataType dtype;
  ReduceOp op;
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  return std::string(name_of(info.param.dtype)) + "_" + std::string(name_of(info.param.op));
}

class RtlArith : public ::testing::TestWithParam<Case> {};

TEST_P(RtlArith, equals_the_model) {
  const auto [dtype, op] = GetParam();
  ArithDut dut;
  EXPECT_EQ(scalar_difference(dut, dtype, op, test::operand_count(), 21), std::nullopt);
}

TEST_P(RtlArith, equals_the_model_at_all_corners) {
  const auto [dtype, op] = GetParam();
  ArithDut dut;
  EXPECT_EQ(corner_difference(dut, dtype, op), std::nullopt);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const DataType dtype : {DataType::kFp32, DataType::kInt32, DataType::kFp16, DataType::kBf16}) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) cases.push_back({dtype, op});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(formats, RtlArith, ::testing::ValuesIn(all_cases()), name_of_case);

class RtlFormat : public ::testing::TestWithParam<DataType> {};

TEST_P(RtlFormat, sums_agree_with_mpfr) {
  const test::Binary& format = test::binary_of(GetParam());
  ArithDut dut;
  test::Operands operands(format, 31);
  test::Number a(format);
  test::Number b(format);
  test::Number expected(format);
  ArithDut::In in;
  in.format = static_cast<int>(GetParam());
  for (std::uint64_t i = test::operand_count(); i > 0; --i) {
    const auto [x, y] = operands.next();
    a.set(test::decode(format, x));
    b.set(test::decode(format, y));
    expected.reduce(ReduceOp::kSum, a, b);
    in.a[0] = x;
    in.b[0] = y;
    const std::uint32_t found = dut.eval(in).scalar;
    ASSERT_TRUE(test::same(test::decode(format, found), expected.get()))
        << fmt::format("{:#x} + {:#x} gives {:#x}, not {}", x, y, found, expected.get());
  }
}

INSTANTIATE_TEST_SUITE_P(formats, RtlFormat, ::testing::Values(DataType::kFp32, DataType::kFp16, DataType::kBf16),
                         [](const auto& c) { return std::string(name_of(c.param)); });

TEST(RtlConversion, fp16_equals_the_model) {
  ArithDut dut;
  EXPECT_EQ(conversion_difference(dut, DataType::kFp16, test::operand_count()), std::nullopt);
}

TEST(RtlConversion, bf16_equals_the_model) {
  ArithDut dut;
  EXPECT_EQ(conversion_difference(dut, DataType::kBf16, test::operand_count()), std::nullopt);
}

class RtlLanes : public ::testing::TestWithParam<int> {};

TEST_P(RtlLanes, equal_the_model) {
  ArithDut dut;
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) {
    EXPECT_EQ(lane_difference(dut, GetParam(), op, test::operand_count() / 10), std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(formats, RtlLanes, ::testing::Range(0, 6), [](const auto& c) {
  return std::string(fred::lane_format_names().at(static_cast<std::size_t>(c.param)));
});

}  // namespace
}  // namespace weft::rtl_test
