// SPDX-License-Identifier: Apache-2.0
// A reader of VCD files for tests, written without a look at the writer, and small helpers for files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace weft::waves::test {

/// One variable with its changes in order of time. Values: binary digits without leading zeros, or text.
struct VcdSignal {
  std::string type;
  int bits = 0;
  std::vector<std::string> names;  ///< names of an enum's values; the changes then hold names
  std::vector<std::pair<std::uint64_t, std::string>> changes;

  /// A value without its name: digits of an enum's, else what it is.
  std::string digits(const std::string& value) const;
  /// Value at a time; "" before the first change.
  std::string at(std::uint64_t time) const;
  /// The same as a number; throws std::runtime_error when it is not known.
  std::uint64_t number_at(std::uint64_t time) const;
};

struct VcdFile {
  std::string timescale;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::map<std::string, VcdSignal> signals;  ///< by full name, as GTKWave calls it: `a.b[0].c[2:0]`

  const VcdSignal& operator[](const std::string& name) const;
};

/// Reads a whole file. Throws std::runtime_error with the line for everything that is not well-formed.
VcdFile read_vcd(const std::filesystem::path& path);

using weft::test::read_text;
using weft::test::TempDir;

}  // namespace weft::waves::test
