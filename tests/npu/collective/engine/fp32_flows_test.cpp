// SPDX-License-Identifier: Apache-2.0
// The expected results of flows whose 16-bit elements switches add in FP32, against sums by MPFR.
#include <gtest/gtest.h>

#include <cstring>

#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/reference.h"
#include "npu/collective/form/values.h"
#include "tests/support/two_level_sum.h"

namespace weft::npu {
namespace {

using test::Binary;

constexpr std::uint32_t kRanks = 12;  ///< three switches of four below one
constexpr std::uint64_t kElements = 600;

std::unique_ptr<const Program> program_of(CollectiveKind kind) {
  ProgramRequest request;
  request.kind = kind;
  request.ranks = kRanks;
  request.root = 5;
  for (std::uint32_t node = 0; node < kRanks; ++node) request.nodes.push_back(NodeId{node});
  request.size_x = 4;
  request.size_y = 3;
  request.switch_groups = {3, 1};
  return make_program("in_switch", request);
}

double value_at(const Binary& format, const Payload& data, std::uint64_t i) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, data.data() + 2 * i, 2);
  return test::decode(format, bits);
}

class Fp32Flows : public ::testing::TestWithParam<DataType> {
 protected:
  void SetUp() override {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) inputs_.push_back(make_input(GetParam(), kElements, 3, rank));
  }
  std::vector<std::vector<double>> operands(std::uint64_t element) const {
    std::vector<std::vector<double>> groups(3);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank)
      groups[rank / 4].push_back(value_at(format_, inputs_[rank], element));
    return groups;
  }
  const Binary& format_ = test::binary_of(GetParam());
  std::vector<Payload> inputs_;
};

TEST_P(Fp32Flows, all_reduce_rounds_once_per_level) {
  const auto program = program_of(CollectiveKind::kAllReduce);
  const auto wide = expected_results(*program, ReduceOp::kSum, GetParam(), kElements, inputs_, true);
  const auto narrow = expected_results(*program, ReduceOp::kSum, GetParam(), kElements, inputs_);
  std::size_t differ = 0;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_EQ(wide[rank].size(), 2 * kElements);
    for (std::uint64_t i = 0; i < kElements; ++i) {
      const auto groups = operands(i);
      const double expected = test::two_level_sum(format_, ReduceOp::kSum, groups);
      ASSERT_PRED2(test::same, value_at(format_, wide[rank], i), expected) << "rank " << rank << ", element " << i;
      const double every_step = test::rounded_at_every_step(format_, groups);
      ASSERT_PRED2(test::same, value_at(format_, narrow[rank], i), every_step);
      differ += every_step != expected ? 1 : 0;
    }
  }
  EXPECT_GT(differ, kRanks * kElements / 20);
}

// Rank r gets part r of the sums; part 5 of a reduce is all of it.
TEST_P(Fp32Flows, reduce_scatter_and_reduce) {
  const auto scattered = expected_results(*program_of(CollectiveKind::kReduceScatter), ReduceOp::kSum, GetParam(),
                                          kElements, inputs_, true);
  const auto reduced =
      expected_results(*program_of(CollectiveKind::kReduce), ReduceOp::kSum, GetParam(), kElements, inputs_, true);
  for (std::uint64_t i = 0; i < kElements; ++i) {
    const double expected = test::two_level_sum(format_, ReduceOp::kSum, operands(i));
    const std::uint64_t part = kElements / kRanks;
    ASSERT_PRED2(test::same, value_at(format_, scattered[i / part], i % part), expected);
    ASSERT_PRED2(test::same, value_at(format_, reduced[5], i), expected);
  }
}

TEST_P(Fp32Flows, copies_stay_as_they_are) {
  const auto program = program_of(CollectiveKind::kBroadcast);
  std::vector<Payload> inputs(kRanks);
  inputs[5] = inputs_[5];
  for (const Payload& output : expected_results(*program, ReduceOp::kSum, GetParam(), kElements, inputs, true)) {
    EXPECT_EQ(output, inputs_[5]);
  }
}

INSTANTIATE_TEST_SUITE_P(formats, Fp32Flows, ::testing::Values(DataType::kFp16, DataType::kBf16));

}  // namespace
}  // namespace weft::npu
