// SPDX-License-Identifier: Apache-2.0
// `weft run` and its neighbours as a child process: exit statuses, files, reproducibility, Ctrl-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using weft::test::Child;
using weft::test::ChildResult;
using weft::test::CsvTable;
using weft::test::read_text;
using weft::test::write_text;

constexpr const char* kRunConfig = R"(name: small
fabric: {kind: mesh, size: [4, 4]}
workload:
  traffic: {pattern: uniform, rate: 0.1, packet_flits: 5, warmup_cycles: 200, measure_cycles: 2000, drain_cycles: 5000}
)";

class Run : public ProgramCase {
 protected:
  Run() { write_text(dir_ / "c.yaml", kRunConfig); }
};

TEST_F(Run, writes_results_and_says_where) {
  const ChildResult r = weft({"run", "c.yaml"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  EXPECT_THAT(r.out, HasSubstr("small: 4 x 4 mesh, xy; uniform traffic at 0.1 flits/node/cycle"));
  EXPECT_THAT(r.out, HasSubstr("results/small-1\n"));
  EXPECT_EQ(r.err, "") << "progress or noise where no terminal is";
  for (const char* file : {"config.resolved.yaml", "links.csv", "nodes.csv", "collectives.csv", "latency.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(dir_ / "results/small-1" / file)) << file;
  }
  const auto s = summary("results/small-1");
  EXPECT_EQ(s["finished"], true);
  EXPECT_EQ(s["saturated"], false);
  // 4 x 4 uniform: 1 + 2 (4 - 1/4)/3 = 3.5 routers on average.
  EXPECT_NEAR(s["avg_hops"].get<double>(), 3.5, 0.15);
  EXPECT_EQ(weft({"run", "c.yaml"}).status, kExitOk);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "results/small-2/summary.json"));
}

TEST_F(Run, tables_agree_with_the_summary) {
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "o", "--quiet"}).status, kExitOk);
  const auto s = summary("o");
  const CsvTable nodes(dir_ / "o/nodes.csv");
  ASSERT_EQ(nodes.rows(), 16U);
  std::uint64_t flits = 0, packets = 0;
  for (std::size_t i = 0; i < nodes.rows(); ++i) {
    flits += std::stoull(nodes.at(i, "flits_received"));
    packets += std::stoull(nodes.at(i, "packets_received"));
  }
  EXPECT_EQ(flits, s["flits"]);
  EXPECT_EQ(packets, s["packets"]);
  const CsvTable latency(dir_ / "o/latency.csv");
  std::uint64_t counted = 0, sum = 0;
  for (std::size_t i = 0; i < latency.rows(); ++i) {
    const auto times = std::stoull(latency.at(i, "packets"));
    counted += times;
    sum += times * std::stoull(latency.at(i, "latency_cycles"));
  }
  EXPECT_DOUBLE_EQ(static_cast<double>(sum) / static_cast<double>(counted), s["latency_cycles"]["mean"].get<double>());
}

TEST_F(Run, same_bytes_again_and_from_the_resolved_configuration) {
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "a", "--quiet"}).status, kExitOk);
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "b", "--quiet"}).status, kExitOk);
  ASSERT_EQ(weft({"run", "a/config.resolved.yaml", "--out", "c", "--quiet"}).status, kExitOk);
  for (const char* other : {"b", "c"}) {
    for (const char* file : {"config.resolved.yaml", "links.csv", "nodes.csv", "collectives.csv", "latency.csv"}) {
      EXPECT_EQ(read_text(dir_ / "a" / file), read_text(dir_ / other / file)) << other << "/" << file;
    }
    auto one = summary("a");
    auto two = summary(other);
    for (const char* key : {"cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes"}) {
      EXPECT_EQ(one.erase(key), 1U) << key;
      two.erase(key);
    }
    EXPECT_EQ(one, two);
  }
}

TEST_F(Run, quiet_says_nothing) {
  const ChildResult r = weft({"run", "c.yaml", "--out", "o", "--quiet"});
  EXPECT_EQ(r.status, kExitOk);
  EXPECT_EQ(r.out + r.err, "");
}

TEST_F(Run, saturated_run_is_a_result) {
  const ChildResult r = weft({"run", "c.yaml", "--set", "workload.traffic.rate=1", "--set",
                              "workload.traffic.drain_cycles=100", "--out", "o"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  const auto s = summary("o");
  EXPECT_EQ(s["finished"], true);
  EXPECT_EQ(s["saturated"], true);
  EXPECT_TRUE(s["latency_cycles"].at("mean").is_null());
  EXPECT_THAT(r.out, HasSubstr("saturated"));
}

TEST_F(Run, cycle_limit_has_a_status_of_its_own) {
  const ChildResult r = weft({"run", "c.yaml", "--set", "limits.cycles=300", "--out", "o"});
  EXPECT_EQ(r.status, kExitLimit);
  EXPECT_THAT(r.err, HasSubstr("limits.cycles = 300"));
  EXPECT_EQ(summary("o")["finished"], false);
  EXPECT_EQ(summary("o")["cycles"], 300);
}

TEST_F(Run, ctrl_c_writes_what_there_is) {
  Child child({WEFT_PROGRAM, "run", "c.yaml", "--set", "workload.traffic.measure_cycles=100000000", "--out", "o"},
              dir_.path().string());
  // config.resolved.yaml is written just before the run; the run itself then takes about a minute or more.
  while (!std::filesystem::exists(dir_ / "o/config.resolved.yaml")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(child.pid(), SIGINT);
  const ChildResult r = child.wait();
  EXPECT_EQ(r.status, kExitInterrupted);
  EXPECT_THAT(r.err, HasSubstr("interrupted at cycle"));
  EXPECT_EQ(summary("o")["finished"], false);
  EXPECT_EQ(summary("o")["stop"], "interrupted");
}

TEST_F(Run, bad_configurations_bad) {
  ChildResult r = weft({"run", "none.yaml"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("none.yaml"));
  r = weft({"run", "c.yaml", "--set", "fabric.rooter.vcs=3"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("did you mean 'router'"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "results")) << "bad input left results behind";
  EXPECT_EQ(weft({"run", "c.yaml", "--out", "c.yaml"}).status, kExitBadInput);
  EXPECT_EQ(weft({"run"}).status, kExitBadInput);
}

TEST_F(Run, missing_trace_leaves_no_results_bad) {
  write_text(dir_ / "t.yaml", "fabric: {kind: mesh, size: [2, 2]}\nworkload: {trace: {chakra: no/such}}\n");
  const ChildResult r = weft({"run", "t.yaml", "--out", "o"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("no/such"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "o"));
}

TEST_F(Run, relative_waves_lie_with_the_results) {
  const ChildResult run = weft({"run", "c.yaml", "--set", "waves.file=w.vcd", "--out", "o"});
  ASSERT_EQ(run.status, kExitOk);
  EXPECT_THAT(run.out, HasSubstr("\n  waves            o/w.vcd\n"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "o/w.vcd"));
  EXPECT_THAT(read_text(dir_ / "o/config.resolved.yaml"), testing::Not(HasSubstr("o/w.vcd")));
}

TEST_F(Run, generated_trace_plays_end_to_end) {
  ASSERT_EQ(
      weft({"trace", "gen", "collective", "--kind", "all_reduce", "--ranks", "4", "--size", "64 KiB", "--out", "t/ar"})
          .status,
      kExitOk);
  EXPECT_EQ(weft({"trace", "check", "t/ar"}).status, kExitOk);
  EXPECT_THAT(weft({"trace", "info", "t/ar"}).out, HasSubstr("ALL_REDUCE"));
  EXPECT_THAT(weft({"trace", "show", "t/ar"}).out, HasSubstr("digraph"));
  write_text(dir_ / "t.yaml", "name: t\nfabric: {kind: mesh, size: [2, 2]}\nworkload: {trace: {chakra: t/ar}}\n");
  EXPECT_THAT(weft({"check", "t.yaml"}).out, HasSubstr("estimate"));
  const ChildResult r = weft({"run", "t.yaml", "--out", "o"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  const CsvTable collectives(dir_ / "o/collectives.csv");
  ASSERT_EQ(collectives.rows(), 1U);
  EXPECT_EQ(collectives.at(0, "kind"), "all_reduce");
  EXPECT_EQ(collectives.at(0, "bytes"), "65536");
  EXPECT_EQ(collectives.at(0, "ranks"), "4");
  EXPECT_EQ(summary("o")["ranks"].size(), 4U);
  // A rank's link carries 32 B per ns and 2 (4-1)/4 of the data must leave each rank: busbw cannot exceed 32 GB/s.
  EXPECT_LE(std::stod(collectives.at(0, "busbw_gbps")), 32.0);
  EXPECT_GT(std::stod(collectives.at(0, "busbw_gbps")), 8.0);
}

TEST_F(Run, unknown_kind_of_a_trace_bad) {
  const ChildResult r = weft({"trace", "gen", "collective", "--kind", "allreduce", "--out", "t/x"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("did you mean 'all_reduce'"));
}

TEST_F(Run, programs_are_checked_and_go_round_through_a_file) {
  EXPECT_EQ(weft({"program", "check", "--algorithm", "hierarchical_2d", "--ranks", "20", "--mesh", "5", "4"}).status,
            kExitOk);
  const ChildResult exported = weft({"program", "export", "--algorithm", "ring", "--ranks", "4"});
  ASSERT_EQ(exported.status, kExitOk);
  write_text(dir_ / "p", exported.out);
  EXPECT_EQ(weft({"program", "check", "p"}).status, kExitOk);
  EXPECT_THAT(weft({"program", "show", "p", "--rank", "0"}).out, HasSubstr("send"));
  write_text(dir_ / "p", "damaged");
  EXPECT_EQ(weft({"program", "check", "p"}).status, kExitBadInput);
}

TEST_F(Run, schema_is_json_and_check_refuses_what_run_refuses) {
  EXPECT_NO_THROW(nlohmann::json::parse(weft({"schema"}).out));
  EXPECT_THAT(weft({"schema", "--markdown"}).out, HasSubstr("workload.traffic.rate"));
  EXPECT_EQ(weft({"check", "c.yaml"}).status, kExitOk);
  EXPECT_EQ(weft({"check", "c.yaml", "--set", "fabric.kind=graph"}).status, kExitBadInput);
}

TEST_F(Run, sweep_runs_this_program_once_per_point) {
  const std::vector<std::string> command{"sweep",  "c.yaml", "--set", "workload.traffic.rate=0.1:0.3:0.1",
                                         "--jobs", "2",      "--out", "s"};
  const ChildResult r = weft(command);
  EXPECT_EQ(r.status, kExitOk) << r.err;
  EXPECT_THAT(r.out, HasSubstr("3 runs done"));
  const CsvTable t(dir_ / "s/sweep.csv");
  ASSERT_EQ(t.rows(), 3U);
  EXPECT_EQ(t.at(2, "workload.traffic.rate"), "0.3");
  EXPECT_NEAR(std::stod(t.at(2, "offered")), 0.3, 0.03);
  EXPECT_LT(std::stod(t.at(0, "latency_cycles.mean")), std::stod(t.at(2, "latency_cycles.mean")));
  EXPECT_THAT(weft(command).out, HasSubstr("3 runs done, 3 of them earlier"));
}

TEST_F(Run, sweep_with_a_bad_point_keeps_the_good_ones) {
  const ChildResult r = weft({"sweep", "c.yaml", "--set", "fabric.router.vcs=[2, 99]", "--out", "s", "--quiet"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_EQ(r.out, "");
  const CsvTable t(dir_ / "s/sweep.csv");
  ASSERT_EQ(t.rows(), 2U);
  EXPECT_EQ(t.at(0, "status"), "0");
  EXPECT_EQ(t.at(1, "status"), "2");
  EXPECT_THAT(t.at(1, "error"), HasSubstr("vcs"));
}

// What `weft check` warns of, before the run, to standard error.
TEST_F(Run, warns_of_what_check_warns_of) {
  const std::string words = "npu.packet_bytes 100 is no whole number of flits of 512 bytes";
  const std::string demo = test::source("configs/demo.yaml");
  const auto result = weft({"run", demo, "--set", "npu.packet_bytes=100", "--set", "waves.file=", "--set",
                            "limits.cycles=100", "--quiet", "--no-report", "--out", "o"});
  EXPECT_THAT(result.err, testing::HasSubstr("weft: warning: " + words));
}

}  // namespace
}  // namespace weft::cli
