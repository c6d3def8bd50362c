// SPDX-License-Identifier: Apache-2.0
// The figures of `weft bench access` against what can be said by hand.
#include "cli/bench/access_bench.h"

#include <gtest/gtest.h>

#include <map>

namespace weft::cli {
namespace {

std::map<std::string, AccessBenchFigures> measured() {
  std::map<std::string, AccessBenchFigures> rows;
  AccessBenchRequest request;
  request.accesses = 8192;
  const std::size_t failed = run_access_bench(
      request, {[](const std::string&) {}, [&](const AccessBenchFigures& figures) { rows[figures.name] = figures; },
                [](const BenchFailure& failure) { ADD_FAILURE() << failure.name << ": " << failure.what; }});
  EXPECT_EQ(failed, 0U);
  return rows;
}

TEST(AccessBench, costs_are_those_of_the_closed_forms) {
  const auto rows = measured();
  // Three links there, 50 ns and one flit, three links back.
  EXPECT_DOUBLE_EQ(rows.at("nothing").read_ns, 3 + 50 + 1 + 3);
  EXPECT_DOUBLE_EQ(rows.at("nothing").write_ns, 3 + 50 + 1 + 3);
  EXPECT_NEAR(rows.at("nothing").random_reads.gigabytes_per_second, 128, 2);
  EXPECT_NEAR(rows.at("nothing").long_reads.gigabytes_per_second, 128, 1);
  EXPECT_DOUBLE_EQ(rows.at("grants, all cached").read_ns, 57 + 2);
  // 15 of 16 accesses fetch a page's grants for 40 ns; eight walkers.
  EXPECT_NEAR(rows.at("grants, 1/16 cached").read_ns, 59 + 40 * 15 / 16.0, 1);
  EXPECT_NEAR(rows.at("grants, 1/16 cached").random_reads.gigabytes_per_second, 64 * 8 / (40 * 15 / 16.0), 0.5);
  EXPECT_DOUBLE_EQ(rows.at("+ encryption").read_ns, 59 + 20);
  EXPECT_DOUBLE_EQ(rows.at("+ integrity").random_reads.moved_ratio, 72 / 64.0);
  // A line and its tag are two flits of 64 bytes; 64 lines and their tags 72.
  EXPECT_NEAR(rows.at("+ integrity").random_reads.gigabytes_per_second, 64, 1);
  EXPECT_NEAR(rows.at("+ integrity").long_reads.gigabytes_per_second, 128 * 64 / 72.0,
              3);  // nine packets on eight modules
}

TEST(AccessBench, hiding_moves_the_whole_pool_twice_per_stash) {
  const AccessBenchFigures hidden = measured().at("+ oblivious, stash 4096");
  // 16 MiB in blocks of 512 bytes and as many dummies as the stash holds, read and written every 4096 accesses.
  const double moved = 512 + 2 * (32768 + 4096) * 512 / 4096.0;
  EXPECT_DOUBLE_EQ(hidden.random_reads.moved_ratio, moved / 64);
  EXPECT_DOUBLE_EQ(hidden.random_writes.moved_ratio, moved / 64);
  // 512 bytes per ns while it shuffles, then a block of 8 flits at two per ns.
  EXPECT_NEAR(hidden.random_reads.gigabytes_per_second, 64 / ((moved - 512) / 512 + 4), 0.1);
  EXPECT_NEAR(hidden.read_ns, 59 + 7 + (moved - 512) / 512, 1);
}

}  // namespace
}  // namespace weft::cli
