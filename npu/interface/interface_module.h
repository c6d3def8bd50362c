// SPDX-License-Identifier: Apache-2.0
// The network interface of one node as a SystemC module with sockets.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "base/clock_domain.h"
#include "base/flit_socket.h"
#include "npu/interface/local_block.h"

namespace weft::npu {

/// A LocalBlock of one node behind the flit links of its ports, with a packet pool of its own. It may run in another
/// clock domain than its router. `vcs` VCs are dealt out to the ports in one row, as many to each.
class InterfaceModule final : public sc_core::sc_module, public Block, private FabricSide, private LinkOwner {
 public:
  InterfaceModule(const sc_core::sc_module_name& name, std::unique_ptr<LocalBlock> interface, int vcs,
                  ClockDomain& domain, FabricProbe* probe, int ports = 1);

  LinkEnd& link(int port = 0) { return *links_[static_cast<std::size_t>(port)]; }
  LocalBlock& interface() { return *interface_; }
  PacketPool& pool() { return pool_; }
  const PacketPool& pool() const { return pool_; }

  void step(Cycle now) override { interface_->step(now); }
  Cycle next_work(Cycle now) const override { return interface_->next_work(now); }

 private:
  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void return_credit(std::uint32_t node, VcId vc, Cycle at) override;
  void flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) override;
  void credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) override;
  LinkEnd& link_of(VcId vc) { return *links_[index(vc) / vcs_per_port_]; }
  /// A VC of the node on its link, and back.
  VcId on_link(VcId vc) const { return VcId{static_cast<std::uint8_t>(index(vc) % vcs_per_port_)}; }
  VcId from_link(std::uint32_t port, VcId vc) const {
    return VcId{static_cast<std::uint8_t>(port * vcs_per_port_ + index(vc))};
  }

  std::unique_ptr<LocalBlock> interface_;
  ClockDomain& domain_;
  PacketPool pool_;
  std::vector<PacketIndex> receiving_;           ///< per VC: the packet that comes in
  std::uint32_t vcs_per_port_;                   ///< VC numbers per port, those of colours included
  std::vector<std::unique_ptr<LinkEnd>> links_;  ///< by port
};

}  // namespace weft::npu
