// SPDX-License-Identifier: Apache-2.0
// The real program as a child process: exit statuses, messages, where they go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/run_child.h"

namespace weft::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using weft::test::ChildResult;
using weft::test::run_child;

ChildResult weft(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), WEFT_PROGRAM);
  return run_child(arguments);
}

TEST(Program, version_goes_to_standard_output_without_a_banner) {
  const ChildResult r = weft({"version"});
  EXPECT_EQ(r.status, kExitOk);
  EXPECT_THAT(r.out, StartsWith("weft "));
  EXPECT_THAT(r.out, HasSubstr("SystemC 2.3"));
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(weft({"--version"}).status, kExitOk);
}

TEST(Program, help_shows_examples) {
  const ChildResult r = weft({"--help"});
  EXPECT_EQ(r.status, kExitOk);
  EXPECT_THAT(r.out, HasSubstr("weft run configs/demo.yaml"));
  EXPECT_THAT(r.out, HasSubstr("Exit status: 0 finished, 2 bad input"));
  EXPECT_EQ(r.err, "");
  EXPECT_THAT(weft({"bench", "--help"}).out, HasSubstr("8x8-0.1"));
}

TEST(Program, no_subcommand_bad) {
  const ChildResult r = weft({});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("A subcommand is required"));
}

TEST(Program, unknown_subcommand_names_the_nearest_bad) {
  const ChildResult r = weft({"bnech"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("weft: error: weft: unknown subcommand 'bnech'; did you mean 'bench'?"));
  EXPECT_THAT(r.err, HasSubstr("known here: "));
}

TEST(Program, unknown_option_names_the_nearest_bad) {
  const ChildResult r = weft({"bench", "--fliter", "8x8"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("weft bench: unknown option '--fliter'; did you mean '--filter'?"));
}

TEST(Program, option_without_or_with_a_wrong_value_bad) {
  EXPECT_EQ(weft({"bench", "--filter"}).status, kExitBadInput);
  const ChildResult r = weft({"bench", "--repeats", "0"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("1 to 100"));
  EXPECT_THAT(r.err, EndsWith("`weft bench --help` shows what is legal\n"));
}

TEST(Program, full_output_device_is_an_error_bad) {
  const ChildResult r = run_child({"/bin/sh", "-c", std::string(WEFT_PROGRAM) + " bench --help > /dev/full"});
  EXPECT_EQ(r.status, kExitInternal);
  EXPECT_THAT(r.err, HasSubstr("standard output cannot be written"));
}

}  // namespace
}  // namespace weft::cli
