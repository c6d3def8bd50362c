// SPDX-License-Identifier: Apache-2.0
// The results directory: names, columns, values by hand calculation, reproducible bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "runs/build_commit.h"
#include "runs/csv_file.h"
#include "runs/results_folder.h"
#include "runs/summary.h"
#include "runs/tables.h"
#include "runs/write_attempts.h"
#include "tests/sc_models/sample_result.h"
#include "tests/support/csv_table.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using weft::test::CsvTable;
using weft::test::read_text;
using weft::test::TempDir;
using weft::test::write_text;

nlohmann::json summary_of(const Config& config, const RunResult& result, std::size_t row_limit = 100) {
  return nlohmann::json::parse(summary_json(config, result, {0.125, 4096}, row_limit));
}

TEST(Results, summary_has_every_stable_name) {
  const auto s = summary_of(test::sample_config(), test::sample_result());
  EXPECT_EQ(s["version"], version());
  EXPECT_FALSE(version().empty());
  EXPECT_EQ(s["commit"], build_commit());
  EXPECT_EQ(s["seed"], 42);
  EXPECT_EQ(s["cycles"], 1000);
  EXPECT_EQ(s["time_ns"], 2000.0);
  EXPECT_EQ(s["finished"], true);
  EXPECT_EQ(s["saturated"], false);
  EXPECT_EQ(s["packets"], 4);
  EXPECT_EQ(s["flits"], 12);
  EXPECT_EQ(s["flit_hops"], 24);
  EXPECT_EQ(s["latency_cycles"], nlohmann::json::parse(R"({"mean": 16.0, "p50": 12, "p99": 30, "max": 30})"));
  EXPECT_EQ(s["network_latency_cycles"], nlohmann::json::parse(R"({"mean": 11.75, "p50": 9, "p99": 20, "max": 20})"));
  EXPECT_EQ(s["avg_hops"], 1.75);
  EXPECT_TRUE(s.at("offered").is_null());
  EXPECT_TRUE(s.at("accepted").is_null());
  EXPECT_EQ(s["cpu_s"], 0.5);
  EXPECT_EQ(s["setup_cpu_s"], 0.25);
  EXPECT_EQ(s["output_cpu_s"], 0.125);
  EXPECT_EQ(s["wall_s"], 0.75);
  EXPECT_EQ(s["peak_rss_bytes"], 4096);
  EXPECT_EQ(s["ranks"], nlohmann::json::parse(R"([
    {"finished": true, "finish_ns": 2000.0, "compute_ns": 1200.0, "exposed_comm_ns": 800.0,
     "compute_nodes": 3, "memory_bound_nodes": 1, "memory_wait_ns": 100.0},
    {"finished": true, "finish_ns": 1600.0, "compute_ns": 1400.0, "exposed_comm_ns": 0.0,
     "compute_nodes": 4, "memory_bound_nodes": 0, "memory_wait_ns": 0.0}])"));
}

TEST(Results, ranks_that_have_not_finished_have_no_end) {
  RunResult result = test::sample_result();
  result.ranks[1].finished = false;
  const auto ranks = summary_of(test::sample_config(), result)["ranks"];
  EXPECT_EQ(ranks[0]["finish_ns"], 2000.0);
  EXPECT_EQ(ranks[1]["finished"], false);
  EXPECT_TRUE(ranks[1]["finish_ns"].is_null());
}

// 1000 cycles are 2000 ns. Two channels of 4 GB/s could carry 16,000 B, and carried 4,000; three modules of 2 GB/s
// 12,000 B, and carried 6,000. Lines of pool controllers are not memory.
TEST(Results, shares_of_dram_and_pool) {
  RunResult result = test::sample_result();
  EXPECT_TRUE(summary_of(test::sample_config(), result).at("memory").is_null());
  const auto row = [](const char* name, std::uint32_t channel, std::uint64_t bytes) {
    mem::MemoryRow memory{name, channel, {}};
    memory.figures.bytes = bytes;
    return memory;
  };
  result.memory_rows = {row("npu[0]", 0, 1000), row("npu[0]", 1, 3000)};
  result.dram_channel_gbps = 4;
  EXPECT_EQ(summary_of(test::sample_config(), result)["memory"],
            nlohmann::json::parse(R"({"dram_channels": {"parts": 2, "bytes": 4000, "gbps": 4.0, "share": 0.25},
                                      "pool_modules": null})"));
  result.pool_rows = {row("pool.io", 0, 7777), row("pool.module", 0, 1000), row("pool.module", 1, 2000),
                      row("pool.module", 2, 3000)};
  result.pool_module_gbps = 2;
  EXPECT_EQ(summary_of(test::sample_config(), result)["memory"]["pool_modules"],
            nlohmann::json::parse(R"({"parts": 3, "bytes": 6000, "gbps": 2.0, "share": 0.5})"));
}

TEST(Results, hops_of_uswitches_where_there_are_some) {
  RunResult result = test::sample_result();
  EXPECT_EQ(summary_of(test::sample_config(), result).count("uswitch_hops"), 0u);
  result.uswitch_hops = 77;
  EXPECT_EQ(summary_of(test::sample_config(), result)["uswitch_hops"], 77);
}

TEST(Results, stored_settings_are_counted) {
  RunResult result = test::sample_result();
  EXPECT_EQ(summary_of(test::sample_config(), result).count("stored_settings"), 0u);
  result.settings = SettingRecord{17, "l1[0]", 14, 871, 1536, 4000, 5, 6, 7};
  EXPECT_EQ(summary_of(test::sample_config(), result)["stored_settings"],
            nlohmann::json::parse(R"({"most": 17, "where": "l1[0]", "capacity": 14, "bits": 871, "memory_bytes": 1536,
                                      "changes": 4000, "reloads": 5, "preemptions": 6, "yields": 7})"));
  result.settings->preemptions = result.settings->yields = std::nullopt;
  const nlohmann::json untold = summary_of(test::sample_config(), result)["stored_settings"];
  EXPECT_TRUE(untold["preemptions"].is_null());
  EXPECT_TRUE(untold["yields"].is_null());
}

TEST(Results, models_of_switches_and_compared_cycles) {
  RunResult result = test::sample_result();
  EXPECT_EQ(summary_of(test::sample_config(), result).count("switches"), 0u);
  result.switches = {{"fabric.l1[0]", "lockstep", 70}, {"fabric.l1[1]", "lockstep", 5}, {"fabric.l2[0]", "tlm", 0}};
  EXPECT_EQ(summary_of(test::sample_config(), result)["switches"],
            nlohmann::json::parse(R"({"models": {"lockstep": 2, "tlm": 1}, "compared_cycles": 75, "each": [
              {"name": "fabric.l1[0]", "model": "lockstep", "compared_cycles": 70},
              {"name": "fabric.l1[1]", "model": "lockstep", "compared_cycles": 5},
              {"name": "fabric.l2[0]", "model": "tlm", "compared_cycles": 0}]})"));
  const auto short_of = [&](std::size_t rows) {
    return nlohmann::json::parse(summary_json(test::sample_config(), result, {}, rows))["switches"]["each"];
  };
  EXPECT_EQ(short_of(3).size(), 3u);
  EXPECT_TRUE(short_of(2).is_null());
}

TEST(Results, links_that_repair_losses_are_counted) {
  RunResult result = test::sample_result();
  EXPECT_EQ(summary_of(test::sample_config(), result).count("link_layer"), 0u);
  result.link_layer = LinkLayerRecord{1000, 30, 29, 60, 7, 2};
  EXPECT_EQ(summary_of(test::sample_config(), result)["link_layer"],
            nlohmann::json::parse(
                R"({"packets": 1000, "resent": 30, "discarded": 29, "acks": 60, "nacks": 7, "timeouts": 2})"));
}

TEST(Results, saturated_run_has_null_latencies) {
  RunResult result = test::sample_result();
  result.saturated = true;
  result.offered = 0.5;
  result.accepted = 0.25;
  const auto s = summary_of(test::sample_config(), result);
  for (const char* key : {"latency_cycles", "network_latency_cycles"}) {
    for (const char* figure : {"mean", "p50", "p99", "max"}) EXPECT_TRUE(s[key].at(figure).is_null()) << key << figure;
  }
  EXPECT_EQ(s["offered"], 0.5);
  EXPECT_EQ(s["accepted"], 0.25);
  EXPECT_EQ(s["saturated"], true);
}

TEST(Results, run_without_packets_has_null_latencies) {
  RunResult result;
  result.finished = true;
  const auto s = summary_of(test::sample_config(), result);
  EXPECT_TRUE(s["latency_cycles"].at("mean").is_null());
  EXPECT_TRUE(s.at("avg_hops").is_null());
}

TEST(Results, ranks_above_the_limit_are_left_out) {
  EXPECT_TRUE(summary_of(test::sample_config(), test::sample_result(), 1).at("ranks").is_null());
  EXPECT_EQ(summary_of(test::sample_config(), test::sample_result(), 2).at("ranks").size(), 2U);
}

TEST(Results, npu_clock_of_its_own_counts_ranks_and_collectives) {
  Config config = test::sample_config();
  config.npu.clock = ClockSpec{{1'000'000'000, 1}};
  const auto s = summary_of(config, test::sample_result());
  EXPECT_EQ(s["time_ns"], 2000.0);
  EXPECT_EQ(s["ranks"][0]["finish_ns"], 1000.0);
}

TEST(Results, tables_round_trip) {
  const TempDir dir;
  EXPECT_THAT(write_tables(dir.path(), test::sample_config(), test::sample_result(), 100), SizeIs(0));

  const CsvTable links(dir / "links.csv");
  EXPECT_THAT(links.columns(), ElementsAre("link", "from", "to", "flits", "utilisation", "stall_cycles",
                                           "lost_arbitration_cycles", "waiting_operand_cycles"));
  ASSERT_EQ(links.rows(), 2U);
  EXPECT_EQ(links.at(0, "link"), "fabric.router[0,0].east");
  EXPECT_EQ(links.at(0, "to"), "router[1,0]");
  EXPECT_EQ(links.at(0, "flits"), "8");
  EXPECT_EQ(links.at(0, "utilisation"), "0.008");
  EXPECT_EQ(links.at(0, "stall_cycles"), "3");
  EXPECT_EQ(links.at(0, "lost_arbitration_cycles"), "2");
  EXPECT_EQ(links.at(0, "waiting_operand_cycles"), "1");

  const CsvTable nodes(dir / "nodes.csv");
  EXPECT_THAT(nodes.columns(), ElementsAre("node", "x", "y", "rank", "packets_sent", "packets_received", "flits_sent",
                                           "flits_received"));
  EXPECT_EQ(nodes.at(0, "rank"), "1");
  EXPECT_EQ(nodes.at(1, "rank"), "");
  EXPECT_EQ(nodes.at(1, "flits_received"), "9");

  const CsvTable latency(dir / "latency.csv");
  EXPECT_THAT(latency.columns(), ElementsAre("latency_cycles", "packets", "network_packets"));
  ASSERT_EQ(latency.rows(), 5U);  // 9, 10, 12, 20, 30
  EXPECT_EQ(latency.at(0, "network_packets"), "3");
  EXPECT_EQ(latency.at(2, "latency_cycles"), "12");
  EXPECT_EQ(latency.at(2, "packets"), "2");
  EXPECT_EQ(latency.at(2, "network_packets"), "0");
}

TEST(Results, collectives_table_by_hand) {
  const TempDir dir;
  write_tables(dir.path(), test::sample_config(), test::sample_result(), 100);
  const CsvTable c(dir / "collectives.csv");
  EXPECT_THAT(c.columns(), ElementsAre("name", "kind", "algorithm", "group", "bytes", "start_cycle", "end_cycle",
                                       "start_ns", "end_ns", "algbw_gbps", "busbw_gbps", "ranks", "finished"));
  EXPECT_EQ(c.at(0, "kind"), "all_reduce");
  EXPECT_EQ(c.at(0, "start_ns"), "200");
  EXPECT_EQ(c.at(0, "end_ns"), "712");
  EXPECT_EQ(c.at(0, "algbw_gbps"), "8");  // 4096 bytes in 256 cycles of 2 ns
  EXPECT_EQ(c.at(0, "busbw_gbps"), "8");  // times 2 (2 - 1) / 2
  EXPECT_EQ(c.at(1, "name"), "gather \"x\"");
  EXPECT_EQ(c.at(1, "algbw_gbps"), "20");  // 4 ranks of 1000 bytes in 200 ns
  EXPECT_EQ(c.at(1, "busbw_gbps"), "15");  // times 3/4
  EXPECT_EQ(c.at(2, "algbw_gbps"), "");
  EXPECT_EQ(c.at(2, "finished"), "false");
}

TEST(Results, large_tables_only_if_asked) {
  const TempDir dir;
  const auto left_out = write_tables(dir.path(), test::sample_config(), test::sample_result(), 2);
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("collectives.csv not written: 3 rows"),
                                    HasSubstr("latency.csv not written: 5 rows")));
  EXPECT_TRUE(std::filesystem::exists(dir / "links.csv"));
  EXPECT_FALSE(std::filesystem::exists(dir / "latency.csv"));
}

TEST(Results, identical_runs_give_identical_bytes) {
  const TempDir dir;
  for (const char* name : {"a", "b"}) {
    ResultsFolder(dir / name, "name: sample\n").write(test::sample_config(), test::sample_result(), false);
  }
  for (const char* file : {"config.resolved.yaml", "links.csv", "nodes.csv", "collectives.csv", "latency.csv"}) {
    EXPECT_EQ(read_text(dir / "a" / file), read_text(dir / "b" / file)) << file;
  }
  auto a = nlohmann::ordered_json::parse(read_text(dir / "a" / "summary.json"));
  auto b = nlohmann::ordered_json::parse(read_text(dir / "b" / "summary.json"));
  for (const char* key : {"output_cpu_s", "peak_rss_bytes"}) {
    EXPECT_GT(a.at(key).get<double>(), 0.0) << key;
    a.erase(key);
    b.erase(key);
  }
  EXPECT_EQ(a.dump(), b.dump());
}

TEST(Results, an_earlier_run_stays_until_the_new_results_are_written) {
  const TempDir dir;
  write_text(dir / "summary.json", "old");
  write_text(dir / "config.resolved.yaml", "name: old\n");
  write_text(dir / "links.csv", "old");
  write_text(dir / "timeline.json", "old");  // the new run writes none
  write_text(dir / "notes.txt", "mine");
  const ResultsFolder folder(dir.path(), "name: new\n");
  for (const char* file : {"summary.json", "links.csv", "timeline.json"}) EXPECT_EQ(read_text(dir / file), "old");
  EXPECT_EQ(read_text(dir / "config.resolved.yaml"), "name: old\n");
  folder.write(test::sample_config(), test::sample_result(), true);
  EXPECT_EQ(nlohmann::json::parse(read_text(dir / "summary.json"))["name"], "sample");
  EXPECT_EQ(read_text(dir / "config.resolved.yaml"), "name: new\n");
  EXPECT_THAT(read_text(dir / "links.csv"), HasSubstr("link,from,to"));
  EXPECT_FALSE(std::filesystem::exists(dir / "timeline.json"));
  EXPECT_EQ(read_text(dir / "notes.txt"), "mine");
}

TEST(Results, leftovers_of_a_killed_run_are_removed) {
  const TempDir dir;
  write_text(dir / "links.csv", "old");
  write_text(dir / "summary.json.4711-0.part", "half");
  write_text(dir / "mine.part", "mine");
  const ResultsFolder folder(dir.path(), "name: new\n");
  EXPECT_FALSE(std::filesystem::exists(dir / "links.csv"));
  EXPECT_FALSE(std::filesystem::exists(dir / "summary.json.4711-0.part"));
  EXPECT_EQ(read_text(dir / "mine.part"), "mine");
  EXPECT_EQ(read_text(dir / "config.resolved.yaml"), "name: new\n");
}

TEST(Results, a_device_or_a_directory_in_the_place_of_a_result_bad) {
  for (const char* file : {"summary.json", "log.sqlite"}) {
    const TempDir dir;
    ASSERT_EQ(mkfifo((dir / file).c_str(), 0600), 0);
    EXPECT_THROW(ResultsFolder(dir.path(), ""), InputError);
    EXPECT_TRUE(std::filesystem::is_fifo(dir / file));
  }
}

// Every file is tried; what could not be written is named once and does not stay as a part.
TEST(Results, a_file_that_cannot_be_written_costs_no_other) {
  const TempDir dir;
  const ResultsFolder folder(dir.path(), "");
  for (const char* file : {"links.csv", "nodes.csv"}) {
    std::filesystem::create_directory(dir / file);
    write_text(dir / file / "x", "");
  }
  try {
    folder.write(test::sample_config(), test::sample_result(), true);
    FAIL() << "nothing was said";
  } catch (const ResultsNotWritten& lost) {
    const std::string why = ": cannot be written: a directory stands there, which is not replaced by a result";
    EXPECT_EQ(lost.what(), (dir / "links.csv").string() + why + "\n" + (dir / "nodes.csv").string() + why);
  }
  for (const char* file : {"collectives.csv", "latency.csv", "summary.json"}) {
    EXPECT_FALSE(read_text(dir / file).empty()) << file;
  }
}

TEST(Results, a_summary_that_cannot_be_written_leaves_no_part) {
  const TempDir dir;
  const ResultsFolder folder(dir.path(), "");
  std::filesystem::create_directory(dir / "summary.json");
  write_text(dir / "summary.json/x", "");
  EXPECT_THROW(folder.write(test::sample_config(), test::sample_result(), true), ResultsNotWritten);
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
  EXPECT_FALSE(read_text(dir / "links.csv").empty());
}

TEST(Results, links_in_the_folder_are_replaced_and_never_followed) {
  const TempDir dir;
  const TempDir other;
  const ResultsFolder folder(dir.path(), "");
  for (const char* file : {"links.csv", "summary.json", "nodes.csv.part", "summary.json.part"}) {
    write_text(other / file, "mine");
    std::filesystem::create_symlink(other / file, dir / file);
  }
  folder.write(test::sample_config(), test::sample_result(), true);
  for (const char* file : {"links.csv", "summary.json"}) {
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(dir / file))) << file;
  }
  for (const auto& entry : std::filesystem::directory_iterator(other.path())) {
    EXPECT_EQ(read_text(entry.path()), "mine") << entry.path();
  }
}

TEST(Results, file_in_place_of_folder_bad) {
  const TempDir dir;
  write_text(dir / "taken", "");
  try {
    const ResultsFolder folder(dir / "taken", "");
    FAIL() << "a file was taken for a directory";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr((dir / "taken").string()));
    EXPECT_THAT(error.what(), HasSubstr("cannot be made a directory"));
  }
}

// Files that may not grow further are refused bytes as a full disk does.
TEST(Results, lost_bytes_are_said_and_the_old_table_stays_bad) {
  const TempDir dir;
  write_text(dir / "t.csv", "old");
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{2, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  {
    CsvFile csv(dir / "t.csv", "a,b");
    EXPECT_THROW(csv.close(), std::runtime_error);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(read_text(dir / "t.csv"), "old");
}

TEST(Results, text_of_any_bytes_gives_valid_json) {
  RunResult result = test::sample_result();
  result.stop_text = "name \xff\xfe";
  EXPECT_NO_THROW(summary_of(test::sample_config(), result));
}

TEST(Results, short_warmup_is_said) {
  Config config = test::sample_config();
  TrafficWorkload traffic;
  traffic.warmup_cycles = 7;
  config.workload = traffic;
  RunResult result = test::sample_result();
  result.first_half = {1000, 20'000};
  result.second_half = {1000, 22'001};
  EXPECT_THAT(warmup_warning(config, result), HasSubstr("warmup_cycles = 7"));
  EXPECT_THAT(warmup_warning(config, result), HasSubstr("from 20.0 to 22.0"));
  EXPECT_THAT(summary_of(config, result)["warnings"], SizeIs(1));
  result.second_half.sum = 22'000;  // 10 % is still quiet
  EXPECT_EQ(warmup_warning(config, result), "");
  result.second_half = {99, 99'000};  // too few to say anything
  EXPECT_EQ(warmup_warning(config, result), "");
}

}  // namespace
}  // namespace weft::sc_models
