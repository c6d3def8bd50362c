// SPDX-License-Identifier: Apache-2.0
// One switch chiplet as a SystemC module with a flit socket pair at each of its ports.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <systemc>

#include "base/clock_domain.h"
#include "base/flit_socket.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {

/// A group of one chiplet behind sockets, with a packet pool of its own. VCs on its links are traffic classes.
class ChipletModule final : public sc_core::sc_module, public Block, private BorderSide, private LinkOwner {
 public:
  /// `group` outlives it; `data` and `probe` as in ChipletGroup::connect.
  ChipletModule(const sc_core::sc_module_name& name, ChipletGroup& group, ClockDomain& domain, PacketData* data,
                FabricProbe* probe);

  /// The link at a port; it must lead somewhere.
  LinkEnd& link(std::uint32_t port) { return *links_.at(port); }
  const PacketPool& pool() const { return pool_; }

  void step(Cycle now) override { group_.step(now); }
  Cycle next_work(Cycle now) const override { return group_.next_work(now); }

 private:
  void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) override;
  void send_credit(std::uint32_t port, VcId vc, Cycle at) override;
  void flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) override;
  void credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) override;

  ChipletGroup& group_;
  ClockDomain& domain_;
  PacketPool pool_;
  std::map<std::uint32_t, std::unique_ptr<LinkEnd>> links_;
};

/// Name of a chiplet's module: "l1_2_plane_0" for l1[2].plane[0].
std::string module_name(const Chiplet& chiplet);

}  // namespace weft::fred
