// SPDX-License-Identifier: Apache-2.0
// `weft advise reduce` with the program itself, on the figures of the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/run_child.h"

namespace weft::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::run_child;

ChildResult advise(const std::vector<std::string>& options) {
  std::vector<std::string> words{WEFT_PROGRAM, "advise", "reduce", kWse};
  words.insert(words.end(), options.begin(), options.end());
  return run_child(words);
}

// star: 256 x 3 + 5; chain: 255 + 3 x 6; tree: 3 hops, two rounds of 5, 255 more wavelets and 249 cycles of waiting
// (256 less 2 + 5). in_router: 255 more wavelets behind the first, which passes 2 ramps, 3 links and 3 merges and is
// stored in one cycle.
TEST(AdviseProgram, simulates_a_row) {
  const ChildResult r = advise({"--p", "4", "--b", "256", "--jobs", "2", "--json"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  const auto json = nlohmann::json::parse(r.out);
  EXPECT_EQ(json["lower_bound"], 274);
  std::map<std::string, int> cycles;
  for (const auto& point : json["algorithms"]) cycles[point["algorithm"]] = point["cycles"];
  const std::map<std::string, int> expected{{"star", 773},      {"chain", 273},    {"tree", 517},
                                            {"two_phase", 517}, {"auto_gen", 273}, {"in_router", 266}};
  EXPECT_EQ(cycles, expected);
  EXPECT_EQ(json["algorithms"][5]["fastest"], true);
  EXPECT_EQ(json["algorithms"][1]["fastest"], false);
  EXPECT_NEAR(json["algorithms"][0]["ns"], 773 / 0.85, 1e-6) << "the clock is 850 MHz";
}

TEST(AdviseProgram, prints_a_table) {
  const ChildResult r = advise({"--p", "2x2", "--b", "8", "--kind", "all_reduce"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  EXPECT_THAT(r.out, HasSubstr("all_reduce of 8 wavelets (4 B each) on 2 x 2 cores, X-then-Y"));
  EXPECT_THAT(r.out, ContainsRegex("star +[0-9]+ +[0-9.]+ +41 "));
  EXPECT_THAT(r.out, ContainsRegex("ring +[0-9]+ +[0-9.]+ +- +-"));
  EXPECT_THAT(r.out, HasSubstr("  fastest\n"));
  EXPECT_EQ(r.err, "");
}

TEST(AdviseProgram, help_shows_examples) {
  EXPECT_THAT(advise({"--help"}).out, HasSubstr("weft advise reduce configs/wse-reduce.yaml --p 64 --b 256\n"));
}

TEST(AdviseProgram, what_is_refused_bad) {
  const auto refused = [](const std::vector<std::string>& options, const std::string& text) {
    const ChildResult r = advise(options);
    EXPECT_EQ(r.status, kExitBadInput) << text;
    EXPECT_EQ(r.out, "") << text;
    EXPECT_THAT(r.err, HasSubstr(text));
  };
  refused({"--b", "4"}, "--p is required");
  refused({"--p", "4"}, "--b is required");
  refused({"--p", "4", "--b", "4", "--kind", "reduc"},
          "weft: error: --kind reduc: legal are reduce, all_reduce; did you mean 'reduce'?\n");
  refused({"--p", "4", "--b", "4", "--set", "fabric.router.colours=0"},
          "fabric.router.colours is 0: reduce on a wafer takes 2 routes that are set up before the run");
  refused({"--p", "4", "--b", "4", "--set", "fabric.size=[4, 1]"},
          "--set fabric.size=[4, 1]: `weft advise reduce` sets fabric.size itself (--p)");
  refused({"--p", "4", "--b", "4", "--set", "fabric.link.bandwidth=1 GB/s"},
          "set-up routes need links of exactly one flit per cycle");
  const ChildResult limit = advise({"--p", "4", "--b", "4", "--set", "limits.cycles=5"});
  EXPECT_EQ(limit.status, kExitLimit);
  EXPECT_THAT(limit.err, HasSubstr("limits.cycles = 5 reached before the workload finished"));
}

}  // namespace
}  // namespace weft::cli
