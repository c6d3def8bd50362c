// SPDX-License-Identifier: Apache-2.0
// Sweeps with a stand-in for the program: rows, resuming, failures, seeds, the saturation search, Ctrl-C.
#include "cli/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "cli/stop_signal.h"
#include "tests/support/csv_table.h"
#include "tests/support/stand_in.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::CsvTable;
using weft::test::read_text;
using weft::test::TempDir;
using weft::test::write_text;

/// Called as `program run CONFIG --quiet --out DIR --set path=value ...`. Logs each call, then acts on `mode` and
/// `workload.traffic.rate`: latency = 10 + seed cycles, or 10 / (1 - 0.9 rate) with mode=queue, where a rate from 0.9
/// on saturates; with mode=step it is 10, and from rate seed / 10 + 0.05 on the network saturates.
constexpr const char* kProgram = R"(#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
out=$5
shift 5
seed=1; mode=ok; rate=0
while [ $# -gt 0 ]; do
  case "$2" in
    seed=*) seed=${2#seed=} ;;
    mode=*) mode=${2#mode=} ;;
    workload.traffic.rate=*) rate=${2#*=} ;;
  esac
  shift 2
done
case $mode in
  fail) echo "weft: error: line one" >&2; echo "and line two" >&2; exit 3 ;;
  once) if [ ! -e "$(dirname "$0")/tried" ]; then touch "$(dirname "$0")/tried"; exit 1; fi ;;
  silent) exit 0 ;;
  killed) kill -9 $$ ;;
  slow) sleep 60 ;;
esac
estimate=
if [ $mode = steady ]; then estimate="\"estimate\": {\"cycles\": 600, \"simulated_share\": 0.$seed},"; fi
mean=$((10 + seed)); saturated=false
if [ $mode = queue ]; then
  mean=$(awk "BEGIN { print 10 / (1 - 0.9 * $rate) }")
  saturated=$(awk "BEGIN { print ($rate >= 0.9 ? \"true\" : \"false\") }")
fi
if [ $mode = step ]; then
  mean=10
  saturated=$(awk "BEGIN { print ($rate >= $seed / 10 + 0.05 ? \"true\" : \"false\") }")
fi
if [ $saturated = true ] || [ $mode = nothing ]; then mean=null; fi
cat > "$out/summary.json" <<END
{$estimate "finished": true, "saturated": $saturated, "seed": $seed, "cycles": 1000, "flit_hops": 5,
 "time_ns": null, "packets": null, "flits": null, "avg_hops": null, "offered": null, "accepted": null,
 "network_latency_cycles": {"mean": null, "p50": null, "p99": null, "max": null},
 "cpu_s": null, "setup_cpu_s": null, "output_cpu_s": null, "wall_s": null, "peak_rss_bytes": null,
 "latency_cycles": {"mean": $mean, "p50": 1, "p99": null, "max": null}, "ranks": [{"finish_ns": 1}]}
END
if [ $mode = limited ]; then exit 4; fi
)";

class Sweep : public testing::Test {
 protected:
  Sweep() { test::write_script(dir_ / "program", kProgram); }

  SweepRequest request(std::vector<Axis> axes) {
    SweepRequest r;
    r.axes = std::move(axes);
    r.out = dir_ / "out";
    r.runner = {(dir_ / "program").string(), "system.yaml", 1};
    r.resolve = [](const std::vector<std::string>& settings) {
      ResolvedPoint point{"", 1};
      for (const std::string& setting : settings) {
        if (setting == "vcs=0") throw InputError("--set vcs=0: legal are 1 to 25");
        if (setting.rfind("seed=", 0) == 0) point.seed = std::stoull(setting.substr(5));
        // 0.5 and 0.50 are the same point, as after resolving.
        point.identity += (setting == "rate=0.50" ? "rate=0.5" : setting) + "\n";
      }
      return point;
    };
    return r;
  }
  static SweepTally sweep(const SweepRequest& r) {
    return run_sweep(r, [](const std::string&) {});
  }
  CsvTable table(const char* name = "sweep.csv") { return CsvTable(dir_ / "out" / name); }
  std::size_t calls() {
    if (!std::filesystem::exists(dir_ / "calls")) return 0;
    const std::string text = read_text(dir_ / "calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  TempDir dir_;
};

TEST_F(Sweep, writes_one_row_per_point) {
  const SweepTally tally = sweep(request({{"rate", {"0.1", "0.2"}}, {"seed", {"5", "7"}}}));
  EXPECT_EQ(tally.finished, 4U);
  EXPECT_EQ(tally.failed, 0U);
  const CsvTable t = table();
  ASSERT_EQ(t.rows(), 4U);
  EXPECT_EQ(t.at(0, "rate"), "0.1");
  EXPECT_EQ(t.at(1, "rate"), "0.1");
  EXPECT_EQ(t.at(1, "seed"), "7");
  EXPECT_EQ(t.at(1, "latency_cycles.mean"), "17");
  EXPECT_EQ(t.at(3, "status"), "0");
  EXPECT_EQ(t.at(3, "finished"), "true");
  EXPECT_EQ(t.at(3, "cycles"), "1000");
  EXPECT_EQ(t.at(3, "accepted"), "");
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out" / t.at(3, "results") / "summary.json"));
  EXPECT_THAT(read_text(dir_ / "calls"), HasSubstr("run system.yaml --quiet --out " + (dir_ / "out").string()));
  EXPECT_THAT(read_text(dir_ / "calls"), HasSubstr("--set rate=0.1 --set seed=7\n"));
}

TEST_F(Sweep, a_link_in_the_place_of_its_points_is_replaced) {
  std::filesystem::create_directories(dir_ / "out");
  std::filesystem::create_directories(dir_ / "elsewhere");
  std::filesystem::create_symlink(dir_ / "elsewhere", dir_ / "out" / "points");
  EXPECT_EQ(sweep(request({{"rate", {"0.1"}}})).finished, 1U);
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "elsewhere"));
  EXPECT_FALSE(std::filesystem::is_symlink(dir_ / "out" / "points"));
}

TEST_F(Sweep, continues_where_it_was) {
  sweep(request({{"rate", {"0.1", "0.2"}}}));
  ASSERT_EQ(calls(), 2U);
  const SweepTally tally = sweep(request({{"rate", {"0.1", "0.2", "0.3"}}}));
  EXPECT_EQ(tally.kept, 2U);
  EXPECT_EQ(tally.finished, 1U);
  EXPECT_EQ(calls(), 3U);
  EXPECT_EQ(table().rows(), 3U);
  EXPECT_EQ(table().at(0, "latency_cycles.mean"), "11");
}

TEST_F(Sweep, runs_a_point_whose_results_are_damaged_again) {
  sweep(request({{"rate", {"0.1"}}}));
  write_text(dir_ / "out" / table().at(0, "results") / "summary.json", "{\"cut");
  EXPECT_EQ(sweep(request({{"rate", {"0.1"}}})).kept, 0U);
  EXPECT_EQ(calls(), 2U);
}

TEST_F(Sweep, failed_point_does_not_lose_the_others) {
  const SweepTally tally = sweep(request({{"mode", {"ok", "fail", "silent", "killed"}}, {"vcs", {"1", "0"}}}));
  EXPECT_EQ(tally.finished, 1U);
  EXPECT_EQ(tally.failed, 7U);
  const CsvTable t = table();
  ASSERT_EQ(t.rows(), 8U);
  EXPECT_EQ(t.at(0, "status"), "0");
  EXPECT_EQ(t.at(1, "status"), "2");
  EXPECT_EQ(t.at(1, "error"), "'--set vcs=0: legal are 1 to 25");
  EXPECT_EQ(t.at(2, "status"), "3");
  EXPECT_EQ(t.at(2, "error"), "weft: error: line one | and line two");
  EXPECT_EQ(t.at(2, "cycles"), "");
  EXPECT_EQ(t.at(4, "status"), "1");
  EXPECT_THAT(t.at(4, "error"), HasSubstr("no summary.json"));
  EXPECT_EQ(t.at(6, "status"), "137");
}

TEST_F(Sweep, failed_points_are_tried_again) {
  EXPECT_EQ(sweep(request({{"mode", {"once"}}})).failed, 1U);
  EXPECT_EQ(table().at(0, "status"), "1");
  const SweepTally tally = sweep(request({{"mode", {"once"}}}));
  EXPECT_EQ(tally.finished, 1U);
  EXPECT_EQ(table().at(0, "status"), "0");
  EXPECT_EQ(table().at(0, "error"), "");
}

TEST_F(Sweep, point_that_failed_with_results_is_tried_again_too) {
  for (std::size_t i = 1; i <= 2; ++i) {
    const SweepTally tally = sweep(request({{"mode", {"limited"}}}));
    EXPECT_EQ(tally.kept, 0U);
    EXPECT_EQ(tally.first_failure, 4);
    EXPECT_EQ(calls(), i);
  }
  EXPECT_EQ(table().at(0, "status"), "4");
}

TEST_F(Sweep, program_that_cannot_run_is_a_failed_point) {
  SweepRequest r = request({{"rate", {"0.1"}}});
  r.runner.program = (dir_ / "missing").string();
  EXPECT_EQ(sweep(r).failed, 1U);
  EXPECT_EQ(table().at(0, "status"), "127");
  EXPECT_THAT(table().at(0, "error"), HasSubstr("cannot be executed"));
}

TEST_F(Sweep, equal_points_run_once_and_fill_both_rows) {
  const SweepTally tally = sweep(request({{"rate", {"0.5", "0.50"}}}));
  EXPECT_EQ(tally.finished, 1U);
  EXPECT_EQ(calls(), 1U);
  ASSERT_EQ(table().rows(), 2U);
  EXPECT_EQ(table().at(1, "rate"), "0.50");
  EXPECT_EQ(table().at(1, "cycles"), "1000");
}

TEST_F(Sweep, seeds_give_means_with_intervals) {
  SweepRequest r = request({{"seed", {"20"}}, {"rate", {"0.1"}}});
  r.seeds = 3;
  r.runner.jobs = 3;
  EXPECT_EQ(sweep(r).finished, 3U);
  const CsvTable t = table();
  ASSERT_EQ(t.rows(), 1U);
  EXPECT_EQ(t.at(0, "runs"), "3");
  // Seeds 20, 21, 22: latencies 30, 31, 32; deviation 1, half width 4.302653 / sqrt(3).
  EXPECT_EQ(t.at(0, "latency_cycles.mean"), "31");
  EXPECT_NEAR(std::stod(t.at(0, "latency_cycles.mean.ci95")), 2.484138, 1e-5);
  EXPECT_EQ(t.at(0, "cycles.ci95"), "0");
  EXPECT_EQ(t.at(0, "accepted.ci95"), "");
  const CsvTable runs = table("runs.csv");
  ASSERT_EQ(runs.rows(), 3U);
  EXPECT_EQ(runs.at(0, "latency_cycles.mean"), "30");
  EXPECT_EQ(runs.at(2, "latency_cycles.mean"), "32");
}

TEST_F(Sweep, runs_that_are_approximate_are_marked_in_the_tables_and_counted) {
  SweepRequest r = request({{"mode", {"ok", "steady", "fail"}}, {"seed", {"3"}}});
  r.seeds = 2;
  const SweepTally tally = sweep(r);
  EXPECT_EQ(tally.approximate, 2U);
  EXPECT_THAT(describe(tally, 0, ""), HasSubstr("6 runs done, 2 approximate, 2 failed"));
  const CsvTable t = table();
  ASSERT_EQ(t.rows(), 3U);
  EXPECT_EQ(t.at(0, "estimate.simulated_share"), "1");
  EXPECT_EQ(t.at(1, "estimate.simulated_share"), "0.3") << "seeds 3 and 4 have 0.3 and 0.4";
  EXPECT_EQ(t.at(2, "estimate.simulated_share"), "") << "nothing has finished";
  const CsvTable runs = table("runs.csv");
  ASSERT_EQ(runs.rows(), 6U);
  EXPECT_EQ(runs.at(0, "estimate.simulated_share"), "1");
  EXPECT_EQ(runs.at(3, "estimate.simulated_share"), "0.4");
  // What was done earlier is counted again; exact runs have no such column.
  EXPECT_EQ(sweep(r).approximate, 2U);
  sweep(request({{"mode", {"ok"}}, {"seed", {"3"}}}));
  EXPECT_EQ(read_text(dir_ / "out" / "sweep.csv").find("estimate"), std::string::npos);
}

TEST_F(Sweep, seeds_and_a_range_of_seeds_exclude_each_other_bad) {
  SweepRequest r = request({{"seed", {"1", "2"}}});
  r.seeds = 2;
  EXPECT_THROW(sweep(r), InputError);
}

TEST_F(Sweep, several_jobs_give_the_same_table) {
  const std::vector<Axis> axes{{"rate", {"0.1", "0.2", "0.3", "0.4", "0.5"}}, {"mode", {"ok", "fail"}}};
  sweep(request(axes));
  const std::string one = read_text(dir_ / "out" / "sweep.csv");
  SweepRequest r = request(axes);
  r.out = dir_ / "other";
  r.runner.jobs = 4;
  sweep(r);
  EXPECT_EQ(read_text(dir_ / "other" / "sweep.csv"), one);
}

TEST_F(Sweep, two_sweeps_in_one_directory_bad) {
  const PointStore other(dir_ / "out");
  EXPECT_THROW(sweep(request({{"rate", {"0.1"}}})), InputError);
}

TEST_F(Sweep, ctrl_c_keeps_what_is_done) {
  const StopSignal stop;
  SweepRequest r = request({{"mode", {"ok", "slow"}}});
  const SweepTally tally = run_sweep(r, [&](const std::string&) {
    if (calls() == 2 && !StopSignal::requested()) raise(SIGINT);  // a second one would end the test
  });
  EXPECT_TRUE(tally.interrupted);
  EXPECT_EQ(tally.finished, 1U);
  ASSERT_EQ(table().rows(), 1U);
  EXPECT_EQ(table().at(0, "mode"), "ok");
}

TEST_F(Sweep, saturation_search_finds_the_knee_of_each_point) {
  SweepRequest r = request({{"mode", {"queue"}}, {"vcs", {"1", "2"}}});
  r.runner.jobs = 2;
  const SweepTally tally = find_saturation(r, SaturationLimits{}, [](const std::string&) {});
  EXPECT_EQ(tally.failed, 0U);
  const CsvTable t = table("saturation.csv");
  ASSERT_EQ(t.rows(), 2U);
  for (std::size_t row = 0; row < 2; ++row) {
    // 10 / (1 - 0.9 rate) exceeds 3 * 10 / 0.991 = 30.27 above rate 0.7441.
    EXPECT_EQ(t.at(row, "saturation_rate"), "0.74");
    EXPECT_EQ(t.at(row, "first_rate_above"), "0.75");
    EXPECT_EQ(t.at(row, "zero_load_latency_cycles"), "10.0908");
    EXPECT_EQ(t.at(row, "status"), "0");
  }
  EXPECT_EQ(t.at(1, "vcs"), "2");
  EXPECT_EQ(table().rows(), 2 * std::stoul(t.at(0, "runs")));

  const std::size_t before = calls();
  find_saturation(r, SaturationLimits{}, [](const std::string&) {});
  EXPECT_EQ(calls(), before) << "a search taken up again ran points that were done";
}

// Seeds 4 to 6 saturate from 0.45, 0.55 and 0.65 on: the rates just below have mean 0.54 and deviation 0.1, so the half
// width is 4.302653 * 0.1 / sqrt(3).
TEST_F(Sweep, saturation_search_with_seeds_gives_means_with_intervals) {
  SweepRequest r = request({{"mode", {"step"}}, {"seed", {"4"}}, {"vcs", {"1", "0"}}});
  r.seeds = 3;
  r.runner.jobs = 2;
  const SweepTally tally = find_saturation(r, SaturationLimits{}, [](const std::string&) {});
  EXPECT_EQ(tally.failed, 3U);  // vcs=0 is not legal
  const CsvTable t = table("saturation.csv");
  ASSERT_EQ(t.rows(), 2U);
  EXPECT_NEAR(std::stod(t.at(0, "saturation_rate")), 0.54, 1e-9);
  EXPECT_NEAR(std::stod(t.at(0, "saturation_rate.ci95")), 0.2484138, 1e-6);
  EXPECT_NEAR(std::stod(t.at(0, "first_rate_above")), 0.55, 1e-9);
  EXPECT_EQ(t.at(0, "zero_load_latency_cycles"), "10");
  EXPECT_EQ(t.at(0, "zero_load_latency_cycles.ci95"), "0");
  EXPECT_EQ(t.at(0, "status"), "0");
  EXPECT_EQ(t.at(1, "status"), "2");
  EXPECT_EQ(t.at(1, "error"), "'--set vcs=0: legal are 1 to 25");
  EXPECT_EQ(t.at(1, "saturation_rate"), "");
  const CsvTable searches = table("searches.csv");
  ASSERT_EQ(searches.rows(), 6U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(searches.at(i, "search_seed"), std::to_string(4 + i));
    EXPECT_EQ(searches.at(i, "saturation_rate"), "0." + std::to_string(4 + i) + "4");
    EXPECT_EQ(searches.at(i, "point"), "0");
  }
  const CsvTable runs = table();
  EXPECT_EQ(runs.at(0, "vcs") + runs.at(0, "seed") + runs.at(0, "workload.traffic.rate"), "140.01");
  EXPECT_EQ(runs.at(runs.rows() - 1, "vcs"), "0");
  const std::size_t before = calls();
  find_saturation(r, SaturationLimits{}, [](const std::string&) {});
  EXPECT_EQ(calls(), before) << "a search taken up again ran points that were done";
}

TEST_F(Sweep, saturation_search_says_why_it_failed) {
  const SweepTally tally =
      find_saturation(request({{"mode", {"fail", "nothing"}}}), SaturationLimits{}, [](const std::string&) {});
  EXPECT_EQ(tally.failed, 2U);
  const CsvTable t = table("saturation.csv");
  EXPECT_EQ(t.at(0, "status"), "3");
  EXPECT_THAT(t.at(0, "error"), HasSubstr("line one"));
  EXPECT_EQ(t.at(0, "saturation_rate"), "");
  EXPECT_THAT(t.at(1, "error"), HasSubstr("no packet was measured"));
}

TEST_F(Sweep, saturation_search_chooses_the_rate_itself_bad) {
  EXPECT_THROW(
      find_saturation(request({{"workload.traffic.rate", {"0.1"}}}), SaturationLimits{}, [](const std::string&) {}),
      InputError);
}

}  // namespace
}  // namespace weft::cli
