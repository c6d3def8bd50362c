// SPDX-License-Identifier: Apache-2.0
// Cycles to ns, bandwidth factors and readable numbers against values calculated by hand.
#include "sc_models/results_units.h"

#include <gtest/gtest.h>

#include <vector>

#include "config/names.h"

namespace weft::sc_models {
namespace {

TEST(ResultsUnits, cycles_to_ns_is_exact_for_long_runs) {
  EXPECT_EQ(cycles_to_ns(0, {{1'000'000'000, 1}}), 0.0);
  EXPECT_EQ(cycles_to_ns(3, {{2'000'000'000, 1}}), 1.5);
  // 976.5625 MHz: one cycle is 1.024 ns.
  EXPECT_EQ(cycles_to_ns(1'000'000'000'000, {{976'562'500, 1}}), 1'024'000'000'000.0);
  // A third of a GHz: three ns per cycle, no drift.
  EXPECT_EQ(cycles_to_ns(1'000'000'007, {{1'000'000'000, 3}}), 3'000'000'021.0);
}

TEST(ResultsUnits, bus_factors_of_eight_ranks) {
  struct Case {
    CollectiveKind kind;
    double algbw;
    double busbw;
  };
  // 800 bytes per rank in 100 ns; 800/100 = 8 GB/s, contributions of 8 ranks 64 GB/s.
  const std::vector<Case> cases{{CollectiveKind::kAllReduce, 8, 14}, {CollectiveKind::kReduceScatter, 8, 7},
                                {CollectiveKind::kAllToAll, 8, 7},   {CollectiveKind::kAllGather, 64, 56},
                                {CollectiveKind::kGather, 64, 56},   {CollectiveKind::kScatter, 8, 7},
                                {CollectiveKind::kBroadcast, 8, 8},  {CollectiveKind::kReduce, 8, 8}};
  for (const Case& c : cases) {
    const auto bandwidth = collective_bandwidth(c.kind, 800, 8, 100);
    ASSERT_TRUE(bandwidth) << name_of(c.kind);
    EXPECT_DOUBLE_EQ(bandwidth->algbw_gbps, c.algbw) << name_of(c.kind);
    EXPECT_DOUBLE_EQ(bandwidth->busbw_gbps, c.busbw) << name_of(c.kind);
  }
}

TEST(ResultsUnits, no_bandwidth_without_bytes_or_time) {
  EXPECT_FALSE(collective_bandwidth(CollectiveKind::kBarrier, 8, 8, 100));
  EXPECT_FALSE(collective_bandwidth(CollectiveKind::kAllReduce, 0, 8, 100));
  EXPECT_FALSE(collective_bandwidth(CollectiveKind::kAllReduce, 8, 8, 0));
}

TEST(ResultsUnits, readable_numbers) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(1'234'567), "1,234,567");
  EXPECT_EQ(readable_time(0), "0 ns");
  EXPECT_EQ(readable_time(1234.5), "1.2345 us");
  EXPECT_EQ(readable_time(2e9), "2 s");
  EXPECT_EQ(readable_bytes(512), "512 B");
  EXPECT_EQ(readable_bytes(65536), "64 KiB");
  EXPECT_EQ(readable_bytes(3ULL << 29), "1.5 GiB");
}

}  // namespace
}  // namespace weft::sc_models
