// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/router_sending.h"

#include <algorithm>

#include "base/colour_plan.h"
#include "base/error.h"

namespace weft::npu {

RouterSending::RouterSending(const Config& config, const std::vector<NodeId>& nodes)
    : SendingSide(config, nodes, 1,
                  static_cast<std::size_t>(config.npu.injectors > 0 ? config.npu.injectors : config.fabric.router.vcs)),
      ports_(config.fabric, config.npu.message_classes, static_cast<std::uint32_t>(nodes.size()),
             config.npu.injection_vcs),
      oldest_first_(config.npu.message_turns == MessageTurns::kOldestFirst) {}

void RouterSending::enqueue(std::uint32_t node, std::uint32_t slot) {
  WEFT_CHECK(senders_[node].messages[slot].message.switch_flow == kNoFlow,
             "a flow of FRED switches is sent into a fabric without them");
  SendingSide::enqueue(node, slot);
}

bool RouterSending::inject_from(std::uint32_t node, Cycle now) {
  start_packets(node);
  while (ports_.link_open(node, now)) {
    Injector* injector = take_turn(node);
    if (injector == nullptr) return false;  // a credit, a release or a new message wakes it up
    if (injector->flits_left == injector->flits) enter(node, *injector, now);
    put_on_link(ports_, node, *injector, now);
    start_packets(node);
  }
  return true;
}

// The injector whose turn it is among those with a flit and a credit for it; null if there is none.
Injector* RouterSending::take_turn(std::uint32_t node) {
  Sender& sender = senders_[node];
  if (sender.entering == 0) return nullptr;
  const auto injectors = static_cast<std::uint32_t>(sender.injectors.size());
  std::uint32_t next = sender.next_injector;
  for (std::uint32_t tried = 0; tried < injectors; ++tried) {
    Injector& injector = sender.injectors[next];
    next = next + 1 == injectors ? 0 : next + 1;
    if (injector.flits_left == 0 || !ports_.has_credit(node, VcId(injector.vc))) continue;
    sender.next_injector = next;
    return &injector;
  }
  return nullptr;
}

void RouterSending::start_packets(std::uint32_t node) {
  Sender& sender = senders_[node];
  while (sender.entering < sender.injectors.size()) {
    const int turn = choose_message(node);
    if (turn < 0) return;
    const std::uint32_t slot = sender.sendable[static_cast<std::size_t>(turn)];
    const Message& message = sender.messages[slot].message;
    const int vc = message.colour < 0 ? ports_.take_vc(node, vcs_for(sender, message))
                                      : ports_.take_colour(node, static_cast<unsigned>(message.colour));
    if (vc < 0) return;
    sender.sendable.erase(sender.sendable.begin() + turn);
    const auto is_free = [](const Injector& injector) { return injector.flits_left == 0; };
    const auto injector = std::find_if(sender.injectors.begin(), sender.injectors.end(), is_free);
    form_packet(node, slot, *injector, VcId(static_cast<std::uint8_t>(vc)));
    if (!sender.messages[slot].all_formed) sender.sendable.push_back(slot);
  }
}

// Position in `sendable` of the message whose turn it is, -1 if none can form a packet. Messages whose class has no
// VC left are passed over, so that they cannot hold up another class.
int RouterSending::choose_message(std::uint32_t node) const {
  const Sender& sender = senders_[node];
  const Message* best = nullptr;
  int turn = -1;
  for (std::size_t i = 0; i < sender.sendable.size(); ++i) {
    const Outgoing& outgoing = sender.messages[sender.sendable[i]];
    if (!can_form(outgoing) || !can_start(node, outgoing)) continue;
    if (best != nullptr && !has_turn_before(outgoing.message, *best)) continue;
    best = &outgoing.message;
    turn = static_cast<int>(i);
  }
  return turn;
}

bool RouterSending::can_start(std::uint32_t node, const Outgoing& outgoing) const {
  const Sender& sender = senders_[node];
  const Message& message = outgoing.message;
  if (message.colour < 0) return ports_.can_take_vc(node, vcs_for(sender, message));
  if (!ports_.can_take_colour(node, static_cast<unsigned>(message.colour))) return false;
  // Routes count messages: those of one colour go whole, one after the other.
  return std::none_of(sender.sendable.begin(), sender.sendable.end(), [&](std::uint32_t slot) {
    const Outgoing& other = sender.messages[slot];
    return other.message.colour == message.colour && other.sequence < outgoing.sequence;
  });
}

// Nothing went although the link was free.
StallReason RouterSending::why_nothing_goes(std::uint32_t node) const {
  const Sender& sender = senders_[node];
  if (sender.entering > 0) return StallReason::kNoCredit;
  StallReason reason = StallReason::kNone;
  for (const std::uint32_t slot : sender.sendable) {
    const Outgoing& outgoing = sender.messages[slot];
    if (!can_form(outgoing)) continue;
    const Message& message = outgoing.message;
    const bool lacks_credit = message.colour < 0
                                  ? ports_.why_no_vc(node, vcs_for(sender, message)) == StallReason::kNoCredit
                                  : !ports_.has_credit(node, colour_vc(static_cast<std::uint8_t>(message.colour)));
    if (lacks_credit) return StallReason::kNoCredit;
    reason = StallReason::kLostArbitration;  // what has the VC, or goes before it
  }
  return reason;
}

}  // namespace weft::npu
