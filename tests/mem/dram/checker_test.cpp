// SPDX-License-Identifier: Apache-2.0
// The command checker: a controller that takes one time a cycle too short is found out, for every time; single bad
// commands, too.
#include "mem/dram/command_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/mem/support/dram_bench.h"
#include "tests/mem/support/timings.h"

namespace weft::mem::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::StartsWith;

/// A timing in which every single time decides something: none hides behind another.
DramTiming sharp_timing() {
  DramTiming t = small_timing();
  t.bank_groups = 4;
  t.t_faw = 24;
  t.t_rrd_l = 6;
  t.t_rc = t.t_ras + t.t_rp + 3;  // otherwise tRC follows from tRAS and tRP
  t.t_refi = 700;
  return t;
}

std::vector<std::string> findings(const DramTiming& played, const DramTiming& checked) {
  DramOptions options;
  options.channel.queue_depth = 16;
  DramBench bench(played, options, checked);
  bench.is_checked = false;
  std::mt19937 random(7);
  Cycle at = 0;
  for (int i = 0; i < 6000; ++i) {
    // Phases of dense reads, dense writes, and a mix; sometimes a pause.
    const int phase = i / 300 % 3;
    const bool write = phase == 1 || (phase == 2 && random() % 2 == 0);
    const bool local = random() % 2 == 0;
    const std::uint64_t address = local ? random() % 2048 : random() % (bench.controller.size() - 128);
    at += random() % 40 == 0 ? random() % 400 : random() % 4;
    bench.take(write ? Command::kWrite : Command::kRead, address, 32 + random() % 96, at);
    bench.controller.advance(at);
  }
  bench.controller.advance(at + 100'000);
  return bench.log().checker.findings();
}

TEST(CommandChecker, every_time_taken_a_cycle_too_short_is_found) {
  const DramTiming timing = sharp_timing();
  ASSERT_THAT(findings(timing, timing), IsEmpty());
  for (const TimingField& field : timing_fields()) {
    const std::string name = field.name;
    DramTiming wrong = timing;
    if (name == "tREFI") {
      wrong.t_refi -= 1;  // refreshes come too early
    } else if (name == "tCL" || name == "tCWL" || name == "tBL") {
      continue;  // where the data are is no distance between commands; see below
    } else {
      wrong.*field.cycles -= 1;
    }
    EXPECT_THAT(findings(wrong, timing), Contains(StartsWith(name + ":"))) << name;
  }
}

// A longer burst, a later read or an earlier write collide on the data bus.
TEST(CommandChecker, data_that_collide_are_found) {
  const DramTiming timing = sharp_timing();
  DramTiming long_burst = timing;
  long_burst.t_bl = 3;
  EXPECT_THAT(findings(timing, long_burst), Contains(StartsWith("data_bus:")));
  DramTiming late_read = timing;
  late_read.t_cl = timing.t_rtw + timing.t_cwl - timing.t_bl + 1;
  EXPECT_THAT(findings(timing, late_read), Contains(StartsWith("data_bus:")));
  DramTiming early_write = timing;
  early_write.t_cwl = timing.t_cl + timing.t_bl - timing.t_rtw - 1;
  EXPECT_THAT(findings(timing, early_write), Contains(StartsWith("data_bus:")));
}

std::vector<std::string> check(const std::vector<DramCommand>& log, const DramTiming& timing = small_timing()) {
  CommandChecker checker(timing);
  for (const DramCommand& command : log) checker.command(command);
  return checker.findings();
}

TEST(CommandChecker, wrong_states_are_found) {
  EXPECT_THAT(check({{0, CommandKind::kActivate, 0, 5, 0}, {7, CommandKind::kRead, 0, 5, 0}}), IsEmpty());
  EXPECT_THAT(check({{0, CommandKind::kActivate, 0, 5, 0}, {7, CommandKind::kRead, 0, 6, 0}}),
              Contains(StartsWith("row: RD of bank 0 at 7")));
  EXPECT_THAT(check({{7, CommandKind::kWrite, 1, 5, 0}}), Contains(StartsWith("row: WR of bank 1")));
  EXPECT_THAT(check({{0, CommandKind::kActivate, 0, 5, 0}, {50, CommandKind::kActivate, 0, 6, 0}}),
              Contains(StartsWith("open: ACT of bank 0 at 50")));
  EXPECT_THAT(check({{0, CommandKind::kActivate, 0, 5, 0}, {1000, CommandKind::kRefresh, 0, 0, 0}}),
              Contains(StartsWith("open: REF")));
  EXPECT_THAT(check({{5, CommandKind::kActivate, 0, 5, 0}, {4, CommandKind::kActivate, 2, 5, 0}}),
              Contains(StartsWith("order:")));
}

TEST(CommandChecker, two_commands_in_a_cycle_are_found) {
  const std::vector<DramCommand> both = {
      {0, CommandKind::kActivate, 0, 5, 0}, {10, CommandKind::kRead, 0, 5, 0}, {10, CommandKind::kActivate, 2, 5, 0}};
  EXPECT_THAT(check(both), Contains(StartsWith("bus: ACT of bank 2 at 10")));
  DramTiming two = small_timing();
  two.command_buses = 2;
  EXPECT_THAT(check(both, two), IsEmpty());
}

TEST(CommandChecker, refreshes_that_are_early_late_or_passed_over_are_found) {
  EXPECT_THAT(check({{999, CommandKind::kRefresh, 0, 0, 0}}), Contains(StartsWith("tREFI:")));
  EXPECT_THAT(check({{2000, CommandKind::kRefresh, 0, 0, 0}}), Contains(StartsWith("tREFI:")));
  EXPECT_THAT(check({{1000, CommandKind::kRefresh, 0, 0, 0}, {2000, CommandKind::kRefresh, 0, 0, 0}}), IsEmpty());
  EXPECT_THAT(check({{1000, CommandKind::kActivate, 0, 0, 0}}), Contains(StartsWith("tREFI: ACT")));
}

}  // namespace
}  // namespace weft::mem::test
