// SPDX-License-Identifier: Apache-2.0
// A results folder as the program writes it, and the page's data that is read from it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "report/report.h"
#include "runs/results_folder.h"
#include "tests/sc_models/sample_result.h"
#include "tests/support/run_child.h"

namespace weft::report {

/// config.resolved.yaml of the folder.
inline constexpr const char* kSampleConfig = R"(name: sample
clock: 500 MHz
fabric:
  kind: mesh
  size: [2, 1]
io:
  controllers: 3
workload:
  collective:
    kind: all_reduce
)";

/// A test with the folder `run`, that of the sample result.
class Report : public testing::Test {
 protected:
  Report() { write_run("run", sc_models::test::sample_result()); }

  void write_run(const std::string& folder, const sc_models::RunResult& result) {
    const runs::ResultsFolder results(dir_ / folder, kSampleConfig);
    results.write(sc_models::test::sample_config(), result, false);
  }
  Json run(const std::string& folder = "run", const Limits& limits = {}) {
    return read_data({dir_ / folder}, limits)["runs"][0];
  }
  std::string error_of(const std::string& folder) {
    try {
      read_data({dir_ / folder});
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  /// Replaces text in a file of the run.
  void edit(const std::string& file, const std::string& what, const std::string& with) {
    std::string text = test::read_text(dir_ / "run" / file);
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << text;
    test::write_text(dir_ / "run" / file, text.replace(at, what.size(), with));
  }

  test::TempDir dir_;
};

}  // namespace weft::report
