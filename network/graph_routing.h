// SPDX-License-Identifier: Apache-2.0
// Where packets go in a RouterGraph. One file per function, beside the builder of its graph in network/kinds/.
#pragma once

#include <cstdint>

#include "base/packet.h"

namespace weft::network {

/// The next hop of a head flit.
struct Hop {
  std::uint32_t port = 0;
  std::uint8_t vc_class = 0;  ///< which of the function's VC sets it may use
};

/// A routing function keeps no state of its own: all choices are in the packet.
class GraphRouting {
 public:
  virtual ~GraphRouting() = default;
  /// Disjoint sets that the VCs of a message class are split into.
  virtual int vc_classes() const { return 1; }
  /// Makes the packet's random choices from `random`, 64 bits that belong to this packet alone. Returns whether it has
  /// one: false promises that another `random` would have left the packet the same.
  virtual bool start(Packet& /*packet*/, std::uint64_t /*random*/) const { return false; }
  /// Gives the next hop from `router`, where the packet came in by `port`, which is that of its NPU at the first
  /// router. It is never asked for a packet at its destination.
  virtual Hop next(std::uint32_t router, std::uint32_t port, Packet& packet) const = 0;
};

}  // namespace weft::network
