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

/// What a packet needs to start, and the number that ReadyMessages knows it by.
struct Need {
  Need(Circuit on, std::uint32_t size) : circuit(on), flits(size) {}
  explicit Need(std::uint64_t number)
      : circuit(Circuit(static_cast<std::uint8_t>(number >> 32))), flits(static_cast<std::uint32_t>(number)) {}
  std::uint64_t number() const { return std::uint64_t{static_cast<std::uint8_t>(circuit)} << 32 | flits; }
  Circuit circuit;
  std::uint32_t flits;
};

VcId vc_of(std::uint32_t port, Circuit circuit) { return plane_vc(static_cast<int>(port), circuit); }

}  // namespace

SwitchSending::SwitchSending(const Config& config, const std::vector<NodeId>& nodes)
    : SendingSide(config, nodes, static_cast<std::size_t>(config.fabric.fred.planes),
                  static_cast<std::size_t>(config.fabric.fred.planes)),
      ports_(config.fabric, nodes),
      queues_(nodes.size()) {}

bool SwitchSending::keeps(std::uint32_t node, std::uint32_t slot) {
  const Message& message = senders_[node].messages[slot].message;
  if (message.switch_flow == kNoFlow) return false;
  queues_[node].flows[static_cast<std::size_t>(message.message_class)].push_back(slot);
  return true;
}

// A packet starts when there are credits for all of it.
std::uint64_t SwitchSending::need_of(std::uint32_t, const Outgoing& outgoing) const {
  const Need need{circuit_of_message(outgoing.message), flits_of(packet_size(outgoing))};
  check_size(need.circuit, need.flits);
  return need.number();
}

void SwitchSending::check_size(Circuit circuit, std::uint32_t flits) const {
  WEFT_CHECK(flits <= ports_.depth(circuit),
             fmt::format("a packet of {} flits is sent into a circuit whose buffers have {}: it would never start",
                         flits, ports_.depth(circuit)));
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
  const std::size_t queue = sender.ready.choose([&](std::uint64_t number) {
    const Need need(number);
    return need.circuit == circuit && port_for(node, circuit, need.flits, now) >= 0;
  });
  const bool any = queue != ReadyMessages::kNone;
  const Turn turn = any ? sender.ready.turn(queue) : Turn{};
  if (start_flow(node, circuit, any ? &turn : nullptr, now)) return true;
  if (!any) return false;
  const std::uint32_t slot = sender.ready.slot(queue);
  const int port = port_for(node, circuit, flits_of(packet_size(sender.messages[slot])), now);
  sender.ready.pop(queue);
  queues_[node].next_port = (static_cast<std::uint32_t>(port) + 1) % ports_.per_node();
  start_on(node, slot, static_cast<std::uint32_t>(port), now);
  line_up(node, slot);
  return true;
}

// Starts a packet of the oldest flow message of `circuit`, unless there is none, its port does not take it, or the
// message of the turn `before` has a lower rank. All packets of number k of a flow meet in one plane, so that only its
// port will do.
bool SwitchSending::start_flow(std::uint32_t node, Circuit circuit, const Turn* before, Cycle now) {
  auto& flows = queues_[node].flows[static_cast<std::size_t>(circuit)];
  if (flows.empty()) return false;
  const std::uint32_t slot = flows.front();
  const Outgoing& flow = senders_[node].messages[slot];
  if (!can_form(flow) || (before != nullptr && before->rank < rank_of(flow.message))) return false;
  const std::uint32_t flits = flits_of(packet_size(flow));
  check_size(circuit, flits);
  const std::uint32_t port = port_of_flow(flow);
  if (!ports_.can_start(node, vc_of(port, circuit), flits, now)) return false;
  start_on(node, slot, port, now);
  if (flow.all_formed) flows.pop_front();
  return true;
}

void SwitchSending::start_on(std::uint32_t node, std::uint32_t slot, std::uint32_t port, Cycle now) {
  Sender& sender = senders_[node];
  const VcId vc = vc_of(port, circuit_of_message(sender.messages[slot].message));
  ports_.start(node, vc);
  form_packet(node, slot, sender.injectors[port], vc);
  enter(node, sender.injectors[port], now);
}

// The port that takes a packet of `flits` flits in cycle `now`, -1 if none does.
int SwitchSending::port_for(std::uint32_t node, Circuit circuit, std::uint32_t flits, Cycle now) const {
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
  const auto may_go_here = [&](const std::deque<std::uint32_t>& flows) {
    if (flows.empty()) return false;
    const Outgoing& flow = sender.messages[flows.front()];
    return can_form(flow) && port_of_flow(flow) == port;
  };
  const auto& flows = queues_[node].flows;
  const bool waits = !sender.ready.empty() || std::any_of(flows.begin(), flows.end(), may_go_here);
  return waits ? StallReason::kNoCredit : StallReason::kNone;
}

bool SwitchSending::something_waits(std::uint32_t node) const {
  const auto& flows = queues_[node].flows;
  return SendingSide::something_waits(node) || std::any_of(flows.begin(), flows.end(), [&](const auto& queue) {
           return !queue.empty() && can_form(senders_[node].messages[queue.front()]);
         });
}

}  // namespace weft::npu
