// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/switch_sending.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::npu {
namespace {

/// Who goes first at a link that is free.
constexpr std::array<Circuit, kCircuits> kByPriority{Circuit::kControl, Circuit::kMp, Circuit::kPp, Circuit::kDp};

Circuit circuit_of_message(const Message& message) { return Circuit(static_cast<std::uint8_t>(message.message_class)); }

bool goes_before(const Message& a, const Message& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.order < b.order;
}

VcId vc_of(std::uint32_t port, Circuit circuit) { return plane_vc(static_cast<int>(port), circuit); }

}  // namespace

SwitchSending::SwitchSending(const Config& config, const std::vector<NodeId>& nodes)
    : SendingSide(config, nodes, static_cast<std::size_t>(config.fabric.fred.planes),
                  static_cast<std::size_t>(config.fabric.fred.planes)),
      ports_(config.fabric, nodes),
      queues_(nodes.size()) {}

void SwitchSending::enqueue(std::uint32_t node, std::uint32_t slot) {
  const Message& message = senders_[node].messages[slot].message;
  if (message.switch_flow == kNoFlow) {
    SendingSide::enqueue(node, slot);
  } else {
    queues_[node].flows[static_cast<std::size_t>(message.message_class)].push_back(slot);
  }
}

bool SwitchSending::inject_from(std::uint32_t node, Cycle now) {
  Sender& sender = senders_[node];
  for (const Circuit circuit : kByPriority) {
    while (sender.entering < ports_.per_node() && start_of_circuit(node, circuit, now)) {
    }
  }
  bool again = false;
  for (std::uint32_t port = 0; port < ports_.per_node(); ++port) {
    Injector& injector = sender.injectors[port];
    if (injector.flits_left > 0 && ports_.link_open(node, port, now)) put_on_link(ports_, node, injector, now);
    again |= !ports_.link_open(node, port, now);  // also behind a tail: the next packet starts when it is open again
  }
  return again;
}

// Starts one packet of `circuit`: of the oldest flow message, or of the message whose turn it is; the one of higher
// priority, the flow first where they are equal. False if neither finds a port.
bool SwitchSending::start_of_circuit(std::uint32_t node, Circuit circuit, Cycle now) {
  Sender& sender = senders_[node];
  auto& flows = queues_[node].flows[static_cast<std::size_t>(circuit)];
  std::vector<std::uint32_t>::iterator turn = sender.sendable.end();
  int port = -1;
  for (auto it = sender.sendable.begin(); it != sender.sendable.end(); ++it) {
    const Outgoing& outgoing = sender.messages[*it];
    if (circuit_of_message(outgoing.message) != circuit || !can_form(outgoing)) continue;
    if (turn != sender.sendable.end() && !goes_before(outgoing.message, sender.messages[*turn].message)) continue;
    const int found = port_for(node, outgoing, now);
    if (found < 0) continue;
    turn = it;
    port = found;
  }
  if (!flows.empty()) {
    const Outgoing& flow = sender.messages[flows.front()];
    const int flow_port = can_form(flow) ? port_for(node, flow, now) : -1;
    const bool first = port < 0 || !goes_before(sender.messages[*turn].message, flow.message);
    if (flow_port >= 0 && first) {
      const std::uint32_t slot = flows.front();
      start_on(node, slot, static_cast<std::uint32_t>(flow_port), now);
      if (sender.messages[slot].all_formed) flows.pop_front();
      return true;
    }
  }
  if (port < 0) return false;
  const std::uint32_t slot = *turn;
  sender.sendable.erase(turn);
  queues_[node].next_port = (static_cast<std::uint32_t>(port) + 1) % ports_.per_node();
  start_on(node, slot, static_cast<std::uint32_t>(port), now);
  if (!sender.messages[slot].all_formed) sender.sendable.push_back(slot);
  return true;
}

void SwitchSending::start_on(std::uint32_t node, std::uint32_t slot, std::uint32_t port, Cycle now) {
  Sender& sender = senders_[node];
  const VcId vc = vc_of(port, circuit_of_message(sender.messages[slot].message));
  ports_.start(node, vc);
  form_packet(node, slot, sender.injectors[port], vc);
  enter(node, sender.injectors[port], now);
}

// The port that takes the message's next packet in cycle `now`, -1 if none does. All packets of number k of a flow
// meet in one plane, so that only its port will do.
int SwitchSending::port_for(std::uint32_t node, const Outgoing& outgoing, Cycle now) const {
  const Circuit circuit = circuit_of_message(outgoing.message);
  const std::uint32_t flits = flits_of(packet_size(outgoing));
  WEFT_CHECK(flits <= ports_.depth(circuit),
             fmt::format("a packet of {} flits is sent into a circuit whose buffers have {}: it would never start",
                         flits, ports_.depth(circuit)));
  if (outgoing.message.switch_flow != kNoFlow) {
    const std::uint32_t port = port_of_flow(outgoing);
    return ports_.can_start(node, vc_of(port, circuit), flits, now) ? static_cast<int>(port) : -1;
  }
  for (std::uint32_t step = 0; step < ports_.per_node(); ++step) {
    const std::uint32_t port = (queues_[node].next_port + step) % ports_.per_node();
    if (ports_.can_start(node, vc_of(port, circuit), flits, now)) return static_cast<int>(port);
  }
  return -1;
}

void SwitchSending::note_waits(std::uint32_t node, bool, Cycle now) {
  for (std::uint32_t port = 0; port < ports_.per_node(); ++port) set_wait(node, port, why_idle(node, port, now), now);
}

// A packet starts on a port as soon as its link is free and there are credits for all of it.
StallReason SwitchSending::why_idle(std::uint32_t node, std::uint32_t port, Cycle now) const {
  const Sender& sender = senders_[node];
  if (sender.injectors[port].flits_left > 0 || !ports_.link_open(node, port, now)) return StallReason::kNone;
  const auto may_go_here = [&](std::uint32_t slot) {
    const Outgoing& outgoing = sender.messages[slot];
    return can_form(outgoing) && (outgoing.message.switch_flow == kNoFlow || port_of_flow(outgoing) == port);
  };
  const auto& flows = queues_[node].flows;
  const bool waits = std::any_of(sender.sendable.begin(), sender.sendable.end(), may_go_here) ||
                     std::any_of(flows.begin(), flows.end(),
                                 [&](const auto& queue) { return !queue.empty() && may_go_here(queue.front()); });
  return waits ? StallReason::kNoCredit : StallReason::kNone;
}

bool SwitchSending::something_waits(std::uint32_t node) const {
  const auto& flows = queues_[node].flows;
  return SendingSide::something_waits(node) || std::any_of(flows.begin(), flows.end(), [&](const auto& queue) {
           return !queue.empty() && can_form(senders_[node].messages[queue.front()]);
         });
}

}  // namespace weft::npu
