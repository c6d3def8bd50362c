// SPDX-License-Identifier: Apache-2.0
// What a region of routers and its surroundings say to each other. All calls carry the cycle in which the other side
// sees them, at least one cycle ahead, so that the order of evaluation cannot matter.
#pragma once

#include "base/packet.h"
#include "base/types.h"

namespace weft {

class TrainFabricSide;
class TrainLocalSide;

/// Link slots of one node of a grid: the five outputs of its router (east, west, north, south, local), then the link
/// from its network interface. Links that do not exist (edges of a mesh) have numbers, too, which nobody uses.
inline constexpr std::uint32_t kLinksPerNode = 6;
inline constexpr std::uint32_t kInjectionSlot = 5;

/// Number of the link out of `port` of the router at `node`.
constexpr LinkId output_link(NodeId node, PortId port) { return LinkId{index(node) * kLinksPerNode + index(port)}; }
/// Number of the link from the network interface of `node` into its router.
constexpr LinkId injection_link(NodeId node) { return LinkId{index(node) * kLinksPerNode + kInjectionSlot}; }

/// The network interfaces at the local ports of a region. They share the region's packet pool.
/// `node` counts the routers of the region, row by row.
class LocalSide {
 public:
  virtual ~LocalSide() = default;
  /// A flit leaves the fabric at `node`; it arrives in cycle `at`.
  virtual void eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) = 0;
  /// A slot of the router's local input buffer is free again, known in cycle `at`.
  virtual void credit(std::uint32_t node, VcId vc, Cycle at) = 0;
  /// Who takes whole packets with the cycles of their flits; null: nobody here.
  virtual TrainLocalSide* trains() { return nullptr; }
};

/// The region as its network interfaces see it.
class FabricSide {
 public:
  virtual ~FabricSide() = default;
  /// A flit enters the fabric at `node`; the router receives it in cycle `at`.
  virtual void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) = 0;
  /// The network interface has taken a flit out of its buffer; the router receives the credit in cycle `at`.
  virtual void return_credit(std::uint32_t node, VcId vc, Cycle at) = 0;
  /// Who takes whole packets with the cycles of their flits; null: nobody here, or nobody there.
  virtual TrainFabricSide* trains() { return nullptr; }
};

/// A flit that leaves a partition: its descriptor travels by value with the head. Where switches have made a packet's
/// data, that comes last: `packet.payload` of the tail.
struct FlitTransfer {
  VcId vc{};
  bool head = false;
  bool tail = false;
  Packet packet;                       ///< valid where head is set
  const std::uint8_t* data = nullptr;  ///< the flit's bytes, from switch to switch with values; valid during the call
};

/// What lies beyond the border of a region. `port` is router * kMeshPorts + port of the region's own router.
class BorderSide {
 public:
  virtual ~BorderSide() = default;
  /// A flit leaves through a border port; it arrives in cycle `at`.
  virtual void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) = 0;
  /// A slot of a border port's input buffer is free again, known to the other side in cycle `at`.
  virtual void send_credit(std::uint32_t port, VcId vc, Cycle at) = 0;
};

}  // namespace weft
