// SPDX-License-Identifier: Apache-2.0
// Chiplets of a fabric of FRED switches with the network interfaces at them, as one thread steps them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/fabric_part.h"
#include "switch/fabric/fred_fabric.h"

namespace weft::sc_models {

/// One group of chiplets. Without other groups it has no mail.
class SwitchPart final : public FabricPart {
 public:
  /// Group `number` of `switches`, which outlives the part. `data` as in ChipletGroup::connect.
  SwitchPart(fred::FredFabric& switches, std::uint32_t number, PacketData* data, std::size_t data_bytes);

  /// Joins all parts of a fabric, by group.
  static void join_all(const std::vector<std::unique_ptr<SwitchPart>>& parts);

  const std::vector<NodeId>& nodes() const { return group_.nodes(); }

 private:
  /// Where a link over the border ends: a mailbox, and the port in its part.
  struct Beyond {
    std::size_t box = 0;
    std::uint32_t port = 0;
  };

  void connect_fabric(npu::LocalBlock& local, PacketPool& pool, FabricProbe* probe) override;
  void receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) override {
    group_.receive_flit(port, flit, now, at);
  }
  void receive_credit(std::uint32_t port, VcId vc, Cycle /*now*/, Cycle at) override {
    group_.return_credit(port, traffic_class_of(vc), at);
  }
  void step_fabric(Cycle now) override { group_.step(now); }
  Cycle next_fabric_work(Cycle now) const override { return group_.next_work(now); }
  void put_fabric_state(StateForm& form) override { group_.put_state(form); }
  void keep_fabric(Checkpoint& checkpoint) override { group_.keep(checkpoint); }

  void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) override {
    mail_flit(beyond_[port].box, beyond_[port].port, flit, at);
  }
  void send_credit(std::uint32_t port, VcId vc, Cycle at) override {
    mail_credit(beyond_[port].box, beyond_[port].port, vc, at);
  }

  const fred::FredFabric& switches_;
  fred::ChipletGroup& group_;
  PacketData* packet_data_;
  std::vector<Beyond> beyond_;  ///< by port
};

}  // namespace weft::sc_models
