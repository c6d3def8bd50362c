// SPDX-License-Identifier: Apache-2.0
// Chunks that begin alike, by hand.
#include "sc_models/chunk_periods.h"

#include <gtest/gtest.h>

namespace weft::sc_models {
namespace {

using Chunks = ChunkPeriods::Chunks;

/// Looking takes two periods, and one is to be left out.
constexpr std::uint64_t kLooks = 3;

TEST(ChunkPeriods, a_chunk_begins_once) {
  ChunkPeriods chunks;
  EXPECT_FALSE(chunks.has_begun(Chunks{0, 0}));
  EXPECT_TRUE(chunks.has_begun(Chunks{1, 9}));
  EXPECT_FALSE(chunks.has_begun(Chunks{1, 9}));
}

TEST(ChunkPeriods, the_last_chunk_that_began_alike_is_a_period_ago) {
  ChunkPeriods chunks;
  EXPECT_EQ(chunks.find(100, {1, 40}, 7, kLooks), 0u);
  EXPECT_EQ(chunks.find(130, {2, 39}, 8, kLooks), 0u);
  EXPECT_EQ(chunks.find(190, {3, 38}, 7, kLooks), 90u);
  EXPECT_EQ(chunks.find(210, {4, 37}, 7, kLooks), 20u);
}

TEST(ChunkPeriods, enough_chunks_must_be_left) {
  for (const std::uint32_t left : {6u, 7u}) {
    ChunkPeriods chunks;
    chunks.find(100, {1, 40}, 7, kLooks);
    // Two chunks have begun since, so that three periods take six of those that are left.
    EXPECT_EQ(chunks.find(190, {3, left}, 7, kLooks), left == 6 ? 0u : 90u);
  }
}

TEST(ChunkPeriods, periods_within_messages_go_first) {
  for (const std::uint64_t periods : {1u, 2u}) {
    ChunkPeriods chunks;
    chunks.find(100, {1, 40}, 7, kLooks);
    chunks.found(150, periods);
    EXPECT_EQ(chunks.find(190, {3, 38}, 7, kLooks), periods == 1 ? 90u : 0u);
    // Twice the period of 40 cycles is the time since something was found within messages, and less than that a period
    // later.
    EXPECT_EQ(chunks.find(230, {4, 37}, 7, kLooks), periods == 1 ? 40u : 0u);
    EXPECT_EQ(chunks.find(270, {5, 36}, 7, kLooks), 40u);
  }
}

TEST(ChunkPeriods, chunks_behind_those_that_were_left_out_are_compared_with_each_other) {
  ChunkPeriods chunks;
  chunks.find(100, {1, 40}, 7, kLooks);
  chunks.begin_anew();
  EXPECT_EQ(chunks.find(900, {3, 20}, 7, kLooks), 0u);
  EXPECT_EQ(chunks.find(940, {4, 19}, 7, kLooks), 40u);
}

// Chunks began in cycle 100. After two periods in vain the next one waits until 40 cycles have become 80, and then 160.
TEST(ChunkPeriods, periods_that_were_tried_in_vain_are_tried_less_and_less_often) {
  ChunkPeriods chunks;
  chunks.find(100, {1, 40}, 7, kLooks);
  std::uint32_t begun = 1;
  const auto try_one = [&](Cycle now) {
    if (chunks.find(now, {++begun, 40}, 7, kLooks) == 0) return false;
    chunks.try_one(now);
    EXPECT_TRUE(chunks.trying());
    return true;
  };
  EXPECT_TRUE(try_one(110));
  chunks.found(115, 5);
  chunks.end_trying();
  EXPECT_FALSE(chunks.trying());
  EXPECT_TRUE(try_one(120)) << "chunks that were found were not tried in vain";
  chunks.end_trying();
  EXPECT_TRUE(try_one(140));
  chunks.end_trying();
  EXPECT_FALSE(try_one(179));
  EXPECT_TRUE(try_one(180));
  chunks.end_trying();
  EXPECT_FALSE(try_one(259));
  EXPECT_TRUE(try_one(260));
  chunks.end_trying();
  chunks.forget();
  EXPECT_FALSE(try_one(270)) << "nothing is known any more";
  EXPECT_TRUE(try_one(280));
}

}  // namespace
}  // namespace weft::sc_models
