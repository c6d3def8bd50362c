// SPDX-License-Identifier: Apache-2.0
// Timing files: those that ship, and what is refused with place and reason.
#include "mem/dram/timing_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/source.h"

namespace weft::mem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kGood = R"(name: mine
clock: 1 GHz
channels: 2
bank_groups: 2
banks_per_group: 2
rows: 64
row_bytes: 512 B
burst_bytes: 32 B
command_buses: 1
timing:
  tBL: 2 cycles
  tCL: 7.5 ns
  tCWL: 5 ns
  tRCD: 7 ns
  tRP: 6 ns
  tRAS: 15 ns
  tRC: 22 ns
  tRRD_S: 3 ns
  tRRD_L: 5 ns
  tFAW: 20 ns
  tCCD_S: 2 cycles
  tCCD_L: 4 cycles
  tCCD_L_WR: 6 cycles
  tRTP: 4 ns
  tWR: 9 ns
  tWTR_S: 3 ns
  tWTR_L: 5 ns
  tRTW: 7 cycles
  tREFI: 1 us
  tRFC: 60 ns
)";

/// The good file with one piece of text replaced.
std::string changed(const std::string& what, const std::string& by) {
  std::string text = kGood;
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    read_timing(text, "mine.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TimingFile, is_read_with_times_in_whole_cycles) {
  const DramTiming timing = read_timing(kGood, "mine.yaml");
  EXPECT_EQ(timing.name, "mine");
  EXPECT_EQ(timing.banks(), 4U);
  EXPECT_EQ(timing.bytes(), 2U * 4 * 64 * 512);
  EXPECT_EQ(timing.t_cl, 8U);  // 7.5 ns rounded up
  EXPECT_EQ(timing.t_bl, 2U);
  EXPECT_EQ(timing.t_refi, 1000U);
  EXPECT_DOUBLE_EQ(timing.peak_bandwidth(), 2 * 32 / 2e-9);
}

TEST(TimingFile, those_that_ship_are_sound) {
  EXPECT_THAT(timing_names(), ElementsAre("ddr5", "hbm2e", "hbm3"));
  for (const std::string& name : timing_names()) {
    const DramTiming timing = named_timing(name);
    EXPECT_EQ(timing.name, name);
    EXPECT_EQ(timing.bytes(), std::uint64_t{16} << 30) << name;
    const DramTiming file = read_timing_file(weft::test::source("configs/memory/") + name + ".yaml");
    for (const TimingField& field : timing_fields()) EXPECT_EQ(timing.*field.cycles, file.*field.cycles) << field.name;
  }
  EXPECT_DOUBLE_EQ(named_timing("hbm3").peak_bandwidth(), 819.2e9);
  EXPECT_DOUBLE_EQ(named_timing("hbm2e").peak_bandwidth(), 409.6e9);
  EXPECT_DOUBLE_EQ(named_timing("ddr5").peak_bandwidth(), 38.4e9);
  EXPECT_EQ(named_timing("hbm3").t_rcd, 20U);  // 12 ns at 1.6 GHz are 19.2
}

TEST(TimingFile, unknown_timing_bad) {
  try {
    named_timing("hbm4");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no memory timing 'hbm4'; known: ddr5, hbm2e, hbm3; did you mean 'hbm3'?");
  }
  EXPECT_THROW(read_timing_file("/nowhere/hbm3.yaml"), InputError);
}

TEST(TimingFile, unknown_and_missing_keys_bad) {
  EXPECT_EQ(refusal(changed("tRCD:", "tRDC:")),
            "mine.yaml:11:3: tRCD is missing (such as 14 ns)\n"
            "mine.yaml:14:3: unknown key 'timing.tRDC'; did you mean 'tRCD'?");
  std::string none = changed("timing:", "timing: {}");
  none.resize(none.find("timing: {}") + 11);
  EXPECT_EQ(
      refusal(none),
      "mine.yaml:10:9: tBL, tCL, tCWL, tRCD, tRP, tRAS, tRC, tRRD_S, tRRD_L, tFAW, tCCD_S, tCCD_L, tCCD_L_WR, tRTP, "
      "tWR, tWTR_S, tWTR_L, tRTW, tREFI, tRFC are missing (such as 14 ns)");
  EXPECT_EQ(refusal(changed("channels:", "chanels:")),
            "mine.yaml:1:1: channels is missing (such as 4)\n"
            "mine.yaml:3:1: unknown key 'chanels'; did you mean 'channels'?");
  EXPECT_EQ(refusal("modules: 4\nlinks: {}\n"),
            "mine.yaml:1:1: this is a pool (memory.pool), where the timing of a DRAM is expected");
  EXPECT_THAT(refusal("name: x\n"), HasSubstr("timing: a map of times is expected"));
  EXPECT_THAT(refusal("- 1\n"), HasSubstr("a timing is a map of keys, not a list"));
  EXPECT_THAT(refusal(""), HasSubstr("mine.yaml:1:1:"));
  EXPECT_THAT(refusal("name: [\n"), HasSubstr("not valid YAML"));
}

TEST(TimingFile, wrong_values_bad) {
  EXPECT_THAT(refusal(changed("tRP: 6 ns", "tRP: 6")), HasSubstr("mine.yaml:15:8: tRP: "));
  EXPECT_THAT(refusal(changed("tRP: 6 ns", "tRP: 6")), HasSubstr("or whole cycles ('12 cycles')"));
  EXPECT_EQ(refusal(changed("tRP: 6 ns", "tRP: 6.5 cycles")),
            "mine.yaml:15:8: tRP: '6.5 cycles'; a whole number of cycles is expected");
  EXPECT_EQ(refusal(changed("tRP: 6 ns", "tRP: 0 cycles")),
            "mine.yaml:15:8: tRP: '0 cycles' are 0 cycles; from 1 to 1000000000");
  EXPECT_EQ(refusal(changed("tRP: 6 ns", "tRP: [6 ns]")), "mine.yaml:15:8: tRP: a list; write it like 14 ns");
  EXPECT_EQ(refusal(changed("rows: 64", "rows: 63")), "mine.yaml:6:7: rows: '63'; a power of two from 1 to 4294967296");
  EXPECT_EQ(refusal(changed("rows: 64", "rows: many")), "mine.yaml:6:7: rows: 'many'; a whole number is expected");
  EXPECT_EQ(refusal(changed("command_buses: 1", "command_buses: 4")),
            "mine.yaml:9:16: command_buses: '4'; a power of two from 1 to 2");
  EXPECT_EQ(refusal(changed("burst_bytes: 32 B", "burst_bytes: 1 KiB")),
            "mine.yaml:8:14: burst_bytes: 1024, more than a row holds, 512\n"
            "mine.yaml:8:14: burst_bytes: 1024, more than the 256 bytes that lie in one channel before the next one's "
            "turn");
  EXPECT_EQ(refusal(changed("burst_bytes: 32 B", "burst_bytes: 512 B")),
            "mine.yaml:8:14: burst_bytes: 512, more than the 256 bytes that lie in one channel before the next one's "
            "turn");
  EXPECT_EQ(refusal(changed("burst_bytes: 32 B", "burst_bytes: 256 B")), "accepted");
  std::string small = changed("rows: 64", "rows: 1");
  small.replace(small.find("row_bytes: 512 B"), 16, "row_bytes: 32 B");
  EXPECT_EQ(refusal(small),
            "mine.yaml:6:7: rows: 1 make channels of 128 bytes, less than the 256 that lie in one channel before the "
            "next one's turn");
  std::string huge = changed("rows: 64", "rows: 4294967296");
  huge.replace(huge.find("channels: 2"), 11, "channels: 1024");
  huge.replace(huge.find("row_bytes: 512 B"), 16, "row_bytes: 1 MiB");
  EXPECT_EQ(refusal(huge), "mine.yaml:6:7: rows: 4294967296 make a memory of more than 2^62 bytes");
  EXPECT_THAT(refusal(changed("clock: 1 GHz", "clock: 1 GB/s")), HasSubstr("mine.yaml:2:8: clock: "));
  EXPECT_THAT(refusal(changed("banks_per_group: 2", "banks_per_group: 16") + "\n").substr(0, 8), "accepted");
}

TEST(TimingFile, every_contradiction_is_found_at_its_place) {
  const auto has = [](const std::string& what, const std::string& by, const std::string& sentence) {
    EXPECT_THAT(refusal(changed(what, by)), HasSubstr(sentence)) << by;
  };
  has("tRC: 22 ns", "tRC: 20 ns", "mine.yaml:17:8: tRC is 20 cycles, less than tRAS + tRP, 21 cycles");
  has("tRAS: 15 ns", "tRAS: 6 ns", "mine.yaml:16:9: tRAS is 6 cycles, less than tRCD, 7 cycles");
  has("tRRD_L: 5 ns", "tRRD_L: 2 ns", "tRRD_L is 2 cycles, less than tRRD_S, 3 cycles");
  has("tFAW: 20 ns", "tFAW: 2 ns", "tFAW is 2 cycles, less than tRRD_S, 3 cycles");
  has("tCCD_S: 2 c", "tCCD_S: 1 c", "tCCD_S is 1 cycles, less than tBL, which one burst keeps the data bus, 2 cycles");
  has("tCCD_L: 4 c", "tCCD_L: 1 c", "tCCD_L is 1 cycles, less than tCCD_S, 2 cycles");
  has("tCCD_L_WR: 6", "tCCD_L_WR: 3", "tCCD_L_WR is 3 cycles, less than tCCD_L, 4 cycles");
  has("tWTR_L: 5 ns", "tWTR_L: 2 ns", "tWTR_L is 2 cycles, less than tWTR_S, 3 cycles");
  has("tCL: 7.5 ns", "tCL: 4 ns", "tCL is 4 cycles, less than tCWL, 5 cycles");
  has("tRTW: 7", "tRTW: 4", "tRTW is 4 cycles, less than tCL + tBL - tCWL, when the bus is free, 5 cycles");
  has("tRFC: 60 ns", "tRFC: 1 us", "tREFI is 1000 cycles, less than tRFC + 1, 1001 cycles");
  has("tRTP: 4 ns", "tRTP: 480 ns", "tREFI is 1000 cycles, less than tRFC, and the time to close all banks");
  has("tREFI: 1 us", "tREFI: 100 ns", "tREFI is 100 cycles, less than tRFC, and the time to close all banks");
}

TEST(TimingFile, all_errors_come_at_once) {
  std::string text = changed("tRC: 22 ns", "tRC: 20 ns");
  text.replace(text.find("tWTR_L: 5"), 9, "tWTR_L: 1");
  const std::string message = refusal(text);
  EXPECT_THAT(message, HasSubstr("tRC is 20"));
  EXPECT_THAT(message, HasSubstr("tWTR_L is 1"));
}

}  // namespace
}  // namespace weft::mem
