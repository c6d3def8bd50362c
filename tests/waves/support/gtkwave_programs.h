// SPDX-License-Identifier: Apache-2.0
// Files that went through the converters of GTKWave.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/waves/support/vcd_reader.h"

namespace weft::waves::test {

/// Runs a command of the shell, silently; false where it fails.
inline bool succeeds(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// The same signals with the same changes at the same times.
inline void expect_same_changes(const VcdFile& written, const VcdFile& read) {
  EXPECT_EQ(read.timescale, written.timescale);
  ASSERT_EQ(read.signals.size(), written.signals.size());
  for (const auto& [name, signal] : written.signals) {
    const VcdSignal& other = read[name];
    ASSERT_EQ(other.changes.size(), signal.changes.size()) << name;
    for (std::size_t i = 0; i < signal.changes.size(); ++i) {
      ASSERT_EQ(other.changes[i].first, signal.changes[i].first) << name << ", change " << i;
      const std::string& value = other.changes[i].second;
      // fst2vcd writes an unknown vector with all its digits.
      const std::string expected =
          signal.changes[i].second == "x" ? std::string(value.size(), 'x') : signal.digits(signal.changes[i].second);
      ASSERT_EQ(value, expected) << name << " at " << signal.changes[i].first;
    }
  }
}

}  // namespace weft::waves::test
