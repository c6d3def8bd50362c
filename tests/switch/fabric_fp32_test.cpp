// SPDX-License-Identifier: Apache-2.0
// Elements of 16 bits that switches add in FP32, over two levels: bits that arrive against sums by MPFR.
#include <gtest/gtest.h>

#include "base/reduce_arith.h"
#include "tests/support/two_level_sum.h"
#include "tests/switch/support/fabric_bench.h"

namespace weft::fred {
namespace {

using test::FabricBench;
using weft::test::Binary;

constexpr std::size_t kElements = 64;  ///< elements per packet of 128 B
constexpr std::uint32_t kNodes = 6;    ///< L1[0] has 0 to 2, L1[1] has 3 to 5

FabricSpec two_levels() {
  FabricSpec spec;
  spec.kind = FabricKind::kFred;
  spec.size_x = 3;
  spec.size_y = 2;
  spec.flit_bytes = 32;
  spec.local = {{1, 1}, 3};
  FredLevelSpec low;
  low.groups = 2;
  low.uplinks = 2;
  low.uplink_latency_cycles = 7;
  spec.fred.levels = {low, FredLevelSpec{}};
  return spec;
}

/// Finite elements of magnitudes around 1, so that roundings differ from step to step.
std::uint16_t element(const Binary& format, RandomStream& random) {
  const auto one = static_cast<std::uint32_t>((1 << (format.width - 1 - format.fraction_bits() - 1)) - 1);
  const auto exponent = static_cast<std::uint32_t>(one + random.below(7) - 3);
  const auto fraction = static_cast<std::uint32_t>(random.below(1ULL << format.fraction_bits()));
  const std::uint32_t sign = random.below(2) == 0 ? 0 : format.sign();
  return static_cast<std::uint16_t>(sign | exponent << format.fraction_bits() | fraction);
}

class FabricFp32 : public ::testing::TestWithParam<std::tuple<DataType, ReduceOp>> {};

TEST_P(FabricFp32, rounds_once_per_level_on_the_way_up) {
  const auto [dtype, op] = GetParam();
  const Binary& format = weft::test::binary_of(dtype);
  RandomStream random(5, NodeId{1});
  std::size_t differ = 0;
  for (int packet = 0; packet < 20; ++packet) {
    FabricParameters parameters;
    parameters.packet_bytes = 128;
    parameters.values = true;
    parameters.format = {dtype, true};
    parameters.op = op;
    FabricBench bench(two_levels(), parameters);
    FabricFlow all;
    for (std::uint32_t node = 0; node < kNodes; ++node) all.inputs.push_back(NodeId{node});
    all.outputs = all.inputs;
    const std::uint32_t flow = bench.fabric.compiler().number_of({all}, 0);
    std::uint16_t given[kNodes][kElements];
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      for (std::uint16_t& each : given[node]) each = element(format, random);
      std::vector<std::int32_t> data(kElements / 2);
      std::memcpy(data.data(), given[node], sizeof(given[node]));
      bench.send(node, {flow, 0, TrafficClass::kDp, 0, data, 0});
    }
    bench.run(1000);
    bench.require_empty();
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      ASSERT_EQ(bench.received(node).size(), 1U);
      std::uint16_t got[kElements];
      std::memcpy(got, bench.received(node)[0].data.data(), sizeof(got));
      for (std::size_t i = 0; i < kElements; ++i) {
        std::vector<std::vector<double>> values(2);
        for (std::uint32_t n = 0; n < kNodes; ++n) values[n / 3].push_back(weft::test::decode(format, given[n][i]));
        const double expected = weft::test::two_level_sum(format, op, values);
        ASSERT_PRED2(weft::test::same, weft::test::decode(format, got[i]), expected) << "node " << node << ", " << i;
        if (op == ReduceOp::kSum && weft::test::rounded_at_every_step(format, values) != expected) ++differ;
      }
    }
  }
  if (op == ReduceOp::kSum) {
    EXPECT_GT(differ, 100U) << "the operands do not tell the roundings apart";
  }
}

INSTANTIATE_TEST_SUITE_P(formats, FabricFp32,
                         ::testing::Combine(::testing::Values(DataType::kFp16, DataType::kBf16),
                                            ::testing::Values(ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax)));

}  // namespace
}  // namespace weft::fred
