// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/operands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tb/bench/lane_words.h"

namespace weft::tb {
namespace {

std::string_view class_name(DataType type, std::uint32_t bits) {
  return operand_classes(type)[operand_class(type, bits)];
}

TEST(Operands, have_the_class_that_ieee_754_gives_them) {
  EXPECT_EQ(class_name(DataType::kFp32, 0x80000000U), "zero");
  EXPECT_EQ(class_name(DataType::kFp32, 0x807fffffU), "subnormal");
  EXPECT_EQ(class_name(DataType::kFp32, 0x00800000U), "normal");
  EXPECT_EQ(class_name(DataType::kFp32, 0x7f7fffffU), "normal");
  EXPECT_EQ(class_name(DataType::kFp32, 0xff800000U), "infinity");
  EXPECT_EQ(class_name(DataType::kFp32, 0x7f800001U), "nan");
  EXPECT_EQ(class_name(DataType::kFp16, 0x03ffU), "subnormal");
  EXPECT_EQ(class_name(DataType::kFp16, 0x0400U), "normal");
  EXPECT_EQ(class_name(DataType::kFp16, 0xfc00U), "infinity");
  EXPECT_EQ(class_name(DataType::kBf16, 0x007fU), "subnormal");
  EXPECT_EQ(class_name(DataType::kBf16, 0x0080U), "normal");
  EXPECT_EQ(class_name(DataType::kBf16, 0x7fc0U), "nan");
  EXPECT_EQ(class_name(DataType::kInt32, 0U), "zero");
  EXPECT_EQ(class_name(DataType::kInt32, 0xfffffff8U), "small");
  EXPECT_EQ(class_name(DataType::kInt32, 9U), "large");
  EXPECT_EQ(class_name(DataType::kInt32, 0x80000000U), "extreme");
}

/// 3,000 pairs reach each pair of classes; the rarest comes once in 256 draws.
TEST(Operands, reach_every_pair_of_classes) {
  for (const DataType type : {DataType::kFp32, DataType::kInt32, DataType::kFp16, DataType::kBf16}) {
    Coverage coverage;
    OperandPairs pairs(coverage, "x", ReduceOp::kMax, type);
    RandomStream random(1, NodeId{1});
    for (int i = 0; i < 3000; ++i) {
      const OperandPairs::Pair pair = pairs.draw(random);
      if (type == DataType::kFp16 || type == DataType::kBf16) {
        EXPECT_LT(pair.a | pair.b, 0x10000U);
      }
    }
    EXPECT_TRUE(coverage.never_hit().empty()) << name_of_type(type) << ": " << coverage.never_hit().front();
    EXPECT_EQ(coverage.counts().size(), type == DataType::kInt32 ? 16U : 25U);
  }
}

TEST(LaneWords, lie_as_the_rtl_has_them) {
  const std::uint32_t words[4] = {0x1111, 0x2222, 0x3333, 0x4444};
  std::uint8_t wires[16];
  const auto lane = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | wires[at + i];
    return value;
  };
  LaneWords({DataType::kFp16, false}, false, 2).pack(words, wires);
  EXPECT_EQ(lane(0), 0x4444333322221111ULL);
  LaneWords({DataType::kFp16, false}, true, 2).pack(words, wires);
  EXPECT_EQ(lane(0), 0x22221111ULL);
  EXPECT_EQ(lane(8), 0x44443333ULL);
  LaneWords({DataType::kBf16, true}, true, 2).pack(words, wires);
  EXPECT_EQ(lane(0), 0x0000222200001111ULL);
  EXPECT_EQ(lane(8), 0x0000444400003333ULL);
  LaneWords({DataType::kFp32, false}, true, 2).pack(words, wires);
  EXPECT_EQ(lane(0), 0x1111ULL);
  EXPECT_EQ(lane(8), 0x2222ULL);
}

}  // namespace
}  // namespace weft::tb
