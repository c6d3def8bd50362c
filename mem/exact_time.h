// SPDX-License-Identifier: Apache-2.0
// Instants between clock edges, for rates that are no whole number of cycles.
#pragma once

#include <cstdint>

#include "base/rational.h"
#include "base/types.h"

namespace weft::mem {

/// An instant between two edges: `parts` of `unit` equal parts of a cycle after edge `cycle`. So rates add up exactly.
struct ExactTime {
  Cycle cycle = 0;
  std::uint64_t parts = 0;

  ExactTime plus(std::uint64_t more_parts, std::uint64_t unit) const {
    const UInt128 sum = static_cast<UInt128>(parts) + more_parts;
    return {cycle + static_cast<Cycle>(sum / unit), static_cast<std::uint64_t>(sum % unit)};
  }
  /// First edge at or after it.
  Cycle edge() const { return cycle + (parts > 0 ? 1 : 0); }
  friend bool operator<(ExactTime a, ExactTime b) { return a.cycle != b.cycle ? a.cycle < b.cycle : a.parts < b.parts; }
};

}  // namespace weft::mem
