// SPDX-License-Identifier: Apache-2.0
// Deals the chiplets out to threads.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/fabric/topology.h"

namespace weft::fred {

/// The part of each chiplet, of `parts` at most and as many as there are L1 switches at most. The chiplets of an L1
/// switch are in one part, since network interfaces are joined to all of its planes, and neighbouring L1 switches
/// follow each other. Chiplets of higher levels are dealt out so that every part has as much to do in a collective of
/// all NPUs.
std::vector<std::uint32_t> deal_chiplets(const FredTopology& topology, int parts);

}  // namespace weft::fred
