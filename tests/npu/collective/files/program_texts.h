// SPDX-License-Identifier: Apache-2.0
// Program files as texts: changed in one place, read, written for a test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "npu/collective/files/program_file.h"
#include "tests/support/temp_dir.h"

namespace weft::npu::testing {

/// The message of the InputError that reading `text` throws.
inline std::string message_of(const std::string& text) {
  try {
    parse_program(text, "p.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// `text` with the first `from` replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// The path of a file that holds `text`, until the next one is written. Tests run side by side, so each process has its
/// own.
inline std::string written(const std::string& text) {
  static const test::TempDir folder;
  const std::filesystem::path path = folder / "program.txt";
  test::write_text(path, text);
  return path;
}

}  // namespace weft::npu::testing
