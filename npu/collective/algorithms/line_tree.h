// SPDX-License-Identifier: Apache-2.0
// Reduction trees over the positions of a line: their form, and the numbering of their edges that lets all messages of
// a tree share two colours of a wafer's routers. Start here, then wafer_reduce.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "npu/collective/form/program.h"

namespace weft::npu {

/// A tree over positions 0..size-1 of a line with the root at position 0. Every subtree is a stretch of the line that
/// begins with its own root, so edges never cross. A node adds its children nearest first.
class LineTree {
 public:
  /// `parents[i]` is the parent of position i; that of position 0 is not looked at. A parent that is not an ancestor of
  /// i - 1, or i - 1 itself, would cross an edge or close a cycle: ViolationError.
  explicit LineTree(std::vector<std::uint32_t> parents);

  std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
  /// kNoRank at the root.
  std::uint32_t parent(std::uint32_t position) const { return parents_[position]; }
  std::uint32_t child_count(std::uint32_t position) const { return begin_[position + 1] - begin_[position]; }
  /// Child number k, counted from the nearest.
  std::uint32_t child(std::uint32_t position, std::uint32_t k) const { return children_[begin_[position] + k]; }
  /// Edges between a position and the root.
  std::uint32_t depth(std::uint32_t position) const { return depths_[position]; }
  /// Number of the edge from a position to its parent, in post-order: 0..size-2. What an edge carries depends on edges
  /// with smaller numbers only, and an edge comes right after the one it is fused with.
  std::uint32_t edge(std::uint32_t position) const { return ends_[position] - 1 - depths_[position]; }

  /// Links passed by all edges together.
  std::uint64_t hops() const;
  /// Longest route to the root, in edges.
  std::uint32_t height() const;
  /// Most children of one node.
  std::uint32_t degree() const;

 private:
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> depths_;
  std::vector<std::uint32_t> ends_;      ///< first position behind the subtree
  std::vector<std::uint32_t> begin_;     ///< children of i: children_[begin_[i], begin_[i + 1])
  std::vector<std::uint32_t> children_;  ///< ascending per node
};

/// All send to the root.
LineTree star_tree(std::uint32_t size);
/// Each sends to its neighbour.
LineTree chain_tree(std::uint32_t size);
/// In round k those at odd multiples of 2^k send over 2^k positions, as far as the line goes.
LineTree binary_tree(std::uint32_t size);
/// Groups of two_phase_group(size) as chains, their first members as a chain.
LineTree two_phase_tree(std::uint32_t size);
/// The smallest S with S * S >= size.
std::uint32_t two_phase_group(std::uint32_t size);

/// A line whose root may stand anywhere: the tree of the right arm (root and all positions after it), then that of the
/// left arm mirrored, both hung below the root.
class RootedLine {
 public:
  using TreeMaker = std::function<LineTree(std::uint32_t size)>;

  /// `make` gives the tree of an arm of so many positions, the root included.
  RootedLine(std::uint32_t size, std::uint32_t root, const TreeMaker& make);

  std::uint32_t size() const { return right_.size() + left_.size() - 1; }
  std::uint32_t root() const { return root_; }
  /// kNoRank at the root.
  std::uint32_t parent(std::uint32_t position) const;
  std::uint32_t child_count(std::uint32_t position) const;
  /// Child number k in the order in which the node adds them.
  std::uint32_t child(std::uint32_t position, std::uint32_t k) const;
  std::uint32_t depth(std::uint32_t position) const;
  /// Number of the edge to the parent: 0..size-2, those of the left arm after those of the right arm.
  std::uint32_t edge(std::uint32_t position) const;

 private:
  std::uint32_t root_;
  LineTree right_;
  LineTree left_;
};

}  // namespace weft::npu
