// SPDX-License-Identifier: Apache-2.0
// The report that a person reads says the same as the tables.
#include "runs/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/sc_models/sample_result.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string report(const Config& config, const RunResult& result) {
  std::ostringstream out;
  print_report(config, result, out);
  return out.str();
}

TEST(ResultsReport, says_what_ran_and_how_it_went) {
  const std::string text = report(test::sample_config(), test::sample_result());
  EXPECT_THAT(text, HasSubstr("sample: 2 x 1 mesh, xy; all_reduce of 4 KiB, ring"));
  EXPECT_THAT(text, ContainsRegex("outcome +finished"));
  EXPECT_THAT(text, HasSubstr("1,000 cycles = 2 us"));
  EXPECT_THAT(text, HasSubstr("mean 16.00  p50 12  p99 30  max 30 cycles"));
  EXPECT_THAT(text, ContainsRegex("all_reduce +ring +2 +4 KiB +1 +512 ns +512 ns +8.00 +8.00"));
  EXPECT_THAT(text, ContainsRegex("all_gather +ring +4 +1000 B +1 +200 ns +200 ns +20.00 +15.00"));
  EXPECT_THAT(text, HasSubstr("1 collective was still running"));
  EXPECT_THAT(text, ContainsRegex("0 +2 us +1.2 us +800 ns +40.0%"));
  EXPECT_THAT(text, HasSubstr("0.00 M flit-hops per CPU second"));
}

TEST(ResultsReport, says_what_links_repaired) {
  RunResult result = test::sample_result();
  EXPECT_THAT(report(test::sample_config(), result), testing::Not(HasSubstr("link layer")));
  result.link_layer = LinkLayerRecord{1000, 30, 29, 60, 7, 2};
  EXPECT_THAT(report(test::sample_config(), result),
              ContainsRegex("link layer +1,000 packets over links, 30 sent again, 29 discarded, 60 ACKs, 7 NACKs, 2 "
                            "timeouts"));
}

TEST(ResultsReport, says_which_ranks_were_moved) {
  RunResult result = test::sample_result();
  EXPECT_THAT(report(test::sample_config(), result), testing::Not(HasSubstr("ranks moved")));
  const auto node = [](std::uint32_t number) { return NodeId{number}; };
  result.moved = PlacementRecord{{"l1[0]: a, b"}, {node(0), node(2), node(1)}, {node(0), node(1), node(2)}};
  EXPECT_THAT(report(test::sample_config(), result),
              HasSubstr("  conflict         l1[0]: a, b\n"
                        "    ranks moved    rank 1 from 2 to 1, rank 2 from 1 to 2\n"
                        "    npu.placement  [0, 1, 2]\n"));
}

TEST(ResultsReport, says_what_switches_stored) {
  RunResult result = test::sample_result();
  EXPECT_THAT(report(test::sample_config(), result), testing::Not(HasSubstr("stored settings")));
  result.settings = SettingRecord{17, "l1[0]", 14, 871, 1536, 4000, 5, 6, 7};
  EXPECT_THAT(report(test::sample_config(), result),
              HasSubstr("stored settings  17 in l1[0], whose memory of 1.5 KiB holds 14 of 871 bits; 4,000 changes, 5 "
                        "reloads"));
}

TEST(ResultsReport, says_which_switches_were_no_models) {
  RunResult result = test::sample_result();
  result.switches = {{"fabric.l1[0]", "tlm", 0}, {"fabric.l2[0]", "tlm", 0}};
  EXPECT_THAT(report(test::sample_config(), result), testing::Not(HasSubstr("switches")));
  result.switches.push_back({"fabric.l1[1]", "rtl", 0});
  EXPECT_THAT(report(test::sample_config(), result), HasSubstr("switches         1 rtl, 2 tlm\n"));
  result.switches[0] = {"fabric.l1[0]", "lockstep", 7000};
  result.switches[1] = {"fabric.l2[0]", "lockstep", 500};
  EXPECT_THAT(
      report(test::sample_config(), result),
      HasSubstr("switches         2 lockstep, 1 rtl; RTL and model compared in 7,500 cycles without a difference\n"));
  result.switches[1].compared_cycles = 0;
  EXPECT_THAT(report(test::sample_config(), result),
              HasSubstr("compared in 7,000 cycles without a difference; not compared: 1 of them that had no work\n"));
  result.switches[1].compared_cycles = 500;
  result.switches[0].model = "tlm";
  EXPECT_THAT(
      report(test::sample_config(), result),
      HasSubstr(
          "switches         1 lockstep, 1 rtl, 1 tlm; RTL and model compared in 500 cycles without a difference\n"));
  result.stop = StopReason::kViolation;
  EXPECT_THAT(report(test::sample_config(), result), HasSubstr("RTL and model compared in 500 cycles\n"));
}

// 3 + 4 nodes, one of which waits for 50 cycles of 2 ns.
TEST(ResultsReport, says_how_far_compute_waits_for_memory) {
  RunResult result = test::sample_result();
  EXPECT_THAT(report(test::sample_config(), result),
              HasSubstr("compute nodes    7, 1 of them bound by memory: 100 ns more than their operations take\n"));
  for (RankRecord& rank : result.ranks) rank.memory_bound_nodes = 0;
  EXPECT_THAT(report(test::sample_config(), result), testing::Not(HasSubstr("compute nodes")));
}

TEST(ResultsReport, orders_the_busiest_links) {
  RunResult result = test::sample_result();
  std::vector<LinkRecord> links;
  for (int i = 0; i < 8; ++i) {
    links.push_back({"link" + std::to_string(i), "a", "b", 10, i == 3 ? 0.9 : 0.1 * i, LinkValues()});
  }
  result.links = RecordTable<LinkRecord>(links);
  const std::string text = report(test::sample_config(), result);
  const auto place = [&](const std::string& name) { return text.find(name); };
  EXPECT_LT(place("link3"), place("link7"));
  EXPECT_LT(place("link7"), place("link6"));
  EXPECT_LT(place("link6"), place("link5"));
  EXPECT_LT(place("link5"), place("link4"));
  EXPECT_THAT(text, Not(HasSubstr("link2")));
  EXPECT_THAT(text, Not(HasSubstr("link0")));
}

TEST(ResultsReport, says_why_a_run_ended_early) {
  RunResult result = test::sample_result();
  result.finished = false;
  result.stop = StopReason::kCycleLimit;
  EXPECT_THAT(report(test::sample_config(), result), HasSubstr("NOT finished: stopped by limits.cycles"));
  result.stop = StopReason::kInterrupted;
  EXPECT_THAT(report(test::sample_config(), result), HasSubstr("NOT finished: interrupted"));
}

TEST(ResultsReport, long_lists_of_ranks_show_the_slowest) {
  RunResult result = test::sample_result();
  result.ranks.clear();
  for (Cycle i = 0; i < 20; ++i) result.ranks.push_back({i * 1000, 0, 0});
  const std::string text = report(test::sample_config(), result);
  EXPECT_THAT(text, ContainsRegex("slowest ranks.*\n  19 +38 us"));
  EXPECT_THAT(text, HasSubstr("and 12 more ranks"));
}

TEST(ResultsReport, ranks_that_have_not_finished_come_first) {
  RunResult result = test::sample_result();
  result.ranks.clear();
  for (Cycle i = 0; i < 20; ++i) result.ranks.push_back({i * 1000, 0, 0, 1, 1, 5});
  result.ranks[4].finished = false;
  const std::string text = report(test::sample_config(), result);
  EXPECT_THAT(text, ContainsRegex("slowest ranks.*\n  4 +not finished +0 ns +0 ns +-\n  19 +38 us"));
  EXPECT_THAT(text, ContainsRegex("and 12 more ranks: summary.json\n  compute nodes")) << "the ranks stay together";
}

}  // namespace
}  // namespace weft::sc_models
