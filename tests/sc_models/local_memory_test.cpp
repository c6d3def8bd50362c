// SPDX-License-Identifier: Apache-2.0
// Compute, loads, stores and messages that share the DRAM of an NPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/check.h"
#include "config/load.h"
#include "tests/sc_models/support/trace_text.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using testing::HasSubstr;
using weft::test::CsvTable;
using Words = std::vector<std::string>;

// hbm3: 32 channels, bursts of 32 bytes every 2 cycles of 1.6 GHz: 819.2 GB/s. A refresh stops a channel for 350 of
// every 3900 ns, and rows have to be closed and opened around it: 1 / (1 - 350 / 3900) more time at least.
constexpr double kPeak = 819.2;
constexpr double kWithoutRefresh = kPeak * (1 - 350.0 / 3900);

Config config_of(const Traces& trace, const Words& more = {}) {
  Words words{"workload.trace.chakra=" + (trace / "t").string()};
  words.insert(words.end(), more.begin(), more.end());
  return load_config_text(
      "fabric: {size: [2, 1], flit_bytes: 512 B, link: {bandwidth: 2 TB/s}, local: {bandwidth: 2 TB/s}, "
      "router: {vcs: 4, buffer_flits: 64}}\n"
      "clock: 1 GHz\nnpu: {peak_flops: 1 TFLOP/s, memory_bandwidth: 100 GB/s}\nmemory: {timing: hbm3}\n",
      "a.yaml", words);
}

double time_of(const Traces& trace, const Words& more = {}) {
  const TempDir folder;
  EXPECT_EQ(run_into(folder, config_of(trace, more)), "");
  return static_cast<double>(cycles(folder));
}

TEST(LocalMemory, compute_takes_the_longer_of_its_operations_and_its_bytes) {
  const Traces moving(1, [](TraceText& text, int) { text.work(1'000, 40'000'000); });
  const double time = time_of(moving);
  EXPECT_GT(time, 40e6 / kWithoutRefresh);
  EXPECT_LT(time, 1.03 * 40e6 / kWithoutRefresh);
  const Traces counting(1, [](TraceText& text, int) { text.work(100'000'000, 1'000'000); });
  EXPECT_EQ(time_of(counting), 100'000);
}

// A scheduler that sees one burst has no choice, so that all of them are one; with 64 it finds rows that are open and
// banks that are free. Bursts of one bank in a row, one row after the other, wait for its rows.
TEST(LocalMemory, scheduler_queue_and_mapping_are_chosen_in_the_configuration) {
  const Traces moving(1, [](TraceText& text, int) { text.work(1'000, 4'000'000); });
  const double one = time_of(moving, {"memory.queue_depth=1"});
  EXPECT_EQ(time_of(moving, {"memory.queue_depth=1", "memory.scheduler=fifo"}), one);
  EXPECT_EQ(time_of(moving, {"memory.queue_depth=1", "memory.age_limit=1"}), one);
  const double usual = time_of(moving);
  EXPECT_LT(usual, one);
  EXPECT_LE(time_of(moving, {"memory.queue_depth=64"}), usual);
  // Consecutive bursts in one bank group: tCCD_L instead of tCCD_S between them, twice as long for HBM3.
  EXPECT_GT(time_of(moving, {"memory.mapping=row_bank_column", "memory.scheduler=fifo"}), 1.8 * usual);
}

// Operations of 1 cycle keep 40 MB waiting, 100,000 cycles of them hide 1 MB; a recorded duration is what it is.
TEST(LocalMemory, counts_compute_that_is_bound_by_it) {
  const Traces trace(1, [](TraceText& text, int) {
    text.work(1'000, 40'000'000);
    text.work(100'000'000, 1'000'000);
    text.compute(7);
  });
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of(trace)), "");
  const auto rank = nlohmann::json::parse(read_text(folder / "summary.json"))["ranks"][0];
  EXPECT_EQ(rank["compute_nodes"], 3);
  EXPECT_EQ(rank["memory_bound_nodes"], 1);
  EXPECT_EQ(rank["memory_wait_ns"], static_cast<double>(cycles(folder)) - 1 - 100'000 - 7'000);
}

// At 100 GB/s 1 MB takes 10,000 cycles, its 2 M operations 2000.
TEST(LocalMemory, counts_compute_that_a_plain_bandwidth_binds) {
  const Traces trace(1, [](TraceText& text, int) { text.work(2'000'000, 1'000'000); });
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of(trace, {"memory.timing="})), "");
  const auto rank = nlohmann::json::parse(read_text(folder / "summary.json"))["ranks"][0];
  EXPECT_EQ(rank["compute_ns"], 10'000);
  EXPECT_EQ(rank["memory_bound_nodes"], 1);
  EXPECT_EQ(rank["memory_wait_ns"], 8'000);
}

TEST(LocalMemory, a_recorded_duration_moves_nothing) {
  const Traces trace(1, [](TraceText& text, int) { text.recorded(7, 1'000, 40'000'000); });
  EXPECT_EQ(time_of(trace), 7000);
}

TEST(LocalMemory, loads_and_stores_are_local_accesses) {
  const Traces trace(1, [](TraceText& text, int) { text.store(8'000'000, "", text.load(16'000'000, "")); });
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of(trace)), "");
  EXPECT_GT(static_cast<double>(cycles(folder)), 24e6 / kWithoutRefresh);
  EXPECT_LT(static_cast<double>(cycles(folder)), 1.05 * 24e6 / kWithoutRefresh);
  const CsvTable table(folder / "memory.csv");
  ASSERT_EQ(table.rows(), 32U);
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    reads += std::stoull(table.at(i, "reads"));
    writes += std::stoull(table.at(i, "writes"));
  }
  EXPECT_EQ(reads, 500'000U);  // bursts of 32 bytes
  EXPECT_EQ(writes, 250'000U);
}

// Work of 20 MB beside a load of 20 MB: what one of them takes alone twice, less what both lose at their ends.
TEST(LocalMemory, what_runs_at_once_shares_the_bandwidth) {
  const Traces both(1, [](TraceText& text, int) {
    text.work(1'000, 20'000'000);
    text.load(20'000'000, "");
  });
  const double time = time_of(both);
  EXPECT_GT(time, 40e6 / kWithoutRefresh);
  EXPECT_LT(time, 1.05 * 40e6 / kWithoutRefresh);
}

// 20 MB from NPU 0 to NPU 1 over links of 2 TB/s: read there, written here at the same time, each 819 GB/s at most.
TEST(LocalMemory, messages_are_read_and_written) {
  const Traces trace(
      2, [](TraceText& text, int rank) { rank == 0 ? text.send(1, 20'000'000) : text.receive(0, 20'000'000); });
  const double time = time_of(trace);
  EXPECT_GT(time, 20e6 / kWithoutRefresh);
  EXPECT_LT(time, 1.1 * 20e6 / kWithoutRefresh);
  const double free = time_of(trace, {"memory.messages=false"});
  EXPECT_LT(free, 1.1 * 20e6 / 2000);
}

// The NPU that receives also works on 20 MB: both go to its DRAM.
TEST(LocalMemory, messages_and_compute_share_the_bandwidth) {
  const Traces trace(2, [](TraceText& text, int rank) {
    rank == 0 ? text.send(1, 20'000'000) : text.receive(0, 20'000'000);
    if (rank == 1) text.work(1'000, 20'000'000);
  });
  const double time = time_of(trace);
  EXPECT_GT(time, 40e6 / kWithoutRefresh);
  EXPECT_LT(time, 1.25 * 40e6 / kWithoutRefresh);  // reads and writes take turns on the bus
}

// Numbers pass through the DRAM unharmed, and in order.
TEST(LocalMemory, collectives_with_values_are_right) {
  const Traces trace(2, [](TraceText& text, int) { text.all_reduce(100'000); });
  const TempDir folder;
  EXPECT_EQ(run_into(folder, config_of(trace, {"workload.trace.data=values"})), "");
}

TEST(LocalMemory, forms_change_nothing) {
  const Traces trace(2, [](TraceText& text, int) {
    text.all_reduce(100'000);
    text.work(1'000, 300'000);
  });
  EXPECT_EQ(time_of(trace), time_of(trace, {"fabric.form=modules"}));
}

TEST(LocalMemory, a_timing_that_does_not_exist_is_named) {
  const Traces trace(1, [](TraceText& text, int) { text.compute(1); });
  const TempDir folder;
  EXPECT_THAT(run_into(folder, config_of(trace, {"memory.timing=hbm33"})), HasSubstr("hbm3"));
}

TEST(LocalMemory, a_bandwidth_beside_it_is_warned_of) {
  const Traces trace(1, [](TraceText& text, int) { text.compute(1); });
  const Config config = config_of(trace);  // 100 GB/s beside hbm3
  EXPECT_THAT(config_warnings(config), testing::Contains(HasSubstr("npu.memory_bandwidth has no effect")));
  EXPECT_THAT(config_warnings(config_of(trace, {"npu.memory_bandwidth=0 GB/s"})),
              testing::Not(testing::Contains(HasSubstr("npu.memory_bandwidth"))));
}

// 8 pieces of 4 MiB are bound by the DRAM, of 256 to 2048 operations per byte by 128 TFLOP/s.
TEST(LocalMemory, the_roofline_config_meets_both_roofs) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, load_config(weft::test::source("configs/hbm-roofline.yaml"), {})), "");
  const double bytes = 4 << 20;
  const double by_hand = 8 * bytes / kWithoutRefresh + (256 + 512 + 1024 + 2048) * bytes / 128'000;
  EXPECT_NEAR(static_cast<double>(cycles(folder)) / by_hand, 1, 0.01);
}

}  // namespace
}  // namespace weft::sc_models
