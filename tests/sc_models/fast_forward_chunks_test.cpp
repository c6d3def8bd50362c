// SPDX-License-Identifier: Apache-2.0
// Whole chunks of collectives that are left out change no byte: each configuration is run with every cycle and with
// run.fast_forward: exact. Each run is a process of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "tests/sc_models/support/random_systems.h"
#include "tests/sc_models/support/skipping.h"

namespace weft::sc_models {
namespace {

using weft::test::EnoughSkip;
using weft::test::number;
using weft::test::Outcome;
using weft::test::outcome_of;
using weft::test::ring;
using weft::test::same_both_ways;
using weft::test::switches;
using weft::test::Words;

/// Chunks of so many bytes each, some of them at once.
Words chunks(int count, int active, int bytes) {
  return {fmt::format("workload.collective.chunks={}", count),
          fmt::format("workload.collective.active_chunks={}", active), "workload.collective.chunk_bytes=0 B",
          fmt::format("workload.collective.size={} B", count * bytes), "log.level=ranks"};
}

/// Runs a configuration both ways and expects the same bytes. Returns the share of cycles that were left out.
double share_left_out(const Config& config) {
  const Outcome all = outcome_of(config, FastForwardMode::kOff);
  const Outcome skipping = outcome_of(config, FastForwardMode::kExact);
  EXPECT_TRUE(all.ran && skipping.ran);
  EXPECT_NE(all.tables.find("chunk"), std::string::npos) << "the log has chunks";
  EXPECT_TRUE(skipping.tables == all.tables);
  return static_cast<double>(skipping.skipped) / static_cast<double>(skipping.cycles);
}

// A chunk of 16 KiB takes 264 cycles, eight periods of what moves. With eight chunks at once the state is larger, and
// the first eight have waited since the first cycle, so that it is looked at more often.
TEST(FastForwardChunks, chunks_with_flows_in_switches_are_left_out_as_a_whole) {
  for (const int active : {1, 2, 8}) {
    for (const char* kind : {"all_reduce", "broadcast"}) {
      SCOPED_TRACE(fmt::format("{} of {} at once", kind, active));
      Words sets = chunks(64, active, 1 << 14);
      sets.push_back(fmt::format("workload.collective.kind={}", kind));
      EXPECT_GT(share_left_out(switches(sets)), active == 8 ? 0.15 : 0.5);
    }
  }
}

// All NPUs hand over the operands of 32 chunks in the first cycle, and one more whenever one has ended. So packets of
// the first 32 are of the same cycle, and behind them of later and later ones, when no other chunk begins.
TEST(FastForwardChunks, chunks_that_wait_for_longer_and_longer_are_left_out) {
  Words sets = chunks(64, 32, 1 << 14);
  EXPECT_GT(share_left_out(switches(sets)), 0.25);
  sets.emplace_back("workload.collective.kind=broadcast");
  EXPECT_GT(share_left_out(switches(sets)), 0.35);
}

TEST(FastForwardChunks, chunks_of_endpoint_algorithms_are_left_out_as_a_whole) {
  for (const char* algorithm : {"ring", "halving_doubling"}) {
    SCOPED_TRACE(algorithm);
    Words sets = chunks(64, 1, 1 << 16);
    sets.push_back(fmt::format("workload.collective.algorithm={}", algorithm));
    EXPECT_GT(share_left_out(ring(sets)), 0.5);
  }
}

// The first chunks have an element more than the others.
TEST(FastForwardChunks, chunks_of_unlike_sizes_are_not_left_out_for_each_other) {
  Words sets = chunks(16, 2, 1 << 14);
  sets.push_back(fmt::format("workload.collective.size={} B", (16 << 14) + 4 * 8 * 5));
  share_left_out(switches(sets));
}

/// Chunks that may repeat each other: all of one size.
Words random_chunks(int ranks, int most_elements) {
  const int count = *rc::gen::element(16, 24, 32, 64);
  const int active = *rc::gen::element(1, 1, 2, 3, 8, 24);
  Words sets = chunks(count, std::min(active, count),
                      4 * ranks * *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(50, most_elements)));
  const Words more = {number("fabric.local.latency", 1, 4),
                      number("npu.endpoint_delay", 0, *rc::gen::element(0, 0, 30)),
                      fmt::format("npu.reduce_bandwidth={} GB/s", *rc::gen::element(0, 0, 100, 333)),
                      fmt::format("log.windows={}", *rc::gen::element(0, 4, 128, 1000))};
  sets.insert(sets.end(), more.begin(), more.end());
  if (*rc::gen::inRange(0, 5) == 0) sets.push_back(number("limits.cycles", 500, 30000));
  return sets;
}

RC_GTEST_PROP(FastForwardChunks, random_chunks_over_routers_give_the_same_bytes, ()) {
  static EnoughSkip enough(8);
  const char* const algorithm = *rc::gen::element("ring", "ring", "ring", "direct", "halving_doubling");
  Words sets = random_chunks(16, 1200);
  const Words more = {fmt::format("workload.collective.algorithm={}", algorithm),
                      fmt::format("workload.collective.kind={}", *rc::gen::element("all_reduce", "all_gather")),
                      fmt::format("fabric.kind={}", *rc::gen::element("mesh", "mesh", "torus")),
                      fmt::format("fabric.size=[{}]", *rc::gen::element("4, 4", "2, 4", "4, 2")),
                      fmt::format("fabric.link.bandwidth={} GB/s", *rc::gen::element(64, 64, 48)),
                      fmt::format("npu.message_order={}", *rc::gen::element("round_robin", "oldest_first"))};
  sets.insert(sets.end(), more.begin(), more.end());
  enough.count(same_both_ways([&] { return ring(sets); }, sets).skipped > 0);
}

RC_GTEST_PROP(FastForwardChunks, random_chunks_over_fred_switches_give_the_same_bytes, ()) {
  static EnoughSkip enough(3);
  const bool flows = *rc::gen::inRange(0, 4) > 0;
  const char* const algorithm = flows ? "in_switch" : *rc::gen::element("ring", "two_level_ring");
  const char* const kind = *rc::gen::element("all_reduce", "all_reduce", "broadcast", "reduce", "all_gather");
  Words sets = random_chunks(8, 1500);
  const Words more = {fmt::format("workload.collective.algorithm={}", algorithm),
                      fmt::format("fabric.in_switch={}", flows),
                      fmt::format("workload.collective.kind={}", flows ? kind : "all_reduce"),
                      fmt::format("npu.packet_bytes={} B", 32 * *rc::gen::inRange(2, 9)),
                      fmt::format("fabric.header={} B", *rc::gen::element(0, 0, 8)),
                      number("fabric.stay_packets", 0, 16)};
  sets.insert(sets.end(), more.begin(), more.end());
  enough.count(same_both_ways([&] { return switches(sets); }, sets).skipped > 0);
}

}  // namespace
}  // namespace weft::sc_models
