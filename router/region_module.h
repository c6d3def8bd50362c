// SPDX-License-Identifier: Apache-2.0
// A region of routers as a SystemC module, with sockets at its borders and, if asked for, at its local ports.
#pragma once

#include <map>
#include <memory>
#include <systemc>

#include "base/clock_domain.h"
#include "base/flit_socket.h"
#include "router/region.h"

namespace weft::router {

/// One router (a rectangle of 1 x 1) or many, stepped by a clock domain. Ports of a region are numbered
/// router * kMeshPorts + port, as in BorderSide.
class RegionModule final : public sc_core::sc_module,
                           public Block,
                           private BorderSide,
                           private LocalSide,
                           private LinkOwner {
 public:
  /// `local_sockets`: local ports are sockets, too; otherwise `set_local` says who sits there.
  RegionModule(const sc_core::sc_module_name& name, const RegionParameters& parameters, ClockDomain& domain,
               bool local_sockets);

  /// Network interfaces as plain state in the same domain, sharing `pool()`.
  void set_local(LocalSide& local) { region_->connect(&local, this, &pool_, probe_); }
  void set_probe(FabricProbe* probe);
  /// The link at `port` of the router at `at`; it must lead over the border or be a local port with a socket.
  LinkEnd& link(Coordinates at, PortId port);

  Region& region() { return *region_; }
  const Region& region() const { return *region_; }
  PacketPool& pool() { return pool_; }
  const PacketPool& pool() const { return pool_; }

  void step(Cycle now) override { region_->step(now); }
  Cycle next_work(Cycle now) const override { return region_->next_work(now); }

 private:
  void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) override;
  void send_credit(std::uint32_t port, VcId vc, Cycle at) override;
  void eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void credit(std::uint32_t node, VcId vc, Cycle at) override;
  void flit_received(std::uint32_t port, const FlitTransfer& flit, const sc_core::sc_time& delay) override;
  void credit_received(std::uint32_t port, VcId vc, const sc_core::sc_time& delay) override;

  ClockDomain& domain_;
  bool local_sockets_;
  PacketPool pool_;
  FabricProbe* probe_ = nullptr;
  std::unique_ptr<Region> region_;
  std::map<std::uint32_t, std::unique_ptr<LinkEnd>> links_;
};

}  // namespace weft::router
