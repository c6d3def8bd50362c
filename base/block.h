// SPDX-License-Identifier: Apache-2.0
// What a clock domain steps.
#pragma once

#include "base/types.h"

namespace weft {

/// What links join: a router, a region of routers, a switch, a network interface. A block sees others only through
/// links of at least one cycle, so that blocks of one cycle may be stepped in any order.
class Block {
 public:
  virtual ~Block() = default;
  /// Executes the edge `now`. Edges without work are left out.
  virtual void step(Cycle now) = 0;
  /// First edge after `now` with work as far as the block knows; kNever = until something arrives.
  virtual Cycle next_work(Cycle now) const = 0;
};

}  // namespace weft
