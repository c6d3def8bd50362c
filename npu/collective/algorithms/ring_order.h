// SPDX-License-Identifier: Apache-2.0
// In which order a ring visits the members of a group, so that its steps go to neighbours where the fabric allows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace weft::npu {

/// A position modulo the `size` of its ring. Most are less than a round away from it and cost no division.
inline std::size_t ring_index(std::int64_t position, std::size_t size) {
  const auto round = static_cast<std::int64_t>(size);
  if (position < 0) position += round;
  if (position >= round) position -= round;
  if (position < 0 || position >= round) position = (position % round + round) % round;
  return static_cast<std::size_t>(position);
}

/// Order of a line of `length` positions in which a ring runs: 0, 2, 4, ..., 5, 3, 1 (no step longer than two, each
/// direction of each wire used once), or 0, 1, 2, ... where the line closes by a wire of its own.
std::vector<std::uint32_t> line_ring(std::uint32_t length, bool closed);

/// Positions of the group (indices into `nodes`) in ring order, starting with position 0. Node numbers are
/// y * size_x + x. By what the nodes form:
/// * a full rectangle (a sub-mesh, one line included) with an even side: a Hamiltonian cycle, every step one hop;
/// * with both sides odd: one hop each but one step of two hops; on the full torus every step is one hop;
/// * one line: as line_ring;
/// * anything else: from member to nearest member not yet visited (ties: the earlier position), beyond 4096 members
///   row by row to and fro.
/// An unknown mesh (size_x 0) keeps the order of the group.
std::vector<std::uint32_t> ring_order(const std::vector<NodeId>& nodes, int size_x, int size_y, bool torus);

/// Positions of the group in ring order, starting with position 0, where `below` nodes share each lowest switch and all
/// these switches are equally far from each other. Members below one switch follow each other, and switches come in the
/// order of their first members, so that rings of groups of the same stride pass the switches in the same order.
std::vector<std::uint32_t> switch_ring_order(const std::vector<NodeId>& nodes, int below);

/// A group that fills a rectangle of the mesh, or every crossing of some rows and columns.
struct Grid {
  std::vector<int> xs;               ///< columns of the fabric, ascending
  std::vector<int> ys;               ///< rows of the fabric, ascending
  std::vector<std::uint32_t> ranks;  ///< [y index * xs.size() + x index] -> position in the group
  bool adjacent = false;             ///< rows and columns follow each other without a gap

  std::uint32_t columns() const { return static_cast<std::uint32_t>(xs.size()); }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(ys.size()); }
};
/// The grid that `nodes` form; no ranks if they form none.
Grid find_grid(const std::vector<NodeId>& nodes, int size_x);

}  // namespace weft::npu
