// SPDX-License-Identifier: Apache-2.0
// How much of its program a chunk of a collective holds at a time.
#pragma once

#include <cstdint>

#include "npu/collective/form/program.h"

namespace weft::npu {

/// How many instructions that still wait for others a chunk holds in advance. A program that can also be executed
/// strictly in order cannot get stuck by such a limit; others are held whole.
inline constexpr std::uint32_t kLookAhead = 64;

/// Instructions that a chunk holds when it begins.
struct HeldInstructions {
  double started = 0;  ///< that wait for no other, with their messages
  double waiting = 0;
};

/// Adds up what one chunk of each rank of `program` holds. Where there are many ranks, some stand for the others.
HeldInstructions held_instructions(const Program& program);

}  // namespace weft::npu
