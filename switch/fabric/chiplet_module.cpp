// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/chiplet_module.h"

#include <fmt/format.h>

namespace weft::fred {

ChipletModule::ChipletModule(const sc_core::sc_module_name& name, ChipletGroup& group, ClockDomain& domain,
                             PacketData* data, FabricProbe* probe)
    : sc_module(name), group_(group), domain_(domain) {
  LinkOwner& owner = *this;
  for (std::uint32_t port = 0; port < group.ports(); ++port) {
    if (group.peer(port).kind == PortPeer::kNothing) continue;
    links_.emplace(port, std::make_unique<LinkEnd>(fmt::format("port_{}", port), owner, port));
  }
  group_.connect(nullptr, this, &pool_, data, probe);
  domain_.add(*this);
}

void ChipletModule::send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) {
  links_.at(port)->send_flit(flit, domain_.delay_to(at));
}

void ChipletModule::send_credit(std::uint32_t port, VcId vc, Cycle at) {
  links_.at(port)->send_credit(vc, domain_.delay_to(at));
}

void ChipletModule::flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) {
  const Cycle at = domain_.edge_after(delay);
  group_.receive_flit(port, flit, domain_.reached(), at);
  domain_.wake(*this, at);
}

void ChipletModule::credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) {
  const Cycle at = domain_.edge_after(delay);
  group_.return_credit(port, traffic_class_of(vc), at);
  domain_.wake(*this, at);
}

std::string module_name(const Chiplet& chiplet) {
  std::string name;
  for (const char c : chiplet.name) {
    if (c == ']') continue;
    name += c == '[' || c == '.' ? '_' : c;
  }
  return name;
}

}  // namespace weft::fred
