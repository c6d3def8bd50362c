// SPDX-License-Identifier: Apache-2.0
// `weft query` as a child process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "kernel/error.h"
#include "tests/support/run_child.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::run_child;
using weft::test::TempDir;
using weft::test::write_text;

class Query : public testing::Test {
 protected:
  Query() {
    write_text(dir_ / "c.yaml", "fabric: {size: [2, 2]}\nworkload: {collective: {kind: all_reduce, size: 8 KiB}}\n");
  }
  ChildResult weft(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), WEFT_PROGRAM);
    return run_child(arguments, dir_.path().string());
  }
  void run(const std::string& level) {
    ASSERT_EQ(weft({"run", "c.yaml", "--out", "out", "-q", "--set", "log.level=" + level}).status, kExitOk);
  }
  TempDir dir_;
};

TEST_F(Query, answers_names_and_sql) {
  run("steps");
  EXPECT_THAT(weft({"query", "out"}).out, HasSubstr("cycles  percent\n"));
  EXPECT_EQ(weft({"query", "out", "SELECT count(*) AS n, 'x' AS y FROM node"}).out, "n  y\n4  x\n");
  EXPECT_EQ(weft({"query", "out", "SELECT count(*) AS n, 'x,y' AS y FROM node", "--csv"}).out, "n,y\n4,\"x,y\"\n");
  const ChildResult json = weft({"query", "out", "SELECT 4 AS n, NULL AS y, 'x' AS z", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out), nlohmann::json::parse(R"([{"n": 4, "y": null, "z": "x"}])"));
  const ChildResult few = weft({"query", "out", "links", "--limit", "2"});
  EXPECT_EQ(std::count(few.out.begin(), few.out.end(), '\n'), 3);
  EXPECT_THAT(few.err, HasSubstr("only the first 2 rows; --limit 0 shows all"));
  EXPECT_EQ(weft({"query", "out", "timeline-check"}).status, kExitOk);
  EXPECT_THAT(weft({"query", "out", "schema"}).out, HasSubstr("CREATE TABLE activity"));
}

TEST_F(Query, of_synthetic_traffic_has_packets) {
  write_text(dir_ / "t.yaml",
             "fabric: {size: [2, 2]}\nlog: {level: packets}\n"
             "workload: {traffic: {rate: 0.2, warmup_cycles: 10, measure_cycles: 100}}\n");
  ASSERT_EQ(weft({"run", "t.yaml", "--out", "out", "-q"}).status, kExitOk);
  EXPECT_THAT(weft({"query", "out"}).out, HasSubstr("network_latency"));
  EXPECT_THAT(weft({"query", "out", "slow-packets", "--limit", "1"}).out, HasSubstr("traffic"));
  EXPECT_THAT(weft({"query", "out", "ranks"}).err, HasSubstr("synthetic traffic has nothing but packets"));
}

TEST_F(Query, refuses_names_that_it_does_not_know) {
  run("ranks");
  const ChildResult unknown = weft({"query", "out", "linkz"});
  EXPECT_EQ(unknown.status, kExitBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'links'?"));
  EXPECT_THAT(weft({"query", "out", "select * from nodes"}).err,
              HasSubstr("no such table: nodes; did you mean 'node'?"));
  EXPECT_EQ(weft({"query", "out", "delete from node"}).status, kExitBadInput);
}

TEST_F(Query, says_which_level_an_answer_needs) {
  run("ranks");
  const ChildResult r = weft({"query", "out", "critical-path"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("needs a run with log.level steps, this one has ranks"));
}

TEST_F(Query, says_what_is_wrong_with_a_folder) {
  EXPECT_THAT(weft({"query", "nowhere"}).err, HasSubstr("nowhere: is no results directory"));
  std::filesystem::create_directory(dir_ / "empty");
  EXPECT_THAT(weft({"query", "empty"}).err, HasSubstr("holds no results of a run"));
  run("off");
  EXPECT_THAT(weft({"query", "out"}).err, HasSubstr("has no log.sqlite"));
  write_text(dir_ / "out" / "log.sqlite", "no database at all, but long enough to be one");
  EXPECT_THAT(weft({"query", "out"}).err, HasSubstr("is no log of a run"));
}

TEST_F(Query, a_broken_timeline_is_found) {
  run("ranks");
  write_text(dir_ / "out" / "timeline.json", R"({"traceEvents": [{"ph": "X"}]})");
  const ChildResult r = weft({"query", "out", "timeline-check"});
  EXPECT_EQ(r.status, kExitViolation);
  EXPECT_THAT(r.out, HasSubstr("event 0 has no name"));
}

}  // namespace
}  // namespace weft::cli
