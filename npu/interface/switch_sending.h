// SPDX-License-Identifier: Apache-2.0
// How packets enter FRED switches: whole packets per port, traffic classes in priority, flow messages one by one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/fabric_flows.h"
#include "base/train_queue.h"
#include "npu/interface/sending_side.h"
#include "npu/interface/switch_ports.h"

namespace weft::npu {

/// Nodes with a port per plane into FRED switches, each with a VC per traffic class. One packet per port enters side by
/// side with those of the others. Traffic classes have priorities, and flow messages of a traffic class go one by one.
class SwitchSending final : public SendingSide {
 public:
  SwitchSending(const Config& config, const std::vector<NodeId>& nodes);

  bool may_send_trains() const override { return true; }
  void credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals) override;
  void settle(Cycle end) override;
  void take_credits(Cycle now) override { train_fabric() == nullptr ? take_credits_of(ports_, now) : wake_due(now); }
  const InjectionLinks& links() const override { return ports_; }

 private:
  friend struct InterfaceState;  // tests change single fields to see that a look has them
  /// The flow messages of one node; its other messages are in Sender::ready.
  struct Queues {
    std::array<std::deque<std::uint32_t>, kTrafficClasses> flows;  ///< flow messages, oldest first
    std::uint64_t striped_messages = 0;                            ///< of flows with several stripes, so far
    std::uint32_t next_port = 0;                                   ///< for the next packet that may take any
    std::vector<TrainQueue> credits;                               ///< by VC: those that have not been counted
  };

  void put_line(StateForm& form, const Sender& sender) override;
  void put_port_state(StateForm& form) override;
  void keep_ports(Checkpoint& checkpoint) override;
  bool keeps(std::uint32_t node, std::uint32_t slot) override;
  std::uint64_t need_of(std::uint32_t node, const Outgoing& outgoing) const override;
  std::uint64_t rank_of(const MessageFields& message) const override {
    return std::uint64_t{255U - message.priority} << 32 | message.order;
  }
  bool inject_from(std::uint32_t node, Cycle now) override;
  void note_waits(std::uint32_t node, bool again, Cycle now) override;
  bool something_waits(std::uint32_t node) const override;

  void start_packets(std::uint32_t node, Cycle now);
  unsigned waiting_classes(std::uint32_t node) const;
  bool inject_trains(std::uint32_t node, Cycle now);
  void send_train(std::uint32_t node, Injector& injector, Cycle now);
  void take_train_credits(std::uint32_t node, VcId vc, Cycle now);
  void wake_for_credits(std::uint32_t node, std::uint32_t port, Cycle now);
  Cycle credits_come(std::uint32_t node, VcId vc, std::uint32_t flits) const;
  void end_trains(std::uint32_t node, Cycle now);
  bool may_go_on(std::uint32_t node) const;
  template <typename Visit>
  void for_each_waiting(std::uint32_t node, std::uint32_t port, Visit visit) const;
  bool waits_for(std::uint32_t node, std::uint32_t port) const;
  bool can_start(std::uint32_t node, VcId vc, std::uint32_t flits, Cycle now);
  bool start_of_traffic_class(std::uint32_t node, TrafficClass traffic_class, Cycle now);
  void start_on(std::uint32_t node, std::uint32_t slot, std::uint32_t port, Cycle now);
  bool start_flow(std::uint32_t node, TrafficClass traffic_class, const Precedence* before, Cycle now);
  int port_for(std::uint32_t node, TrafficClass traffic_class, std::uint32_t flits, Cycle now);
  void check_size(TrafficClass traffic_class, std::uint32_t flits) const;
  /// The only port that the next packet of a flow message may take.
  std::uint32_t port_of_flow(const Outgoing& outgoing) const {
    return static_cast<std::uint32_t>((outgoing.message.stripe + packet_number(outgoing)) % ports_.per_node());
  }

  SwitchPorts ports_;
  std::vector<Queues> queues_;
};

}  // namespace weft::npu
