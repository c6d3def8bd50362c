// SPDX-License-Identifier: Apache-2.0
// What `weft route` plans and prints: the paper's wafer, the sheet's conflict with every answer, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "cli/route/route_plan.h"
#include "cli/route/route_report.h"
#include "config/load.h"
#include "tests/support/run_child.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kFredD = test::source("configs/fred-d.yaml");
const std::string kFredB = test::source("configs/fred-b.yaml");

/// Four groups of three that three middle stages cannot carry together, though any three of them can be.
const char* const kFourGroups =
    "fabric: {kind: fred, levels: [{groups: 1, ports: 12}]}\n"
    "npu: {count: 12, placement: [0, 2, 4, 1, 6, 8, 3, 7, 10, 5, 9, 11]}\n"
    "workload: {collective: {size: 1 MiB}}\n";

RoutePlan plan_of_groups(const std::string& answer) {
  return plan_route(load_config_text(kFourGroups, "a.yaml", {"fabric.conflict=" + answer}),
                    {fred::Parallelism{3, 1, 4}, ""});
}

std::string error_of(const Config& config, const RouteChoice& choice) {
  try {
    plan_route(config, choice);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// MP and PP stay within the L1 switches; each of the four DP flows takes an uplink of its own, two at each L2 chiplet.
TEST(Route, phases_of_the_paper_s_wafer) {
  const RoutePlan plan = plan_route(load_config(kFredD), {fred::Parallelism{2, 2, 5}, ""});
  ASSERT_THAT(plan.phases, SizeIs(3));
  EXPECT_FALSE(plan.moved);
  for (const RoutedPhase& phase : plan.phases) {
    EXPECT_THAT(phase.conflicts, IsEmpty());
    EXPECT_THAT(phase.at_endpoints, IsEmpty());
    ASSERT_THAT(phase.settings, SizeIs(1)) << phase.name;
  }
  EXPECT_THAT(plan.phases[0].flows, SizeIs(10));
  // The first three L1 switches have four of the 18 I/O controllers each, the others have three.
  const std::vector<RoutedChiplets>& mp = plan.phases[0].settings[0].chiplets;
  ASSERT_THAT(mp, SizeIs(2));
  EXPECT_THAT(mp[0].names, ElementsAre("l1[0]", "l1[1]", "l1[2]"));
  EXPECT_EQ(mp[0].picture.net.name(), "Fred_3(12)");
  EXPECT_THAT(mp[1].names, ElementsAre("l1[3]", "l1[4]"));
  EXPECT_EQ(mp[1].picture.net.name(), "Fred_3(11)");
  const RoutedPhase& dp = plan.phases[2];
  EXPECT_THAT(dp.flows, ElementsAre("{0,4,8,12,16}", "{1,5,9,13,17}", "{2,6,10,14,18}", "{3,7,11,15,19}"));
  ASSERT_THAT(dp.settings[0].chiplets, SizeIs(3));
  const RoutedChiplets& l2 = dp.settings[0].chiplets[2];
  EXPECT_THAT(l2.names, ElementsAre("l2[0].slice[0]", "l2[0].slice[1]"));
  EXPECT_EQ(l2.picture.net.name(), "Fred_3(10)");
  EXPECT_THAT(l2.picture.flows, SizeIs(2));
  EXPECT_THAT(l2.picture.flows[0].inputs, SizeIs(5));
}

// A flow alone is striped over as many uplinks as an NPU's rate needs: one of FRED-D's, all four of FRED-B's.
TEST(Route, the_collective_of_the_configuration) {
  const RoutePlan plan = plan_route(load_config(kFredD), {});
  ASSERT_THAT(plan.phases, SizeIs(1));
  EXPECT_EQ(plan.phases[0].name, "all_reduce");
  EXPECT_THAT(plan.phases[0].settings, SizeIs(1));
  EXPECT_THAT(plan_route(load_config(kFredB), {}).phases[0].settings, SizeIs(4));
  const auto with = [](const std::string& kind) {
    return plan_route(load_config(kFredD, {"workload.collective={kind: " + kind + ", group: [1, 3], root: 3}"}), {})
        .phases[0]
        .flows;
  };
  EXPECT_THAT(with("all_reduce"), ElementsAre("{1,3}"));
  EXPECT_THAT(with("reduce"), ElementsAre("{1,3}->{3}"));
  EXPECT_THAT(with("broadcast"), ElementsAre("{3}->{1,3}"));
}

// An L1 switch reduces and copies in MP and DP, and passes PP's sends on; an L2 chiplet has part in DP alone. FRED-B's
// DP flows meet in fours where there are four uplinks: no stripes either. The four stripes of a single flow are four.
TEST(Route, settings_are_counted_against_the_memory) {
  const fred::MemoryNeed three = plan_route(load_config(kFredD), {fred::Parallelism{2, 2, 5}, ""}).memory;
  EXPECT_EQ(three.most, 3u);
  EXPECT_EQ(three.where, "l1[0].plane[0]");
  EXPECT_EQ(three.memory_bytes, 1536u);
  EXPECT_EQ(three.bits, fred::setting_bits(fred::build_interconnect(3, 12)));
  EXPECT_EQ(three.capacity, 1536u / ((three.bits + 7) / 8));
  EXPECT_EQ(plan_route(load_config(kFredD), {fred::Parallelism{2, 2, 5}, "dp"}).memory.most, 1u);
  EXPECT_EQ(plan_route(load_config(kFredB), {}).memory.most, 4u);
}

TEST(Route, only_one_phase) {
  const RoutePlan plan = plan_route(load_config(kFredD), {fred::Parallelism{2, 2, 5}, "dp"});
  ASSERT_THAT(plan.phases, SizeIs(1));
  EXPECT_EQ(plan.phases[0].name, "dp");
}

TEST(Route, serialize_gives_the_flow_that_conflicts_a_setting_of_its_own) {
  const RoutePlan plan = plan_of_groups("serialize");
  const RoutedPhase& mp = plan.phases[0];
  ASSERT_THAT(mp.conflicts, SizeIs(1));
  EXPECT_THAT(mp.conflicts[0].found,
              HasSubstr("3 middle stages are too few where '{0,2,4}' and '{1,6,8}' share in[0]"));
  ASSERT_THAT(mp.settings, SizeIs(2));
  EXPECT_THAT(mp.settings[0].flows, ElementsAre("{0,2,4}", "{1,6,8}", "{3,7,10}"));
  EXPECT_THAT(mp.settings[1].flows, ElementsAre("{5,9,11}"));
  // Any two of the three share an R-uSwitch.
  const auto& middles = mp.settings[0].chiplets[0].middle_stages;
  ASSERT_THAT(middles, SizeIs(3));
  EXPECT_NE(middles[0][0], middles[1][0]);
  EXPECT_NE(middles[0][0], middles[2][0]);
  EXPECT_NE(middles[1][0], middles[2][0]);
}

TEST(Route, decompose_leaves_it_to_the_endpoints) {
  const RoutedPhase mp = plan_of_groups("decompose").phases[0];
  EXPECT_THAT(mp.settings, SizeIs(1));
  EXPECT_THAT(mp.at_endpoints, ElementsAre("{5,9,11}"));
}

TEST(Route, replace_moves_ranks_until_nothing_conflicts) {
  const RoutePlan plan = plan_of_groups("replace");
  EXPECT_TRUE(plan.moved);
  for (const RoutedPhase& phase : plan.phases) EXPECT_THAT(phase.settings, SizeIs(1));
  ASSERT_THAT(plan.phases[0].conflicts, SizeIs(1));
  EXPECT_EQ(plan.phases[0].conflicts[0].done, "ranks moved to other NPUs");
  EXPECT_THAT(plan.phases[1].conflicts, IsEmpty());
}

TEST(Route, refuse_refuses) {
  EXPECT_THAT(
      error_of(load_config_text(kFourGroups, "a.yaml", {"fabric.conflict=refuse"}), {fred::Parallelism{3, 1, 4}, ""}),
      HasSubstr("fabric.conflict: refuse: l1[0]: flows '{0,2,4}', '{1,6,8}', '{3,7,10}', '{5,9,11}' conflict on "
                "Fred_3(12)"));
  EXPECT_EQ(error_of(load_config_text(kFourGroups, "a.yaml", {"fabric.conflict=refuse", "fabric.m=4"}),
                     {fred::Parallelism{3, 1, 4}, ""}),
            "");
}

TEST(Route, bad_choices) {
  const Config config = load_config(kFredD);
  EXPECT_THAT(error_of(config, {fred::Parallelism{2, 2, 4}, ""}), HasSubstr("is 16 ranks, but 20 are placed"));
  EXPECT_EQ(error_of(config, {fred::Parallelism{4, 1, 5}, "pp"}),
            "weft route: --phase pp: there is no such phase; legal here: mp, dp");
  EXPECT_EQ(error_of(config, {std::nullopt, "mp"}), "weft route: --phase needs --parallelism MP,PP,DP");
  EXPECT_THAT(error_of(load_config(kFredD, {"workload.collective.kind=all_gather"}), {}),
              HasSubstr("all_gather is a series of flows, not one; legal: all_reduce, reduce, broadcast, barrier"));
  EXPECT_EQ(error_of(load_config_text("fabric: {size: [2, 2]}\nworkload: {traffic: {}}\n"), {}),
            "weft route: flows are routed in FRED switches, but fabric.kind is mesh; legal: fred");
}

// By hand: 0 and 1 meet in in[0], which adds; the sum goes through one middle stage to out[0], which copies.
TEST(Route, the_table_says_every_setting) {
  const Config config = load_config_text(
      "fabric: {kind: fred, levels: [{groups: 1, ports: 4}]}\nnpu: {count: 2}\n"
      "workload: {collective: {size: 1 MiB}}\n",
      "tiny.yaml");
  std::ostringstream out;
  print_routes(config, plan_route(config, {}), out);
  EXPECT_EQ(out.str(),
            "tiny: 2 ranks on 2 NPUs, conflict serialize\n"
            "memory: 1 stored setting in l1[0], whose 1536 B hold 307 of 38 bits\n"
            "phase all_reduce: 1 flow, 1 stored setting, 0 conflicts\n"
            "  stored setting 0: {0,1}\n"
            "    Fred_3(4) l1[0]\n"
            "      flow                     input ports      output ports     middle stages\n"
            "      {0,1}                    0,1              0,1              mid[0]\n"
            "      uSwitch                  kind   setting\n"
            "      in[0]                    R      0+1 -> mid[0]\n"
            "      mid[0].rd                RD     0 -> 0\n"
            "      out[0]                   D      mid[0] -> 0,1\n");
}

TEST(Route, the_program_prints_and_draws) {
  const test::TempDir folder;
  const std::string svg = (folder.path() / "dp.svg").string();
  const test::ChildResult r =
      test::run_child({WEFT_PROGRAM, "route", kFredD, "--parallelism", "2,2,5", "--phase", "dp", "--svg", svg});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  EXPECT_THAT(r.out, HasSubstr("phase dp: 4 flows, 1 stored setting, 0 conflicts\n"));
  const std::string text = test::read_text(svg);
  // One picture each of Fred_3(12), Fred_3(11) and Fred_3(10), with the uSwitches of the construction: 11 = 2 x 5 + 1
  // has 5 + 5 and three middle stages Fred_3(6) of 21.
  EXPECT_EQ(count(text, "<text class=\"title\""), 3u);
  EXPECT_EQ(count(text, "<rect class=\"uswitch"), 75u + 73u + 67u);
  EXPECT_EQ(test::run_child({WEFT_PROGRAM, "route", kFredD, "--svg", "/no/such/folder/x.svg"}).status, kExitBadInput);
  const test::ChildResult two = test::run_child({WEFT_PROGRAM, "route", kFredD, "--parallelism", "2,2"});
  EXPECT_EQ(two.status, kExitBadInput);
  EXPECT_THAT(two.err, HasSubstr("--parallelism: expected three numbers, MP,PP,DP"));
}

}  // namespace
}  // namespace weft::cli
