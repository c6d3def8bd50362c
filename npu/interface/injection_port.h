// SPDX-License-Identifier: Apache-2.0
// Sending end of the links from network interfaces into their routers: credits, VCs and bandwidth of many nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/big_vector.h"
#include "base/checkpoint.h"
#include "base/colour_plan.h"
#include "base/credit_count.h"
#include "base/link_rate.h"
#include "base/packet.h"
#include "base/prefetch.h"
#include "base/probe.h"
#include "base/region_ports.h"
#include "base/state_form.h"
#include "base/vc_split.h"
#include "config/config.h"
#include "npu/interface/injection_links.h"

namespace weft::npu {

/// State of the injection links of `nodes` network interfaces. A packet takes a VC with a free slot, by round robin,
/// and keeps it to its tail.
class InjectionPorts final : public InjectionLinks {
 public:
  InjectionPorts(const FabricSpec& fabric, int message_classes, std::uint32_t nodes,
                 InjectionVcs policy = InjectionVcs::kAny);

  /// A credit for `vc` of `node` came back. Returns true if the VC can take a flit or a packet again.
  void credit(std::uint32_t node, VcId vc);
  /// VCs that a packet of `message_class` from `from` to `to` may start in, as bits.
  std::uint32_t vcs_towards(NodeId from, NodeId to, unsigned message_class) const;
  /// One of the VCs `allowed` for a new packet, or -1 if none is free with a slot. Marks it as taken.
  int take_vc(std::uint32_t node, std::uint32_t allowed);
  /// Whether take_vc would find one.
  bool can_take_vc(std::uint32_t node, std::uint32_t allowed) const;
  /// Why take_vc finds none: without credits, or none is free.
  StallReason why_no_vc(std::uint32_t node, std::uint32_t allowed) const {
    return (nodes_[node].free & allowed) != 0 ? StallReason::kNoCredit : StallReason::kLostArbitration;
  }
  /// The VC number of `colour` for a new packet, which can_take_colour says it takes.
  VcId take_colour(std::uint32_t node, unsigned colour);
  /// Whether `colour` has a free slot and no packet is on its way into it.
  bool can_take_colour(std::uint32_t node, unsigned colour) const {
    return (taken_colours_[node] >> colour & 1) == 0 && has_credit(node, colour_vc(static_cast<std::uint8_t>(colour)));
  }
  /// Whether a flit may go on `vc` now: a credit is there.
  bool has_credit(std::uint32_t node, VcId vc) const { return credits(node, vc) > 0; }
  /// Whether the link can take a flit in cycle `now`.
  bool link_open(std::uint32_t node, Cycle now) const { return nodes_[node].link.can_send(rate_, now); }
  /// First cycle from `now` on in which the link can take a flit.
  Cycle next_slot(std::uint32_t node, Cycle now) const { return nodes_[node].link.next_slot(rate_, now); }
  /// Puts a flit on the link: takes credit and link; a tail gives the VC back.
  void send(std::uint32_t node, VcId vc, Flit flit, Cycle now, FabricSide& fabric);
  Cycle credit_arrival(Cycle now, VcId vc) const override { return now + latency_ + (is_colour(vc) ? 0 : 1); }
  std::uint64_t flits(std::uint32_t node) const override { return nodes_[node].flits; }
  double flits_after(std::uint32_t node, Cycle end) const override;
  /// One port brings a node its flits in their order.
  void put_in_order(EventList<Arrival>&) const override {}
  int credits(std::uint32_t node, VcId vc) const {
    return is_colour(vc) ? colour_credits_[colour_slot(node, vc)].left() : nodes_[node].credits[index(vc)].left();
  }
  /// Each node has one port.
  static std::uint32_t port_of(VcId) { return 0; }
  static VcId vc_on_link(VcId vc) { return vc; }
  void require_empty() const override;
  /// Fetches the state of a node's link into the cache.
  void fetch(std::uint32_t node) const { fetch_lines(&nodes_[node], sizeof(Port)); }
  int vcs() const { return vcs_; }
  /// Gives `form` its state.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

 private:
  friend struct InterfaceState;  // tests change single fields to see that a look has them
  using Credits = CreditCount<std::uint16_t>;

  std::size_t colour_slot(std::uint32_t node, VcId vc) const {
    return std::size_t{node} * static_cast<std::size_t>(colours_) + colour_of(vc);
  }

  int vcs_;
  int colours_;
  std::uint32_t depth_;
  Rational rate_;
  Cycle latency_;
  Cycle flit_cycles_;
  bool tail_credit_;
  std::vector<std::uint32_t> class_vcs_;  ///< VCs of each message class, as bits
  bool by_direction_;
  std::vector<std::array<std::uint32_t, 4>> direction_vcs_;  ///< those for east, west, north, south
  int size_x_;
  int size_y_;
  bool torus_;

  /// What one node's link needs, in as few cache lines as its VCs allow.
  struct alignas(64) Port {
    LinkRate link;
    std::uint64_t flits = 0;
    std::uint32_t free = 0;      ///< VCs without a packet, as bits
    std::uint32_t draining = 0;  ///< VCs whose tail is sent but whose credits are not home, as bits
    std::uint8_t last_vc = 0;    ///< VC of the last packet
    Credits credits[25] = {};
  };
  BigVector<Port> nodes_;
  std::vector<std::uint32_t> taken_colours_;  ///< per node: colours into which a packet is on its way, as bits
  std::vector<Credits> colour_credits_;       ///< per node and colour
};

}  // namespace weft::npu
