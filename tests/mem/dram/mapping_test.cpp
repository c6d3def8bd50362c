// SPDX-License-Identifier: Apache-2.0
// Address mappings: one to one, in range, and what their names say.
#include "mem/dram/mapping/mapping.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "tests/mem/support/dram_bench.h"
#include "tests/mem/support/timings.h"

namespace weft::mem::test {
namespace {

DramTiming small_channels(std::uint32_t channels) {
  DramTiming timing = small_timing();
  timing.channels = channels;
  return timing;
}

TEST(Mapping, every_mapping_is_one_to_one) {
  const DramTiming timing = small_channels(4);
  for (const MappingPolicy* policy : mapping_policies()) {
    const std::string name(policy->name);
    const auto mapping = make_mapping(name, timing);
    std::set<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>> seen;
    const std::uint64_t bursts = timing.channel_bytes() / timing.burst_bytes;
    for (std::uint64_t burst = 0; burst < bursts; ++burst) {
      const Location location = mapping->location(burst);
      ASSERT_LT(location.bank, timing.banks());
      ASSERT_EQ(location.group, location.bank / timing.banks_per_group);
      ASSERT_LT(location.row, timing.rows);
      ASSERT_LT(location.column, timing.bursts_per_row());
      ASSERT_TRUE(seen.insert({location.bank, location.row, location.column}).second) << name << " " << burst;
    }
    for (std::uint64_t round = 0; round < 1000; ++round) ASSERT_LT(mapping->channel_mask(round), 4U) << name;
  }
}

// 2 groups of 2 banks, 16 bursts in a row.
TEST(Mapping, names_tell_the_order_of_the_parts) {
  const DramTiming timing = small_timing();
  const auto location = [&](const char* name, std::uint64_t burst) {
    return make_mapping(name, timing)->location(burst);
  };
  EXPECT_EQ(location("row_bank_column_group", 1), (Location{1, 2, 0, 0}));
  EXPECT_EQ(location("row_bank_column_group", 2), (Location{0, 0, 0, 1}));
  EXPECT_EQ(location("row_bank_column_group", 32), (Location{0, 1, 0, 0}));
  EXPECT_EQ(location("row_bank_column_group", 64), (Location{0, 0, 1, 0}));
  EXPECT_EQ(location("row_bank_column", 1), (Location{0, 0, 0, 1}));
  EXPECT_EQ(location("row_bank_column", 16), (Location{1, 2, 0, 0}));
  EXPECT_EQ(location("row_column_bank", 1), (Location{1, 2, 0, 0}));
  EXPECT_EQ(location("row_column_bank", 2), (Location{0, 1, 0, 0}));
  EXPECT_EQ(location("row_column_bank", 4), (Location{0, 0, 0, 1}));
  // Row 1: the group is flipped; row 2: the bank.
  EXPECT_EQ(location("xor_bank", 64), (Location{1, 2, 1, 0}));
  EXPECT_EQ(location("xor_bank", 128), (Location{0, 1, 2, 0}));
}

// Every byte lies in exactly one channel: reads of every length from every offset move as many bursts as they touch.
TEST(Mapping, requests_are_dealt_to_channels_without_gap_or_overlap) {
  for (const MappingPolicy* policy : mapping_policies()) {
    const std::string name(policy->name);
    DramOptions options;
    options.mapping = name;
    options.channel.interleave_bytes = 64;
    DramBench bench(small_channels(4), options);
    std::uint64_t bursts = 0;
    std::uint64_t bytes = 0;
    Cycle at = 0;
    for (std::uint64_t first = 0; first < 700; first += 23) {
      for (const std::uint64_t length : {1, 31, 32, 33, 64, 200, 256, 257, 1500}) {
        bench.take(Command::kRead, 100'000 + first, length, at++);
        bursts += (100'000 + first + length - 1) / 32 - (100'000 + first) / 32 + 1;
        bytes += length;
      }
    }
    bench.controller.advance(1'000'000);
    for (const Cycle served : bench.served_at) EXPECT_NE(served, kNever);
    std::uint64_t seen_bursts = 0;
    std::uint64_t seen_bytes = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const ChannelFigures figures = bench.controller.figures(i);
      EXPECT_GT(figures.reads, bursts / 8) << name;
      seen_bursts += figures.reads;
      seen_bytes += figures.bytes;
    }
    EXPECT_EQ(seen_bursts, bursts) << name;
    EXPECT_EQ(seen_bytes, bytes) << name;
  }
}

// A stride over all channels falls on one channel, unless the mapping mixes higher bits in.
TEST(Mapping, xor_bank_spreads_strides_over_channels) {
  for (const std::string name : {"row_bank_column_group", "xor_bank"}) {
    DramOptions options;
    options.mapping = name;
    DramBench bench(small_channels(4), options);
    for (std::uint64_t i = 0; i < 64; ++i) bench.take(Command::kRead, i * 1024, 32, i);
    bench.controller.advance(100'000);
    std::uint64_t most = 0;
    for (std::uint32_t i = 0; i < 4; ++i) most = std::max(most, bench.controller.figures(i).reads);
    EXPECT_EQ(most, name == "xor_bank" ? 16U : 64U);
  }
}

}  // namespace
}  // namespace weft::mem::test
