// SPDX-License-Identifier: Apache-2.0
// What tests of the program share: a folder of their own, and `weft` as a child in it.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_child.h"
#include "tests/support/source.h"

namespace weft::cli {

/// A wafer-scale engine that reduces along routes.
inline const std::string kWse = test::source("configs/wse-reduce.yaml");

/// A test that runs `weft` in an empty folder.
class ProgramCase : public testing::Test {
 protected:
  /// Runs `weft` with these words, in the folder.
  test::ChildResult weft(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), WEFT_PROGRAM);
    return test::run_child(arguments, dir_.path().string());
  }
  /// summary.json of a run in `folder`.
  nlohmann::json summary(const std::string& folder) const {
    return nlohmann::json::parse(test::read_text(dir_ / folder / "summary.json"));
  }

  test::TempDir dir_;
};

}  // namespace weft::cli
