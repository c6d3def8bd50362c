// SPDX-License-Identifier: Apache-2.0
// A script that a test runs instead of a program.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace weft::test {

/// Writes `script`, which begins with the name of its shell, as a file that can be run. Returns its path.
inline std::string write_script(const std::filesystem::path& path, const std::string& script) {
  write_text(path, script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

}  // namespace weft::test
