// SPDX-License-Identifier: Apache-2.0
// When a reduction along a line ends, element by element, by recurrences of its own: one element per cycle on a ramp
// and in an adder, streams into one core one after the other, no contention between streams on a link.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "npu/collective/algorithms/line_tree.h"
#include "npu/collective/algorithms/wafer_cost.h"

namespace weft::npu::testing {

/// Cycles from the start, when every core may send, until the root's last add is done.
inline std::uint64_t streamed_cycles(const LineTree& tree, std::uint64_t elements, const WaferCost& cost = {}) {
  if (tree.size() == 1 || elements == 0) return 0;
  std::vector<std::uint64_t> leaves(tree.size(), 0);  // cycle in which a core's first element goes up its ramp
  std::uint64_t end = 0;
  for (std::uint32_t node = tree.size(); node-- > 0;) {
    std::uint64_t add = 0;  // cycle in which the first element of the current child's stream is added
    for (std::uint32_t k = 0; k < tree.child_count(node); ++k) {
      const std::uint32_t child = tree.child(node, k);
      const std::uint64_t there = leaves[child] + 2 * cost.ramp + cost.hop * (child - node);
      add = k == 0 ? there : std::max(add + elements, there);
    }
    if (tree.child_count(node) > 0) leaves[node] = add + 1;
    end = add + elements;
  }
  return end;
}

}  // namespace weft::npu::testing
