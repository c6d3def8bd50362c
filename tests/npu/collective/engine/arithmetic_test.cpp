// SPDX-License-Identifier: Apache-2.0
// What engines compute of two elements: special values and rounding of every format.
#include <gtest/gtest.h>

#include <cstring>

#include "npu/collective/form/values.h"

namespace weft::npu {
namespace {

std::uint32_t reduced(ReduceOp op, DataType dtype, std::uint32_t a, std::uint32_t b) {
  std::uint8_t x[4];
  std::uint8_t y[4];
  std::memcpy(x, &a, 4);
  std::memcpy(y, &b, 4);
  reduce_elements(op, dtype, x, y, 1);
  std::uint32_t result = 0;
  std::memcpy(&result, x, element_bytes(dtype));
  return result;
}

TEST(Arithmetic, tables_of_special_values) {
  using D = DataType;
  using O = ReduceOp;
  // FP32: NaN, infinities, zeros.
  EXPECT_EQ(reduced(O::kSum, D::kFp32, 0x7F800000, 0xFF800000), 0x7FC00000u);
  EXPECT_EQ(reduced(O::kSum, D::kFp32, 0xFFC12345, 0x3F800000), 0x7FC00000u);
  EXPECT_EQ(reduced(O::kSum, D::kFp32, 0x80000000, 0x80000000), 0x80000000u);
  EXPECT_EQ(reduced(O::kSum, D::kFp32, 0x00000001, 0x00000001), 0x00000002u);  // subnormals are kept
  EXPECT_EQ(reduced(O::kMin, D::kFp32, 0x00000000, 0x80000000), 0x80000000u);
  EXPECT_EQ(reduced(O::kMin, D::kFp32, 0x80000000, 0x00000000), 0x80000000u);
  EXPECT_EQ(reduced(O::kMax, D::kFp32, 0x80000000, 0x00000000), 0x00000000u);
  EXPECT_EQ(reduced(O::kMax, D::kFp32, 0x00000000, 0x80000000), 0x00000000u);
  EXPECT_EQ(reduced(O::kMax, D::kFp32, 0x7FC00001, 0x7F800000), 0x7FC00000u);
  EXPECT_EQ(reduced(O::kMin, D::kFp32, 0xC0000000, 0x3F800000), 0xC0000000u);
  // INT32: sums wrap, comparison is signed.
  EXPECT_EQ(reduced(O::kSum, D::kInt32, 0x7FFFFFFF, 1), 0x80000000u);
  EXPECT_EQ(reduced(O::kMin, D::kInt32, 0x80000000, 1), 0x80000000u);
  EXPECT_EQ(reduced(O::kMax, D::kInt32, 0xFFFFFFFF, 0), 0u);
  // FP16: 1 + 2^-11 is a tie to even; 65504 + 16 is the tie to infinity; smallest subnormals add.
  EXPECT_EQ(reduced(O::kSum, D::kFp16, 0x3C00, 0x1000), 0x3C00u);
  EXPECT_EQ(reduced(O::kSum, D::kFp16, 0x3C01, 0x1000), 0x3C02u);
  EXPECT_EQ(reduced(O::kSum, D::kFp16, 0x7BFF, 0x4C00), 0x7C00u);
  EXPECT_EQ(reduced(O::kSum, D::kFp16, 0x7BFF, 0x4B00), 0x7BFFu);
  EXPECT_EQ(reduced(O::kSum, D::kFp16, 0x0001, 0x03FF), 0x0400u);
  EXPECT_EQ(reduced(O::kSum, D::kFp16, 0x7C00, 0xFC00), 0x7E00u);
  EXPECT_EQ(reduced(O::kSum, D::kFp16, 0xFC00, 0x3C00), 0xFC00u);
  // BF16: 1 + 2^-8 is a tie to even; largest + largest is infinity.
  EXPECT_EQ(reduced(O::kSum, D::kBf16, 0x3F80, 0x3B80), 0x3F80u);
  EXPECT_EQ(reduced(O::kSum, D::kBf16, 0x3F81, 0x3B80), 0x3F82u);
  EXPECT_EQ(reduced(O::kSum, D::kBf16, 0x7F7F, 0x7F7F), 0x7F80u);
  EXPECT_EQ(reduced(O::kSum, D::kBf16, 0x7F80, 0xFF80), 0x7FC0u);
}

// Every FP16 number survives being read and written: x + (-0) = x.
TEST(Arithmetic, fp16_and_bf16_keep_every_number) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bool nan16 = (bits & 0x7C00) == 0x7C00 && (bits & 0x3FF) != 0;
    const bool nan_bf = (bits & 0x7F80) == 0x7F80 && (bits & 0x7F) != 0;
    EXPECT_EQ(reduced(ReduceOp::kSum, DataType::kFp16, bits, 0x8000), nan16 ? 0x7E00u : bits);
    EXPECT_EQ(reduced(ReduceOp::kSum, DataType::kBf16, bits, 0x8000), nan_bf ? 0x7FC0u : bits);
  }
}

}  // namespace
}  // namespace weft::npu
