// SPDX-License-Identifier: Apache-2.0
// Refresh: when, at what cost, and the same whether the channel sleeps or is looked at in every cycle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mem/support/dram_bench.h"
#include "tests/mem/support/timings.h"

namespace weft::mem::test {
namespace {

using testing::ElementsAre;

// A row was opened at 10; nothing happens until the refresh is due at 1000. PREA at once, REF tRP = 6 later.
TEST(Refresh, closes_all_banks_first) {
  DramBench bench(small_timing());
  bench.take(Command::kRead, 0, 32, 10);
  bench.controller.advance(1500);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 10", "RD 17", "PREA 1000", "REF 1006"));
  bench.take(Command::kRead, 0, 32, 2500);
  bench.controller.advance(2600);
  // All closed since: REF at 2000 itself; tRFC = 60 is long over.
  EXPECT_THAT(bench.log().texts(),
              ElementsAre("ACT 10", "RD 17", "PREA 1000", "REF 1006", "REF 2000", "ACT 2500", "RD 2507"));
  EXPECT_EQ(bench.controller.figures(0).refreshes, 2U);
}

// What arrives while a refresh is under way waits for tRFC: REF 1000, ACT 1060.
TEST(Refresh, holds_up_what_arrives_meanwhile) {
  DramBench bench(small_timing());
  bench.take(Command::kRead, 0, 32, 1001);
  bench.controller.advance(1200);
  EXPECT_THAT(bench.log().texts(), ElementsAre("REF 1000", "ACT 1060", "RD 1067"));
}

// An ACT at 990: PREA waits for tRAS = 15 and tRTP: RD at 997, PREA at 1005; REF at 1012 = ACT + tRC.
TEST(Refresh, waits_for_banks_that_just_opened) {
  DramBench bench(small_timing());
  bench.take(Command::kRead, 0, 32, 990);
  bench.controller.advance(1100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 990", "RD 997", "PREA 1005", "REF 1012"));
}

// Without an observer refreshes of a sleeping channel are counted, not played.
TEST(Refresh, a_long_sleep_costs_nothing_and_counts_right) {
  DramTiming timing = small_timing();
  DramController controller(timing, {});
  controller.advance(Cycle{3'000'000'000'000});
  EXPECT_EQ(controller.figures(0).refreshes, 3'000'000'000U);
}

struct Outcome {
  std::vector<DramCommand> log;
  std::vector<Cycle> served;
  ChannelFigures figures;
};

/// Random traffic with pauses; the controller is advanced in every cycle, only when something is due, or late.
Outcome play(const std::string& scheduler, unsigned seed, bool every_cycle) {
  DramOptions options;
  options.scheduler = scheduler;
  options.channel.queue_depth = 8;
  options.channel.age_limit = 300;
  DramBench bench(small_timing(), options);
  std::mt19937 random(seed);
  Cycle at = 0;
  for (int i = 0; i < 1500; ++i) {
    const Cycle before = at;
    at += random() % 10 == 0 ? random() % 3000 : random() % 12;
    if (every_cycle) {
      for (Cycle c = before; c < at; ++c) bench.controller.advance(c);
    } else {
      // As a port does: never later than the deadline.
      while (bench.controller.deadline() < at) bench.controller.advance(bench.controller.deadline());
    }
    const std::uint64_t bytes = 1 + random() % 200;
    bench.take(random() % 3 == 0 ? Command::kWrite : Command::kRead, random() % (bench.controller.size() - bytes),
               bytes, at, static_cast<std::uint32_t>(random() % 3));
  }
  bench.controller.advance(at + 10'000);
  EXPECT_GT(bench.log().checker.commands(), 3000U);
  return {bench.log().log, bench.served_at, bench.controller.figures(0)};
}

TEST(Refresh, sleeping_changes_nothing) {
  for (const std::string scheduler : {"fr_fcfs", "fifo"}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      const Outcome asleep = play(scheduler, seed, false);
      const Outcome awake = play(scheduler, seed, true);
      EXPECT_EQ(asleep.log == awake.log, true) << scheduler << seed;
      EXPECT_EQ(asleep.served, awake.served) << scheduler << seed;
      EXPECT_EQ(asleep.figures.refreshes, awake.figures.refreshes);
      EXPECT_EQ(asleep.figures.queue_mean, awake.figures.queue_mean);
      EXPECT_EQ(asleep.figures.queue_max, awake.figures.queue_max);
      EXPECT_EQ(asleep.figures.row_hits, awake.figures.row_hits);
      EXPECT_TRUE(asleep.figures.latency == awake.figures.latency);
      EXPECT_GT(asleep.figures.refreshes, 100U);
      for (const Cycle at : asleep.served) EXPECT_NE(at, kNever);
    }
  }
}

}  // namespace
}  // namespace weft::mem::test
