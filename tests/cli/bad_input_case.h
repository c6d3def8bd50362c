// SPDX-License-Identifier: Apache-2.0
// What tests of bad input share: the program refuses it, and leaves nothing behind.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {

/// A test that gives bad input to `weft`.
class BadInput : public ProgramCase {
 protected:
  void write(const std::string& name, const std::string& text) { test::write_text(dir_ / name, text); }

  /// The program refuses `arguments` with all `fragments` on standard error, and leaves nothing behind.
  void refused(const std::vector<std::string>& arguments, const std::vector<std::string>& fragments) {
    const test::ChildResult r = weft(arguments);
    const std::string call = testing::PrintToString(arguments);
    EXPECT_EQ(r.status, kExitBadInput) << call;
    EXPECT_EQ(r.out, "") << call;
    EXPECT_THAT(r.err, testing::StartsWith("weft: error: ")) << call;
    for (const std::string& fragment : fragments) EXPECT_THAT(r.err, testing::HasSubstr(fragment)) << call;
    EXPECT_FALSE(std::filesystem::exists(dir_ / "results")) << call << " left results behind";
  }
  /// The same for a configuration as text: `weft check` and `weft run` agree.
  void refused_text(const std::string& text, const std::vector<std::string>& fragments) {
    write("bad.yaml", text);
    refused({"check", "bad.yaml"}, fragments);
    refused({"run", "bad.yaml"}, fragments);
  }
  /// The same for settings on top of a good configuration of 2 x 2 nodes.
  void refused_set(const std::vector<std::string>& settings, const std::vector<std::string>& fragments) {
    write("good.yaml", "fabric: {size: [2, 2]}\nworkload: {traffic: {measure_cycles: 100}}\n");
    for (const char* command : {"check", "run"}) {
      std::vector<std::string> arguments{command, "good.yaml"};
      for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
      refused(arguments, fragments);
    }
  }
  /// Traces of one all-to-all of four ranks at t/x.
  void make_trace() {
    const std::vector<std::string> gen{"trace", "gen",    "collective", "--kind", "all_to_all", "--ranks",
                                       "4",     "--size", "1 KiB",      "--out",  "t/x"};
    ASSERT_EQ(weft(gen).status, kExitOk);
  }
  /// A run of the traces at t/x, with more settings.
  std::vector<std::string> trace_run(const std::string& command, const std::vector<std::string>& settings = {}) {
    write("t.yaml", "fabric: {size: [2, 2]}\nworkload: {trace: {chakra: t/x}}\n");
    std::vector<std::string> arguments{command, "t.yaml"};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  }
};

}  // namespace weft::cli
