// SPDX-License-Identifier: Apache-2.0
// Program files as texts: changed in one place, read, written for a test.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/error.h"
#include "npu/collective/files/program_file.h"

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

/// The path of a file that holds `text`.
inline std::string written(const std::string& text) {
  const std::string path = ::testing::TempDir() + "/weft_program_file_test.txt";
  std::ofstream(path) << text;
  return path;
}

}  // namespace weft::npu::testing
