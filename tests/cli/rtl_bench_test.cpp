// SPDX-License-Identifier: Apache-2.0
// `weft bench rtl` on the smallest switch: what it says fits together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/support/run_child.h"
#include "tests/support/stand_in.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using weft::test::run_child;

class RtlBench : public testing::Test {
 protected:
  RtlBench() { setenv("WEFT_RTL_DIR", WEFT_TEST_MODELS, 1); }
};

TEST_F(RtlBench, measures_bare_rtl_model_and_lockstep_with_one_input) {
  const auto r = run_child({WEFT_PROGRAM, "bench", "rtl", "--m", "2", "--ports", "2", "--lanes", "1", "--cycles",
                            "20000", "--repeats", "1", "--waves", "--coverage", "--json"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  const auto report = nlohmann::json::parse(r.out);
  EXPECT_EQ(report["switch"], "Fred_2(2)");
  ASSERT_EQ(report["points"].size(), 1U);
  const auto& point = report["points"][0];
  const auto value = [&](const char* name) { return point.at(name).get<double>(); };
  EXPECT_EQ(value("cycles"), 20000);
  EXPECT_GT(value("flits_per_cycle"), 0.1);
  EXPECT_LT(value("flits_per_cycle"), 2.0);  // as many as there are ports
  EXPECT_GT(value("added_per_cycle"), 0.0);
  EXPECT_GT(value("bare_us"), 0.0);
  EXPECT_NEAR(value("ratio"), value("rtl_us") / value("bare_us"), 1e-9);
  // Which of two times is longer is no test: another program beside this one may turn it round.
  EXPECT_GT(value("lockstep_us"), 0.0);
  for (const char* name : {"waves_off", "waves", "coverage"}) {
    const auto& observed = point.at(name);
    EXPECT_EQ(observed["cycles"], 400) << name;  // a fiftieth
    EXPECT_GT(observed["bare_us"], 0.0) << name;
    EXPECT_NEAR(observed["ratio"].get<double>(), observed["rtl_us"].get<double>() / observed["bare_us"].get<double>(),
                1e-9)
        << name;
  }
  EXPECT_NEAR(value("rtl_us") + value("model_us") + value("comparison_us"), value("lockstep_us"), 1e-9);
  EXPECT_TRUE(report["failed"].empty());
}

/// Verilator refuses one of two widths: the other one is measured, and the status says it.
TEST_F(RtlBench, goes_on_after_a_width_that_fails_bad) {
  const test::TempDir folder;
  const std::string tool = test::write_script(
      folder / "verilator",
      "#!/bin/sh\ncase \"$*\" in *-GLanes=3*) echo no luck; exit 1 ;; esac\nexec " WEFT_VERILATOR " \"$@\"\n");
  setenv("VERILATOR", tool.c_str(), 1);
  const auto r = run_child({WEFT_PROGRAM, "bench", "rtl", "--m", "2", "--ports", "2", "--lanes", "3", "1", "--cycles",
                            "2000", "--repeats", "1"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("weft: error: Fred_2(2), 3 lanes: "));
  EXPECT_THAT(r.err, HasSubstr("no luck"));
  EXPECT_THAT(r.out, testing::ContainsRegex("\n +1 +2000 +[0-9.]+ "));
  EXPECT_THAT(r.out, Not(testing::ContainsRegex("\n +3 ")));
}

/// The benchmarks of `weft bench` do not run as well.
TEST_F(RtlBench, refuses_switches_that_there_are_not_bad) {
  const auto r = run_child({WEFT_PROGRAM, "bench", "rtl", "--ports", "1"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("--ports"));
  EXPECT_EQ(r.out, "");
}

}  // namespace
}  // namespace weft::cli
