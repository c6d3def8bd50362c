// SPDX-License-Identifier: Apache-2.0
// Cycle by cycle: the commands of a channel for few requests, computed by hand from the small timing. The command
// checker looks at every log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/mem/support/dram_bench.h"
#include "tests/mem/support/timings.h"

namespace weft::mem::test {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kRow = 512;  // bytes

DramOptions with(const std::string& mapping, const std::string& scheduler = "fr_fcfs") {
  DramOptions options;
  options.mapping = mapping;
  options.scheduler = scheduler;
  return options;
}

// ACT at arrival, RD tRCD = 7 later, data from tCL = 8 on for 2 cycles.
TEST(Channel, reads_one_burst_from_a_closed_bank) {
  DramBench bench(small_timing());
  bench.take(Command::kRead, 0, 32, 10);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 10", "RD 17"));
  EXPECT_EQ(bench.served_at[0], 17U + 8U + 2U);
}

// WR has its data after tCWL = 5.
TEST(Channel, writes_one_burst) {
  DramBench bench(small_timing());
  bench.take(Command::kWrite, 64, 4, 3);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 3", "WR 10"));
  EXPECT_EQ(bench.served_at[0], 10U + 5U + 2U);
  EXPECT_EQ(bench.controller.figures(0).bytes, 4U);
}

// A hit needs no ACT; in the same group RD follows RD after tCCD_L = 4, in the other one after tCCD_S = 2.
TEST(Channel, row_hits_follow_at_the_distance_of_their_groups) {
  DramBench same(small_timing(), with("row_bank_column"));
  same.take(Command::kRead, 0, 96, 0);
  same.controller.advance(100);
  EXPECT_THAT(same.log().texts(), ElementsAre("ACT 0", "RD 7", "RD 11", "RD 15"));
  EXPECT_EQ(same.served_at[0], 25U);
}

// Bursts alternate between two groups: two ACTs at tRRD_S = 3, reads at 7, and at max(3 + 7, 7 + 2) = 10; then the
// first group may go on at max(7 + 4, 10 + 2) = 12, the second at max(10 + 4, 12 + 2) = 14.
TEST(Channel, groups_take_turns) {
  DramBench bench(small_timing());
  bench.take(Command::kRead, 0, 128, 0);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "ACT 3", "RD 7", "RD 10", "RD 12", "RD 14"));
  const ChannelFigures figures = bench.controller.figures(0);
  EXPECT_EQ(figures.reads, 4U);
  EXPECT_EQ(figures.row_misses, 2U);
  EXPECT_EQ(figures.row_hits, 2U);
  EXPECT_EQ(figures.row_conflicts, 0U);
}

// Another row of the bank: PRE at max(tRAS = 15, RD 7 + tRTP 4) = 15, ACT at max(PRE + tRP 6, tRC 22) = 22, RD at 29.
TEST(Channel, a_conflict_waits_for_tras_and_trc) {
  DramBench bench(small_timing(), with("row_bank_column"));
  bench.take(Command::kRead, 0, 32, 0);
  bench.take(Command::kRead, 4 * kRow, 32, 0);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "RD 7", "PRE 15", "ACT 22", "RD 29"));
  EXPECT_EQ(bench.controller.figures(0).row_conflicts, 1U);
}

// After a write PRE waits for tCWL 5 + tBL 2 + tWR 9: WR at 7, PRE at 23, ACT at 29.
TEST(Channel, a_write_holds_its_row_open) {
  DramBench bench(small_timing(), with("row_bank_column"));
  bench.take(Command::kWrite, 0, 32, 0);
  bench.take(Command::kRead, 4 * kRow, 32, 0);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "WR 7", "PRE 23", "ACT 29", "RD 36"));
}

// RD to WR: tRTW = 7. WR to RD in the same group: 5 + 2 + tWTR_L 5 = 12. Same place, so the order is that of arrival.
TEST(Channel, the_bus_turns_around) {
  DramBench bench(small_timing(), with("row_bank_column"));
  bench.take(Command::kRead, 0, 32, 0);
  bench.take(Command::kWrite, 0, 32, 0);
  bench.take(Command::kRead, 0, 32, 0);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "RD 7", "WR 14", "RD 26"));
  EXPECT_EQ(bench.served_at, (std::vector<Cycle>{17, 21, 36}));
}

// WR to RD of the other group: tWTR_S = 3, so 2 cycles earlier.
TEST(Channel, turning_around_is_shorter_between_groups) {
  DramBench bench(small_timing(), with("row_bank_column", "fifo"));
  bench.take(Command::kRead, kRow, 32, 0);  // opens a row of group 1: ACT 0, RD 7
  bench.take(Command::kWrite, 0, 32, 0);    // group 0: ACT 8 (fifo: after RD), WR 15
  bench.take(Command::kRead, kRow, 32, 0);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "RD 7", "ACT 8", "WR 15", "RD 25"));  // 15 + 5 + 2 + 3
}

// Four banks: the ACTs of a group are tRRD_L = 5 apart, of two groups tRRD_S = 3. Addresses go groups first: banks 0,
// 2, 1, 3 at 0, 3, 6 (max(0 + 5, 3 + 3)), 9. Each read comes 7 after its ACT.
TEST(Channel, activates_of_all_banks_are_spaced) {
  DramBench bench(small_timing(), with("row_bank_column"));
  for (std::uint64_t i = 0; i < 4; ++i) bench.take(Command::kRead, i * kRow, 32, 0);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "ACT 3", "ACT 6", "RD 7", "ACT 9", "RD 10", "RD 13", "RD 16"));
}

// The fifth ACT waits for tFAW: 4 x 2 banks, ACTs at 0, 3, 6, 9, then 20 (not 12).
TEST(Channel, four_activates_per_window) {
  DramTiming timing = small_timing();
  timing.bank_groups = 4;
  DramBench bench(timing, with("row_bank_column"));
  for (std::uint64_t i = 0; i < 6; ++i) bench.take(Command::kRead, i * kRow, 32, 0);
  bench.controller.advance(100);
  std::vector<Cycle> activates;
  for (const DramCommand& c : bench.log().log)
    if (c.kind == CommandKind::kActivate) activates.push_back(c.at);
  EXPECT_THAT(activates, ElementsAre(0, 3, 6, 9, 20, 23));
}

// With two command buses an ACT and a RD share a cycle.
TEST(Channel, rows_and_columns_may_have_a_bus_each) {
  for (const std::uint32_t buses : {1U, 2U}) {
    DramTiming timing = small_timing();
    timing.command_buses = buses;
    timing.t_rrd_s = timing.t_rcd;  // the second ACT could go with the first RD
    timing.t_rrd_l = timing.t_rcd;
    DramBench bench(timing, with("row_bank_column"));
    bench.take(Command::kRead, 0, 32, 0);
    bench.take(Command::kRead, kRow, 32, 0);
    bench.controller.advance(100);
    if (buses == 1) {
      EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "RD 7", "ACT 8", "RD 15"));
    } else {
      EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "RD 7", "ACT 7", "RD 14"));
    }
  }
}

// FR-FCFS serves the younger hit first, FIFO does not. The row stays open for it.
TEST(Scheduler, fr_fcfs_prefers_hits_and_fifo_keeps_the_order) {
  for (const std::string name : {"fr_fcfs", "fifo"}) {
    DramBench bench(small_timing(), with("row_bank_column", name));
    bench.take(Command::kRead, 0, 32, 0);
    bench.take(Command::kRead, 4 * kRow, 32, 0);
    bench.take(Command::kRead, 32, 32, 0);
    bench.controller.advance(200);
    if (name == "fifo") {
      EXPECT_THAT(bench.served_at, ElementsAre(17, 39, 61));
      EXPECT_EQ(bench.controller.figures(0).row_conflicts, 2U);
    } else {
      EXPECT_THAT(bench.served_at, ElementsAre(17, 39, 21));
      EXPECT_EQ(bench.controller.figures(0).row_conflicts, 1U);
    }
  }
}

// A PRE that waits for 18 (tRTP after the second RD) is given up for a hit that comes at 16, although its WR has to
// wait until 21 (tRTW); PRE follows tCWL + tBL + tWR later.
TEST(Scheduler, a_hit_keeps_the_row_open_that_was_to_be_closed) {
  DramBench bench(small_timing(), with("row_bank_column"));
  bench.take(Command::kRead, 0, 32, 0);
  bench.take(Command::kRead, 64, 32, 14);
  bench.take(Command::kRead, 4 * kRow, 32, 15);
  bench.take(Command::kWrite, 96, 32, 16);
  bench.controller.advance(100);
  EXPECT_THAT(bench.log().texts(), ElementsAre("ACT 0", "RD 7", "RD 14", "WR 21", "PRE 37", "ACT 43", "RD 50"));
}

// Hits to one row arrive for ever; a conflict for the same bank is served when the limit has passed.
TEST(Scheduler, the_age_limit_ends_starvation) {
  std::vector<Cycle> served;
  for (const Cycle limit : {Cycle{100}, Cycle{400}}) {
    DramOptions options = with("row_bank_column");
    options.channel.age_limit = limit;
    options.channel.queue_depth = 4;
    DramTiming timing = small_timing();
    timing.t_refi = 1'000'000;
    DramBench bench(timing, options);
    bench.take(Command::kRead, 0, 32, 0);
    const Request& conflict = bench.take(Command::kRead, 4 * kRow, 32, 0);
    for (int i = 0; i < 300; ++i) bench.take(Command::kRead, 32U * (i % 16), 32, 0, 1);
    bench.controller.advance(5000);
    served.push_back(bench.served_at[conflict.id]);
  }
  // Past the limit only this burst counts: PRE within tRTP = 4 of the last RD, then tRP, tRCD, data.
  EXPECT_GE(served[0], 100U + 6 + 7 + 10);
  EXPECT_LE(served[0], 100U + 4 + 4 + 6 + 7 + 10);
  EXPECT_GE(served[1], 400U + 6 + 7 + 10);
  EXPECT_LE(served[1], 400U + 4 + 4 + 6 + 7 + 10);
}

TEST(Scheduler, unknown_name_bad) {
  const auto message = [](const std::string& scheduler, const std::string& mapping) -> std::string {
    DramOptions options;
    options.scheduler = scheduler;
    options.mapping = mapping;
    try {
      const DramController controller(small_timing(), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("frfcfs", "xor_bank"),
            "no memory scheduler 'frfcfs'; known: fr_fcfs, fifo; did you mean 'fr_fcfs'?");
  EXPECT_EQ(message("fifo", "xor_banks"),
            "no address mapping 'xor_banks'; known: row_bank_column_group, row_bank_column, row_column_bank, xor_bank; "
            "did you mean 'xor_bank'?");
}

TEST(Channel, options_out_of_range_bad) {
  DramOptions options;
  options.channel.queue_depth = 0;
  EXPECT_THROW(DramController(small_timing(), options), InputError);
  options.channel.queue_depth = 65;
  EXPECT_THROW(DramController(small_timing(), options), InputError);
  options.channel.queue_depth = 1;
  options.channel.interleave_bytes = 48;
  EXPECT_THROW(DramController(small_timing(), options), InputError);
  options.channel.interleave_bytes = 16;  // half a burst
  EXPECT_THROW(DramController(small_timing(), options), InputError);
  options.channel.interleave_bytes = 32;
  EXPECT_NO_THROW(DramController(small_timing(), options));
}

// A queue of two: the third burst enters when the first RD leaves. FIFO, all hits but the first: RD at 7, 11, 15.
// Bursts in the queue: 2 until 7, 2 until 11 (the third came in), 1 until 15.
TEST(Channel, the_queue_is_counted) {
  DramOptions options = with("row_bank_column", "fifo");
  options.channel.queue_depth = 2;
  DramBench bench(small_timing(), options);
  bench.take(Command::kRead, 0, 96, 0);
  bench.controller.advance(100);
  const ChannelFigures figures = bench.controller.figures(0);
  EXPECT_EQ(figures.queue_max, 2U);
  EXPECT_EQ(figures.cycles, 100U);
  EXPECT_DOUBLE_EQ(figures.queue_mean, (2 * 11 + 1 * 4) / 100.0);
  EXPECT_EQ(figures.latency.count(), 1U);
  EXPECT_EQ(figures.latency.max(), 25U);
}

// Initiators take turns burst by burst; a long request does not keep out a short one. The first one's second burst is
// in line when the second one arrives.
TEST(Channel, initiators_share_the_queue) {
  DramOptions options = with("row_bank_column", "fifo");
  options.channel.queue_depth = 1;
  DramBench bench(small_timing(), options);
  bench.take(Command::kRead, 0, 512, 0, 0);
  bench.take(Command::kRead, 64, 32, 0, 1);
  bench.controller.advance(500);
  EXPECT_EQ(bench.served_at[1], 15U + 10U);  // the third RD
  EXPECT_EQ(bench.served_at[0], 7U + 16 * 4 + 10U);
}

// A request over two channels is served when both are through. Channel 0 has eight reads before it, 4 cycles apart:
// RD at 7 + 8 x 4, data 10 later; channel 1 has it at 17.
TEST(Channel, a_request_waits_for_its_slowest_channel) {
  DramTiming timing = small_timing();
  timing.channels = 2;
  DramBench bench(timing, with("row_bank_column", "fifo"));
  bench.take(Command::kRead, 0, 256, 0);
  bench.take(Command::kRead, 224, 64, 0);
  bench.controller.advance(200);
  EXPECT_THAT(bench.served_at, ElementsAre(7 + 7 * 4 + 10, 7 + 8 * 4 + 10));
  EXPECT_EQ(bench.controller.figures(1).latency.max(), 17U);
}

// The streaming width: the same two bursts three times.
TEST(Channel, passes_repeat_the_range) {
  DramBench bench(small_timing(), with("row_bank_column"));
  Request& request = bench.requests.emplace_back();
  request.bytes = 64;
  request.passes = 3;
  request.owner = &bench;
  bench.served_at.push_back(kNever);
  bench.controller.take(request, 0);
  bench.controller.advance(100);
  EXPECT_EQ(bench.controller.figures(0).reads, 6U);
  EXPECT_EQ(bench.controller.figures(0).bytes, 192U);
  EXPECT_EQ(bench.served_at[0], 7U + 5 * 4 + 10U);
}

}  // namespace
}  // namespace weft::mem::test
