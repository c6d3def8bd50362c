// SPDX-License-Identifier: Apache-2.0
// `weft query` as a child process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::write_text;

class Query : public ProgramCase {
 protected:
  Query() {
    write_text(dir_ / "c.yaml", "fabric: {size: [2, 2]}\nworkload: {collective: {kind: all_reduce, size: 8 KiB}}\n");
  }
  void run(const std::string& level) {
    ASSERT_EQ(weft({"run", "c.yaml", "--out", "out", "-q", "--set", "log.level=" + level}).status, kExitOk);
  }
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
  const ChildResult timeline = weft({"query", "out", "timeline-check"});
  EXPECT_EQ(timeline.status, kExitBadInput);
  EXPECT_THAT(timeline.err, HasSubstr("out/timeline.json: there is none: "));
  EXPECT_THAT(timeline.err, HasSubstr("synthetic traffic has no timeline"));
}

TEST_F(Query, says_why_a_run_that_did_not_finish_has_no_critical_path) {
  run("steps");
  EXPECT_EQ(weft({"query", "out"}).err, "");
  ASSERT_EQ(
      weft({"run", "c.yaml", "--out", "cut", "-q", "--set", "log.level=steps", "--set", "limits.cycles=100"}).status,
      kExitLimit);
  EXPECT_EQ(weft({"query", "cut"}).err,
            "weft: the run did not finish (cycle limit): only runs that finish have a critical path\n");
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

TEST_F(Query, the_nearest_name_comes_before_the_list) {
  run("ranks");
  const std::string text = weft({"query", "out", "linkz"}).err;
  EXPECT_LT(text.find("did you mean 'links'?"), text.find('\n'));
  EXPECT_THAT(weft({"query", "out", "select * from qqqqqqqqqq"}).err,
              HasSubstr("no such table: qqqqqqqqqq; `weft query RUN schema` lists all"));
}

TEST_F(Query, one_statement_that_reads) {
  run("ranks");
  EXPECT_EQ(weft({"query", "out", "VALUES(1,2)", "--csv"}).out, "column1,column2\n1,2\n");
  EXPECT_EQ(weft({"query", "out", "SELECT 1 AS n; \n;"}).out, "n\n1\n");
  const ChildResult two = weft({"query", "out", "SELECT 1; SELECT 2"});
  EXPECT_EQ(two.status, kExitBadInput);
  EXPECT_EQ(two.out, "");
  EXPECT_THAT(two.err, HasSubstr("one statement at a time; a second one begins at 'SELECT 2'"));
  for (const char* sql : {"delete from node", "BEGIN; ", "attach 'x' as y"}) {
    EXPECT_THAT(weft({"query", "out", sql}).err, HasSubstr("the log can only be read; legal: SELECT, VALUES")) << sql;
  }
}

TEST_F(Query, refuses_negative_limits) {
  run("ranks");
  const ChildResult r = weft({"query", "out", "links", "--limit", "-1"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("--limit -1: legal: a number of rows, or 0 for all"));
  EXPECT_EQ(weft({"query", "out", "links", "--limit", "0"}).status, kExitOk);
}

TEST_F(Query, takes_a_log_and_names_the_points_of_a_sweep) {
  run("ranks");
  EXPECT_EQ(weft({"query", "out/log.sqlite", "SELECT 7 AS n"}).out, "n\n7\n");
  EXPECT_EQ(weft({"query", "out/log.sqlite", "timeline-check"}).status, kExitOk);
  ASSERT_EQ(weft({"sweep", "c.yaml", "--set", "workload.collective.size=[4 KiB, 8 KiB]", "--set", "seed=[1]", "--out",
                  "s", "-q"})
                .status,
            kExitOk);
  const ChildResult r = weft({"query", "s"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("s: is a sweep, which has a log for each point; legal: one of its points\n  s/points/"));
  EXPECT_THAT(r.err, HasSubstr(" workload.collective.size = 8 KiB, seed = 1\n"));
  const std::size_t at = r.err.find("s/points/");
  EXPECT_EQ(weft({"query", r.err.substr(at, r.err.find(' ', at) - at), "ranks"}).status, kExitOk);
  std::filesystem::remove_all(dir_ / "s/points");
  EXPECT_THAT(weft({"query", "s"}).err, HasSubstr("none of its points has a log.sqlite"));
}

TEST_F(Query, says_which_level_an_answer_needs) {
  run("ranks");
  const ChildResult r = weft({"query", "out", "critical-path"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("needs a run with log.level steps, this one has ranks"));
}

TEST_F(Query, without_a_query_answers_what_the_log_can_tell) {
  run("ranks");
  const ChildResult r = weft({"query", "out"});
  EXPECT_EQ(r.status, kExitOk);
  EXPECT_EQ(r.out, weft({"query", "out", "ranks"}).out);
}

TEST_F(Query, says_what_is_wrong_with_a_folder) {
  EXPECT_THAT(weft({"query", "nowhere"}).err, HasSubstr("nowhere: is no results directory"));
  std::filesystem::create_directory(dir_ / "empty");
  EXPECT_THAT(weft({"query", "empty"}).err, HasSubstr("holds no results of a run"));
  run("off");
  EXPECT_THAT(weft({"query", "out"}).err, HasSubstr("has no log.sqlite"));
  write_text(dir_ / "out" / "log.sqlite", "no database at all, but long enough to be one");
  EXPECT_THAT(weft({"query", "out"}).err, HasSubstr("is no log of a run"));
  std::filesystem::remove(dir_ / "out" / "log.sqlite");
  std::filesystem::create_directory(dir_ / "out" / "log.sqlite");
  const ChildResult r = weft({"query", "out"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("out/log.sqlite: is no regular file"));
}

TEST_F(Query, a_name_that_no_file_can_have_is_bad_input) {
  const std::string name(300, 'a');
  const ChildResult r = weft({"query", name});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("weft: error: " + name + ": File name too long"));
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
