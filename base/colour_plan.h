// SPDX-License-Identifier: Apache-2.0
// Colours: routes that are set up before the run. Each router has a short list of positions per colour that it uses.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"

namespace weft {

/// Colours that a fabric may have, as many as wafer-scale hardware names.
inline constexpr int kMostColours = 24;
/// On links and in credits colours are VCs of their own, numbered from here.
inline constexpr std::uint8_t kFirstColourVc = 32;
constexpr VcId colour_vc(std::uint8_t colour) { return VcId{static_cast<std::uint8_t>(kFirstColourVc + colour)}; }
constexpr bool is_colour(VcId vc) { return index(vc) >= kFirstColourVc; }
constexpr std::uint8_t colour_of(VcId vc) { return static_cast<std::uint8_t>(index(vc) - kFirstColourVc); }

/// What a router does with a colour for a while. Ports are bits (1 << port).
struct ColourPosition {
  std::uint8_t inputs = 0;     ///< where flits come from; exactly one port unless `merge`
  std::uint8_t outputs = 0;    ///< every flit goes to all of them in one cycle
  bool merge = false;          ///< flits of all inputs are reduced to one, two at a time
  std::uint32_t messages = 1;  ///< that pass (on each input) before the next position
  friend bool operator==(const ColourPosition& a, const ColourPosition& b) {
    return a.inputs == b.inputs && a.outputs == b.outputs && a.merge == b.merge && a.messages == b.messages;
  }
};

/// One colour at one router: its positions, which follow each other and start again after the last.
struct ColourStop {
  NodeId node{};
  std::uint8_t colour = 0;
  std::uint32_t first = 0;  ///< index into ColourPlan::positions
  std::uint32_t count = 0;
};

/// All set-up routes of a fabric. Stops are sorted by node, then colour; those that do alike share positions.
struct ColourPlan {
  std::vector<ColourStop> stops;
  std::vector<ColourPosition> positions;
  bool empty() const { return stops.empty(); }
};

}  // namespace weft
