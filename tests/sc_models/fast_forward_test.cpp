// SPDX-License-Identifier: Apache-2.0
// Cycles that are left out change no byte: each configuration is run with every cycle and with run.fast_forward: exact.
// Each run is a process of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "tests/sc_models/support/random_systems.h"
#include "tests/sc_models/support/skipping.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using weft::test::config_of;
using weft::test::EnoughSkip;
using weft::test::kWafers;
using weft::test::Outcome;
using weft::test::outcome_of;
using weft::test::random_fabric;
using weft::test::random_switches;
using weft::test::random_wafer;
using weft::test::ring;
using weft::test::same_both_ways;
using weft::test::switches;
using weft::test::Wafer;
using weft::test::Words;

TEST(FastForward, wafer_reductions_of_long_vectors_are_skipped_for_the_most_part) {
  for (const Wafer& wafer : kWafers) {
    SCOPED_TRACE(fmt::format("{} {} {}", wafer.kind, wafer.algorithm, wafer.size));
    const Config config =
        config_of("wse-reduce", {"workload.collective.size=32 KiB", fmt::format("fabric.size={}", wafer.size),
                                 fmt::format("workload.collective.kind={}", wafer.kind),
                                 fmt::format("workload.collective.algorithm={}", wafer.algorithm)});
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(all.ran && skipping.ran);
    EXPECT_EQ(all.skipped, 0u);
    // 8192 elements come one after the other; to fill and to empty a wafer so small takes less than a fifth of that.
    EXPECT_GT(skipping.skipped, skipping.cycles * 8 / 10) << skipping.refusal;
    EXPECT_TRUE(skipping.tables == all.tables);
  }
}

TEST(FastForward, a_row_of_cores_repeats_itself_as_soon_as_it_is_full) {
  const Config config = config_of("wse-reduce", {"workload.collective.size=32 KiB", "fabric.size=[32, 1]"});
  const Outcome all = outcome_of(config, FastForwardMode::kOff);
  const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
  ASSERT_TRUE(all.ran && skipping.ran);
  // An element needs 2 T_R + 2 cycles from core to core, so that 31 hops are full and empty again after 186 cycles. The
  // first look comes in one of the 128 cycles behind that, and three looks take a few cycles more.
  EXPECT_GT(skipping.skipped, skipping.cycles - 2 * 186 - 128 - 16) << skipping.refusal;
  EXPECT_TRUE(skipping.tables == all.tables);
}

TEST(FastForward, a_ring_is_skipped_across_its_steps) {
  for (const char* more : {"seed=1", "fabric.link.latency=3", "npu.reduce_bandwidth=100 GB/s"}) {
    SCOPED_TRACE(more);
    const Config config = ring({more, "fabric.size=[6, 6]", "workload.collective.size=576 KiB"});
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(all.ran && skipping.ran);
    // 35 steps of reduce-scatter and 35 of all-gather; of each half the first few and the last two are simulated.
    EXPECT_GT(skipping.skipped, skipping.cycles / 2) << skipping.refusal;
    EXPECT_TRUE(skipping.tables == all.tables);
  }
}

TEST(FastForward, a_ring_is_skipped_on_other_kinds_of_fabrics) {
  for (const Words& more : {Words{"fabric.kind=torus", "fabric.routing=dimension_order", "fabric.size=[8, 4]"},
                            Words{"fabric.kind=ring", "fabric.size=32"}, Words{"fabric.kind=switch", "fabric.size=16"},
                            Words{"fabric.kind=fully_connected", "fabric.size=16"},
                            Words{"fabric.kind=mesh", "fabric.size=[8, 4]", "fabric.link.bandwidth=48 GB/s"}}) {
    SCOPED_TRACE(more.front());
    // Packets divide the share of a rank, so that all steps are alike.
    Words sets = {"workload.collective.size=1 MiB"};
    sets.insert(sets.end(), more.begin(), more.end());
    const Config config = ring(sets);
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(all.ran && skipping.ran);
    // Round robins over four VCs make a period of four steps, and the looks take three periods; the last two are
    // simulated as well.
    EXPECT_GT(skipping.skipped, skipping.cycles / 8) << skipping.refusal;
    EXPECT_TRUE(skipping.tables == all.tables);
  }
}

TEST(FastForward, long_messages_over_fred_switches_are_skipped_for_the_most_part) {
  for (const Words& more :
       {Words{"seed=1"}, Words{"log.windows=1000"}, Words{"fabric.levels[0].bandwidth=48 GB/s"},
        Words{"workload.collective.chunks=3", "workload.collective.size=3 MiB"},
        Words{"fabric.in_switch=false", "workload.collective.algorithm=ring", "workload.collective.size=4 MiB"}}) {
    SCOPED_TRACE(more.front());
    const Config config = switches(more);
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(all.ran && skipping.ran);
    // The steps of a ring are short against its periods.
    EXPECT_GT(skipping.skipped, skipping.cycles / 4) << skipping.refusal;
    EXPECT_TRUE(skipping.tables == all.tables);
  }
}

// With as many windows as are counted at most, those of the 512 borders that are looked ahead for end long before the
// run does. Behind them a period of 2,051 cycles needs looks again.
TEST(FastForward, more_windows_than_are_looked_ahead_for_end_in_what_is_left_out) {
  const Config config =
      config_of("fred-d", {"workload.collective.size=128 MiB", "workload.collective.chunks=1", "log.windows=10000",
                           "workload.collective.active_chunks=1", "workload.collective.chunk_bytes=0 B"});
  const Outcome all = outcome_of(config, FastForwardMode::kOff);
  const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
  ASSERT_TRUE(all.ran && skipping.ran);
  EXPECT_GT(skipping.skipped, 2u * 512 * 16) << "more than once";
  EXPECT_TRUE(skipping.tables == all.tables);
}

// Some chunks reduce what has come for longer than several periods, while messages of others wait behind each other.
TEST(FastForward, chunks_that_overlap_over_fred_switches_are_skipped_for_the_most_part) {
  for (const char* algorithm : {"ring", "two_level_ring"}) {
    SCOPED_TRACE(algorithm);
    const Config config =
        switches({"fabric.in_switch=false", fmt::format("workload.collective.algorithm={}", algorithm),
                  "workload.collective.chunks=3", "workload.collective.size=8 MiB", "npu.reduce_bandwidth=100 GB/s"});
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(all.ran && skipping.ran);
    EXPECT_GT(skipping.skipped, skipping.cycles / 2) << skipping.refusal;
    EXPECT_TRUE(skipping.tables == all.tables);
  }
}

TEST(FastForward, what_cannot_take_part_says_so) {
  const std::string wafer = "wse-reduce";
  const test::TempDir folder;
  const std::string waves = "waves.file=" + (folder.path() / "w.vcd").string();
  const std::pair<Config, const char*> cases[] = {
      {config_of(wafer, {"workload.collective.data=values", "workload.collective.size=64 KiB"}), "carry data"},
      {config_of(wafer, {"fabric.form=modules"}), "one thread"},
      {config_of(wafer, {"fabric.size=[8, 8]", "threads=2"}), "one thread"},
      {ring({"fabric.routing=o1turn"}), "by chance"},
      {ring({waves}), "a waveform"},
      {ring({"log.level=steps"}), "log.level"},
      {ring({"memory.timing=hbm3"}), "timing is simulated"},
      // The other one of two NPUs is as far in one direction as in the other.
      {ring({"fabric.kind=ring", "fabric.size=2"}), "by chance"},
      {ring({"fabric.kind=torus", "fabric.routing=dimension_order", "fabric.size=[2, 2]"}), "by chance"},
      {config_of("fred-d", {"workload.collective.size=1 MiB", "fabric.reduce_cycles=2"}), "one by one"},
      {config_of("fred-d", {"workload.collective.size=1 MiB", "fabric.link_layer=gbn"}), "repair losses"},
      {config_of("fred-d", {"workload.collective.size=1 MiB", "workload.collective.data=values"}), "carry data"},
      {config_of("fred-d", {"workload.collective.size=1 MiB", "threads=2"}), "one thread"}};
  for (const auto& [config, reason] : cases) {
    const Outcome outcome = outcome_of(config, FastForwardMode::kExact);
    ASSERT_TRUE(outcome.ran) << reason;
    EXPECT_EQ(outcome.skipped, 0u);
    EXPECT_NE(outcome.refusal.find(reason), std::string::npos) << reason << ": " << outcome.refusal;
  }
}

/// Whether a run ends in the cycle that limits.cycles says, wherever that lies.
TEST(FastForward, a_limit_of_cycles_ends_the_run_where_it_would_without) {
  for (const char* limit : {"200", "1000", "1001", "1002", "1003", "5000"}) {
    const Config config = config_of("wse-reduce", {"workload.collective.size=64 KiB", "fabric.size=[6, 1]",
                                                   fmt::format("limits.cycles={}", limit)});
    const Outcome all = outcome_of(config, FastForwardMode::kOff);
    const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
    EXPECT_EQ(skipping.cycles, all.cycles);
    EXPECT_TRUE(skipping.tables == all.tables) << limit;
  }
}

RC_GTEST_PROP(FastForward, random_wafers_give_the_same_bytes, ()) {
  static EnoughSkip enough(3);
  const Words sets = random_wafer();
  const Outcome skipping = same_both_ways([&] { return config_of("wse-reduce", sets); }, sets);
  enough.count(skipping.skipped * 10 >= skipping.cycles * 3);
}

RC_GTEST_PROP(FastForward, random_fabrics_of_routers_give_the_same_bytes, ()) {
  static EnoughSkip enough(5);
  const Words sets = random_fabric();
  enough.count(same_both_ways([&] { return ring(sets); }, sets).skipped > 0);
}

RC_GTEST_PROP(FastForward, random_fabrics_of_fred_switches_give_the_same_bytes, ()) {
  static EnoughSkip enough(5);
  const Words sets = random_switches();
  enough.count(same_both_ways([&] { return switches(sets); }, sets).skipped > 0);
}

}  // namespace
}  // namespace weft::sc_models
