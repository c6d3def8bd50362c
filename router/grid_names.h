// SPDX-License-Identifier: Apache-2.0
// The words of a grid that routers use.
#pragma once

#include "network/grid.h"

namespace weft::router {

using network::Coordinates;
using network::Grid;
using network::is_turn;
using network::kEast;
using network::kLocal;
using network::kMeshPorts;
using network::kNorth;
using network::kSouth;
using network::kWest;
using network::opposite;
using network::port_name;

}  // namespace weft::router
