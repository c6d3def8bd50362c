// SPDX-License-Identifier: Apache-2.0
#include "tb/report/cosim_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::tb {
namespace {

TEST(CosimJson, tells_the_first_mismatch) {
  CosimRun run;
  run.block = "elastic_reg";
  run.seed = 7;
  run.wave = "cosim.vcd";
  run.result.cycles = 500;
  run.result.mismatches = 1;
  run.result.first = Mismatch{123, "data_o", "pass: input 0 -> output 0, word 3", "0x5", "0x4"};
  run.result.bins = {{"full", 2}};
  const auto json = cosim_json(run);
  EXPECT_EQ(json["block"], "elastic_reg");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["cycles"], 500);
  EXPECT_EQ(json["mismatches"], 1);
  EXPECT_EQ(json["first"]["cycle"], 123);
  EXPECT_EQ(json["first"]["port"], "data_o");
  EXPECT_EQ(json["first"]["flow"], "pass: input 0 -> output 0, word 3");
  EXPECT_EQ(json["first"]["expected"], "0x5");
  EXPECT_EQ(json["first"]["actual"], "0x4");
  EXPECT_EQ(json["wave"], "cosim.vcd");
  EXPECT_EQ(json["bins"]["full"], 2);
  run.result.first.reset();
  run.wave.clear();
  EXPECT_TRUE(cosim_json(run)["first"].is_null());
  EXPECT_TRUE(cosim_json(run)["wave"].is_null());
}

TEST(JunitXml, groups_runs_by_block_and_escapes) {
  EXPECT_EQ(
      junit_xml({{"a", "seed 1", 0.5, ""}, {"b", "seed 1", 1.0, "x < \"y\"\nreplay: z & w"}, {"a", "seed 2", 2.0, ""}}),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"a\" tests=\"2\" failures=\"0\">\n"
      "    <testcase classname=\"a\" name=\"seed 1\" time=\"0.500\"/>\n"
      "    <testcase classname=\"a\" name=\"seed 2\" time=\"2.000\"/>\n  </testsuite>\n"
      "  <testsuite name=\"b\" tests=\"1\" failures=\"1\">\n"
      "    <testcase classname=\"b\" name=\"seed 1\" time=\"1.000\">\n"
      "      <failure message=\"x &lt; &quot;y&quot;\">x &lt; &quot;y&quot;\nreplay: z &amp; w</failure>\n"
      "    </testcase>\n  </testsuite>\n</testsuites>\n");
}

TEST(CoverageJson, lists_bins_never_hit) {
  Coverage coverage;
  coverage.merge({{"a", 3}, {"b", 0}});
  const auto json = coverage_json(coverage);
  EXPECT_EQ(json["bins"], 2);
  EXPECT_EQ(json["hit"], 1);
  EXPECT_EQ(json["never_hit"], nlohmann::ordered_json({"b"}));
  EXPECT_EQ(json["counts"]["a"], 3);
}

}  // namespace
}  // namespace weft::tb
