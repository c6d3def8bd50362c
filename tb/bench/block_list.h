// SPDX-License-Identifier: Apache-2.0
// Where the blocks of the list come from.
#pragma once

#include <vector>

#include "tb/bench/block.h"

namespace weft::tb {

/// Directions, short enough for the tables of ports.
inline constexpr auto kIn = PortDirection::kInput;
inline constexpr auto kOut = PortDirection::kOutput;

void add_arithmetic_blocks(std::vector<Block>& list);  ///< arithmetic_blocks.cpp
void add_stage_blocks(std::vector<Block>& list);       ///< stage_blocks.cpp
void add_switch_blocks(std::vector<Block>& list);      ///< switch_blocks.cpp

}  // namespace weft::tb
