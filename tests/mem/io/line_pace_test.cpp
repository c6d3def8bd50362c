// SPDX-License-Identifier: Apache-2.0
// The time that a line takes for packets, by hand.
#include "mem/io/line_pace.h"

#include <gtest/gtest.h>

namespace weft::mem {
namespace {

// 4 flits at 3 in 8 cycles take 32/3 cycles: nothing is rounded from packet to packet.
TEST(LinePace, packets_follow_each_other_without_rounding) {
  LinePace pace({3, 8});
  EXPECT_EQ(pace.carry(4, 0), 11U);
  EXPECT_EQ(pace.carry(4, 11), 22U);
  EXPECT_EQ(pace.carry(4, 22), 32U);
  EXPECT_EQ(pace.carry(4, 5), 43U);  // asked for before the line is free
}

TEST(LinePace, a_pause_is_not_made_up_for) {
  LinePace pace({3, 8});
  EXPECT_EQ(pace.carry(4, 0), 11U);
  EXPECT_EQ(pace.carry(4, 50), 61U);
  EXPECT_EQ(pace.carry(1, 61), 64U);  // 50 + 32/3 + 8/3
}

}  // namespace
}  // namespace weft::mem
