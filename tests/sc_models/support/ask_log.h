// SPDX-License-Identifier: Apache-2.0
// Questions to the log of a run in a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "log/sqlite_file.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {

/// The first cell of each row; "-" = nothing.
inline std::vector<std::string> ask(const weft::test::TempDir& folder, const std::string& sql) {
  log::SqliteFile file(folder / "log.sqlite", log::SqliteFile::Mode::kRead);
  log::SqliteStatement statement(file, sql);
  std::vector<std::string> cells;
  while (statement.step()) cells.push_back(statement.text(0).value_or("-"));
  return cells;
}
/// The only cell, a whole number.
inline std::uint64_t number(const weft::test::TempDir& folder, const std::string& sql) {
  return std::stoull(ask(folder, sql).at(0));
}

}  // namespace weft::sc_models
