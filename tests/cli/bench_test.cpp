// SPDX-License-Identifier: Apache-2.0
// Benchmarks with a stand-in for the program: medians, rates, memory per router, comparisons, failures.
#include "cli/bench/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "config/load.h"
#include "tests/support/stand_in.h"

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
  print_bench(f, table);
  EXPECT_THAT(table.str(), testing::ContainsRegex(bench_points().back().name + " +4.000 +20.000 "));
  BenchSample other = one;
  *other.uswitch_hops += 1;
  EXPECT_THROW(summarise(bench_points().back(), {one, other}), std::runtime_error);
}

// Full load of a Fred_3(12) is meant: every port has the rate of its wires, one flit per cycle.
TEST(Bench, switches_are_those_that_the_names_say) {
  int switches = 0;
  for (const BenchPoint& point : bench_points()) {
    if (point.config.empty() || point.name.find("fred") == std::string::npos) continue;
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

TEST(Bench, collectives_run_on_as_many_npus_as_the_names_of_the_points_say) {
  int meshes = 0;
  for (const BenchPoint& point : bench_points()) {
    if (point.name.rfind("real-", 0) != 0 || point.name.find("fred") != std::string::npos) continue;
    const Config config = load_config_text(bench_yaml(point), point.name + ".yaml");
    const std::string end = point.name.substr(point.name.rfind('-') + 1);
    EXPECT_EQ(config.fabric.nodes(), end == "wafer" ? 20 : std::stoi(end)) << point.name;
    ++meshes;
  }
  EXPECT_EQ(meshes, 4);
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
constexpr const char* kBenchProgram = R"(#!/bin/sh
echo run >> "$(dirname "$0")/calls"
size=$(sed -n 's/^  size: \[\([0-9]*\),.*/\1/p' "$2")
threads=$(sed -n 's/^threads: //p' "$2")
if grep -q "^name: bench-$(cat "$(dirname "$0")/broken" 2>/dev/null || echo none)\$" "$2"; then
  echo "no luck" >&2
  exit 3
fi
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
  BenchRun() { test::write_script(dir_ / "program", kBenchProgram); }
  std::vector<BenchFigures> bench(const std::string& filter) {
    std::vector<BenchFigures> figures;
    failures_.clear();
    BenchListener<BenchFigures> listener;
    listener.runs = [](const std::string&) {};
    listener.done = [&](const BenchFigures& each) {
      calls_at_row_.push_back(read_text(dir_ / "calls").size() / 4);  // "run\n"
      figures.push_back(each);
    };
    listener.failed = [&](const BenchFailure& each) { failures_.push_back(each); };
    const std::size_t failed = run_bench({(dir_ / "program").string(), filter, 3}, listener);
    EXPECT_EQ(failed, failures_.size());
    return figures;
  }
  TempDir dir_;
  std::vector<BenchFailure> failures_;
  std::vector<std::size_t> calls_at_row_;  ///< runs until each row
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
  EXPECT_TRUE(bench_json(figures[1])["bytes_per_router"].is_null());
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
  EXPECT_EQ(bench("2-threads").size(), 2U);
  ASSERT_EQ(failures_.size(), 1U);
  EXPECT_EQ(failures_[0].what, "benchmark 256x256-neighbor-2-threads has other results than 256x256-neighbor");
}

TEST_F(BenchRun, rows_come_as_they_are_ready) {
  bench("8x8");
  EXPECT_EQ(calls_at_row_, (std::vector<std::size_t>{3, 6, 9, 12}));
}

TEST_F(BenchRun, failed_run_is_said_and_the_others_go_on_bad) {
  write_text(dir_ / "broken", "8x8-0.2");
  const auto figures = bench("8x8");
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[1].name, "8x8-0.1");
  EXPECT_EQ(figures[2].name, "8x8-0.3");
  ASSERT_EQ(failures_.size(), 1U);
  EXPECT_EQ(failures_[0].name, "8x8-0.2");
  EXPECT_THAT(failures_[0].what, HasSubstr("benchmark 8x8-0.2 ended with status 3: no luck"));
  EXPECT_EQ(failures_[0].status, kExitInternal);
  EXPECT_EQ(bench_json(failures_)[0]["name"], "8x8-0.2");
}

/// Without the single router nothing is known about memory per router, and no other point stands in for it.
TEST_F(BenchRun, without_one_router_there_is_no_memory_per_router_bad) {
  write_text(dir_ / "broken", "1x1");
  const auto figures = bench("32x32");
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_FALSE(figures[0].bytes_per_router);
}

TEST(BenchFailures, have_the_status_of_their_kind) {
  EXPECT_EQ(failure_of("a", InputError("b")).status, kExitBadInput);
  EXPECT_EQ(failure_of("a", ViolationError("b")).status, kExitViolation);
  EXPECT_EQ(failure_of("a", std::runtime_error("b")).status, kExitInternal);
  EXPECT_EQ(failure_of("a", std::runtime_error("b")).what, "b");
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
  print_bench(figures[1], table);
  EXPECT_THAT(table.str(), testing::ContainsRegex("8x8-0.1 +2.000 +- +0.01 +19688 +0.100 +0.500 +4.000"));
  const auto json = bench_json(figures[1]);
  EXPECT_EQ(json["name"], "8x8-0.1");
  EXPECT_EQ(json["flit_hops_per_cpu_s"], 2e6);
  EXPECT_EQ(json["bytes_per_router"], 19687.5);
  EXPECT_TRUE(json["wall_speedup"].is_null());
}

}  // namespace
}  // namespace weft::cli
