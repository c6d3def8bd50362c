// SPDX-License-Identifier: Apache-2.0
// Keeps the probe calls of one partition until the thread that may write them asks for them.
#pragma once

#include <utility>
#include <vector>

#include "base/probe.h"

namespace weft {

/// A probe for a partition that a worker thread steps. It stores the calls; `drain` makes them at the real probe, in
/// the order in which they came. Drain all partitions after each cycle, before any of them steps the next one, so that
/// the calls arrive in order of time.
class ProbeQueue final : public FabricProbe {
 public:
  void flit_sent(Cycle now, LinkId link, VcId vc, PacketIdentity packet, bool head, bool tail, int credits) override {
    Call call;
    call.kind = Kind::kFlit;
    call.now = now;
    call.subject = index(link);
    call.vc = vc;
    call.packet = packet;
    call.head = head;
    call.tail = tail;
    call.number = credits;
    calls_.push_back(call);
  }
  void credit_returned(Cycle now, LinkId link, VcId vc, int credits) override {
    Call call;
    call.kind = Kind::kCredit;
    call.now = now;
    call.subject = index(link);
    call.vc = vc;
    call.number = credits;
    calls_.push_back(call);
  }
  void node_activity(Cycle now, NodeId node, const NodeActivity& activity) override {
    Call call;
    call.kind = Kind::kActivity;
    call.now = now;
    call.subject = index(node);
    call.number = static_cast<int>(activities_.size());
    calls_.push_back(call);
    activities_.push_back(activity);
  }
  bool wants_stalls(LinkId link) const override { return behind_ != nullptr && behind_->wants_stalls(link); }
  void link_stalled(Cycle now, LinkId link, StallReason reason) override {
    Call call;
    call.kind = Kind::kStall;
    call.now = now;
    call.subject = index(link);
    call.number = static_cast<int>(reason);
    calls_.push_back(call);
  }

  /// The probe that `drain` will be given: who is asked what is wanted.
  void set_behind(const FabricProbe* probe) { behind_ = probe; }

  /// Makes the stored calls at `probe` and forgets them; keeps the memory.
  void drain(FabricProbe& probe) {
    for (const Call& call : calls_) {
      const LinkId link{call.subject};
      if (call.kind == Kind::kFlit) {
        probe.flit_sent(call.now, link, call.vc, call.packet, call.head, call.tail, call.number);
      } else if (call.kind == Kind::kCredit) {
        probe.credit_returned(call.now, link, call.vc, call.number);
      } else if (call.kind == Kind::kStall) {
        probe.link_stalled(call.now, link, StallReason(call.number));
      } else {
        probe.node_activity(call.now, NodeId{call.subject}, activities_[static_cast<std::size_t>(call.number)]);
      }
    }
    calls_.clear();
    activities_.clear();
  }
  bool empty() const { return calls_.empty(); }

 private:
  enum class Kind : std::uint8_t { kFlit, kCredit, kStall, kActivity };
  struct Call {
    Cycle now = 0;
    std::uint32_t subject = 0;  ///< link or node
    int number = 0;             ///< credits, the reason, or the index of the activity
    PacketIdentity packet;
    VcId vc{};
    Kind kind = Kind::kFlit;
    bool head = false;
    bool tail = false;
  };

  std::vector<Call> calls_;
  std::vector<NodeActivity> activities_;
  const FabricProbe* behind_ = nullptr;
};

}  // namespace weft
