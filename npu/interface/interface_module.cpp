// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/interface_module.h"

#include <algorithm>

#include "kernel/colour_plan.h"

namespace weft::npu {

InterfaceModule::InterfaceModule(const sc_core::sc_module_name& name, std::unique_ptr<LocalBlock> interface, int vcs,
                                 ClockDomain& domain, FabricProbe* probe)
    : sc_module(name),
      interface_(std::move(interface)),
      domain_(domain),
      receiving_(std::max<std::size_t>(static_cast<std::size_t>(vcs), kFirstColourVc + kMostColours)) {
  LinkOwner& owner = *this;
  link_ = std::make_unique<LinkEnd>("fabric", owner, 0);
  interface_->connect(this, &pool_, probe);
  domain_.add(*this);
}

void InterfaceModule::inject(std::uint32_t, VcId vc, Flit flit, Cycle at) {
  FlitTransfer transfer{vc, flit.head(), flit.tail(), {}};
  if (flit.head()) transfer.packet = pool_[flit.packet()];
  if (flit.tail()) pool_.release(flit.packet());
  link_->send_flit(transfer, domain_.delay_to(at));
}

void InterfaceModule::return_credit(std::uint32_t, VcId vc, Cycle at) { link_->send_credit(vc, domain_.delay_to(at)); }

void InterfaceModule::flit_received(std::uint32_t, const FlitTransfer& flit, const sc_core::sc_time& delay) {
  PacketIndex& packet = receiving_[index(flit.vc)];
  if (flit.head) {
    packet = pool_.allocate();
    pool_[packet] = flit.packet;
  }
  const Cycle at = domain_.edge_after(delay);
  interface_->eject(0, flit.vc, Flit(packet, flit.head, flit.tail), at);
  domain_.wake(*this, at);
}

void InterfaceModule::credit_received(std::uint32_t, VcId vc, const sc_core::sc_time& delay) {
  const Cycle at = domain_.edge_after(delay);
  interface_->credit(0, vc, at);
  domain_.wake(*this, at);
}

}  // namespace weft::npu
