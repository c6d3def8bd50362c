// SPDX-License-Identifier: Apache-2.0
// Whole runs of flows in FRED switches: stored configurations and their loads, placements, values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "kernel/config_load.h"
#include "kernel/error.h"
#include "switch/routing/route.h"
#include "switch/topology/interconnect.h"
#include "tests/support/temp_dir.h"
#include "wafer/results_folder.h"
#include "wafer/run.h"

namespace weft::wafer {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// summary.json of a run, which is a process of its own; {"refused": why} where it was not begun.
nlohmann::json run_config(const Config& config) {
  const test::TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    try {
      RunControl control;
      const RunResult result = run(config, control);
      ResultsFolder(folder.path(), "").write(config, result, true);
    } catch (const InputError& error) {
      std::ofstream(folder / "summary.json") << nlohmann::json{{"refused", error.what()}};
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return nlohmann::json::parse(test::read_text(folder / "summary.json"));
}

/// A reduce-scatter over one switch of 4 NPUs: a series of four reduce flows, and so four configurations.
nlohmann::json series(const Words& sets) {
  return run_config(load_config_text(
      "fabric: {kind: fred, flit_bytes: 512, header: 0 B, levels: [{groups: 1, ports: 4, reconfig_cycles: 3}]}\n"
      "npu: {count: 4, packet_bytes: 4 KiB}\n"
      "workload: {collective: {kind: reduce_scatter, algorithm: in_switch, size: 16 KiB}}\n",
      "series.yaml", sets));
}

std::string memory_for(std::uint64_t configurations) {
  const std::uint64_t bytes = (fred::configuration_bits(fred::build_interconnect(3, 4)) + 7) / 8;
  return "fabric.configuration_memory=" + std::to_string(configurations * bytes) + " B";
}

TEST(FredFlows, stored_configurations_are_counted) {
  const nlohmann::json result = series({});
  const std::uint64_t bits = fred::configuration_bits(fred::build_interconnect(3, 4));
  EXPECT_EQ(result["configurations"], (nlohmann::json{{"most", 4},
                                                      {"where", "l1[0]"},
                                                      {"capacity", 1536 / ((bits + 7) / 8)},
                                                      {"bits", bits},
                                                      {"memory_bytes", 1536},
                                                      {"changes", 4},
                                                      {"reloads", 0},
                                                      {"preemptions", 0},
                                                      {"yields", 0}}));
}

// One packet of 8 flits per flow; each change waits until the packet before is through. With memory for one the last
// three flows are loaded, with memory for two the last two: the first ones are there.
TEST(FredFlows, each_load_delays_the_series_by_its_time) {
  const auto all_fit = series({})["cycles"].get<std::uint64_t>();
  for (const std::uint64_t fit : {1, 2, 3, 4}) {
    const nlohmann::json result = series({memory_for(fit), "fabric.reload_cycles=100"});
    EXPECT_EQ(result["configurations"]["most"], 4);
    EXPECT_EQ(result["configurations"]["capacity"], fit);
    EXPECT_EQ(result["configurations"]["reloads"], 4 - fit);
    EXPECT_EQ(result["cycles"], all_fit + 100 * (4 - fit));
  }
}

TEST(FredFlows, more_configurations_than_fit_bad) {
  const nlohmann::json result = series({memory_for(3)});
  EXPECT_FALSE(result["finished"]);
  EXPECT_THAT(result["stop_text"].get<std::string>(), HasSubstr("no room for configuration 4"));
}

}  // namespace
}  // namespace weft::wafer
