// SPDX-License-Identifier: Apache-2.0
// FRED switches with wormhole flow control: what can deadlock is refused, and everything else runs to its end where
// buffers are as small as they may be and links as slow to answer as it takes.
#include "sc_models/wormhole_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/wormhole_rule.h"
#include "tests/sc_models/support/trace_text.h"

namespace weft::sc_models {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

// Two lowest switches of two NPUs each, one uplink, buffers of one packet.
constexpr const char* kTwoLevels =
    "fabric: {kind: fred, flit_bytes: 64, flow_control: wormhole,\n"
    "  levels: [{groups: 2, uplinks: 1, buffer: 512 B}, {groups: 1, buffer: 512 B}]}\n"
    "npu: {count: 4, packet_bytes: 512}\n"
    "workload: {collective: {kind: all_to_all, algorithm: direct, size: 16 KiB}}\n";

Config two_levels(const Words& sets) { return load_config_text(kTwoLevels, "two.yaml", sets); }

/// Why it is refused; "" if it is not.
std::string refusal(const Words& sets) {
  const std::vector<ConfigProblem> problems = check_wormhole(two_levels(sets));
  if (problems.empty()) return "";
  EXPECT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().path, "fabric.flow_control");
  return problems.front().sentence;
}

Words words(const std::string& control, const std::string& algorithm, const std::string& kind) {
  return {"fabric.control=" + control, "workload.collective.algorithm=" + algorithm,
          "workload.collective.kind=" + kind};
}

TEST(WormholeCheck, says_what_can_deadlock_bad) {
  EXPECT_THAT(refusal({"fabric.control=one_tree"}),
              HasSubstr("wormhole can deadlock with fabric.control: one_tree: a packet that waits for room in the next "
                        "switch keeps all others out of its own"));
  EXPECT_THAT(refusal({"fabric.m=2"}), HasSubstr("with fabric.m: 2: a unicast on its way down can wait for wires"));
  EXPECT_THAT(refusal(words("one_phase", "in_switch", "all_gather")),
              HasSubstr("with fabric.control: one_phase and 4 stored settings of flows: "));
  EXPECT_THAT(refusal(words("several_phases", "in_switch", "all_gather")),
              HasSubstr("with fabric.control: several_phases and 4 stored settings of flows between switches: "));
  EXPECT_THAT(refusal({"fabric.control=one_tree"}), HasSubstr("legal: cut_through"));
}

TEST(WormholeCheck, lets_pass_what_cannot) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({"fabric.flow_control=cut_through", "fabric.control=one_tree"}), "");
  EXPECT_EQ(refusal({"fabric.flow_control=cut_through", "fabric.m=2"}), "");
  // One lowest switch: whatever leaves it goes to an NPU.
  EXPECT_EQ(refusal({"fabric.levels=[{groups: 1, buffer: 512 B}]", "fabric.control=one_tree", "fabric.m=2"}), "");
  // Ranks of one lowest switch alone, also of several groups.
  Words below = words("one_tree", "in_switch", "all_gather");
  below.push_back("workload.collective.group=[0,1]");
  EXPECT_EQ(refusal(below), "");
}

// Groups of the same phase whose flows are in one setting: ranks 0 and 2, 1 and 3. One uplink holds one of them,
// so the second is a setting of its own; two uplinks hold both.
TEST(WormholeCheck, counts_settings_and_not_flows) {
  Words phase = words("one_phase", "in_switch", "all_reduce");
  phase.insert(phase.end(), {"workload.collective.parallelism=[2,1,2]", "workload.collective.phase=dp"});
  EXPECT_THAT(refusal(phase), HasSubstr("2 stored settings of flows"));
  phase.push_back("fabric.levels=[{groups: 2, uplinks: 2, buffer: 512 B}, {groups: 1, buffer: 512 B}]");
  EXPECT_EQ(refusal(phase), "");
}

TEST(WormholeCheck, streams_of_one_controller_pass_and_of_two_do_not) {
  const std::string text =
      "fabric: {kind: fred, flit_bytes: 64, flow_control: wormhole, levels: [{groups: 2, uplinks: 1}, {groups: 1}]}\n"
      "npu: {count: 4, packet_bytes: 512}\n"
      "workload: {io: {size: 4 KiB}}\n";
  const auto problems = [&](const char* controllers) {
    return check_wormhole(load_config_text(text, "io.yaml", {std::string("io.controllers=") + controllers}));
  };
  EXPECT_TRUE(problems("1").empty());
  EXPECT_EQ(problems("2").size(), 1U);
}

// Nobody builds a fabric that can deadlock, whoever asks.
TEST(WormholeCheck, the_fabric_is_not_built_bad) {
  const TempDir folder;
  EXPECT_THAT(run_into(folder, two_levels({"fabric.control=one_tree"})),
              HasSubstr("fabric.flow_control: wormhole can deadlock"));
}

// In a trace an all-reduce of all ranks is a flow beside the unicasts that announce it.
TEST(WormholeCheck, a_trace_with_flows_is_refused_at_its_node_bad) {
  const Traces traces(4, [](TraceText& text, int) { text.all_reduce(1024); });
  const TempDir folder;
  const auto with = [&](const std::string& control, const std::string& algorithm) {
    return run_into(
        folder, load_config_text("fabric: {kind: fred, flit_bytes: 64, flow_control: wormhole, control: " + control +
                                     ", levels: [{groups: 2, uplinks: 1}, {groups: 1}]}\n"
                                     "npu: {count: 4, packet_bytes: 512}\n"
                                     "workload: {trace: {chakra: " +
                                     (traces / "t").string() + ", algorithm: " + algorithm + "}}\n",
                                 "trace.yaml", {}));
  };
  for (const char* control : {"one_phase", "several_phases"}) {
    EXPECT_THAT(with(control, "in_switch"), HasSubstr("trace of rank 0, node 0 'a0'")) << control;
    EXPECT_THAT(with(control, "in_switch"), HasSubstr("fabric.flow_control: wormhole can deadlock")) << control;
    EXPECT_EQ(with(control, "ring"), "") << control;
  }
}

// Data and barriers of a group are one flow on two traffic classes; one lowest switch, so nothing is refused.
TEST(WormholeCheck, data_and_barriers_of_a_group_take_turns_in_its_flow) {
  const Traces traces(4, [](TraceText& text, int) {
    text.all_reduce(4096);
    text.barrier();
    text.all_reduce(8192);
  });
  for (const std::string control : {"one_phase", "several_phases", "one_tree"}) {
    const TempDir folder;
    EXPECT_EQ(run_into(folder, load_config_text("fabric: {kind: fred, flit_bytes: 64, flow_control: wormhole, "
                                                "levels: [{groups: 1}], control: " +
                                                    control +
                                                    "}\nnpu: {count: 4, packet_bytes: 512}\n"
                                                    "workload: {trace: {algorithm: in_switch, data: values, chakra: " +
                                                    (traces / "t").string() + "}}\n",
                                                "one.yaml", {})),
              "")
        << control;
  }
}

/// Every kind by every control and several algorithms: refused, or played to its end with the results checked.
class WormholeMatrix : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(WormholeMatrix, what_is_not_refused_finishes) {
  const auto [control, algorithm] = GetParam();
  const bool in_switch = std::string(algorithm).rfind("in_switch", 0) == 0;
  const std::string tree = "one_tree";
  for (const std::string kind : {"all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "all_to_all",
                                 "scatter", "gather", "barrier"}) {
    Words sets = words(control, algorithm, kind);
    if (kind != "barrier") sets.push_back("workload.collective.data=values");
    if (kind == "barrier") sets.push_back("workload.collective.size=0 B");
    // A long way up and down, so that much is under way at once.
    sets.push_back("fabric.levels[0].latency=40");
    const std::string why = refusal(sets);
    const bool flow_per_rank = in_switch && (kind == "reduce_scatter" || kind == "all_gather");
    EXPECT_EQ(!why.empty(), control == tree || flow_per_rank) << kind << ": " << why;
    if (!why.empty()) continue;
    const TempDir folder;
    EXPECT_EQ(run_into(folder, two_levels(sets)), "") << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(All, WormholeMatrix,
                         testing::Combine(testing::Values("one_phase", "several_phases", "one_tree"),
                                          testing::Values("direct", "ring", "in_switch", "in_switch_series")),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) + "_" + std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace weft::sc_models
