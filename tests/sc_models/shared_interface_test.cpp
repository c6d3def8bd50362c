// SPDX-License-Identifier: Apache-2.0
// Network interfaces that stand before another one: what endpoints note reaches it.
#include "sc_models/shared_interface.h"

#include <gtest/gtest.h>

#include "tests/sc_models/support/fake_interface.h"

namespace weft::sc_models {
namespace {

TEST(SharedInterface, events_pieces_and_chunks_of_npu_and_controllers_are_noted) {
  FakeInterface network;
  SharedInterface shared(network);
  shared.for_npu().note_event();
  shared.for_controller(3).note_event();
  shared.for_npu().note_piece(17);
  shared.for_npu().note_chunk(5);
  EXPECT_EQ(network.events, 2);
  EXPECT_EQ(network.chunks_left, std::vector<std::uint32_t>{5});
  EXPECT_EQ(network.pieces, std::vector<std::uint64_t>{17});
}

}  // namespace
}  // namespace weft::sc_models
