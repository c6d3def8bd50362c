// SPDX-License-Identifier: Apache-2.0
// Network interfaces in front of FRED switches: one link per plane, packets striped over the planes.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "npu/interface/message_interfaces.h"

namespace weft::npu {
namespace {

/// Who goes first at a link that is free.
constexpr std::array<Circuit, kCircuits> kByPriority{Circuit::kControl, Circuit::kMp, Circuit::kPp, Circuit::kDp};

Circuit circuit_of_message(const Message& message) { return Circuit(static_cast<std::uint8_t>(message.message_class)); }

bool goes_before(const Message& a, const Message& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.order < b.order;
}

}  // namespace

void MessageInterfaces::make_sendable(std::uint32_t node, std::uint32_t slot) {
  const Message& message = nodes_[node].messages[slot].message;
  if (message.switch_flow == kNoFlow) {
    nodes_[node].sendable.push_back(slot);
    return;
  }
  WEFT_CHECK(planes_ != nullptr, "a flow of FRED switches is sent into a fabric without them");
  plane_queues_[node].flows[static_cast<std::size_t>(message.message_class)].push_back(slot);
}

// Several planes may bring a node flits in one cycle, and links that repair losses a whole packet. Whoever steps the
// fabric's parts in whatever order: they are taken by node, then plane and circuit, from head to tail.
void MessageInterfaces::sort_arrivals(Cycle now) {
  auto& arrivals = arriving_.at(now);
  std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
    const bool a_behind = !a.flit.head();
    const bool b_behind = !b.flit.head();
    const bool a_last = a.flit.tail();
    const bool b_last = b.flit.tail();
    return std::tie(a.node, a.vc, a_behind, a_last) < std::tie(b.node, b.vc, b_behind, b_last);
  });
}

// Sends what the planes' links take in this cycle. Returns whether the node has to be asked again in the next one.
bool MessageInterfaces::inject_planes(std::uint32_t node, Cycle now) {
  for (const Circuit circuit : kByPriority) {
    while (start_of_circuit(node, circuit, now)) {
    }
  }
  bool again = false;
  for (int plane = 0; plane < planes_->planes(); ++plane) {
    Injector& injector = nodes_[node].injectors[static_cast<std::size_t>(plane)];
    if (injector.flits_left > 0 && planes_->link_open(node, plane, now)) send_plane_flit(node, injector, now);
    again |= !planes_->link_open(node, plane, now);  // also behind a tail: the next packet starts when it is open again
  }
  return again;
}

// Starts one packet of `circuit`: of the oldest flow message, or of the message whose turn it is; the one of higher
// priority, the flow first where they are equal. False if neither finds a plane.
bool MessageInterfaces::start_of_circuit(std::uint32_t node, Circuit circuit, Cycle now) {
  Node& sender = nodes_[node];
  auto& flows = plane_queues_[node].flows[static_cast<std::size_t>(circuit)];
  std::vector<std::uint32_t>::iterator turn = sender.sendable.end();
  int plane = -1;
  for (auto it = sender.sendable.begin(); it != sender.sendable.end(); ++it) {
    const Outgoing& outgoing = sender.messages[*it];
    if (circuit_of_message(outgoing.message) != circuit || !can_form(outgoing)) continue;
    if (turn != sender.sendable.end() && !goes_before(outgoing.message, sender.messages[*turn].message)) continue;
    const int found = plane_for(node, outgoing, now);
    if (found < 0) continue;
    turn = it;
    plane = found;
  }
  if (!flows.empty()) {
    const Outgoing& flow = sender.messages[flows.front()];
    const int flow_plane = can_form(flow) ? plane_for(node, flow, now) : -1;
    const bool first = plane < 0 || !goes_before(sender.messages[*turn].message, flow.message);
    if (flow_plane >= 0 && first) {
      const std::uint32_t slot = flows.front();
      start_on(node, slot, flow_plane, now);
      if (sender.messages[slot].all_formed) flows.pop_front();
      return true;
    }
  }
  if (plane < 0) return false;
  const std::uint32_t slot = *turn;
  sender.sendable.erase(turn);
  plane_queues_[node].next_plane = (plane + 1) % planes_->planes();
  start_on(node, slot, plane, now);
  if (!sender.messages[slot].all_formed) sender.sendable.push_back(slot);
  return true;
}

void MessageInterfaces::start_on(std::uint32_t node, std::uint32_t slot, int plane, Cycle now) {
  Node& sender = nodes_[node];
  const VcId vc = plane_vc(plane, circuit_of_message(sender.messages[slot].message));
  planes_->start(node, vc);
  const std::uint64_t offset = sender.messages[slot].formed;
  form_packet(node, slot, sender.injectors[static_cast<std::size_t>(plane)], index(vc), now);
  if (message_probe_ != nullptr) {
    message_probe_->packet_entered(sender.id, now, sender.messages[slot].sequence, offset);
  }
}

// The plane that takes the message's next packet in cycle `now`, -1 if none does. All packets of number k of a flow
// meet in one plane, so that only that one will do.
int MessageInterfaces::plane_for(std::uint32_t node, const Outgoing& outgoing, Cycle now) const {
  const Message& message = outgoing.message;
  const Circuit circuit = circuit_of_message(message);
  const auto planes = static_cast<std::uint32_t>(planes_->planes());
  const std::uint32_t flits = flits_of(packet_size(outgoing));
  WEFT_CHECK(flits <= planes_->depth(circuit),
             fmt::format("a packet of {} flits is sent into a circuit whose buffers have {}: it would never start",
                         flits, planes_->depth(circuit)));
  if (message.switch_flow != kNoFlow) {
    const std::uint64_t number = outgoing.formed / packet_bytes_;
    const auto plane = static_cast<int>((message.stripe + number) % planes);
    return planes_->can_start(node, plane_vc(plane, circuit), flits, now) ? plane : -1;
  }
  for (std::uint32_t step = 0; step < planes; ++step) {
    const auto plane = static_cast<int>((static_cast<std::uint32_t>(plane_queues_[node].next_plane) + step) % planes);
    if (planes_->can_start(node, plane_vc(plane, circuit), flits, now)) return plane;
  }
  return -1;
}

void MessageInterfaces::send_plane_flit(std::uint32_t node, Injector& injector, Cycle now) {
  Node& sender = nodes_[node];
  const VcId vc{injector.vc};
  const bool head = injector.flits_left == injector.flits;
  const bool tail = injector.flits_left == 1;
  if (probe_ != nullptr) {
    probe_->flit_sent(now, plane_link(sender.id, plane_of(vc), planes_->planes()), circuit_vc(circuit_of(vc)),
                      {sender.id, (*pool_)[injector.packet].sequence}, head, tail, planes_->credits(node, vc) - 1);
  }
  if (waits_.active()) {
    waits_.sent(static_cast<std::size_t>(node) * static_cast<std::size_t>(planes_->planes()) +
                    static_cast<std::size_t>(plane_of(vc)),
                now);
  }
  planes_->send(node, vc, Flit(injector.packet, head, tail), now, *fabric_);
  --injector.flits_left;
  if (!tail) return;
  ++sender.packets_sent;
  if (injector.last) finish_message(node, injector.message);
}

}  // namespace weft::npu
