// SPDX-License-Identifier: Apache-2.0
// `weft advise reduce` with a stand-in for the program: what is simulated, closed forms by hand, which is fastest,
// failures. advise_program_test.cpp has the program itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "cli/advise/reduce_advice.h"
#include "tests/support/refusal.h"
#include "tests/support/source.h"
#include "tests/support/stand_in.h"

namespace weft::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using weft::test::read_text;
using weft::test::refusal;
using weft::test::TempDir;
using weft::test::write_script;
using weft::test::write_text;

const std::string kWse = test::source("configs/wse-reduce.yaml");
const std::string kWse3 = test::source("configs/wse3-reduce.yaml");

AdviceRequest asked(const std::string& cores, std::uint64_t b, CollectiveKind kind = CollectiveKind::kReduce) {
  AdviceRequest request;
  request.config = kWse;
  request.kind = kind;
  request.elements = b;
  parse_cores(cores, request);
  return request;
}

std::vector<std::string> names(const Advice& advice) {
  std::vector<std::string> all;
  for (const AdvicePoint& point : advice.points) all.push_back(point.algorithm);
  return all;
}

/// Closed form of an algorithm; -1 where there is none.
double form(const Advice& advice, const std::string& algorithm) {
  for (const AdvicePoint& point : advice.points) {
    if (point.algorithm == algorithm) return point.form.value_or(-1);
  }
  ADD_FAILURE() << algorithm << " is not simulated";
  return 0;
}

TEST(AdvisePlan, cores_are_a_row_or_a_rectangle) {
  EXPECT_EQ(asked("64", 1).columns, 64U);
  EXPECT_EQ(asked("64", 1).rows, 1U);
  EXPECT_EQ(asked("8x3", 1).columns, 8U);
  EXPECT_EQ(asked("8x3", 1).rows, 3U);
  for (const char* bad : {"0", "", "x", "8x", "x8", "8x8x8", "-4", "4.5", "4097", "4x4097", "99999999999"}) {
    EXPECT_EQ(refusal([&] { asked(bad, 1); }),
              std::string("--p ") + bad +
                  ": legal are a row of 2 to 4096 cores, as 64, or columns x rows, as 8x8, of 1 to 4096 each");
  }
  for (const char* one : {"1", "1x1"}) {
    EXPECT_EQ(refusal([&] { asked(one, 1); }),
              std::string("--p ") + one + ": one core has nothing to reduce; legal: at least 2");
  }
}

TEST(AdvisePlan, forms_of_a_row) {
  const Advice advice = plan_advice(asked("4", 256));
  EXPECT_THAT(names(advice), ElementsAre("star", "chain", "tree", "two_phase", "auto_gen", "in_router"));
  EXPECT_EQ(form(advice, "star"), 773);
  EXPECT_EQ(form(advice, "chain"), 274);
  EXPECT_EQ(form(advice, "tree"), 522);
  EXPECT_EQ(form(advice, "two_phase"), 522);
  EXPECT_EQ(form(advice, "auto_gen"), 274);
  EXPECT_EQ(form(advice, "in_router"), -1);
  EXPECT_EQ(advice.lower_bound, 274);
  EXPECT_TRUE(advice.left_out.empty());
}

TEST(AdvisePlan, forms_of_rectangles_and_columns) {
  const Advice square = plan_advice(asked("4x8", 256));
  EXPECT_EQ(form(square, "chain"), (256 + 6 * 3) + (256 + 6 * 7));
  EXPECT_EQ(form(square, "snake"), 256 + 6 * 31);
  EXPECT_FALSE(square.lower_bound);
  const Advice column = plan_advice(asked("1x8", 256));
  EXPECT_EQ(form(column, "chain"), 256 + 6 * 7);
  EXPECT_EQ(column.lower_bound, 298);
}

TEST(AdvisePlan, forms_of_an_all_reduce) {
  const Advice row = plan_advice(asked("4", 256, CollectiveKind::kAllReduce));
  EXPECT_THAT(names(row), ElementsAre("star", "chain", "tree", "two_phase", "auto_gen", "in_router", "ring"));
  EXPECT_EQ(form(row, "chain"), 274 + 264);
  EXPECT_EQ(form(row, "ring"), 418);
  EXPECT_FALSE(row.lower_bound);
  const Advice square = plan_advice(asked("4x8", 256, CollectiveKind::kAllReduce));
  EXPECT_EQ(form(square, "chain"), 274 + 298 + (256 + 4 + 8 - 2 + 5));
  EXPECT_EQ(form(square, "ring"), -1);
}

TEST(AdvisePlan, ring_is_left_out_where_it_cannot_share_evenly) {
  const Advice advice = plan_advice(asked("6", 256, CollectiveKind::kAllReduce));
  EXPECT_THAT(names(advice), testing::Not(Contains("ring")));
  ASSERT_EQ(advice.left_out.size(), 1U);
  EXPECT_EQ(advice.left_out[0].algorithm, "ring");
  EXPECT_EQ(advice.left_out[0].reason, "256 wavelets cannot be shared evenly by 6 cores");
}

TEST(AdvisePlan, costs_are_those_of_the_configuration) {
  AdviceRequest request = asked("64", 256);
  request.config = kWse3;
  EXPECT_EQ(form(plan_advice(request), "chain"), 256 + 63 * (2 + 5));
  request.settings = {"npu.ramp_cycles=3", "fabric.router.hop_cycles=3"};
  const Advice slow = plan_advice(request);
  EXPECT_EQ(slow.cost.ramp, 3U);
  EXPECT_EQ(slow.cost.hop, 4U);
  EXPECT_EQ(slow.cost.turn, 20U);
  EXPECT_EQ(form(slow, "chain"), 256 + 63 * (4 + 7));
}

TEST(AdvisePlan, no_forms_for_machines_that_they_do_not_describe) {
  AdviceRequest request = asked("8", 16);
  request.settings = {"fabric.flit_bytes=8 B"};
  EXPECT_EQ(plan_advice(request).no_forms,
            "fabric.flit_bytes is 8 B and npu.packet_bytes 4 B; they hold for wavelets of 4 B");
  EXPECT_EQ(form(plan_advice(request), "chain"), -1);
  request.settings = {"npu.add_cycles=2"};
  EXPECT_EQ(plan_advice(request).no_forms, "npu.add_cycles is 2; they hold for adds of one cycle");
}

TEST(AdvisePlan, what_is_refused_bad) {
  EXPECT_EQ(refusal([] { plan_advice(asked("4", 0)); }),
            "--b 0: legal are 1 to 268435456 wavelets of 4 bytes per vector");
  AdviceRequest request = asked("4", 1, CollectiveKind::kAllReduce);
  request.settings = {"fabric.router.colours=0"};
  EXPECT_EQ(refusal([&] { plan_advice(request); }),
            std::string(kWse) +
                ": fabric.router.colours is 0: all_reduce on a wafer takes 3 routes that are set up "
                "before the run; legal here: 3 to 24, as by --set fabric.router.colours=24");
  request.settings = {"fabric.router.colours=2"};
  EXPECT_THAT(refusal([&] { plan_advice(request); }), HasSubstr("needs 3 colours; fabric.router.colours is 2"));
  for (const char* path : {"fabric.size", "fabric.size[0]", "workload", "workload.collective.root"}) {
    request.settings = {std::string(path) + "=1"};
    EXPECT_THAT(refusal([&] { plan_advice(request); }),
                HasSubstr(std::string("`weft advise reduce` sets ") + path + " itself"));
  }
  request.settings = {"fabric.router.colour=3"};
  EXPECT_THAT(refusal([&] { plan_advice(request); }), HasSubstr("did you mean 'colours'?"));
}

/// Takes as many cycles as its table says; ends with the status in the file `status` for algorithm `tree`.
constexpr const char* kProgram = R"sh(#!/bin/sh
here=$(dirname "$0")
out=$5
for word in "$@"; do
  case "$word" in workload.collective.algorithm=*) algorithm=${word#*=} ;; esac
done
echo "$*" > "$here/$algorithm.words"
if [ "$algorithm" = tree ] && [ -e "$here/status" ]; then
  echo "weft: error: no luck" >&2
  exit "$(cat "$here/status")"
fi
case $algorithm in chain | in_router) cycles=273 ;; *) cycles=900 ;; esac
mkdir -p "$out"
cat > "$out/collectives.csv" <<END
name,end_cycle,start_cycle,start_ns,end_ns
reduce_0,$((cycles + 10)),10,20,$((20 + 2 * cycles))
END
)sh";

class AdviseRun : public testing::TestWithParam<std::size_t> {
 protected:
  AdviseRun() : request_(asked("4", 256)) {
    request_.program = write_script(dir_ / "program", kProgram);
    request_.jobs = GetParam();
  }
  Advice advise() {
    return advise_reduce(request_, [](const std::string&) {});
  }
  TempDir dir_;
  AdviceRequest request_;
};

TEST_P(AdviseRun, marks_all_that_are_fastest) {
  const Advice advice = advise();
  ASSERT_EQ(advice.points.size(), 6U);
  for (const AdvicePoint& point : advice.points) {
    const bool fast = point.algorithm == "chain" || point.algorithm == "in_router";
    EXPECT_EQ(point.fastest, fast) << point.algorithm;
    EXPECT_EQ(point.cycles, fast ? 273U : 900U) << point.algorithm;
    EXPECT_EQ(point.ns, fast ? 546 : 1800) << point.algorithm;
    EXPECT_THAT(read_text(dir_ / (point.algorithm + ".words")),
                HasSubstr("--set fabric.size=[4, 1] --set workload.collective.kind=reduce --set "
                          "workload.collective.algorithm=" +
                          point.algorithm +
                          " --set workload.collective.size=1024 B --set workload.collective.group=all --set "
                          "workload.collective.root=0 --set workload.collective.chunks=1\n"));
  }
}

TEST_P(AdviseRun, table_and_json_say_the_same) {
  const Advice advice = advise();
  std::ostringstream table;
  print_advice(request_, advice, table);
  EXPECT_THAT(table.str(), HasSubstr("reduce of 256 wavelets (4 B each) on a row of 4 cores: T_R 2, hop 1, turn 0"));
  EXPECT_THAT(table.str(), testing::ContainsRegex("chain +273 +546.0 +274 +-0.36 %  fastest\n"));
  EXPECT_THAT(table.str(), testing::ContainsRegex("star +900 +1800.0 +773 +.16.43 %\n"));
  EXPECT_THAT(table.str(), testing::ContainsRegex("in_router +273 +546.0 +- +-  fastest\n"));
  const auto json = advice_json(request_, advice);
  EXPECT_EQ(json["cores"], (std::vector<int>{4, 1}));
  EXPECT_EQ(json["lower_bound"], 274.0);
  EXPECT_EQ(json["algorithms"][1]["algorithm"], "chain");
  EXPECT_EQ(json["algorithms"][1]["cycles"], 273);
  EXPECT_EQ(json["algorithms"][1]["closed_form"], 274.0);
  EXPECT_EQ(json["algorithms"][1]["fastest"], true);
  EXPECT_TRUE(json["algorithms"][5]["closed_form"].is_null());
}

TEST_P(AdviseRun, failed_run_ends_it_with_its_status_bad) {
  write_text(dir_ / "status", "2");
  EXPECT_EQ(refusal([&] { advise(); }), "algorithm tree: no luck");
  write_text(dir_ / "status", "3");
  EXPECT_THROW(advise(), ViolationError);
  write_text(dir_ / "status", "4");
  try {
    advise();
    FAIL() << "a failed run went unnoticed";
  } catch (const RunFailed& failed) {
    EXPECT_EQ(failed.status(), 4);
    EXPECT_STREQ(failed.what(), "algorithm tree: no luck (its run ended with status 4)");
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, AdviseRun, testing::Values(1, 2, 16));

}  // namespace
}  // namespace weft::cli
