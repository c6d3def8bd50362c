// SPDX-License-Identifier: Apache-2.0
// Sending end of the links from network interfaces into the planes of FRED switches: credits and bandwidth.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fabric_flows.h"
#include "base/packet.h"
#include "base/packet_rate.h"
#include "base/region_ports.h"
#include "config/config.h"
#include "npu/interface/injection_links.h"

namespace weft::npu {

/// State of the links of some nodes, one link per node and plane, each with a VC per circuit (plane_vc). Virtual
/// cut-through: a packet starts when its VC has credits for all of it and the link carries no other packet; the link
/// is its own from head to tail.
class PlanePorts final : public InjectionLinks {
 public:
  /// `nodes`: numbers of the fabric; those after the NPUs are I/O controllers, whose links have a rate of their own.
  PlanePorts(const FabricSpec& fabric, const std::vector<NodeId>& nodes);

  int planes() const { return planes_; }
  /// A credit for `vc` of `node` came back.
  void credit(std::uint32_t node, VcId vc);
  int credits(std::uint32_t node, VcId vc) const { return port(node, plane_of(vc)).credits[index(circuit_of(vc))]; }
  /// Whether a packet of so many flits can start on `vc` in cycle `now`.
  bool can_start(std::uint32_t node, VcId vc, std::uint32_t flits, Cycle now) const {
    const Port& at = port(node, plane_of(vc));
    return !at.taken && at.rate.can_send(now) && at.credits[index(circuit_of(vc))] >= flits;
  }
  /// Gives the link of `vc` to a packet; can_start must hold.
  void start(std::uint32_t node, VcId vc) { port(node, plane_of(vc)).taken = true; }
  /// Whether the link can take a flit in cycle `now`.
  bool link_open(std::uint32_t node, int plane, Cycle now) const { return port(node, plane).rate.can_send(now); }
  /// Puts a flit of the packet that has the link on it; a tail gives the link back.
  void send(std::uint32_t node, VcId vc, Flit flit, Cycle now, FabricSide& fabric);
  /// The cycle in which the switch has the credit for a flit taken out of the ejection buffer in `now`.
  Cycle credit_arrival(Cycle now) const { return now + latency_ + 1; }
  /// Slots of the buffer behind `circuit`: the largest packet that it can carry.
  std::uint32_t depth(Circuit circuit) const { return circuit == Circuit::kControl ? control_depth_ : data_depth_; }

  std::uint64_t flits(std::uint32_t node) const override;
  double flits_after(std::uint32_t node, Cycle end) const override;
  void require_empty() const override;

 private:
  struct Port {
    PacketRate rate;
    std::uint64_t flits = 0;
    Cycle last_sent = 0;
    std::uint32_t credits[kCircuits] = {};
    bool taken = false;  ///< a packet is on its way into the link
  };
  static std::size_t index(Circuit circuit) { return static_cast<std::size_t>(circuit); }
  std::size_t slot(std::uint32_t node, int plane) const {
    return std::size_t{node} * static_cast<std::size_t>(planes_) + static_cast<std::size_t>(plane);
  }
  Port& port(std::uint32_t node, int plane) { return ports_[slot(node, plane)]; }
  const Port& port(std::uint32_t node, int plane) const { return ports_[slot(node, plane)]; }
  const PacketRateSpec& rate(std::uint32_t node) const { return is_npu_[node] ? npu_rate_ : io_rate_; }

  int planes_;
  std::uint32_t data_depth_;
  std::uint32_t control_depth_;
  Cycle latency_;
  PacketRateSpec npu_rate_;
  PacketRateSpec io_rate_;
  std::vector<bool> is_npu_;  ///< per node
  std::vector<Port> ports_;   ///< per node and plane
};

/// Rate of the link between an NPU and one plane.
PacketRateSpec npu_plane_rate(const FabricSpec& fabric);
/// Rate of the link between an I/O controller and one plane.
PacketRateSpec io_plane_rate(const FabricSpec& fabric);

}  // namespace weft::npu
