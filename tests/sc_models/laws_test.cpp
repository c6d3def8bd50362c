// SPDX-License-Identifier: Apache-2.0
// Law 2 on whole runs: neither the number of threads nor the form of the fabric changes a byte of the tables. (Order of
// evaluation and sleeping: tests/router/laws_test.cpp.) Each run is a process of its own.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include "runs/results_folder.h"
#include "runs/run.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using weft::test::read_text;
using weft::test::TempDir;

struct Work {
  const char* name;
  FabricKind kind;
  bool traffic;
};

std::ostream& operator<<(std::ostream& out, const Work& work) { return out << work.name; }

/// 5 x 4 nodes, so that neither two nor three threads share the rows evenly.
Config config_of(const Work& work) {
  Config config;
  config.seed = 11;
  config.fabric.kind = work.kind;
  config.fabric.routing = work.kind == FabricKind::kTorus ? "dimension_order" : "o1turn";
  config.fabric.size_x = 5;
  config.fabric.size_y = 4;
  config.fabric.link.latency_cycles = 2;
  config.fabric.link.flits_per_cycle = {3, 4};
  for (std::uint32_t node = 0; node < 20; ++node) config.npu.placement.push_back(NodeId{node});
  if (work.traffic) {
    TrafficWorkload traffic;
    traffic.rate = 0.25;
    traffic.packet_flits = 4;
    traffic.warmup_cycles = 200;
    traffic.measure_cycles = 1500;
    config.workload = traffic;
  } else {
    CollectiveWorkload collective;
    collective.collective.bytes = 40'000;
    collective.collective.chunks = 3;
    collective.collective.data = DataMode::kValues;
    config.workload = collective;
  }
  return config;
}

/// Runs in a child; all tables and the counts as one text, "" if the run did not finish.
std::string tables_of(const Config& config,
                      const std::vector<const char*>& files = {"links.csv", "link_windows.csv", "nodes.csv",
                                                               "collectives.csv", "latency.csv"}) {
  const TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    RunControl control;
    const RunResult result = run(config, control);
    const ResultsFolder results(folder.path(), "");
    results.write(config, result, true);
    _exit(result.finished ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return "";
  std::string text;
  for (const char* file : files) {
    if (std::filesystem::exists(folder / file)) text += read_text(folder / file);
  }
  return text;
}

class WaferLaws : public testing::TestWithParam<Work> {};

TEST_P(WaferLaws, threads_and_form_change_no_byte) {
  Config config = config_of(GetParam());
  const std::string expected = tables_of(config);
  ASSERT_GT(expected.size(), 3000u);
  for (const int threads : {2, 3, 4}) {
    config.threads = threads;
    EXPECT_TRUE(tables_of(config) == expected) << threads << " threads";
  }
  config.threads = 1;
  config.fabric.form = FabricForm::kModules;
  EXPECT_TRUE(tables_of(config) == expected) << "one module per router and NPU";
  config.fabric.form = FabricForm::kRegion;
  if (!GetParam().traffic) return;
  config.seed = 12;
  EXPECT_FALSE(tables_of(config) == expected) << "the tables show nothing of the run";
}

TEST_P(WaferLaws, counting_links_over_time_changes_no_byte) {
  const std::vector<const char*> others = {"links.csv", "nodes.csv", "collectives.csv", "latency.csv"};
  Config config = config_of(GetParam());
  const std::string expected = tables_of(config, others);
  for (const int windows : {0, 4, 1000}) {
    config.log.windows = windows;
    EXPECT_TRUE(tables_of(config, others) == expected) << windows << " windows";
    EXPECT_EQ(tables_of(config, {"link_windows.csv"}).empty(), windows == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Works, WaferLaws,
                         testing::Values(Work{"mesh_traffic", FabricKind::kMesh, true},
                                         Work{"mesh_collective", FabricKind::kMesh, false},
                                         Work{"torus_traffic", FabricKind::kTorus, true},
                                         Work{"torus_collective", FabricKind::kTorus, false}),
                         [](const auto& work) { return std::string(work.param.name); });

}  // namespace
}  // namespace weft::sc_models
