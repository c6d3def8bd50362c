// SPDX-License-Identifier: Apache-2.0
// The network interface of one node as a SystemC module with sockets.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "kernel/clock_domain.h"
#include "kernel/flit_socket.h"
#include "npu/interface/local_block.h"

namespace weft::npu {

/// A LocalBlock of one node behind a flit link, with a packet pool of its own. It may run in another clock domain than
/// its router.
class InterfaceModule final : public sc_core::sc_module, public Block, private FabricSide, private LinkOwner {
 public:
  InterfaceModule(const sc_core::sc_module_name& name, std::unique_ptr<LocalBlock> interface, int vcs,
                  ClockDomain& domain, FabricProbe* probe);

  LinkEnd& link() { return *link_; }
  LocalBlock& interface() { return *interface_; }
  PacketPool& pool() { return pool_; }

  void step(Cycle now) override { interface_->step(now); }
  Cycle next_work(Cycle now) const override { return interface_->next_work(now); }

 private:
  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void return_credit(std::uint32_t node, VcId vc, Cycle at) override;
  void flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) override;
  void credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) override;

  std::unique_ptr<LocalBlock> interface_;
  ClockDomain& domain_;
  PacketPool pool_;
  std::unique_ptr<LinkEnd> link_;
  std::vector<PacketIndex> receiving_;  ///< per VC: the packet that comes in
};

}  // namespace weft::npu
