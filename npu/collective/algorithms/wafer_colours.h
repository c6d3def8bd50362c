// SPDX-License-Identifier: Apache-2.0
// Chooses the colour (a route of a wafer's routers) that each message of a reduction tree takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "npu/collective/algorithms/line_tree.h"
#include "npu/collective/algorithms/registry.h"

namespace weft::npu {

/// Messages of one colour pass a router in the order of their tags, whole messages one after the other. So messages of
/// one stream (from child to parent to grandparent, each element passed on at once) that meet in a router need colours
/// of their own; everything else the tags order. Reductions on lines need two: kEvenColour towards nodes of even depth,
/// kOddColour towards the others.
inline constexpr int kEvenColour = 0;
inline constexpr int kOddColour = 1;
/// Multicasts from the root. Their tags are above those of the reduction before them.
inline constexpr int kMulticastColour = 2;
/// Rings use these three: steps from even positions, from odd positions, and from the last to the first.
inline constexpr int kRingWrapColour = 2;
inline constexpr int kRingColours = 3;
/// What these algorithms need of a fabric that has colours, and the most that a list of cores takes.
inline constexpr int kReduceColours = 2;
inline constexpr int kMulticastColours = 3;
inline constexpr int kListColours = 6;

/// Colours for the streams of a tree whose nodes lie anywhere: [position] colour of what comes to it. Routes go along x
/// first. nullopt if `most` colours are not enough.
std::optional<std::vector<std::uint8_t>> list_colours(const RootedLine& line, const std::vector<NodeId>& nodes,
                                                      int size_x, int most);

/// True if every step of the ring but the last goes to a neighbour: then the ring's three colours are enough. `order` =
/// positions of the group in ring order.
bool ring_suits_colours(const std::vector<std::uint32_t>& order, const std::vector<NodeId>& nodes, int size_x);

}  // namespace weft::npu
