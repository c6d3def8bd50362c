// SPDX-License-Identifier: Apache-2.0
// Logs of whole runs: the critical path adds up to the run on every fabric and memory, and logging changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "config/load.h"
#include "log/timeline_check.h"
#include "tests/sc_models/support/ask_log.h"
#include "tests/sc_models/support/trace_text.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using testing::IsEmpty;
using Words = std::vector<std::string>;

constexpr const char* kMesh =
    "fabric: {size: [2, 1], flit_bytes: 64 B, router: {vcs: 2, buffer_flits: 8}}\nclock: 1 GHz\nlog: {level: steps}\n";

std::uint64_t path_cycles(const TempDir& folder, const std::string& kind) {
  return number(folder, "SELECT total(end_cycle - start_cycle) FROM path WHERE kind = '" + kind + "'");
}

/// The path begins with the run, ends with it, and has no gap.
void expect_whole_path(const TempDir& folder, std::uint64_t end) {
  EXPECT_EQ(number(folder, "SELECT total(end_cycle - start_cycle) FROM path"), end);
  EXPECT_EQ(number(folder, "SELECT min(start_cycle) FROM path"), 0U);
  EXPECT_EQ(number(folder, "SELECT max(end_cycle) FROM path"), end);
  EXPECT_THAT(ask(folder,
                  "SELECT a.step FROM path AS a JOIN path AS b ON b.step = a.step + 1 "
                  "WHERE a.end_cycle <> b.start_cycle"),
              IsEmpty());
  std::ifstream timeline(folder / "timeline.json");
  EXPECT_THAT(log::check_timeline(timeline).problems, IsEmpty());
}

// 7 us of compute, 6400 bytes = 100 flits over two routers, 3 us of compute. Alone on its way: no wait but for the
// link.
TEST(RunLog, compute_message_compute_by_hand) {
  const Traces trace(2, [](TraceText& text, int rank) {
    rank == 0 ? text.send(1, 6400, text.compute(7)) : text.compute(3, text.receive(0, 6400));
  });
  const TempDir folder;
  const Config config = load_config_text(
      kMesh, "a.yaml",
      {"workload.trace.chakra=" + (trace / "t").string(), "npu.packet_bytes=6400", "fabric.router.buffer_flits=128"});
  ASSERT_EQ(run_into(folder, config), "");
  expect_whole_path(folder, cycles(folder));
  EXPECT_EQ(path_cycles(folder, "compute"), 10'000U);
  EXPECT_EQ(path_cycles(folder, "link"), cycles(folder) - 10'000);
  EXPECT_EQ(path_cycles(folder, "switch"), 0U);
  EXPECT_THAT(read_text(folder / "summary.json"), testing::HasSubstr("\"compute\": 10000,"));
  EXPECT_THAT(ask(folder, "SELECT what FROM path WHERE kind = 'compute' ORDER BY step"),
              testing::ElementsAre("c0", "c1"));
}

// 20 MB from the NPU's own DRAM, then work of 1 us: the path has nothing else. The same from a memory that takes 100 ns
// and 1 GB/s by ASTRA-sim's formula, which somebody beside the fabric reckons.
TEST(RunLog, memory_is_on_the_path) {
  const Traces trace(1, [](TraceText& text, int) { text.compute(1, text.load(200'000, "")); });
  const TempDir local;
  const Words words{"workload.trace.chakra=" + (trace / "t").string(), "fabric.size=[1, 1]"};
  Words dram = words;
  dram.insert(dram.end(), {"memory.timing=hbm3", "npu.peak_flops=1 TFLOP/s", "npu.memory_bandwidth=1 TB/s"});
  ASSERT_EQ(run_into(local, load_config_text(kMesh, "a.yaml", dram)), "");
  expect_whole_path(local, cycles(local));
  EXPECT_EQ(path_cycles(local, "compute"), 1000U);
  EXPECT_EQ(path_cycles(local, "memory"), cycles(local) - 1000);

  const TempDir folder;
  std::ofstream(folder / "r.json")
      << R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 1})";
  Words remote = words;
  remote.insert(remote.end(), {"memory.tensors=remote", "memory.remote=" + (folder / "r.json").string()});
  ASSERT_EQ(run_into(folder, load_config_text(kMesh, "a.yaml", remote)), "");
  expect_whole_path(folder, cycles(folder));
  EXPECT_EQ(path_cycles(folder, "memory"), 200'100U);
  EXPECT_EQ(path_cycles(folder, "compute"), 1000U);
}

// Ended in the middle: rank 0 has computed for 7000 cycles and is in the all-reduce since, rank 1 from the start on.
TEST(RunLog, what_is_under_way_at_the_end_counts_up_to_it) {
  const Traces trace(2, [](TraceText& text, int rank) {
    rank == 0 ? text.all_reduce(1 << 20, text.compute(7)) : text.all_reduce(1 << 20);
  });
  const TempDir folder;
  const Config config =
      load_config_text(kMesh, "a.yaml", {"workload.trace.chakra=" + (trace / "t").string(), "limits.cycles=10000"});
  ASSERT_THAT(run_into(folder, config), testing::HasSubstr("(not finished)"));
  EXPECT_EQ(cycles(folder), 10'000U);
  EXPECT_THAT(ask(folder,
                  "SELECT kind || ' ' || rank || ' ' || start_cycle || ' ' || end_cycle FROM activity WHERE "
                  "kind IN ('compute', 'collective') ORDER BY rank, kind DESC"),
              testing::ElementsAre("compute 0 0 7000", "collective 0 7000 10000", "collective 1 0 10000"));
  const auto ranks = nlohmann::json::parse(read_text(folder / "summary.json")).at("ranks");
  EXPECT_EQ(ranks.at(0).at("compute_ns").get<double>(), 7000);
  EXPECT_EQ(ranks.at(0).at("exposed_comm_ns").get<double>(), 3000);
  EXPECT_EQ(ranks.at(1).at("exposed_comm_ns").get<double>(), 10'000);
  std::ifstream timeline(folder / "timeline.json");
  EXPECT_THAT(log::check_timeline(timeline).problems, IsEmpty());
}

// A load over the I/O controllers and an all-reduce in the switches; the path crosses both.
TEST(RunLog, switches_and_io_controllers_are_on_the_path) {
  const Traces trace(20, [](TraceText& text, int) { text.compute(1, text.load(300'000, "")); });
  const TempDir folder;
  const Words words{"memory.tensors=io", "log.level=steps", "workload.trace.chakra=" + (trace / "t").string()};
  ASSERT_EQ(run_into(folder, load_config(weft::test::source("configs/fred-d.yaml"), words)), "");
  expect_whole_path(folder, cycles(folder));
  EXPECT_GT(path_cycles(folder, "link"), 0U);

  const TempDir reduced;
  const Words small{"log.level=steps", "workload.collective.size=64 KiB"};
  ASSERT_EQ(run_into(reduced, load_config(weft::test::source("configs/fred-d.yaml"), small)), "");
  expect_whole_path(reduced, cycles(reduced));
  EXPECT_EQ(path_cycles(reduced, "compute"), 0U);
  EXPECT_GT(number(reduced, "SELECT count(*) FROM switch_phase"), 0U);
}

// Each packet of synthetic traffic: the means over the table are those of the summary, from the same integers.
TEST(RunLog, packets_of_synthetic_traffic) {
  constexpr const char* kTraffic =
      "fabric: {size: [4, 4], flit_bytes: 32 B, router: {vcs: 2}}\n"
      "workload: {traffic: {pattern: uniform, rate: 0.3, packet_flits: 5, warmup_cycles: 200, measure_cycles: 600}}\n";
  const auto load = [&](const Words& words) { return load_config_text(kTraffic, "a.yaml", words); };
  const TempDir folder;
  const TempDir again;
  const TempDir off;
  ASSERT_EQ(run_into(folder, load({"log.level=packets"})), "");
  ASSERT_EQ(run_into(again, load({"log.level=packets", "threads=2"})), "");
  ASSERT_EQ(run_into(off, load({"log.level=steps"})), "");
  EXPECT_TRUE(read_text(folder / "log.sqlite") == read_text(again / "log.sqlite"));
  EXPECT_FALSE(std::filesystem::exists(off / "log.sqlite"));
  EXPECT_FALSE(std::filesystem::exists(folder / "timeline.json"));
  for (const char* table : {"links.csv", "nodes.csv", "latency.csv"}) {
    EXPECT_EQ(read_text(folder / table), read_text(off / table)) << table;
  }

  const auto summary = nlohmann::json::parse(read_text(folder / "summary.json"));
  const auto value = [&](const char* column) {
    return std::stod(ask(folder, std::string("SELECT ") + column + " FROM packet_latency").at(0));
  };
  const weft::test::CsvTable latencies(folder / "latency.csv");
  std::uint64_t measured = 0;
  for (std::size_t i = 0; i < latencies.rows(); ++i) measured += std::stoull(latencies.at(i, "packets"));
  EXPECT_EQ(value("packets"), static_cast<double>(measured));
  const auto mean = [&](const std::string& what) {
    const std::string sum = "SELECT sum(" + what + ") FROM packet WHERE created_cycle BETWEEN 200 AND 799";
    return static_cast<double>(number(folder, sum)) / static_cast<double>(measured);
  };
  EXPECT_EQ(mean("received_cycle - created_cycle"), summary.at("latency_cycles").at("mean").get<double>());
  EXPECT_EQ(mean("received_cycle - injected_cycle"), summary.at("network_latency_cycles").at("mean").get<double>());
  EXPECT_EQ(mean("hops"), summary.at("avg_hops").get<double>());
  // As text, a number has 15 digits.
  EXPECT_NEAR(value("latency"), summary.at("latency_cycles").at("mean").get<double>(), 1e-11);
  EXPECT_NEAR(value("network_latency"), summary.at("network_latency_cycles").at("mean").get<double>(), 1e-11);
  EXPECT_NEAR(value("hops"), summary.at("avg_hops").get<double>(), 1e-11);
  EXPECT_EQ(value("longest"), summary.at("latency_cycles").at("max").get<double>());
  EXPECT_EQ(number(folder, "SELECT count(*) FROM packet"), summary.at("packets").get<std::uint64_t>());
  EXPECT_GT(number(folder, "SELECT count(*) FROM packet"), number(folder, "SELECT packets FROM packet_latency"));
  // 5 flits of 32 bytes; the tail leaves 4 cycles or more after the head, with one flit per cycle.
  EXPECT_EQ(number(folder, "SELECT count(*) FROM packet WHERE bytes <> 160 OR flits <> 5"), 0U);
  EXPECT_EQ(number(folder,
                   "SELECT count(*) FROM packet JOIN message ON message.id = packet.message WHERE injected_cycle < "
                   "queued_cycle OR left_cycle < injected_cycle + 4 OR received_cycle <= left_cycle OR dst <> "
                   "packet.node OR packet.sequence <> message.sequence OR what <> 'traffic'"),
            0U);
}

struct Case {
  const char* name;
  const char* yaml;
  double npu_cycles_per_cycle;
};
std::ostream& operator<<(std::ostream& out, const Case& each) { return out << each.name; }

class RunLogOf : public testing::TestWithParam<Case> {};

TEST_P(RunLogOf, collective_adds_up_and_changes_nothing) {
  const auto load = [](const Words& words) { return load_config_text(GetParam().yaml, "a.yaml", words); };
  const TempDir folder;
  const TempDir again;
  const TempDir off;
  ASSERT_EQ(run_into(folder, load({"log.level=packets"})), "");
  const double end = static_cast<double>(cycles(folder)) * GetParam().npu_cycles_per_cycle;
  expect_whole_path(folder, static_cast<std::uint64_t>(end));
  ASSERT_EQ(run_into(again, load({"log.level=packets", "threads=2"})), "");
  ASSERT_EQ(run_into(off, load({"log.level=off"})), "");
  EXPECT_TRUE(read_text(folder / "log.sqlite") == read_text(again / "log.sqlite"));
  for (const char* table : {"collectives.csv", "links.csv", "nodes.csv", "latency.csv"}) {
    EXPECT_EQ(read_text(folder / table), read_text(off / table)) << table;
  }
  EXPECT_FALSE(std::filesystem::exists(off / "log.sqlite"));
  const weft::test::CsvTable nodes(folder / "nodes.csv");
  std::uint64_t packets = 0;
  for (std::size_t i = 0; i < nodes.rows(); ++i) packets += std::stoull(nodes.at(i, "packets_received"));
  EXPECT_EQ(number(folder, "SELECT count(*) FROM packet"), packets);
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, RunLogOf,
    testing::Values(
        Case{"mesh_ring",
             "fabric: {size: [3, 2]}\nworkload: {collective: {kind: all_reduce, size: 60000 B, chunks: 3}}\n"
             "npu: {endpoint_delay: 10}\n",
             1},
        Case{"mesh_other_clock",
             "fabric: {size: [3, 2]}\nworkload: {collective: {kind: all_to_all, size: 24000 B}}\nnpu: {clock: 700 "
             "MHz}\n",
             0.7},
        Case{"torus_modules",
             "fabric: {kind: torus, size: [3, 3], form: modules, router: {vcs: 4}}\n"
             "workload: {collective: {kind: all_gather, size: 9000 B}}\n",
             1}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace weft::sc_models
