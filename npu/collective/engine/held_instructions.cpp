// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/held_instructions.h"

#include <algorithm>

namespace weft::npu {
namespace {

// This counts what ChunkRun::load holds before anything is done.
HeldInstructions held_by(const Program& program, std::uint32_t rank) {
  const std::uint32_t length = program.length(rank);
  const std::uint32_t most_waiting = program.in_order() ? kLookAhead : length;
  HeldInstructions held;
  for (std::uint32_t i = 0; i < length && held.waiting < most_waiting; ++i) {
    ++(program.at(rank, i).deps.empty() ? held.started : held.waiting);
  }
  return held;
}

}  // namespace

HeldInstructions held_instructions(const Program& program) {
  constexpr std::uint32_t kAsked = 16;
  const std::uint32_t asked = std::min(program.ranks(), kAsked);
  HeldInstructions sum;
  for (std::uint32_t i = 0; i < asked; ++i) {
    const auto rank = static_cast<std::uint32_t>(std::uint64_t{program.ranks()} * i / asked);
    const HeldInstructions held = held_by(program, rank);
    sum.started += held.started / asked * program.ranks();
    sum.waiting += held.waiting / asked * program.ranks();
  }
  return sum;
}

}  // namespace weft::npu
