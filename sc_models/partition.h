// SPDX-License-Identifier: Apache-2.0
// Bands of a mesh or torus: regions of routers with their network interfaces.
#pragma once

#include <memory>

#include "router/region.h"
#include "sc_models/fabric_part.h"

namespace weft::sc_models {

/// A band of the fabric that one thread steps: a region of routers and the network interfaces at its local ports.
class Partition final : public FabricPart {
 public:
  explicit Partition(const router::RegionParameters& parameters);

  /// The rows, or columns, of `above` follow those of `below`; on a torus the first ones follow the last.
  static void join(Partition& below, Partition& above);

  router::Region& region() { return *region_; }

 private:
  /// The part beyond a border, and the mailbox for it.
  struct Border {
    Partition* part = nullptr;
    std::size_t box = 0;
  };

  void connect_fabric(npu::LocalBlock& local, PacketPool& pool, FabricProbe* probe) override;
  void receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) override;
  void receive_credit(std::uint32_t port, VcId vc, Cycle now, Cycle at) override;
  void step_fabric(Cycle now) override { region_->step(now); }
  Cycle next_fabric_work(Cycle now) const override { return region_->next_work(now); }
  void put_fabric_state(StateForm& form) override { region_->put_state(form); }
  void keep_fabric(Checkpoint& checkpoint) override { region_->keep(checkpoint); }

  void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) override;
  void send_credit(std::uint32_t port, VcId vc, Cycle at) override;
  std::uint32_t port_beyond(std::uint32_t port, std::size_t* box) const;

  router::Grid grid_;
  std::unique_ptr<router::Region> region_;
  Border below_;
  Border above_;
};

}  // namespace weft::sc_models
