// SPDX-License-Identifier: Apache-2.0
// How much of its program a chunk of a collective holds at a time.
#pragma once

#include <cstdint>

#include "npu/collective/form/program.h"

namespace weft::npu {

/// How many instructions that still wait for others a chunk holds in advance. A program that can also be executed
/// strictly in order cannot get stuck by such a limit; others are held whole.
inline constexpr std::uint32_t kLookAhead = 64;

/// Instructions that one chunk holds when it begins, over all ranks of `program`. Where there are many ranks, some of
/// them stand for the others.
double held_instructions(const Program& program);

}  // namespace weft::npu
