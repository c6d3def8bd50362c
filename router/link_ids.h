// SPDX-License-Identifier: Apache-2.0
// Numbers and names of the links of a mesh or torus.
#pragma once

#include <string>

#include "kernel/region_ports.h"
#include "router/grid.h"

namespace weft::router {

/// Dotted name of a link as results and waves show it, for example `fabric.router[3,2].east`.
std::string link_name(const Grid& grid, LinkId link);

}  // namespace weft::router
