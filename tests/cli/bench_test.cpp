// SPDX-License-Identifier: Apache-2.0
// Benchmarks with a stand-in for the program: medians, rates, memory per router, comparisons, failures.
#include "cli/bench/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "kernel/config_load.h"
#include "kernel/error.h"
#include "tests/support/temp_dir.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::read_text;
using weft::test::TempDir;
using weft::test::write_text;

BenchSample sample(double cpu_s, double wall_s, std::uint64_t rss) {
  return {64, 1000, 8'000'000, std::nullopt, cpu_s, 0.25, wall_s, rss};
}

TEST(Bench, takes_medians_and_rates) {
  const BenchFigures f = summarise(bench_points()[1], {sample(4, 8, 300), sample(1, 9, 100), sample(2, 1, 200)});
  EXPECT_EQ(f.repeats, 3U);
  EXPECT_EQ(f.median.cpu_s, 2);
  EXPECT_EQ(f.median.wall_s, 8);
  EXPECT_EQ(f.median.peak_rss_bytes, 200U);
  EXPECT_DOUBLE_EQ(f.flit_hops_per_cpu_s, 4e6);
  EXPECT_DOUBLE_EQ(f.router_cycles_per_cpu_s, 32'000);
}

TEST(Bench, repeats_that_differ_bad) {
  BenchSample other = sample(1, 1, 1);
  other.flit_hops += 1;
  EXPECT_THROW(summarise(bench_points()[1], {sample(1, 1, 1), other}), std::runtime_error);
}

TEST(Bench, uswitch_hops_are_a_rate_of_their_own) {
  BenchSample one = sample(2, 2, 100);
  one.uswitch_hops = 40'000'000;
  const BenchFigures f = summarise(bench_points().back(), {one});
  ASSERT_TRUE(f.uswitch_hops_per_cpu_s);
  EXPECT_DOUBLE_EQ(*f.uswitch_hops_per_cpu_s, 2e7);
  EXPECT_FALSE(summarise(bench_points()[1], {sample(2, 2, 100)}).uswitch_hops_per_cpu_s);
  std::ostringstream table;
  print_bench({f}, table);
  EXPECT_THAT(table.str(), testing::ContainsRegex("fred-d-64MiB +4.000 +20.000 "));
  BenchSample other = one;
  *other.uswitch_hops += 1;
  EXPECT_THROW(summarise(bench_points().back(), {one, other}), std::runtime_error);
}

// Full load of a Fred_3(12) is meant: every port has the rate of its wires, one flit per cycle.
TEST(Bench, switches_are_those_that_the_names_say) {
  int switches = 0;
  for (const BenchPoint& point : bench_points()) {
    if (point.config.empty()) continue;
    const Config config = load_config_text(bench_yaml(point), point.name + ".yaml");
    EXPECT_EQ(config.fabric.kind, FabricKind::kFred) << point.name;
    EXPECT_EQ(config.fabric.fred.levels.front().ports, 12) << point.name;
    if (point.name.rfind("fred12", 0) != 0) continue;
    ++switches;
    EXPECT_EQ(config.fabric.nodes(), 12) << point.name;
    EXPECT_TRUE(config.fabric.local.flits_per_cycle == (Rational{1, 1})) << point.name;
  }
  EXPECT_EQ(switches, 3);
}

TEST(Bench, every_point_has_a_name_of_its_own_and_a_complete_configuration) {
  for (const BenchPoint& a : bench_points()) {
    for (const BenchPoint& b : bench_points()) EXPECT_TRUE(&a == &b || a.name != b.name) << a.name;
    const std::string yaml = bench_yaml(a);
    if (!a.config.empty()) continue;
    EXPECT_THAT(yaml, HasSubstr("size: [" + std::to_string(a.size) + ", " + std::to_string(a.size) + "]"));
    EXPECT_THAT(yaml, HasSubstr("rate: " + a.rate + "\n"));
    EXPECT_THAT(yaml, HasSubstr("measure_cycles: " + std::to_string(a.cycles) + "\n"));
  }
}

/// Reads the size from the configuration; a router costs 20,000 bytes above one MB; threads halve the wall time.
constexpr const char* kProgram = R"(#!/bin/sh
echo run >> "$(dirname "$0")/calls"
size=$(sed -n 's/^  size: \[\([0-9]*\),.*/\1/p' "$2")
threads=$(sed -n 's/^threads: //p' "$2")
if [ -e "$(dirname "$0")/broken" ]; then echo "no luck" >&2; exit 3; fi
mkdir -p "$5"
hops=1000000
if [ -e "$(dirname "$0")/lean" ]; then cost=2000; fi
if [ -e "$(dirname "$0")/racy" ]; then hops=$((1000000 + threads)); fi
cat > "$5/summary.json" <<END
{"nodes": $((size * size)), "cycles": 100, "flit_hops": $hops, "cpu_s": 0.5, "setup_cpu_s": 0.1,
 "wall_s": $((4 / threads)), "peak_rss_bytes": $((1000000 + size * size * ${cost:-20000}))}
END
)";

class BenchRun : public testing::Test {
 protected:
  BenchRun() {
    write_text(dir_ / "program", kProgram);
    std::filesystem::permissions(dir_ / "program", std::filesystem::perms::owner_all);
  }
  std::vector<BenchFigures> bench(const std::string& filter) {
    return run_bench({(dir_ / "program").string(), filter, 3}, [](const std::string&) {});
  }
  TempDir dir_;
};

TEST_F(BenchRun, measures_memory_against_one_router) {
  const auto figures = bench("32x32");
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].name, "1x1");
  EXPECT_FALSE(figures[0].bytes_per_router);
  ASSERT_TRUE(figures[1].bytes_per_router);
  EXPECT_NEAR(*figures[1].bytes_per_router, 20000 * 1023.0 / 1024, 1e-9);
  EXPECT_DOUBLE_EQ(figures[1].flit_hops_per_cpu_s, 2e6);
  EXPECT_EQ(read_text(dir_ / "calls"), "run\nrun\nrun\nrun\nrun\nrun\n");
}

// 63 routers of 2000 bytes are less than two runs of one router may differ by.
TEST_F(BenchRun, memory_that_is_noise_is_not_shown) {
  write_text(dir_ / "lean", "");
  const auto figures = bench("8x8-0.1");
  EXPECT_FALSE(figures[1].bytes_per_router);
  EXPECT_TRUE(bench_json(figures)[1]["bytes_per_router"].is_null());
}

TEST_F(BenchRun, compares_threads_in_wall_time) {
  const auto figures = bench("2-threads");
  ASSERT_EQ(figures.size(), 3U) << "the point that is compared with has to run too";
  EXPECT_EQ(figures[1].name, "256x256-neighbor");
  ASSERT_TRUE(figures[2].wall_speedup);
  EXPECT_DOUBLE_EQ(*figures[2].wall_speedup, 2);
  EXPECT_FALSE(figures[1].wall_speedup);
}

TEST_F(BenchRun, threads_that_change_results_bad) {
  write_text(dir_ / "racy", "");
  EXPECT_THROW(bench("2-threads"), std::runtime_error);
}

TEST_F(BenchRun, failed_run_is_said_bad) {
  write_text(dir_ / "broken", "");
  try {
    bench("8x8");
    FAIL() << "a failed run went unnoticed";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("benchmark 1x1 ended with status 3: no luck"));
  }
}

TEST_F(BenchRun, unknown_filter_lists_the_points_bad) {
  try {
    bench("7x7");
    FAIL() << "a filter that fits nothing went unnoticed";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("8x8-0.1, 8x8-0.2"));
  }
}

TEST_F(BenchRun, table_and_json_say_the_same) {
  const auto figures = bench("8x8-0.1");
  std::ostringstream table;
  print_bench(figures, table);
  EXPECT_THAT(table.str(), testing::ContainsRegex("8x8-0.1 +2.000 +- +0.01 +19688 +0.100 +0.500 +4.000"));
  const auto json = bench_json(figures);
  EXPECT_EQ(json[1]["name"], "8x8-0.1");
  EXPECT_EQ(json[1]["flit_hops_per_cpu_s"], 2e6);
  EXPECT_EQ(json[1]["bytes_per_router"], 19687.5);
  EXPECT_TRUE(json[1]["wall_speedup"].is_null());
}

}  // namespace
}  // namespace weft::cli
