// SPDX-License-Identifier: Apache-2.0
#include "network/grid.h"

namespace weft::network {

const char* port_name(PortId port) {
  static constexpr const char* kNames[kMeshPorts] = {"east", "west", "north", "south", "local"};
  return kNames[index(port)];
}

bool Grid::neighbour(Coordinates from, PortId port, Coordinates* to) const {
  if (port == kLocal) return false;
  const bool in_x = index(port) / 2 == 0;
  const int size = in_x ? size_x_ : size_y_;
  int position = (in_x ? from.x : from.y) + (index(port) % 2 == 0 ? 1 : -1);
  if (position < 0 || position >= size) {
    if (!wraps_ || size == 1) return false;
    position = (position + size) % size;
  }
  *to = in_x ? Coordinates{position, from.y} : Coordinates{from.x, position};
  return true;
}

}  // namespace weft::network
