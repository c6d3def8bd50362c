// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include "base/error.h"

namespace weft {

// The period is at most 10^15 fs: neither product can run over, since the rest of a division is less than 64 bits long.
Instant Clock::wide_edge_fs(Cycle n) const {
  const Instant whole = numerator_ / denominator_;
  const Instant rest = numerator_ % denominator_;
  return n * whole + n * rest / denominator_;
}

Cycle Clock::wide_first_edge_from(Instant fs) const {
  WEFT_CHECK(fs <= wide_edge_fs(kNever - 1),
             "simulated time goes beyond the last edge that 64 bits can count; a slower clock reaches further");
  Cycle before = 0;  // the edge wanted is this one or a later one
  Cycle last = kNever - 1;
  while (before < last) {
    const Cycle middle = before + (last - before) / 2;
    if (edge_fs(middle) >= fs) {
      last = middle;
    } else {
      before = middle + 1;
    }
  }
  return before;
}

}  // namespace weft
