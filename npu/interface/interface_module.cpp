// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/interface_module.h"

#include <algorithm>
#include <string>

#include "base/colour_plan.h"

namespace weft::npu {

InterfaceModule::InterfaceModule(const sc_core::sc_module_name& name, std::unique_ptr<LocalBlock> interface, int vcs,
                                 ClockDomain& domain, FabricProbe* probe, int ports)
    : sc_module(name),
      interface_(std::move(interface)),
      domain_(domain),
      receiving_(std::max<std::size_t>(static_cast<std::size_t>(vcs), kFirstColourVc + kMostColours)),
      vcs_per_port_(
          static_cast<std::uint32_t>(ports == 1 ? receiving_.size() : static_cast<std::size_t>(vcs / ports))) {
  LinkOwner& owner = *this;
  for (int port = 0; port < ports; ++port) {
    const std::string end = ports == 1 ? "fabric" : "fabric_" + std::to_string(port);
    links_.push_back(std::make_unique<LinkEnd>(end, owner, static_cast<std::uint32_t>(port)));
  }
  interface_->connect(this, &pool_, probe);
  domain_.add(*this);
}

void InterfaceModule::inject(std::uint32_t, VcId vc, Flit flit, Cycle at) {
  FlitTransfer transfer{on_link(vc), flit.head(), flit.tail(), {}};
  if (flit.head()) transfer.packet = pool_[flit.packet()];
  if (flit.tail()) pool_.release(flit.packet());
  link_of(vc).send_flit(transfer, domain_.delay_to(at));
}

void InterfaceModule::return_credit(std::uint32_t, VcId vc, Cycle at) {
  link_of(vc).send_credit(on_link(vc), domain_.delay_to(at));
}

void InterfaceModule::flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) {
  const VcId vc = from_link(port, flit.vc);
  PacketIndex& packet = receiving_[index(vc)];
  if (flit.head) {
    packet = pool_.allocate();
    pool_[packet] = flit.packet;
  } else if (flit.tail && flit.packet.payload != nullptr) {
    pool_[packet].payload = flit.packet.payload;  // made by switches
  }
  const Cycle at = domain_.edge_after(delay);
  interface_->eject(0, vc, Flit(packet, flit.head, flit.tail), at);
  domain_.wake(*this, at);
}

void InterfaceModule::credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) {
  const Cycle at = domain_.edge_after(delay);
  interface_->credit(0, from_link(port, vc), at);
  domain_.wake(*this, at);
}

}  // namespace weft::npu
