// SPDX-License-Identifier: Apache-2.0
// What is measured at the network interface of each node.
//
// A new quantity is a name in NodeQuantity, its line in kNodeQuantities, and the block at the local ports that sets its
// value. The table nodes.csv lists the quantities that stand here.
#pragma once

#include <array>
#include <cstdint>

#include "base/quantity_values.h"

namespace weft {

/// The quantities, in the order of the columns of nodes.csv.
enum class NodeQuantity : std::uint8_t { kPacketsSent, kPacketsReceived, kFlitsSent, kFlitsReceived };

/// How a quantity is named and what it says.
struct NodeQuantityText {
  const char* column;  ///< its column in nodes.csv
  const char* unit;
  const char* meaning;  ///< one sentence
  Merge merge;
};

inline constexpr std::array kNodeQuantities{
    NodeQuantityText{"packets_sent", "packets",
                     "Packets that the node has sent; of synthetic traffic those that it has begun.", Merge::kSum},
    NodeQuantityText{"packets_received", "packets", "Packets that arrived complete.", Merge::kSum},
    NodeQuantityText{"flits_sent", "flits", "Flits that went into the fabric.", Merge::kSum},
    NodeQuantityText{"flits_received", "flits", "Flits that came out of the fabric.", Merge::kSum},
};

/// The values of one node, or of several together.
using NodeValues = QuantityValues<NodeQuantity, kNodeQuantities>;

}  // namespace weft
