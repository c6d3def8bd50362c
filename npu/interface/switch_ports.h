// SPDX-License-Identifier: Apache-2.0
// Ports of network interfaces into FRED switches: credits and bandwidth of their links.
#pragma once

#include <cstdint>
#include <vector>

#include "base/credit_count.h"
#include "base/fabric_flows.h"
#include "base/flit_train.h"
#include "base/packet.h"
#include "base/packet_rate.h"
#include "base/region_ports.h"
#include "base/state_form.h"
#include "config/config.h"
#include "npu/interface/injection_links.h"

namespace weft::npu {

/// The ports of some nodes, one per plane, each the end of a link with a VC per traffic class (plane_vc). Virtual
/// cut-through: a packet starts when its VC has credits for all of it and the link carries no other packet; the link
/// is its own from head to tail.
class SwitchPorts final : public InjectionLinks {
 public:
  /// `nodes`: numbers of the fabric; those after the NPUs are I/O controllers, whose links have a rate of their own.
  SwitchPorts(const FabricSpec& fabric, const std::vector<NodeId>& nodes);

  /// Ports of each node.
  std::uint32_t per_node() const { return per_node_; }
  /// Port that `vc` of a node belongs to, and its number on the link of that port.
  static std::uint32_t port_of(VcId vc) { return static_cast<std::uint32_t>(plane_of(vc)); }
  static VcId vc_on_link(VcId vc) { return traffic_class_vc(traffic_class_of(vc)); }
  /// A credit for `vc` of `node` came back.
  void credit(std::uint32_t node, VcId vc) { credits_back(node, vc, 1); }
  void credits_back(std::uint32_t node, VcId vc, std::uint32_t count);
  int credits(std::uint32_t node, VcId vc) const {
    return port(node, port_of(vc)).credits[index(traffic_class_of(vc))].left();
  }
  /// Whether a packet of so many flits may go on `vc`: credits are there for all of it.
  bool has_credits(std::uint32_t node, VcId vc, std::uint32_t flits) const {
    return port(node, port_of(vc)).credits[index(traffic_class_of(vc))].left() >= flits;
  }
  /// Whether the link of port `number` takes the head of a packet in cycle `now`.
  bool link_free(std::uint32_t node, std::uint32_t number, Cycle now) const {
    const Port& at = port(node, number);
    return !at.taken && at.rate.can_send(now);
  }
  /// Gives the link of `vc` to a packet; it must be free, with credits for all of it.
  void start(std::uint32_t node, VcId vc) { port(node, port_of(vc)).taken = true; }
  /// Whether the link can take a flit in cycle `now`.
  bool link_open(std::uint32_t node, std::uint32_t number, Cycle now) const {
    return port(node, number).rate.can_send(now);
  }
  /// Puts a flit of the packet that has the link on it; a tail gives the link back.
  void send(std::uint32_t node, VcId vc, Flit flit, Cycle now, FabricSide& fabric);
  /// Puts a whole packet on the link of `vc`, its head in cycle `now`, and says when its flits are put there. The
  /// link must be free, with credits for all of it; it is not free again before the tail has left.
  const FlitTrain& send_all(std::uint32_t node, VcId vc, std::uint32_t flits, Cycle now);
  /// First cycle from `now` on in which the link of a port can take a flit.
  Cycle next_slot(std::uint32_t node, std::uint32_t number, Cycle now) const {
    return port(node, number).rate.next_slot(now);
  }
  /// Cycles that a flit takes to the switch.
  Cycle travel(std::uint32_t node) const { return link_kind(node).travel; }
  /// Gives `form` its state. What has left has been counted.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// Counts what leaves up to and with cycle `end`.
  void settle(Cycle end);
  Cycle credit_arrival(Cycle now, VcId) const override { return now + latency_ + 1; }
  /// Slots of the buffer behind `traffic_class`: the largest packet that it can carry.
  std::uint32_t depth(TrafficClass traffic_class) const {
    return traffic_class == TrafficClass::kControl ? control_depth_ : data_depth_;
  }

  std::uint64_t flits(std::uint32_t node) const override;
  double flits_after(std::uint32_t node, Cycle end) const override;
  /// By node, then port and traffic class, from head to tail.
  void put_in_order(EventList<Arrival>& arrivals) const override;
  void require_empty() const override;

 private:
  friend struct InterfaceState;  // tests change single fields to see that a look has them
  struct Port {
    PacketRate rate;
    std::uint64_t flits = 0;
    Cycle last_sent = 0;
    CreditCount<std::uint32_t> credits[kTrafficClasses] = {};
    bool taken = false;  ///< a packet is on its way into the link
    FlitTrain leaving;   ///< flits that have been sent as a train and are not in `flits` yet
  };
  /// The links of NPUs or those of I/O controllers, in one plane.
  struct LinkKind {
    PacketRateSpec rate;
    Cycle travel = 0;  ///< from a flit's being sent to its arrival
  };
  static constexpr std::uint8_t kNpuLink = 0;
  static constexpr std::uint8_t kIoLink = 1;
  static void settle(Port& port, Cycle end);
  static std::size_t index(TrafficClass traffic_class) { return static_cast<std::size_t>(traffic_class); }
  std::size_t slot(std::uint32_t node, std::uint32_t port) const { return std::size_t{node} * per_node_ + port; }
  Port& port(std::uint32_t node, std::uint32_t number) { return ports_[slot(node, number)]; }
  const Port& port(std::uint32_t node, std::uint32_t number) const { return ports_[slot(node, number)]; }
  const LinkKind& link_kind(std::uint32_t node) const { return link_kinds_[kind_of_[node]]; }

  std::uint32_t per_node_;
  std::uint32_t data_depth_;
  std::uint32_t control_depth_;
  Cycle latency_;
  std::vector<LinkKind> link_kinds_;             ///< kNpuLink, kIoLink
  std::vector<std::uint8_t> kind_of_;            ///< per node
  std::vector<Port> ports_;                      ///< per node and port
  mutable std::vector<std::uint64_t> in_order_;  ///< what put_in_order sorts
};

}  // namespace weft::npu
