// SPDX-License-Identifier: Apache-2.0
// What a wafer's machine costs, as the trees and closed forms of its reductions see it.
#pragma once

#include "base/types.h"

namespace weft::npu {

/// Cycles of a core's ramp (each way), of a hop from router to router, and of a turn on the way on top of that. One
/// element passes a link, a ramp and an adder per cycle.
struct WaferCost {
  Cycle ramp = 2;
  Cycle hop = 1;
  Cycle turn = 0;

  /// Up one ramp, one add, down the other: what each edge of a dependency chain costs besides its hops.
  Cycle step() const { return 2 * ramp + 1; }
};

}  // namespace weft::npu
