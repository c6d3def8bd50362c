// SPDX-License-Identifier: Apache-2.0
// The order in which the FRED interconnect Fred_m(P) adds; program checks compute expected sums in it.
#pragma once

#include <optional>
#include <vector>

namespace weft {

/// Reduces the operands of a flow as the interconnect does, whichever middle stages carry it: ports 2i and 2i + 1
/// first, the lower one as the left operand, then the pairs in the same way, until one is left. `operands[p]` is that
/// of port p; empty where p is no input of the flow. `add(left, right)` returns the sum.
template <typename Value, typename Add>
Value reduce_in_tree_order(std::vector<std::optional<Value>> operands, const Add& add) {
  while (operands.size() > 1) {
    std::vector<std::optional<Value>> pairs((operands.size() + 1) / 2);
    for (std::size_t p = 0; p < operands.size(); ++p) {
      if (!operands[p]) continue;
      std::optional<Value>& pair = pairs[p / 2];
      pair = pair ? add(*pair, *operands[p]) : *operands[p];
    }
    operands = std::move(pairs);
  }
  return *operands.front();
}

}  // namespace weft
