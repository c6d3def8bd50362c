// SPDX-License-Identifier: Apache-2.0
// What encryption and integrity cost, by hand: lines of 64 bytes, tags of 8.
#include "mem/access/line_protection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::mem {
namespace {

ProtectionSpec both() {
  ProtectionSpec spec;
  spec.encryption_cycles = 20;
  spec.integrity_cycles = 10;
  spec.lines_per_cycle = {1, 2};
  spec.tag_bytes = 8;
  return spec;
}

TEST(LineProtection, off_costs_nothing) {
  LineProtection engine{ProtectionSpec()};
  const ProtectionCost cost = engine.pass(3, 1000, true, 50);
  EXPECT_EQ(cost.latency_cycles, 0U);
  EXPECT_EQ(cost.extra_bytes, 0U);
}

TEST(LineProtection, the_engine_is_a_pipeline_that_accesses_share) {
  LineProtection engine(both());
  EXPECT_EQ(engine.pass(0, 64, false, 100).latency_cycles, 30U);            // one line: 20 + 10
  EXPECT_EQ(engine.pass(64, 256, false, 100).latency_cycles, 2 + 6 + 30U);  // behind it; four lines, the last 6 later
  EXPECT_EQ(engine.pass(0, 64, false, 109).latency_cycles, 1 + 30U);        // free at 110
  EXPECT_EQ(engine.pass(0, 64, false, 500).latency_cycles, 30U);
}

TEST(LineProtection, a_wide_engine_takes_several_lines_per_cycle_without_drift) {
  ProtectionSpec spec = both();
  spec.lines_per_cycle = {3, 1};
  LineProtection engine(spec);
  EXPECT_EQ(engine.pass(0, 3 * 64, false, 100).latency_cycles, 1 + 30U);  // the third line enters after 2/3 of a cycle
  EXPECT_EQ(engine.pass(0, 64, false, 100).latency_cycles, 1 + 30U);      // at 101
  EXPECT_EQ(engine.pass(0, 64, false, 100).latency_cycles, 2 + 30U);      // at 101 1/3
  EXPECT_EQ(engine.pass(0, 64, false, 102).latency_cycles, 30U);
}

TEST(LineProtection, reads_take_whole_lines_and_their_tags) {
  LineProtection engine(both());
  EXPECT_EQ(engine.pass(0, 128, false, 0).extra_bytes, 2 * 8U);
  EXPECT_EQ(engine.pass(60, 8, false, 0).extra_bytes, 2 * 64 - 8 + 2 * 8U);
  EXPECT_EQ(engine.pass(60, 8, false, 0).lines, 2U);
}

TEST(LineProtection, a_partial_write_under_integrity_reads_the_line_first) {
  LineProtection engine(both());
  EXPECT_EQ(engine.pass(0, 128, true, 0).extra_bytes, 2 * 8U);
  // One line: read 64 + 8, write 64 + 8, of which 16 were asked for.
  EXPECT_EQ(engine.pass(8, 16, true, 0).extra_bytes, 72 + 72 - 16U);
  // Three lines, the outer ones partial: two reads of 72, three writes of 72, of which 128 were asked for.
  EXPECT_EQ(engine.pass(32, 128, true, 0).extra_bytes, 2 * 72 + 3 * 72 - 128U);
}

TEST(LineProtection, encryption_alone_writes_what_is_asked_for) {
  ProtectionSpec spec = both();
  spec.integrity_cycles = 0;
  spec.tag_bytes = 0;
  LineProtection engine(spec);
  EXPECT_EQ(engine.pass(8, 16, true, 0).extra_bytes, 0U);
  EXPECT_EQ(engine.pass(8, 16, false, 0).extra_bytes, 48U);
}

void expect_refused(const ProtectionSpec& spec, const std::string& word) {
  try {
    const LineProtection engine(spec);
    FAIL() << "accepted; expected an error with " << word;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(word));
  }
}

TEST(LineProtection, impossible_engines_bad) {
  ProtectionSpec spec = both();
  spec.line_bytes = 48;
  expect_refused(spec, "power of two");
  spec = both();
  spec.tag_bytes = 65;
  expect_refused(spec, "65 bytes for a line of 64; legal: 0 to 64");
  spec = both();
  spec.lines_per_cycle = {0, 1};
  expect_refused(spec, "0/1 lines per cycle; legal: above 0");
}

}  // namespace
}  // namespace weft::mem
