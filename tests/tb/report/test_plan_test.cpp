// SPDX-License-Identifier: Apache-2.0
// The plan of co-simulation names tests that exist, and its reader finds what is missing.
#include "tb/report/test_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/error.h"
#include "tb/bench/block.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kRoot = test::source("");

std::vector<TestPoint> plan() { return read_test_plan(test::read_text(kRoot + "tb/testplan.yaml")); }

/// Whether some source below tests/ defines that case.
bool test_exists(const std::string& name) {
  std::smatch parts;
  if (!std::regex_match(name, parts, std::regex(R"((\w+)/(\w+)\.(\w+))"))) return false;
  const std::regex definition("TEST(_F)?\\(" + parts[2].str() + ",\\s*" + parts[3].str() + "\\)");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot + "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    if (std::regex_search(test::read_text(entry.path()), definition)) return true;
  }
  return false;
}

TEST(TestPlan, every_testpoint_has_a_reason_and_a_test_that_exists) {
  for (const TestPoint& point : plan()) {
    EXPECT_FALSE(point.why.empty()) << point.name;
    if (point.test.rfind("cosim ", 0) == 0) {
      EXPECT_NO_THROW(find_block(point.test.substr(6))) << point.name;
    } else {
      EXPECT_TRUE(test_exists(point.test)) << point.name << ": " << point.test;
    }
  }
}

TEST(TestPlan, every_block_has_a_bin_in_it) {
  for (const Block& block : blocks()) {
    const std::string bin = block.name + ".";
    bool named = false;
    for (const TestPoint& point : plan()) {
      for (const std::string& pattern : point.bins) named = named || pattern.rfind(bin, 0) == 0;
    }
    EXPECT_TRUE(named) << block.name;
  }
}

TEST(TestPlan, bins_without_a_testpoint_are_found) {
  const std::vector<TestPoint> points = {{"one", "why", "cosim fp_add", {"a.*"}}, {"two", "why", "cosim fp_add", {}}};
  EXPECT_THAT(without_testpoint(points, {"a.x", "b.x", "a"}), ElementsAre("b.x", "a"));
}

TEST(TestPlan, patterns_without_a_bin_are_found) {
  const std::vector<TestPoint> points = {{"one", "why", "cosim fp_add", {"a.*", "c"}}, {"two", "why", "x", {"*.y"}}};
  EXPECT_THAT(without_bin(points, {"a.x", "b.x"}), ElementsAre("one: c", "two: *.y"));
  EXPECT_THAT(without_bin(points, {"a.y", "c"}), IsEmpty());
}

TEST(TestPlan, refuses_entries_without_their_parts_bad) {
  EXPECT_THROW(read_test_plan("- {testpoint: a, why: b, bins: []}"), InputError);
  EXPECT_THAT(read_test_plan("[]"), IsEmpty());
}

}  // namespace
}  // namespace weft::tb
