// SPDX-License-Identifier: Apache-2.0
// The trees of algorithm `auto_gen`: those that pass the fewest links for their depth ("Near-Optimal Wafer-Scale
// Reduce", HPDC 2024). The table of links also gives the lower bound of any 1D reduction.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "npu/collective/algorithms/line_tree.h"
#include "npu/collective/algorithms/wafer_cost.h"

namespace weft::npu {

/// E(r, d), the fewest links that the edges of a tree over r positions of depth <= d pass together:
/// E(1, d) = 0, E(r, d) = min(E(r, d-1), min over 0 < s < r of E(s, d-1) + E(r-s, d) + (r-s)).
/// Columns are computed as asked for, each in O(P^2); kept are the splits, 2 bytes per (r, d).
class HopsTable {
 public:
  /// `size` = P, 1..kMaxSize, else InputError. Of several trees with the same E, the table takes the one whose last
  /// subtrees are the smallest.
  HopsTable(std::uint32_t size, std::uint64_t elements, const WaferCost& cost);

  static constexpr std::uint32_t kMaxSize = 4096;
  static constexpr std::uint64_t kImpossible = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t size() const { return size_; }
  /// E(P, d); kImpossible for d = 0 and P > 1.
  std::uint64_t hops(std::uint32_t depth);
  /// B E(P, d) / (P - 1) + hop (P - 1) + (2 ramp + 1) d.
  double estimate(std::uint32_t depth);
  /// The d >= 1 with the smallest estimate, the smallest such d.
  std::uint32_t best_depth();
  /// The tree of E(P, d).
  LineTree tree(std::uint32_t depth);

 private:
  void extend_to(std::uint32_t depth);
  void add_column();
  void fill(std::uint32_t r, std::vector<std::uint32_t>& hops, std::vector<std::uint16_t>& split) const;

  std::uint32_t size_;
  std::uint64_t elements_;
  WaferCost cost_;
  std::vector<std::uint32_t> total_;               ///< [d] E(P, d)
  std::vector<std::vector<std::uint16_t>> split_;  ///< [d][r] s of the last child's subtree; 0 = as with d - 1
  std::vector<std::uint32_t> hops_;                ///< [r] of the last column
  std::uint32_t best_ = 0;
};

/// The tree of algorithm `auto_gen` for vectors of `elements`: that of the best depth of the table, or the star where
/// its closed form is no larger than the table's estimate.
LineTree auto_gen_tree(std::uint32_t size, std::uint64_t elements, const WaferCost& cost);

}  // namespace weft::npu
