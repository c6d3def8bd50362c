// SPDX-License-Identifier: Apache-2.0
// Whole runs of flows in FRED switches: stored settings and their loads, placements, values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.h"
#include "config/load.h"
#include "npu/tracegen/transformer_trace.h"
#include "runs/results_folder.h"
#include "runs/run.h"
#include "switch/routing/route.h"
#include "switch/topology/interconnect.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// summary.json of a run, with the number of verified collectives; the run is a process of its own; {"refused": why}
/// where it was not begun.
nlohmann::json run_config(const Config& config) {
  const test::TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    try {
      RunControl control;
      const RunResult result = run(config, control);
      ResultsFolder(folder.path(), "").write(config, result, true);
      nlohmann::json summary = nlohmann::json::parse(test::read_text(folder / "summary.json"));
      summary["verified"] = result.verified_collectives;
      std::ofstream(folder / "summary.json") << summary;
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

/// A reduce-scatter over one switch of 4 NPUs: a series of four reduce flows, and so four settings.
nlohmann::json series(const Words& sets) {
  return run_config(load_config_text(
      "fabric: {kind: fred, flit_bytes: 512, header: 0 B, levels: [{groups: 1, ports: 4, reconfig_cycles: 3}]}\n"
      "npu: {count: 4, packet_bytes: 4 KiB}\n"
      "workload: {collective: {kind: reduce_scatter, algorithm: in_switch, size: 16 KiB}}\n",
      "series.yaml", sets));
}

std::string memory_for(std::uint64_t settings) {
  const std::uint64_t bytes = (fred::setting_bits(fred::build_interconnect(3, 4)) + 7) / 8;
  return "fabric.setting_memory=" + std::to_string(settings * bytes) + " B";
}

TEST(FredFlows, stored_settings_are_counted) {
  const nlohmann::json result = series({});
  const std::uint64_t bits = fred::setting_bits(fred::build_interconnect(3, 4));
  EXPECT_EQ(result["stored_settings"], (nlohmann::json{{"most", 4},
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
    EXPECT_EQ(result["stored_settings"]["most"], 4);
    EXPECT_EQ(result["stored_settings"]["capacity"], fit);
    EXPECT_EQ(result["stored_settings"]["reloads"], 4 - fit);
    EXPECT_EQ(result["cycles"], all_fit + 100 * (4 - fit));
  }
}

TEST(FredFlows, more_settings_than_fit_bad) {
  const nlohmann::json result = series({memory_for(3)});
  EXPECT_FALSE(result["finished"]);
  EXPECT_THAT(result["stop_text"].get<std::string>(), HasSubstr("no room for stored setting 4"));
}

/// Cycles of a collective of 4 NPUs on one switch, with parts of one packet of 8 flits.
std::uint64_t cycles_of(const std::string& kind, const std::string& algorithm, int planes) {
  const std::string size = kind == "all_gather" || kind == "gather" ? "4 KiB" : "16 KiB";
  const nlohmann::json result = run_config(load_config_text(
      "fabric: {kind: fred, flit_bytes: 512, header: 0 B, local: {latency: 1}}\n"
      "npu: {count: 4, packet_bytes: 4 KiB}\n"
      "workload: {collective: {data: values}}\n",
      "pace.yaml",
      {"fabric.levels=[{groups: 1, ports: 4, reconfig_cycles: 3, planes: " + std::to_string(planes) + "}]",
       "workload.collective.kind=" + kind, "workload.collective.algorithm=" + algorithm,
       "workload.collective.size=" + size}));
  EXPECT_EQ(result["verified"], 1) << result["stop_text"];
  return result["cycles"];
}

// A flow alone: 2 cycles to the switch (flit and wire), 1 until it is seen, 3 to change the setting, 3 stages,
// 2 to the receiver, and 7 more until the tail is there: 18. In a series the next one starts then. At once its
// packets are at the switch already: each takes 3 + 8 cycles more.
TEST(FredPace, flows_follow_each_other_without_a_gap) {
  for (const char* kind : {"reduce_scatter", "all_gather"}) {
    EXPECT_EQ(cycles_of(kind, "in_switch_series", 1), 4 * 18U) << kind;
    EXPECT_EQ(cycles_of(kind, "in_switch", 1), 18 + 3 * (3 + 8U)) << kind;
  }
}

// In four planes each flow has one of its own.
TEST(FredPace, flows_in_planes_of_their_own) {
  for (const char* kind : {"reduce_scatter", "all_gather"}) {
    EXPECT_EQ(cycles_of(kind, "in_switch_series", 4), 4 * 18U) << kind;
    EXPECT_EQ(cycles_of(kind, "in_switch", 4), 18U) << kind;
  }
}

// Unicasts of one packet: a part waits until the one before has left, 8 cycles, or takes the next of three planes.
TEST(FredPace, parts_of_one_packet_fill_the_planes) {
  for (const char* kind : {"scatter", "all_to_all"}) {
    EXPECT_EQ(cycles_of(kind, "in_switch_series", 1), 18 + 2 * 8U) << kind;
    EXPECT_EQ(cycles_of(kind, "in_switch", 1), 18 + 2 * 8U) << kind;
    EXPECT_EQ(cycles_of(kind, "in_switch_series", 3), 18 + 2 * 8U) << kind;
    EXPECT_EQ(cycles_of(kind, "in_switch", 3), 18U) << kind;
  }
}

// Four groups of three that three middle stages cannot carry together, though any three of them can be.
const char* const kFourGroups = "npu.placement=[0, 2, 4, 1, 6, 8, 3, 7, 10, 5, 9, 11]";

/// MP groups of three on one switch of 12 NPUs.
Config groups_of_three(const Words& sets) {
  return load_config_text(
      "fabric: {kind: fred, levels: [{groups: 1, ports: 12}]}\n"
      "npu: {count: 12}\n"
      "workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 256 KiB, parallelism: [3, 1, 4]}}\n",
      "groups.yaml", sets);
}

TEST(FredReplace, ranks_are_moved_before_the_run) {
  const auto good = run_config(groups_of_three({"fabric.conflict=refuse"}))["cycles"].get<std::uint64_t>();
  EXPECT_GT(run_config(groups_of_three({kFourGroups}))["cycles"].get<std::uint64_t>(), good * 3 / 2);
  const nlohmann::json moved = run_config(groups_of_three({kFourGroups, "fabric.conflict=replace"}));
  EXPECT_EQ(moved["cycles"], good);
  EXPECT_EQ(moved["stored_settings"]["most"], 1);
  // The same with that placement from the start.
  std::string placement;
  std::set<int> npus;
  for (const int npu : moved["replaced"]["placement"]) {
    placement += (placement.empty() ? "" : ",") + std::to_string(npu);
    npus.insert(npu);
  }
  EXPECT_EQ(npus.size(), 12u);
  const nlohmann::json placed =
      run_config(groups_of_three({"npu.placement=[" + placement + "]", "fabric.conflict=refuse"}));
  EXPECT_EQ(placed["cycles"], moved["cycles"]);
  EXPECT_EQ(placed.count("replaced"), 0u);
}

TEST(FredReplace, says_what_conflicted_and_who_moved) {
  const nlohmann::json replaced = run_config(groups_of_three({kFourGroups, "fabric.conflict=replace"}))["replaced"];
  ASSERT_EQ(replaced["conflicts"].size(), 1u);
  EXPECT_THAT(replaced["conflicts"][0].get<std::string>(),
              HasSubstr("l1[0]: flows '{0,2,4}', '{1,6,8}', '{3,7,10}', '{5,9,11}' conflict on Fred_3(12)"));
  const std::vector<int> given = {0, 2, 4, 1, 6, 8, 3, 7, 10, 5, 9, 11};
  std::size_t others = 0;
  for (std::size_t rank = 0; rank < given.size(); ++rank) others += replaced["placement"][rank] != given[rank] ? 1 : 0;
  ASSERT_EQ(replaced["moved"].size(), others);
  EXPECT_GE(others, 2u);
  for (const nlohmann::json& move : replaced["moved"]) {
    EXPECT_EQ(move["from"], given[move["rank"]]);
    EXPECT_EQ(move["to"], replaced["placement"][move["rank"].get<std::size_t>()]);
  }
}

TEST(FredReplace, nobody_moves_where_nothing_conflicts) {
  const nlohmann::json result = run_config(groups_of_three({"fabric.conflict=replace"}));
  EXPECT_TRUE(result["finished"]);
  EXPECT_EQ(result.count("replaced"), 0u);
  const nlohmann::json more_stages =
      run_config(groups_of_three({kFourGroups, "fabric.conflict=replace", "fabric.m=4"}));
  EXPECT_TRUE(more_stages["finished"]);
  EXPECT_EQ(more_stages.count("replaced"), 0u);
}

// A ring has no flows that could conflict.
TEST(FredReplace, nobody_moves_without_flows) {
  const nlohmann::json result =
      run_config(groups_of_three({kFourGroups, "fabric.conflict=replace", "workload.collective.algorithm=ring"}));
  EXPECT_TRUE(result["finished"]);
  EXPECT_EQ(result.count("replaced"), 0u);
}

// The groups of a trace: tensor-parallel triples at the NPUs of the four groups.
TEST(FredReplace, groups_of_a_trace) {
  const test::TempDir folder;
  npu::TransformerSpec spec;
  spec.layers = 1;
  spec.d_model = 24;
  spec.d_ff = 48;
  spec.heads = 6;
  spec.seq = 8;
  spec.batch = 4;
  spec.vocab = 48;
  spec.tp = 3;
  spec.dp = 4;
  std::ostringstream said;
  npu::write_trace(npu::TransformerTrace(spec), (folder / "step").string(), said);
  const auto trace = [&](const Words& sets) {
    return run_config(
        load_config_text("fabric: {kind: fred, levels: [{groups: 1, ports: 12}]}\n"
                         "npu: {count: 12, peak_flops: 1 TFLOP/s}\n"
                         "workload: {trace: {chakra: " +
                             (folder / "step").string() + ", groups: " + (folder / "comm_group.json").string() +
                             ", algorithm: in_switch}}\n",
                         "trace.yaml", sets));
  };
  const nlohmann::json good = trace({"fabric.conflict=refuse"});
  ASSERT_TRUE(good["finished"]) << good["stop_text"];
  const nlohmann::json moved = trace({kFourGroups, "fabric.conflict=replace"});
  ASSERT_TRUE(moved["finished"]) << moved["stop_text"];
  EXPECT_EQ(moved["replaced"]["conflicts"].size(), 1u);
  EXPECT_EQ(moved["cycles"], good["cycles"]);
}

// Two switches of two NPUs: wherever the ranks sit, two groups of MP or two of DP meet at the only uplink.
TEST(FredReplace, no_placement_bad) {
  const Config config = load_config_text(
      "fabric: {kind: fred, levels: [{groups: 2, uplinks: 1}, {groups: 1}], conflict: replace}\n"
      "npu: {count: 4}\n"
      "workload: {collective: {algorithm: in_switch, size: 4 KiB, parallelism: [2, 1, 2], phase: dp}}\n",
      "none.yaml", {});
  EXPECT_EQ(run_config(config)["refused"],
            "fabric.conflict: replace: none of 1000 placements runs all phases without conflict");
}

/// Every rank's result is compared, bit for bit, with the sums in the order and with the roundings of the hardware.
TEST(FredValues, narrow_elements_with_fp32_sums_over_two_levels) {
  for (const char* dtype : {"fp16", "bf16"}) {
    for (const char* accumulate : {"fp32", "element"}) {
      for (const char* kind : {"all_reduce", "reduce", "reduce_scatter", "broadcast", "all_gather"}) {
        const nlohmann::json result = run_config(load_config_text(
            "fabric: {kind: fred, flit_bytes: 64, levels: [{groups: 3, planes: 2, uplinks: 2}, {groups: 1}]}\n"
            "npu: {count: 12, packet_bytes: 512}\n"
            "workload: {collective: {algorithm: in_switch, size: 24000 B, data: values, chunks: 3}}\n",
            "values.yaml",
            {std::string("workload.collective.kind=") + kind, std::string("workload.collective.dtype=") + dtype,
             std::string("fabric.accumulate=") + accumulate}));
        EXPECT_EQ(result["stop_text"], "") << dtype << " " << accumulate << " " << kind;
        EXPECT_EQ(result["verified"], 1) << dtype << " " << accumulate << " " << kind;
      }
    }
  }
}

}  // namespace
}  // namespace weft::sc_models
