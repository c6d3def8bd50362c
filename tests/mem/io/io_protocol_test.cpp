// SPDX-License-Identifier: Apache-2.0
// The tags of loads and stores, and who brings which bytes.
#include "mem/io/io_protocol.h"

#include <gtest/gtest.h>

#include "mem/io/io_shares.h"

namespace weft::mem {
namespace {

TEST(IoTag, keeps_all_fields) {
  const IoTag tag{true, false, 65535, 4711, 65534, 1022};
  const IoTag again = unpack_io_tag(pack_io_tag(tag));
  EXPECT_EQ(again.store, true);
  EXPECT_EQ(again.grouped, false);
  EXPECT_EQ(again.who, 65535U);
  EXPECT_EQ(again.instance, 4711U);
  EXPECT_EQ(again.piece, 65534U);
  EXPECT_EQ(again.controller, 1022U);
  EXPECT_EQ(pack_io_tag(tag) >> 60, 0U);  // the owner stands there
}

TEST(IoTag, of_one_load_or_store_names_one_job) {
  const IoTag tag{false, true, 3, 7, 0, 0};
  EXPECT_EQ(job_of(tag), job_of({false, true, 3, 7, 12, kRoomReport}));
  for (const IoTag other : {IoTag{true, true, 3, 7, 0, 0}, IoTag{false, false, 3, 7, 0, 0},
                            IoTag{false, true, 4, 7, 0, 0}, IoTag{false, true, 3, 8, 0, 0}}) {
    EXPECT_NE(job_of(tag), job_of(other));
  }
}

TEST(IoShares, packets_of_a_piece_go_round_the_controllers) {
  const IoShares shares{3, 8192, 4096};
  EXPECT_EQ(shares.span(), 24576U);
  EXPECT_EQ(shares.pieces(24576), 1U);
  EXPECT_EQ(shares.pieces(24577), 2U);
  EXPECT_EQ(shares.bytes_of(24577, 1), 1U);
  // 10000 bytes are packets of 4096, 4096 and 1808; the first is that of controller 1.
  EXPECT_EQ(shares.share(10000, 1, 1), 4096U);
  EXPECT_EQ(shares.share(10000, 2, 1), 4096U);
  EXPECT_EQ(shares.share(10000, 0, 1), 1808U);
  // 4096 x 3 and 100 more: the fourth packet is again that of the first controller.
  EXPECT_EQ(shares.share(12388, 0, 0), 4196U);
  EXPECT_EQ(shares.share(12388, 1, 0), 4096U);
  EXPECT_EQ(shares.share(1, 1, 0), 0U);
}

// A whole piece and 12388 bytes: 8192 and 4196 of them at one controller.
TEST(IoShares, the_most_of_one_controller_is_what_the_first_brings) {
  const IoShares shares{3, 8192, 4096};
  EXPECT_EQ(shares.most_of_one(24576 + 12388), 8192U + 4196);
  EXPECT_EQ(shares.most_of_one(1), 1U);
}

}  // namespace
}  // namespace weft::mem
