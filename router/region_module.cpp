// SPDX-License-Identifier: Apache-2.0
#include "router/region_module.h"

#include <fmt/format.h>

namespace weft::router {

RegionModule::RegionModule(const sc_core::sc_module_name& name, const RegionParameters& parameters, ClockDomain& domain,
                           bool local_sockets)
    : sc_module(name), domain_(domain), local_sockets_(local_sockets), region_(Region::create(parameters)) {
  const Grid grid(parameters.fabric);
  const Rectangle& area = parameters.rectangle;
  for (int y = area.y; y < area.y + area.height; ++y) {
    for (int x = area.x; x < area.x + area.width; ++x) {
      for (std::uint8_t port = 0; port < kMeshPorts; ++port) {
        Coordinates there{};
        const bool local = PortId{port} == kLocal;
        if (!local && !grid.neighbour({x, y}, PortId{port}, &there)) continue;
        const bool inside =
            there.x >= area.x && there.x < area.x + area.width && there.y >= area.y && there.y < area.y + area.height;
        if (local ? !local_sockets : inside) continue;
        const std::uint32_t number = region_->router_at({x, y}) * kMeshPorts + port;
        LinkOwner& owner = *this;
        links_.emplace(
            number, std::make_unique<LinkEnd>(fmt::format("x{}_y{}_{}", x, y, port_name(PortId{port})), owner, number));
      }
    }
  }
  if (local_sockets_) set_local(*this);
  domain_.add(*this);
}

void RegionModule::set_probe(FabricProbe* probe) {
  probe_ = probe;
  if (local_sockets_) set_local(*this);
}

LinkEnd& RegionModule::link(Coordinates at, PortId port) {
  return *links_.at(region_->router_at(at) * kMeshPorts + index(port));
}

void RegionModule::send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) {
  links_.at(port)->send_flit(flit, domain_.delay_to(at));
}

void RegionModule::send_credit(std::uint32_t port, VcId vc, Cycle at) {
  links_.at(port)->send_credit(vc, domain_.delay_to(at));
}

void RegionModule::eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  FlitTransfer transfer{vc, flit.head(), flit.tail(), {}};
  if (flit.head()) transfer.packet = pool_[flit.packet()];
  if (flit.tail()) pool_.release(flit.packet());
  send_flit(node * kMeshPorts + index(kLocal), transfer, at);
}

void RegionModule::credit(std::uint32_t node, VcId vc, Cycle at) {
  send_credit(node * kMeshPorts + index(kLocal), vc, at);
}

void RegionModule::flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) {
  const Cycle at = domain_.edge_after(delay);
  region_->receive_flit(port, flit, domain_.reached(), at);
  domain_.wake(*this, at);
}

void RegionModule::credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) {
  const Cycle at = domain_.edge_after(delay);
  region_->receive_credit(port, vc, domain_.reached(), at);
  domain_.wake(*this, at);
}

}  // namespace weft::router
