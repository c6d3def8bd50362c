// SPDX-License-Identifier: Apache-2.0
// Results folders that are not what they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/report/report_case.h"

namespace weft::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using weft::test::write_text;

TEST_F(Report, folders_that_are_none) {
  EXPECT_THAT(error_of("none"), AllOf(HasSubstr("none: there is none"), HasSubstr("weft run")));
  std::filesystem::create_directory(dir_ / "empty");
  EXPECT_THAT(error_of("empty"), HasSubstr("neither summary.json of `weft run` nor sweep.csv of `weft sweep`"));
  EXPECT_THAT(error_of("run/summary.json"), HasSubstr("is no folder"));
}

TEST_F(Report, folders_of_another_version) {
  edit("summary.json", "\"version\": \"", "\"version\": \"9.");
  EXPECT_THAT(error_of("run"), AllOf(HasSubstr("summary.json: written by weft 9."), HasSubstr("this is weft "),
                                     HasSubstr("run " + (dir_ / "run/config.resolved.yaml").string() + " again")));
}

TEST_F(Report, missing_tables) {
  for (const char* file : {"links.csv", "collectives.csv", "latency.csv", "config.resolved.yaml"}) {
    write_run("run", sc_models::test::sample_result());
    std::filesystem::remove(dir_ / "run" / file);
    EXPECT_THAT(error_of("run"),
                AllOf(HasSubstr(file),
                      testing::AnyOf(HasSubstr("there is none; the folder is not complete"), HasSubstr("cannot read"))))
        << file;
  }
}

// Tables of more than 100,000 rows are left out on purpose: the run says by its size that they may be.
TEST_F(Report, tables_that_were_too_big) {
  sc_models::RunResult result = sc_models::test::sample_result();
  result.nodes = 20'000;
  result.packets = 200'000;
  write_run("run", result);
  for (const char* file : {"links.csv", "collectives.csv", "latency.csv"}) std::filesystem::remove(dir_ / "run" / file);
  const Json r = run();
  EXPECT_THAT(r["wafer"]["missing"].get<std::string>(), HasSubstr("--all-tables"));
  EXPECT_TRUE(r["latency"].is_null());
  EXPECT_TRUE(r["collectives"].is_null());
}

TEST_F(Report, damaged_files) {
  edit("links.csv", "router[1,0]", "router[7,0]");
  EXPECT_THAT(error_of("run"), HasSubstr("links.csv:2: router[7,0] is not a part of this wafer"));
  edit("config.resolved.yaml", "  size: [2, 1]\n", "");
  EXPECT_THAT(error_of("run"), HasSubstr("config.resolved.yaml: fabric.size does not say how many routers"));
  write_run("run", sc_models::test::sample_result());
  edit("links.csv", "stall_cycles", "stalls");
  EXPECT_THAT(error_of("run"), HasSubstr("links.csv: there is no column 'stall_cycles'"));
  write_run("run", sc_models::test::sample_result());
  edit("config.resolved.yaml", "size: [2, 1]", "size: []");
  EXPECT_THAT(error_of("run"), HasSubstr("config.resolved.yaml"));
  write_run("run", sc_models::test::sample_result());
  write_text(dir_ / "run/summary.json", "{\"version\": ");
  EXPECT_THAT(error_of("run"), HasSubstr("summary.json: is not a JSON object"));
}

}  // namespace
}  // namespace weft::report
