// SPDX-License-Identifier: Apache-2.0
// Mean and maximum of a queue's length over time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/types.h"

namespace weft::mem {

/// Told of every change, in the order of time.
class QueueMeter {
 public:
  void enter(Cycle now) {
    pass(now);
    longest_ = std::max(longest_, ++length_);
  }
  void leave(Cycle now) {
    pass(now);
    --length_;
  }
  std::uint64_t length() const { return length_; }
  std::uint64_t longest() const { return longest_; }
  /// Over the edges 0 to `end` - 1; `end` is not before the last change.
  double mean(Cycle end) const {
    const std::uint64_t sum = sum_ + length_ * (end - last_);
    return end == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(end);
  }

 private:
  void pass(Cycle now) {
    sum_ += length_ * (now - last_);
    last_ = now;
  }

  std::uint64_t length_ = 0;
  std::uint64_t longest_ = 0;
  std::uint64_t sum_ = 0;
  Cycle last_ = 0;
};

}  // namespace weft::mem
