// SPDX-License-Identifier: Apache-2.0
// What a chunk holds of its program when it begins, against counts by hand.
#include "npu/collective/engine/held_instructions.h"

#include <gtest/gtest.h>

namespace weft::npu {
namespace {

ProgramShape shape_of(std::uint32_t ranks) {
  ProgramShape shape;
  shape.ranks = ranks;
  return shape;
}

/// Each rank begins with `free_ones` instructions that wait for none; each later one waits for the first.
class Listed final : public Program {
 public:
  Listed(std::uint32_t ranks, std::uint32_t length, std::uint32_t free_ones, bool in_order)
      : Program(shape_of(ranks)), length_(length), free_(free_ones), in_order_(in_order) {}
  std::uint32_t length(std::uint32_t /*rank*/) const override { return length_; }
  Instruction at(std::uint32_t /*rank*/, std::uint32_t index) const override {
    Instruction instruction;
    if (index >= free_) instruction.deps = {0};
    return instruction;
  }
  bool in_order() const override { return in_order_; }

 private:
  std::uint32_t length_;
  std::uint32_t free_;
  bool in_order_;
};

void expect_held(const Program& program, double started, double waiting) {
  const HeldInstructions held = held_instructions(program);
  EXPECT_EQ(held.started, started);
  EXPECT_EQ(held.waiting, waiting);
}

TEST(HeldInstructions, up_to_64_that_wait_and_all_before_them) {
  expect_held(Listed(4, 200, 1, true), 4, 4 * 64);
  expect_held(Listed(4, 200, 100, true), 4 * 100, 4 * 64);
  expect_held(Listed(4, 20, 1, true), 4, 4 * 19);
}

TEST(HeldInstructions, all_of_a_program_that_may_not_be_executed_in_order) {
  expect_held(Listed(4, 200, 1, false), 4, 4 * 199);
}

TEST(HeldInstructions, some_of_many_ranks_stand_for_all) {
  expect_held(Listed(1 << 17, 20, 1, true), 1 << 17, (1 << 17) * 19.0);
}

}  // namespace
}  // namespace weft::npu
