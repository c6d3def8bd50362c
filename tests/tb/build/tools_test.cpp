// SPDX-License-Identifier: Apache-2.0
// Finding the programs, and running them.
#include "tb/build/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/error.h"
#include "tb/build/child_output.h"
#include "tests/support/temp_dir.h"

namespace weft::tb {
namespace {

using testing::HasSubstr;

std::string failure_of_find_tools() {
  try {
    find_tools();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Tools, are_found_with_their_versions) {
  const Tools tools = find_tools();
  EXPECT_THAT(tools.verilator_version, HasSubstr("Verilator "));
  EXPECT_FALSE(tools.compiler_version.empty());
  EXPECT_TRUE(std::filesystem::exists(tools.include / "verilated.h"));
}

TEST(Tools, without_verilator_name_its_package_bad) {
  const test::TempDir empty;
  setenv("PATH", empty.path().c_str(), 1);
  EXPECT_THAT(failure_of_find_tools(), HasSubstr("install the Debian package verilator (apt install verilator)"));
}

TEST(Tools, without_a_compiler_name_its_package_bad) {
  const test::TempDir folder;
  const std::filesystem::path verilator = find_in_path("verilator", getenv("PATH"));
  std::filesystem::create_symlink(verilator, folder / "verilator");
  setenv("PATH", folder.path().c_str(), 1);
  unsetenv("CXX");
  EXPECT_THAT(failure_of_find_tools(),
              HasSubstr("a C++ compiler, and g++ is not in $PATH: install the Debian package"));
}

TEST(Tools, refuse_a_variable_that_names_nothing_bad) {
  setenv("VERILATOR", "/nowhere/verilator", 1);
  EXPECT_THAT(failure_of_find_tools(), HasSubstr("$VERILATOR names /nowhere/verilator, which is no program"));
}

TEST(Tools, take_a_compiler_behind_a_prefix) {
  setenv("CXX", "env g++", 1);
  const Tools tools = find_tools();
  ASSERT_EQ(tools.compiler.size(), 2U);
  EXPECT_EQ(tools.compiler[1], "g++");
  EXPECT_THAT(tools.compiler_version, HasSubstr("g++"));
}

TEST(ChildOutput, keeps_both_streams_and_the_status) {
  const ChildOutput output = run_program({"/bin/sh", "-c", "echo one; echo two >&2; exit 7"});
  EXPECT_EQ(output.status, 7);
  EXPECT_EQ(output.text, "one\ntwo\n");
  EXPECT_EQ(run_program({"/bin/sh", "-c", "kill -9 $$"}).status, 137);
}

TEST(ChildOutput, that_cannot_start_throws_bad) { EXPECT_THROW(run_program({"/nowhere/program"}), std::runtime_error); }

TEST(ShellWords, quotes_what_a_shell_would_change) {
  EXPECT_EQ(shell_words({"weft", "--seed", "7"}), "weft --seed 7");
  EXPECT_EQ(shell_words({"a b", "it's", ""}), "'a b' 'it'\\''s' ''");
}

}  // namespace
}  // namespace weft::tb
