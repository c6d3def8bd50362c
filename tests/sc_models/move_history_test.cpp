// SPDX-License-Identifier: Apache-2.0
// Periods of sequences that are written by hand.
#include "sc_models/move_history.h"

#include <gtest/gtest.h>

namespace weft::sc_models {
namespace {

/// Executed cycles that move `sum` flits each, `cycles` after the one before.
struct Fabric {
  MoveHistory history;
  Cycle now = 0;
  std::uint64_t moved = 0;

  void move(std::uint64_t sum, Cycle cycles = 1, std::uint64_t level = 0) {
    now += cycles;
    moved += sum;
    history.add(now, moved, level);
  }
};

TEST(MoveHistory, a_period_has_the_cycles_between_its_steps) {
  Fabric fabric;
  for (int i = 0; i < 22; ++i) {
    fabric.move(5, 1);
    fabric.move(1, 2);
    fabric.move(2, 4);
  }
  const MoveHistory::Period found = fabric.history.find(0);
  EXPECT_EQ(found.cycles, 7u);
  EXPECT_EQ(found.alike_for, 63u);  // of 66 steps the first three have none a period before
}

TEST(MoveHistory, moves_times_and_levels_tell_steps_apart) {
  for (int different = 0; different < 3; ++different) {
    Fabric fabric;
    for (std::uint64_t i = 0; i < 64; ++i) {
      fabric.move(different == 0 ? i : 1, different == 1 ? i + 1 : 1, different == 2 ? i : 0);
    }
    EXPECT_EQ(fabric.history.find(0).cycles, 0u) << different;
  }
}

TEST(MoveHistory, the_last_cycles_have_the_hash_that_they_had_a_period_before) {
  Fabric fabric;
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 12; ++i) {
    fabric.move(5);
    fabric.move(i == 5 ? 2 : 1);
    fabric.move(2);
    hashes.push_back(fabric.history.hash_of_last(6));
  }
  // The sixth period is another one, and lies in the last six cycles of two of them.
  EXPECT_EQ(hashes[4], hashes[11]);
  EXPECT_NE(hashes[5], hashes[4]);
  EXPECT_NE(hashes[6], hashes[4]);
  EXPECT_NE(hashes[6], hashes[5]);
  EXPECT_EQ(hashes[7], hashes[4]);
  EXPECT_NE(fabric.history.hash_of_last(24), fabric.history.hash_of_last(18)) << "how many are mixed";
}

TEST(MoveHistory, too_few_steps_have_no_period) {
  Fabric fabric;
  for (int i = 0; i < 63; ++i) fabric.move(1);
  EXPECT_EQ(fabric.history.find(0).cycles, 0u);
  fabric.move(1);
  EXPECT_EQ(fabric.history.find(0).cycles, 1u);
}

// A packet of 4102 bytes on links of 512 has a period of 2051 cycles, of which 4096 steps do not hold two.
TEST(MoveHistory, a_period_of_2051_steps_is_found) {
  Fabric fabric;
  for (std::uint64_t i = 0; i < 8191; ++i) fabric.move(i % 2051);
  EXPECT_EQ(fabric.history.find(0).cycles, 0u);
  fabric.move(8191 % 2051);
  const MoveHistory::Period found = fabric.history.find(0);
  EXPECT_EQ(found.cycles, 2051u);
  EXPECT_EQ(found.alike_for, 0u);  // it is longer than what is counted
}

TEST(MoveHistory, cycles_that_are_left_out_are_no_step) {
  Fabric fabric;
  for (int i = 0; i < 40; ++i) fabric.move(3);
  fabric.now += 1000;
  fabric.moved += 3000;
  fabric.history.leave_out(1000, fabric.moved);
  for (int i = 0; i < 40; ++i) fabric.move(3);
  EXPECT_EQ(fabric.history.executed(), 80u);
  EXPECT_EQ(fabric.history.find(0).cycles, 1u);
}

// 80 steps move what those ten before have moved; cycles are left out five steps before the end.
TEST(MoveHistory, a_period_in_which_cycles_were_left_out_has_those_of_its_steps) {
  Fabric fabric;
  for (std::uint64_t i = 0; i < 90; ++i) {
    fabric.move(i % 10, 2);
    if (i != 84) continue;
    fabric.now += 1000;
    fabric.moved += 3000;
    fabric.history.leave_out(1000, fabric.moved);
  }
  const MoveHistory::Period found = fabric.history.find(0);
  EXPECT_EQ(found.cycles, 20u);
  EXPECT_EQ(found.alike_for, 80u);
}

// A search in all 8192 steps compares 64 + 256 + 1024 + 4096 + 8192 = 13,632 of them; 12,288 are free.
TEST(MoveHistory, searches_take_a_small_part_of_the_time) {
  Fabric fabric;
  for (std::uint64_t i = 0; i < 8192; ++i) fabric.move(i);
  for (int search = 0; search < 8; ++search) EXPECT_EQ(fabric.history.find(0).cycles, 0u);
  for (int i = 0; i < 64; ++i) fabric.move(1);
  EXPECT_EQ(fabric.history.find(0).cycles, 0u);
  EXPECT_EQ(fabric.history.find(1'000'000).cycles, 1u);
}

// 25 and 26 have other factors than 2 and 3; 27, 32, 36, 48, 54, 64, 72, 81 and 96 have none.
TEST(MoveHistory, periods_of_the_state_are_small_multiples_and_those_of_2_and_3) {
  std::vector<Cycle> multiples;
  for (Cycle multiple = 0; multiple < 96;) multiples.push_back(multiple = next_multiple(multiple));
  std::vector<Cycle> expected;
  for (Cycle multiple = 1; multiple <= 24; ++multiple) expected.push_back(multiple);
  for (const Cycle multiple : {27, 32, 36, 48, 54, 64, 72, 81, 96}) expected.push_back(multiple);
  EXPECT_EQ(multiples, expected);
}

}  // namespace
}  // namespace weft::sc_models
