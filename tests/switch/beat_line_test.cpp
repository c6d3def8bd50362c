// SPDX-License-Identifier: Apache-2.0
// Registers in a row: a few steps by hand, and any steps against registers with valid and ready each.
#include "switch/network/beat_line.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace weft::fred {
namespace {

Beat beat_of(std::uint32_t packet) {
  Beat beat;
  beat.packet = packet;
  return beat;
}

// Three registers on two wires, the first wire with two. A beat is behind the last one three steps after it came.
TEST(BeatLine, beats_take_a_step_for_each_register) {
  BeatLine line({2, 1});
  std::uint64_t moves = 0;
  const Beat first = beat_of(1);
  EXPECT_TRUE(line.step(false, &first, moves));
  EXPECT_EQ(moves, 1u) << "onto the first wire";
  EXPECT_FALSE(line.step(false, nullptr, moves));
  EXPECT_EQ(moves, 1u) << "its second register is on the same wire";
  EXPECT_FALSE(line.valid());
  EXPECT_FALSE(line.step(false, nullptr, moves));
  EXPECT_EQ(moves, 2u) << "onto the second wire";
  ASSERT_TRUE(line.valid());
  EXPECT_EQ(line.front().packet, 1u);
  line.step(true, nullptr, moves);
  EXPECT_EQ(line.count(), 0u);
}

// Two registers: the third beat has room only in the step in which the first one leaves.
TEST(BeatLine, a_full_row_takes_a_beat_when_one_leaves) {
  BeatLine line({1, 1});
  std::uint64_t moves = 0;
  const Beat beats[3] = {beat_of(1), beat_of(2), beat_of(3)};
  EXPECT_TRUE(line.step(false, &beats[0], moves));
  EXPECT_TRUE(line.step(false, &beats[1], moves));
  EXPECT_FALSE(line.step(false, &beats[2], moves));
  EXPECT_EQ(moves, 3u) << "two came in, one moved on";
  EXPECT_TRUE(line.step(true, &beats[2], moves));
  EXPECT_EQ(line.front().packet, 2u);
  EXPECT_EQ(moves, 5u);
}

/// The reference: each register is asked from the last one on whether it can hand its beat on.
struct PlainRegisters {
  std::vector<std::optional<std::uint32_t>> registers;
  std::vector<bool> starts;
  std::uint64_t moves = 0;

  bool step(bool leaves, std::optional<std::uint32_t> in) {
    bool room = leaves;
    for (std::size_t i = registers.size(); i-- > 0;) {
      const bool goes = registers[i].has_value() && room;
      const bool has_room = !registers[i].has_value() || goes;
      if (goes && i + 1 < registers.size()) {
        registers[i + 1] = registers[i];
        moves += starts[i + 1] ? 1 : 0;
      }
      if (goes) registers[i].reset();
      room = has_room;
    }
    if (!in || !room) return false;
    registers[0] = in;
    ++moves;
    return true;
  }
};

RC_GTEST_PROP(BeatLine, steps_as_registers_with_valid_and_ready_do, ()) {
  std::vector<std::uint8_t> wires;
  PlainRegisters plain;
  const int count = *rc::gen::inRange(1, 21);
  for (int wire = 0; wire < count; ++wire) {
    wires.push_back(static_cast<std::uint8_t>(*rc::gen::inRange(1, 4)));
    for (std::uint8_t i = 0; i < wires.back(); ++i) plain.starts.push_back(i == 0);
  }
  plain.registers.resize(plain.starts.size());
  BeatLine line(wires);
  std::uint64_t moves = 0;
  for (std::uint32_t step = 0; step < 200; ++step) {
    RC_ASSERT(line.valid() == plain.registers.back().has_value());
    if (line.valid()) RC_ASSERT(line.front().packet == *plain.registers.back());
    const bool leaves = line.valid() && *rc::gen::inRange(0, 3) > 0;
    const bool comes = *rc::gen::inRange(0, 4) > 0;
    const Beat beat = beat_of(step);
    const bool taken = line.step(leaves, comes ? &beat : nullptr, moves);
    RC_ASSERT(taken == plain.step(leaves, comes ? std::optional(step) : std::nullopt));
    RC_ASSERT(moves == plain.moves);
    std::size_t at = 0;
    line.for_each([&](const Beat* in) {
      RC_ASSERT((in != nullptr) == plain.registers[at].has_value());
      if (in != nullptr) RC_ASSERT(in->packet == *plain.registers[at]);
      ++at;
    });
  }
}

}  // namespace
}  // namespace weft::fred
