// SPDX-License-Identifier: Apache-2.0
// Ports and coordinates of a 2D mesh or torus.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.h"
#include "config/fabric_facts.h"

namespace weft::network {

/// Ports of a mesh router. Opposite directions differ in the lowest bit.
inline constexpr PortId kEast{0};   ///< x + 1
inline constexpr PortId kWest{1};   ///< x - 1
inline constexpr PortId kNorth{2};  ///< y + 1
inline constexpr PortId kSouth{3};  ///< y - 1
inline constexpr PortId kLocal{4};  ///< to the network interface
inline constexpr int kMeshPorts = 5;

/// Name of a port in results and waves.
const char* port_name(PortId port);

constexpr PortId opposite(PortId port) { return PortId(index(port) ^ 1U); }

/// Whether a packet that came in by `in` and leaves by `out` changes its dimension.
constexpr bool is_turn(PortId in, PortId out) {
  return in != kLocal && out != kLocal && index(in) / 2 != index(out) / 2;
}

/// The coordinates of a router in its grid.
struct Coordinates {
  int x = 0;
  int y = 0;
};

/// The grid that routers and routing functions share.
class Grid {
 public:
  /// `wraps`: the last router of each row and column is beside the first (a torus).
  Grid(bool wraps, int size_x, int size_y) : wraps_(wraps), size_x_(size_x), size_y_(size_y) {}
  explicit Grid(const FabricSpec& spec) : Grid(wraps_around(spec), spec.size_x, spec.size_y) {}

  /// The `fabric.kind` that has such grids.
  std::string_view kind() const { return wraps_ ? "torus" : "mesh"; }
  int size_x() const { return size_x_; }
  int size_y() const { return size_y_; }
  int nodes() const { return size_x_ * size_y_; }
  NodeId node(Coordinates at) const { return NodeId(static_cast<std::uint32_t>(at.y * size_x_ + at.x)); }
  Coordinates coordinates(NodeId node) const {
    const int id = static_cast<int>(index(node));
    return {id % size_x_, id / size_x_};
  }
  /// The router beyond `port`; false if there is none (edge of a mesh, dimension of size 1, local port).
  bool neighbour(Coordinates from, PortId port, Coordinates* to) const;

 private:
  bool wraps_;
  int size_x_;
  int size_y_;
};

}  // namespace weft::network
