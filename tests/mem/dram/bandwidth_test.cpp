// SPDX-License-Identifier: Apache-2.0
// Known answers: the share of peak bandwidth that streams and random accesses reach, computed by hand.
#include <gtest/gtest.h>

#include "mem/dram/timing_file.h"
#include "tests/mem/support/dram_bench.h"
#include "tests/mem/support/timings.h"

namespace weft::mem::test {
namespace {

DramTiming one_channel(const std::string& name) {
  DramTiming timing = named_timing(name);
  timing.channels = 1;
  return timing;
}

/// Share of the data bus's cycles that carried data until the last one was served.
double share_of_peak(const DramTiming& timing, std::uint64_t bursts, Cycle cycles) {
  return static_cast<double>(bursts * timing.t_bl) / static_cast<double>(cycles);
}

/// Cycles from the first command to the last column command, when `bursts` follow each other at tCCD_S and only
/// refreshes interrupt: each takes tRP + tRFC + tRCD, and up to `slack` more. The last column command before one may
/// come in the cycle before it, or tCCD_S before.
void expect_full_rate(const DramTiming& t, std::uint64_t bursts, Cycle last_column, Cycle slack) {
  const Cycle alone = t.t_rcd + (bursts - 1) * t.t_ccd_s;
  const Cycle refreshes = last_column / t.t_refi;
  const Cycle refresh = t.t_rp + t.t_rfc + t.t_rcd;
  EXPECT_GE(refreshes, 20U);
  EXPECT_GE(last_column, alone + refreshes * (refresh - t.t_ccd_s));
  EXPECT_LE(last_column, alone + refreshes * (refresh + slack) + slack);
}

/// Share of time that refresh leaves: the banks close (tRP), are refreshed (tRFC), open again (tRCD). `slack` = cycles
/// that this may take longer.
double left_by_refresh(const DramTiming& t, Cycle slack) {
  return 1 - static_cast<double>(t.t_rp + t.t_rfc + t.t_rcd + slack) / static_cast<double>(t.t_refi);
}

class Named : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Timings, Named, testing::Values("hbm3", "hbm2e", "ddr5"));

// Bursts go round the bank groups, so RD follows RD at tCCD_S = tBL, and the next row opens while this one is read: the
// bus pauses for refresh only. PREA may have to wait for tRAS of a row just opened, and afterwards one bank group after
// the other opens.
TEST_P(Named, a_stream_reads_at_the_peak_but_for_refresh) {
  const DramTiming timing = one_channel(GetParam());
  ASSERT_EQ(timing.t_ccd_s, timing.t_bl);
  DramBench bench(timing);
  const std::uint64_t bursts = 20 * timing.t_refi / timing.t_bl;
  bench.take(Command::kRead, 0, bursts * timing.burst_bytes, 0);
  bench.controller.advance(40 * timing.t_refi);
  expect_full_rate(timing, bursts, bench.last - timing.t_cl - timing.t_bl,
                   timing.t_ras + timing.bank_groups * timing.t_rrd_s);
}

// The same with writes: the data bus is as busy, PREA waits for tCWL + tBL + tWR. DDR5 needs tCCD_L_WR between writes
// of a group, 48 cycles for the 8 x 8 that its 8 groups take: no loss.
TEST_P(Named, a_stream_writes_at_the_peak_but_for_refresh) {
  const DramTiming timing = one_channel(GetParam());
  ASSERT_LE(timing.t_ccd_l_wr, timing.bank_groups * timing.t_ccd_s);
  DramBench bench(timing);
  const std::uint64_t bursts = 20 * timing.t_refi / timing.t_bl;
  bench.take(Command::kWrite, 0, bursts * timing.burst_bytes, 0);
  bench.controller.advance(40 * timing.t_refi);
  const Cycle close = timing.t_rcd + timing.t_cwl + timing.t_bl + timing.t_wr;
  expect_full_rate(timing, bursts, bench.last - timing.t_cwl - timing.t_bl,
                   close + timing.bank_groups * timing.t_rrd_s);
}

// All bursts of a row in one bank group: RD follows RD at tCCD_L.
TEST_P(Named, a_stream_in_one_group_loses_tccd_l) {
  const DramTiming timing = one_channel(GetParam());
  DramOptions options;
  options.mapping = "row_bank_column";
  options.scheduler = "fifo";
  DramBench bench(timing, options);
  const std::uint64_t bursts = timing.bursts_per_row();
  bench.take(Command::kRead, 0, bursts * timing.burst_bytes, 0);
  bench.controller.advance(timing.t_refi - 1);
  EXPECT_EQ(bench.last, timing.t_rcd + (bursts - 1) * timing.t_ccd_l + timing.t_cl + timing.t_bl);
}

// Every access opens another row of one bank: one burst per tRC.
TEST_P(Named, conflicts_in_one_bank_take_trc_each) {
  const DramTiming timing = one_channel(GetParam());
  DramOptions options;
  options.mapping = "row_bank_column";
  options.scheduler = "fifo";
  DramBench bench(timing, options);
  const std::uint64_t stride = std::uint64_t{timing.banks()} * timing.row_bytes;
  const int accesses = 40;
  for (int i = 0; i < accesses; ++i) bench.take(Command::kRead, static_cast<std::uint64_t>(i) * stride, 32, 0);
  ASSERT_GT(timing.t_refi, accesses * timing.t_rc);
  bench.controller.advance(timing.t_refi - 1);
  for (int i = 0; i < accesses; ++i)
    EXPECT_EQ(bench.served_at[static_cast<std::size_t>(i)],
              static_cast<Cycle>(i) * timing.t_rc + timing.t_rcd + timing.t_cl + timing.t_bl);
  EXPECT_EQ(bench.controller.figures(0).row_conflicts, accesses - 1U);
}

// Random bursts: nearly every one opens a row. Four rows per tFAW, and one per tRRD_S, at the most; with 64 in the
// queue bank conflicts cost little of that.
TEST_P(Named, random_reads_are_bound_by_activates) {
  const DramTiming timing = one_channel(GetParam());
  DramOptions options;
  options.channel.queue_depth = 64;
  DramBench bench(timing, options);
  std::mt19937_64 random(11);
  const std::uint64_t accesses = 8000;
  for (std::uint64_t i = 0; i < accesses; ++i)
    bench.take(Command::kRead, random() % (bench.controller.size() / timing.burst_bytes) * timing.burst_bytes, 1, 0);
  bench.controller.advance(100 * timing.t_refi);
  const double per_activate = std::max(static_cast<double>(timing.t_faw) / 4, static_cast<double>(timing.t_rrd_s));
  const double bound = static_cast<double>(timing.t_bl) / per_activate * left_by_refresh(timing, 0);
  const double share = share_of_peak(timing, accesses, bench.last);
  EXPECT_LE(share, bound * 1.01);  // a few hits
  EXPECT_GE(share, bound * 0.85);
  const ChannelFigures figures = bench.controller.figures(0);
  EXPECT_LT(static_cast<double>(figures.row_hits), 0.01 * static_cast<double>(accesses));
  EXPECT_EQ(figures.row_hits + figures.row_misses + figures.row_conflicts, accesses);
}

// Two channels stream twice as fast as one.
TEST(Bandwidth, channels_add_up) {
  std::vector<Cycle> last;
  for (const std::uint32_t channels : {1U, 4U}) {
    DramTiming timing = one_channel("hbm3");
    timing.channels = channels;
    DramBench bench(timing);
    bench.take(Command::kRead, 0, channels * std::uint64_t{1 << 20}, 0);
    bench.controller.advance(1'000'000);
    last.push_back(bench.last);
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < channels; ++i) bytes += bench.controller.figures(i).bytes;
    EXPECT_EQ(bytes, channels * std::uint64_t{1 << 20});
  }
  EXPECT_EQ(last[0], last[1]);
}

}  // namespace
}  // namespace weft::mem::test
