// SPDX-License-Identifier: Apache-2.0
// Names, numbers and options that a user can write and that JSON, spreadsheets or the parser of options take for
// something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/csv_table.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using weft::test::ChildResult;
using weft::test::CsvTable;
using weft::test::read_text;
using weft::test::run_child;
using weft::test::write_text;

using Words = std::vector<std::string>;

constexpr const char* kRest = "fabric: {size: [2, 1]}\nworkload: {collective: {size: 4 KiB}}\n";

class OddWords : public ProgramCase {
 protected:
  OddWords() { write_text(dir_ / "c.yaml", kRest); }
};

TEST_F(OddWords, ill_formed_text_bad) {
  write_text(dir_ / "u.yaml", std::string("name: \"a\xed\xa0\x80"
                                          "b\"\n") +
                                  kRest);
  for (const char* command : {"check", "run"}) {
    const ChildResult r = weft({command, "u.yaml"});
    EXPECT_EQ(r.status, kExitBadInput) << command;
    EXPECT_THAT(r.err, HasSubstr("u.yaml:1:7: 'a\\xed\\xa0\\x80b' is not UTF-8 text")) << command;
    EXPECT_EQ(weft({command, "c.yaml", "--set", "name=a\xff"}).status, kExitBadInput) << command;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "results"));
}

TEST_F(OddWords, the_name_of_a_file_may_hold_any_bytes) {
  write_text(dir_ / "n\xff.yaml", kRest);
  const ChildResult r = weft({"run", "n\xff.yaml", "--quiet"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  EXPECT_EQ(summary("results/n\\xff-1")["name"], "n\\xff");
  EXPECT_TRUE(std::filesystem::exists(dir_ / "results/n\\xff-1/timeline.json"));
}

TEST_F(OddWords, numbers_that_64_bits_do_not_hold_bad) {
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  const std::vector<Words> calls = {
      {"query", "o", "--limit", "99999999999999999999"},
      {"query", "o", "--seconds", "1e999"},
      {"query", "o", "--seconds", "nan"},
      {"cosim", "--block", "fp_add", "--cycles", "100", "--seed", "18446744073709551616"},
      {"cosim", "--block", "fp_add", "--cycles", "100", "--seed", "-1"},
      {"cosim", "--block", "fp_add", "--cycles", "100", "--stall", "nan"},
      {"cosim", "--block", "fp_add", "--regress", "18446744073709551616"},
      {"cosim", "--block", "fp_add", "--lanes", "99999999999999999999"},
      {"bench", "memory", "--seed", "18446744073709551616"},
      {"bench", "memory", "--accesses", "99999999999999999999"},
      {"bench", "access", "--seed", "18446744073709551616"},
      {"bench", "rtl", "--cycles", "18446744073709551616"},
      {"advise", "reduce", "c.yaml", "--p", "4", "--b", "18446744073709551616"},
      {"trace", "gen", "transformer", "--npus", "18446744073709551616", "--out", "t"},
      {"trace", "gen", "collective", "--count", "99999999999999999999", "--out", "t"},
      {"sweep", "c.yaml", "--jobs", "99999999999999999999", "--out", "s"},
      {"sweep", "c.yaml", "--seeds", "99999999999999999999", "--out", "s"},
      {"rtl", "--m", "99999999999999999999"},
      {"program", "check", "--root", "99999999999999999999"},
      {"run", "c.yaml", "--set", "seed=18446744073709551616"},
  };
  for (const Words& call : calls) {
    const ChildResult r = weft(call);
    EXPECT_EQ(r.status, kExitBadInput) << testing::PrintToString(call) << r.err;
    EXPECT_EQ(r.out, "") << testing::PrintToString(call);
  }
  EXPECT_THAT(weft(calls[0]).err,
              HasSubstr("--limit: 99999999999999999999: legal are whole numbers from -9223372036854775808 to "
                        "9223372036854775807"));
  EXPECT_THAT(weft(calls[3]).err, HasSubstr("legal are whole numbers from 0 to 18446744073709551615"));
}

TEST_F(OddWords, names_that_are_formulas_for_spreadsheets) {
  const std::string node = R"({"workload_graph": [{"Id": 1, "Name": "=1+2", "NodeType": 7, "comm_type": 0,)"
                           R"( "comm_size": 64}]})";
  for (const char* file : {"x.0.json", "x.1.json"}) write_text(dir_ / file, node);
  write_text(dir_ / "t.yaml", "fabric: {size: [2, 1]}\nworkload: {trace: {chakra: x}}\nlog: {level: steps}\n");
  ASSERT_EQ(weft({"run", "t.yaml", "--out", "o"}).status, kExitOk);
  EXPECT_EQ(CsvTable(dir_ / "o/collectives.csv").at(0, "name"), "'=1+2");
  EXPECT_THAT(read_text(dir_ / "o/report.html"), Not(HasSubstr("'=1+2")));
  EXPECT_THAT(read_text(dir_ / "o/report.html"), HasSubstr("\"=1+2\""));
  EXPECT_EQ(weft({"query", "o", "SELECT '=1' a, -1.5 b, '-1.5' c, '@x' d", "--csv"}).out,
            "a,b,c,d\n'=1,-1.5,-1.5,'@x\n");
  ASSERT_EQ(weft({"sweep", "c.yaml", "--set", "name=[\"=1\", \"-x\"]", "--quiet", "--out", "s"}).status, kExitOk);
  EXPECT_EQ(CsvTable(dir_ / "s/sweep.csv").at(1, "name").substr(0, 2), "\"-");
}

TEST_F(OddWords, what_is_given_twice_counts_as_given_last) {
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "a", "--out", "b", "--set", "threads=2", "--set",
                              "seed=7", "--set", "threads=1"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  EXPECT_EQ(r.err,
            "weft: note: --out is given 2 times; the last one counts, b\n"
            "weft: note: --set threads is given 2 times; the last one counts, threads=1\n");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "a"));
  EXPECT_THAT(read_text(dir_ / "b/config.resolved.yaml"), HasSubstr("threads: 1\n"));
  EXPECT_EQ(weft({"check", "c.yaml", "--set", "threads=2", "--set", "seed=7"}).err, "");
}

TEST_F(OddWords, a_statement_without_end_is_ended) {
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  const std::string endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
  const auto start = std::chrono::steady_clock::now();
  const ChildResult r = weft({"query", "o", endless, "--seconds", "0.2"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("the statement took longer than --seconds allows"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(weft({"query", "o", "SELECT 9e999", "--json"}).out, "[\n {\n  \"9e999\": \"Inf\"\n }\n]\n");
}

TEST_F(OddWords, one_size_of_a_mesh_bad) {
  const ChildResult r = weft({"program", "check", "--algorithm", "hierarchical_2d", "--ranks", "6", "--mesh", "3"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("--mesh: expected two sizes, X Y"));
}

// "unknown", or digits of a hash with a mark where files were changed.
TEST_F(OddWords, the_program_and_its_results_name_the_commit) {
  const ChildResult r = weft({"version"});
  const std::string start = "weft 0.1.0 (commit ";
  ASSERT_THAT(r.out, testing::StartsWith(start));
  const std::string commit = r.out.substr(start.size(), r.out.find(',') - start.size());
  EXPECT_THAT(commit, testing::MatchesRegex("unknown|[0-9a-f]{12,40}(-dirty)?"));
  EXPECT_EQ(weft({"--version"}).out, start + commit + ")\n");
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  EXPECT_EQ(summary("o")["commit"], commit);
}

}  // namespace
}  // namespace weft::cli
