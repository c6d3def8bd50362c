// SPDX-License-Identifier: Apache-2.0
// Cycles that are left out change no byte: each configuration is run with every cycle and with run.fast_forward: exact.
// Each run is a process of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "config/load.h"
#include "runs/results_folder.h"
#include "runs/run.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using weft::test::read_text;
using weft::test::TempDir;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// What a run has left behind.
struct Outcome {
  bool ran = false;
  std::string tables;  ///< all tables, the log's canonical part and the summary without figures of the machine
  Cycle cycles = 0;
  Cycle skipped = 0;
  std::string refusal;
};

/// What differs between two runs of one configuration on one machine.
constexpr const char* kOfTheMachine[] = {"cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes"};

Outcome outcome_of(Config config, FastForwardMode mode) {
  config.run.fast_forward = mode;
  const TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    try {
      RunControl control;
      const RunResult result = run(config, control);
      const ResultsFolder results(folder.path(), "");
      results.write(config, result, true);
      weft::test::write_text(folder / "refusal", result.skip_refusal);
      _exit(0);
    } catch (const InputError& error) {
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.ran = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!outcome.ran) return outcome;
  for (const char* file : {"links.csv", "link_windows.csv", "nodes.csv", "collectives.csv", "latency.csv"}) {
    if (std::filesystem::exists(folder / file)) outcome.tables += read_text(folder / file);
  }
  Json summary = Json::parse(read_text(folder / "summary.json"));
  outcome.cycles = summary["cycles"];
  outcome.skipped = summary["skipped_cycles"];
  for (const char* key : kOfTheMachine) summary.erase(key);
  summary.erase("skipped_cycles");
  outcome.tables += summary.dump();
  outcome.refusal = read_text(folder / "refusal");
  return outcome;
}

Config config_of(const std::string& name, const Words& sets) {
  return load_config(WEFT_SOURCE_DIR "/configs/" + name + ".yaml", sets);
}

struct Wafer {
  const char* kind;
  const char* algorithm;
  const char* size;
};
constexpr Wafer kWafers[] = {
    {"reduce", "chain", "[9, 1]"},         {"reduce", "chain", "[5, 4]"},        {"reduce", "star", "[5, 1]"},
    {"reduce", "tree", "[4, 4]"},          {"reduce", "two_phase", "[9, 1]"},    {"reduce", "auto_gen", "[7, 3]"},
    {"reduce", "snake", "[5, 3]"},         {"reduce", "in_router", "[6, 2]"},    {"all_reduce", "chain", "[6, 3]"},
    {"all_reduce", "two_phase", "[8, 1]"}, {"all_reduce", "in_router", "[5, 5]"}};

TEST(FastForward, wafer_reductions_of_long_vectors_are_skipped_for_the_most_part) {
  for (const Wafer& wafer : kWafers) {
    SCOPED_TRACE(fmt::format("{} {} {}", wafer.kind, wafer.algorithm, wafer.size));
    const Config config =
        config_of("wse-reduce", {"workload.collective.size=32 KiB", fmt::format("fabric.size={}", wafer.size),
                                 fmt::format("workload.collective.kind={}", wafer.kind),
                                 fmt::format("workload.collective.algorithm={}", wafer.algorithm)});
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(all.ran && skipping.ran);
    EXPECT_EQ(all.skipped, 0u);
    // 8192 elements come one after the other; to fill and to empty a wafer so small takes less than a fifth of that.
    EXPECT_GT(skipping.skipped, skipping.cycles * 8 / 10) << skipping.refusal;
    EXPECT_TRUE(skipping.tables == all.tables);
  }
}

TEST(FastForward, what_cannot_take_part_says_so) {
  const std::string wafer = "wse-reduce";
  const std::pair<Config, const char*> cases[] = {
      {config_of(wafer, {"workload.collective.data=values", "workload.collective.size=64 KiB"}), "carry data"},
      {config_of(wafer, {"fabric.form=modules"}), "one thread"},
      {config_of(wafer, {"fabric.size=[8, 8]", "threads=2"}), "one thread"},
      {config_of(wafer, {"fabric.router.colours=0", "workload.collective.kind=all_reduce",
                         "workload.collective.algorithm=ring", "workload.collective.size=64 KiB"}),
       "VCs"},
      {config_of("fred-d", {"workload.collective.size=16 MiB"}), "not take part yet"}};
  for (const auto& [config, reason] : cases) {
    const Outcome outcome = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(outcome.ran) << reason;
    EXPECT_EQ(outcome.skipped, 0u);
    EXPECT_NE(outcome.refusal.find(reason), std::string::npos) << reason << ": " << outcome.refusal;
  }
}

/// Whether a run ends in the cycle that limits.cycles says, wherever that lies.
TEST(FastForward, a_limit_of_cycles_ends_the_run_where_it_would_without) {
  for (const char* limit : {"200", "1000", "1001", "1002", "1003", "5000"}) {
    const Config config = config_of("wse-reduce", {"workload.collective.size=64 KiB", "fabric.size=[6, 1]",
                                                   fmt::format("limits.cycles={}", limit)});
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    EXPECT_EQ(skipping.cycles, all.cycles);
    EXPECT_TRUE(skipping.tables == all.tables) << limit;
  }
}

Words random_wafer() {
  const auto number = [](const char* path, int low, int high) {
    return fmt::format("{}={}", path, *rc::gen::inRange(low, high + 1));
  };
  const Wafer wafer = *rc::gen::elementOf(std::vector<Wafer>(std::begin(kWafers), std::end(kWafers)));
  const int x = *rc::gen::inRange(2, 8);
  const int y = std::string(wafer.algorithm) == "star" ? 1 : *rc::gen::inRange(1, 5);
  const int packet = *rc::gen::element(4, 4, 4, 8, 16);
  Words sets = {fmt::format("fabric.size=[{}, {}]", x, y),
                fmt::format("workload.collective.kind={}", wafer.kind),
                fmt::format("workload.collective.algorithm={}", wafer.algorithm),
                fmt::format("workload.collective.size={} B", packet * *rc::gen::inRange(60, 3000)),
                fmt::format("npu.packet_bytes={} B", packet),
                number("workload.collective.chunks", 1, 3),
                number("fabric.router.buffer_flits", 2, 9),
                number("fabric.router.merge_cycles", 1, 3),
                number("fabric.router.turn_cycles", 0, 2),
                number("fabric.router.hop_cycles", 0, 2),
                number("fabric.link.latency", 1, 3),
                number("npu.ramp_cycles", 1, 4),
                number("npu.add_cycles", 0, 5),
                fmt::format("log.windows={}", *rc::gen::element(0, 4, 128, 1000)),
                fmt::format("fabric.statistics={}", *rc::gen::element("true", "true", "false"))};
  if (*rc::gen::inRange(0, 4) == 0) sets.push_back(number("limits.cycles", 100, 4000));
  if (*rc::gen::inRange(0, 3) == 0) sets.push_back(number("npu.endpoint_delay", 0, 40));
  return sets;
}

RC_GTEST_PROP(FastForward, random_wafers_give_the_same_bytes, ()) {
  static int runs = 0;
  static int skipped = 0;
  const Words sets = random_wafer();
  Config config;
  try {
    config = config_of("wse-reduce", sets);
  } catch (const InputError&) {
    RC_DISCARD("cannot be built");
  }
  const Outcome all = outcome_of(config, FastForwardMode::kOff);
  if (!all.ran) RC_DISCARD("cannot be built");
  const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
  RC_LOG() << fmt::format("{}", fmt::join(sets, " ")) << std::endl;
  RC_ASSERT(skipping.ran);
  RC_ASSERT(skipping.tables == all.tables);
  skipped += skipping.skipped * 10 >= skipping.cycles * 3 ? 1 : 0;
  // So that equality says something: a third of the runs and more leave out a third of their cycles.
  if (++runs >= 60) RC_ASSERT(3 * skipped >= runs);
}

}  // namespace
}  // namespace weft::sc_models
