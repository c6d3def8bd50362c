// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/held_instructions.h"

#include <algorithm>

namespace weft::npu {
namespace {

// This counts what ChunkRun::load holds before anything is done.
std::uint32_t held_by(const Program& program, std::uint32_t rank) {
  const std::uint32_t length = program.length(rank);
  const std::uint32_t most_blocked = program.in_order() ? kLookAhead : length;
  std::uint32_t blocked = 0;
  std::uint32_t held = 0;
  for (; held < length && blocked < most_blocked; ++held) {
    if (!program.at(rank, held).deps.empty()) ++blocked;
  }
  return held;
}

}  // namespace

double held_instructions(const Program& program) {
  constexpr std::uint32_t kAsked = 16;
  const std::uint32_t asked = std::min(program.ranks(), kAsked);
  double sum = 0;
  for (std::uint32_t i = 0; i < asked; ++i) {
    sum += held_by(program, static_cast<std::uint32_t>(std::uint64_t{program.ranks()} * i / asked));
  }
  return asked == 0 ? 0 : sum / asked * program.ranks();
}

}  // namespace weft::npu
