// SPDX-License-Identifier: Apache-2.0
#include "base/alike_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using ::testing::ElementsAre;

TEST(AlikeLines, things_that_follow_each_other_and_say_the_same_share_a_sentence) {
  AlikeLines lines("chunk", "chunks");
  lines.add(2, "is at work");
  for (std::uint64_t chunk = 3; chunk <= 9; ++chunk) lines.add(chunk, "waits for a result");
  lines.add(11, "waits for a result");
  lines.add(12, "waits for a result");
  lines.add(13, "is at work");
  EXPECT_THAT(lines.take(), ElementsAre("chunk 2 is at work", "each of chunks 3 to 9 waits for a result",
                                        "each of chunks 11 to 12 waits for a result", "chunk 13 is at work"));
}

// Each rank has two sentences; the second ones are alike for ranks 0 and 1.
TEST(AlikeLines, a_thing_that_says_several_has_a_part_in_each) {
  AlikeLines lines("rank", "ranks");
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    lines.add(rank, "waits for rank " + std::to_string(rank + 1));
    lines.add(rank, rank < 2 ? "holds a message" : "holds nothing");
  }
  EXPECT_THAT(lines.take(), ElementsAre("rank 0 waits for rank 1", "each of ranks 0 to 1 holds a message",
                                        "rank 1 waits for rank 2", "rank 2 waits for rank 3", "rank 2 holds nothing"));
}

TEST(AlikeLines, what_is_beyond_the_most_is_counted_and_what_says_the_same_still_joins) {
  AlikeLines lines("rank", "ranks", 2);
  lines.add(0, "waits");
  lines.add(1, "works");
  lines.add(1, "holds a message");
  lines.add(2, "works");
  lines.add(3, "waits");
  EXPECT_THAT(lines.take(), ElementsAre("rank 0 waits", "each of ranks 1 to 2 works", "and 2 more"));
}

TEST(AlikeLines, says_nothing_of_nothing) { EXPECT_THAT(AlikeLines("rank", "ranks").take(), ElementsAre()); }

}  // namespace
}  // namespace weft
