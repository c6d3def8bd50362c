// SPDX-License-Identifier: Apache-2.0
// `weft bench memory`: every kind of traffic ends, and the figures fit together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/support/run_child.h"

namespace weft::cli {
namespace {

using weft::test::run_child;

TEST(MemoryBench, measures_every_kind_of_traffic) {
  const auto r = run_child({WEFT_PROGRAM, "bench", "memory", "--accesses", "20000", "--repeats", "1", "--json"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  const auto report = nlohmann::json::parse(r.out);
  EXPECT_TRUE(report["failed"].empty());
  ASSERT_EQ(report["points"].size(), 7U);
  for (const auto& point : report["points"]) {
    const auto value = [&](const char* name) { return point.at(name).get<double>(); };
    const std::string name = point["name"];
    EXPECT_EQ(value("transactions"), 20000) << name;
    EXPECT_NEAR(value("transactions_per_cpu_s"), 20000 / value("cpu_s"), 1) << name;
    EXPECT_LE(value("share_of_peak"), 1) << name;
    // 64 bytes are 4 cycles of HBM3's data bus and 8 of DDR5's.
    const double bus_cycles = 20000.0 * (name.find("hbm3") == 0 ? 4 : 8);
    EXPECT_NEAR(value("share_of_peak"), bus_cycles / value("cycles"), 0.001) << name;
    const bool is_random = name.find("random") != std::string::npos;
    EXPECT_EQ(value("row_hit_share") < 0.1, is_random) << name;
    EXPECT_EQ(value("share_of_peak") > 0.65, name != "hbm3-random-read") << name;
  }
}

TEST(MemoryBench, prints_a_table) {
  const auto r = run_child({WEFT_PROGRAM, "bench", "memory", "--accesses", "1000", "--repeats", "1"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  EXPECT_THAT(r.out, testing::HasSubstr("hbm3-stream-read "));
  EXPECT_THAT(r.out, testing::HasSubstr("ddr5-stream-read-exact "));
  EXPECT_THAT(r.out, testing::HasSubstr("medians of 1"));
}

TEST(MemoryBench, no_accesses_bad) {
  EXPECT_EQ(run_child({WEFT_PROGRAM, "bench", "memory", "--accesses", "0"}).status, kExitBadInput);
}

}  // namespace
}  // namespace weft::cli
