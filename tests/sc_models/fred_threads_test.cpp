// SPDX-License-Identifier: Apache-2.0
// FRED wafers on several threads: every result file is the same to the last byte, but for what the run has cost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/load.h"
#include "tests/sc_models/support/run_into.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using Words = std::vector<std::string>;

struct Row {
  const char* name;
  const char* config;
  Words settings;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

std::string without_cost(const std::string& summary) {
  nlohmann::json fields = nlohmann::json::parse(summary);
  for (const char* cost : {"cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes"}) fields.erase(cost);
  return fields.dump();
}

/// All files of a run by name; with what went wrong, or how it was cut short, as `error`.
std::map<std::string, std::string> files_of(const Row& row, const Words& more) {
  const TempDir folder;
  Words settings = row.settings;
  settings.insert(settings.end(), more.begin(), more.end());
  for (std::string& setting : settings) {
    if (setting == "waves.file=HERE") setting = "waves.file=" + (folder / "w.vcd").string();
  }
  run_into(folder, load_config(weft::test::source("configs/") + row.config + ".yaml", settings));
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    std::string text = read_text(entry.path());
    if (name == "summary.json") text = without_cost(text);
    // Files for viewers of waves say where they are.
    for (std::size_t at; (at = text.find(folder.path().string())) != std::string::npos;)
      text.erase(at, folder.path().string().size());
    files[name] = std::move(text);
  }
  return files;
}

class FredThreads : public testing::TestWithParam<Row> {};

TEST_P(FredThreads, change_no_byte_of_any_file) {
  const std::map<std::string, std::string> expected = files_of(GetParam(), {});
  ASSERT_GE(expected.size(), 6u) << expected.at("error");
  EXPECT_GT(expected.at("links.csv").size(), 3000u);
  const std::string& error = expected.at("error");
  EXPECT_TRUE(error.empty() || error.find("(not finished)") != std::string::npos) << error;
  // With two threads one of them has all of L2; with four each has some of it.
  for (const char* threads : {"threads=2", "threads=4"}) {
    const std::map<std::string, std::string> files = files_of(GetParam(), {threads});
    for (const auto& [name, text] : files) EXPECT_TRUE(text == expected.at(name)) << name << " with " << threads;
    EXPECT_EQ(files.size(), expected.size());
  }
  if (std::string(GetParam().config) != "fred-d") return;
  EXPECT_FALSE(files_of(GetParam(), {"fabric.reduce_cycles=2"}) == expected) << "the files show nothing of the run";
}

const Words kValues = {"workload.collective.size=64 KiB", "workload.collective.chunks=4",
                       "workload.collective.active_chunks=0", "workload.collective.data=values"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

INSTANTIATE_TEST_SUITE_P(
    Wafers, FredThreads,
    testing::Values(
        Row{"fred_a", "fred-a", kValues}, Row{"fred_b", "fred-b", kValues}, Row{"fred_c", "fred-c", kValues},
        Row{"fred_d", "fred-d", kValues}, Row{"all_packets_logged", "fred-d", with(kValues, {"log.level=packets"})},
        Row{"waves", "fred-d", with(kValues, {"waves.file=HERE", "waves.to=400 ns"})},
        Row{"waves_of_wires", "fred-d",
            with(kValues, {"waves.file=HERE", "waves.to=400 ns", "waves.scope=[\"fabric.l1[*].plane[0].uswitch*\"]"})},
        Row{"groups_of_several_phases", "fred-d",
            with(kValues, {"workload.collective.parallelism=[2,5,2]", "workload.collective.phase=dp",
                           "fabric.conflict=serialize", "fabric.control=several_phases"})},
        Row{"three_levels", "fred-d-two-wafers", kValues},
        Row{"a_trace_of_streaming_cut_short", "fred-d-streaming", {"limits.cycles=3000"}},
        Row{"a_pool_cut_short", "pool-moe", {"limits.cycles=3000"}},
        Row{"a_trace_with_flows_and_values_cut_short",
            "fred-d",
            {fmt::format(
                 "workload={{trace: {{chakra: {0}/demo, groups: {0}/comm_group.json, algorithm: in_switch, data: "
                 "values}}}}",
                 weft::test::source("configs/traces/demo")),
             "npu.peak_flops=900 TFLOP/s", "npu.memory_bandwidth=3 TB/s", "log.level=steps", "limits.cycles=10000"}}),
    [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace weft::sc_models
