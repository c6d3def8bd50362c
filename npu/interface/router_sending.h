// SPDX-License-Identifier: Apache-2.0
// How packets enter routers: they take VCs, and injectors are served round-robin, flit by flit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "npu/interface/injection_port.h"
#include "npu/interface/sending_side.h"

namespace weft::npu {

/// Nodes with one port into a router. Ready messages of a node are served round-robin, packet by packet
/// (`npu.message_order`), higher priority first; up to `npu.injectors` packets (default: one per VC) enter side by
/// side, each in a VC of its own, their flits alternating.
class RouterSending final : public SendingSide {
 public:
  RouterSending(const Config& config, const std::vector<NodeId>& nodes);

  void take_credits(Cycle now) override { take_credits_of(ports_, now); }
  const InjectionLinks& links() const override { return ports_; }

 private:
  friend struct InterfaceState;  // tests change single fields to see that a look has them
  void put_port_state(StateForm& form) override;
  void keep_ports(Checkpoint& checkpoint) override;
  void put_line(StateForm& form, const Sender& sender) override;
  bool keeps(std::uint32_t node, std::uint32_t slot) override;
  std::uint64_t need_of(std::uint32_t node, const Outgoing& outgoing) const override {
    return vcs_for(senders_[node], outgoing.message);
  }
  std::uint64_t rank_of(const MessageFields& message) const override {
    return std::uint64_t{255U - message.priority} << 32 | (oldest_first_ ? message.order : 0);
  }
  bool something_waits(std::uint32_t node) const override;
  bool inject_from(std::uint32_t node, Cycle now) override;
  void note_waits(std::uint32_t node, bool again, Cycle now) override {
    set_wait(node, 0, again ? StallReason::kNone : why_nothing_goes(node), now);
  }

  void fetch_ports(std::uint32_t node) const override {
    ports_.fetch(node);
    if (!coloured_.empty()) fetch_line(&coloured_[node]);
  }
  void fetch_messages(std::uint32_t node) const override {
    if (!coloured_.empty()) fetch_line(coloured_[node].data());
  }
  void start_packets(std::uint32_t node);
  Injector* choose_injector(std::uint32_t node);
  StallReason why_nothing_goes(std::uint32_t node) const;
  bool start_next(std::uint32_t node);
  void start_coloured(std::uint32_t node, int position);
  static Injector& free_injector(Sender& sender) {
    return *std::find_if(sender.injectors.begin(), sender.injectors.end(),
                         [](const Injector& injector) { return injector.flits_left == 0; });
  }
  int choose_coloured(std::uint32_t node, std::size_t ready) const;
  bool may_go(std::uint32_t node, const Outgoing& outgoing) const;
  std::uint32_t vcs_for(const Sender& sender, const MessageFields& message) const {
    return ports_.vcs_towards(sender.id, message.dst, static_cast<unsigned>(message.message_class));
  }

  InjectionPorts ports_;
  bool oldest_first_;
  /// By node: messages on set-up routes that have packets to form, in the order in which they lined up; empty without
  /// colours.
  std::vector<std::vector<std::uint32_t>> coloured_;
};

}  // namespace weft::npu
