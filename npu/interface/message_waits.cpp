// SPDX-License-Identifier: Apache-2.0
// Why links out of network interfaces carry nothing although messages wait.
#include <algorithm>

#include "npu/interface/message_interfaces.h"

namespace weft::npu {

void MessageInterfaces::note_waits(std::uint32_t node, bool again, Cycle now) {
  const NodeId id = nodes_[node].id;
  if (!planes_) {
    waits_.set(node, links_.of(id), again ? StallReason::kNone : why_nothing_goes(node), now);
    return;
  }
  const int planes = planes_->planes();
  for (int plane = 0; plane < planes; ++plane) {
    const auto link =
        static_cast<std::size_t>(node) * static_cast<std::size_t>(planes) + static_cast<std::size_t>(plane);
    waits_.set(link, plane_link(id, plane, planes), why_plane_idle(node, plane, now), now);
  }
}

// Nothing went although the link was free.
StallReason MessageInterfaces::why_nothing_goes(std::uint32_t node) const {
  const Node& sender = nodes_[node];
  const auto has_packet = [](const Injector& injector) { return injector.flits_left > 0; };
  if (std::any_of(sender.injectors.begin(), sender.injectors.end(), has_packet)) return StallReason::kNoCredit;
  StallReason reason = StallReason::kNone;
  for (const std::uint32_t slot : sender.sendable) {
    const Outgoing& outgoing = sender.messages[slot];
    if (!can_form(outgoing)) continue;
    const Message& message = outgoing.message;
    const bool lacks_credit = message.colour < 0
                                  ? ports_.why_no_vc(node, vcs_for(sender, message)) == StallReason::kNoCredit
                                  : !ports_.has_credit(node, kFirstColourVc + message.colour);
    if (lacks_credit) return StallReason::kNoCredit;
    reason = StallReason::kLostArbitration;  // what has the VC, or goes before it
  }
  return reason;
}

// A packet starts on a plane as soon as its link is free and there are credits for all of it.
StallReason MessageInterfaces::why_plane_idle(std::uint32_t node, int plane, Cycle now) const {
  const Node& sender = nodes_[node];
  if (sender.injectors[static_cast<std::size_t>(plane)].flits_left > 0 || !planes_->link_open(node, plane, now)) {
    return StallReason::kNone;
  }
  const auto may_go_here = [&](std::uint32_t slot) {
    const Outgoing& outgoing = sender.messages[slot];
    if (!can_form(outgoing)) return false;
    if (outgoing.message.switch_flow == kNoFlow) return true;
    const std::uint64_t number = outgoing.formed / packet_bytes_;
    return (outgoing.message.stripe + number) % static_cast<std::uint32_t>(planes_->planes()) ==
           static_cast<std::uint32_t>(plane);
  };
  const auto& flows = plane_queues_[node].flows;
  const bool waits = std::any_of(sender.sendable.begin(), sender.sendable.end(), may_go_here) ||
                     std::any_of(flows.begin(), flows.end(),
                                 [&](const auto& queue) { return !queue.empty() && may_go_here(queue.front()); });
  return waits ? StallReason::kNoCredit : StallReason::kNone;
}

LinkValues MessageInterfaces::link_values(std::uint32_t node) const {
  const std::size_t links = planes_ ? static_cast<std::size_t>(planes_->planes()) : 1;
  LinkValues sum;
  for (std::size_t i = 0; i < links; ++i) sum += waits_.values(node * links + i);
  return sum;
}

}  // namespace weft::npu
