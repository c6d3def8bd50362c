// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/switch_sending.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::npu {
namespace {

/// Who goes first at a link that is free.
constexpr std::array<TrafficClass, kTrafficClasses> kByPriority{TrafficClass::kControl, TrafficClass::kMp,
                                                                TrafficClass::kPp, TrafficClass::kDp};

TrafficClass traffic_class_of_message(const MessageFields& message) {
  return TrafficClass(static_cast<std::uint8_t>(message.message_class));
}

/// What a packet needs to start, and the number that ReadyMessages knows it by.
struct Need {
  Need(TrafficClass on, std::uint32_t size) : traffic_class(on), flits(size) {}
  explicit Need(std::uint64_t number)
      : traffic_class(TrafficClass(static_cast<std::uint8_t>(number >> 32))),
        flits(static_cast<std::uint32_t>(number)) {}
  std::uint64_t number() const { return std::uint64_t{static_cast<std::uint8_t>(traffic_class)} << 32 | flits; }
  TrafficClass traffic_class;
  std::uint32_t flits;
};

VcId vc_of(std::uint32_t port, TrafficClass traffic_class) { return plane_vc(static_cast<int>(port), traffic_class); }

}  // namespace

SwitchSending::SwitchSending(const Config& config, const std::vector<NodeId>& nodes)
    : SendingSide(config, nodes, static_cast<std::size_t>(config.fabric.fred.planes),
                  static_cast<std::size_t>(config.fabric.fred.planes)),
      ports_(config.fabric, nodes),
      queues_(nodes.size()) {
  for (Queues& queues : queues_) queues.credits.resize(std::size_t{ports_.per_node()} * kTrafficClasses);
}

bool SwitchSending::keeps(std::uint32_t node, std::uint32_t slot) {
  const MessageFields& message = senders_[node].messages[slot].message;
  if (message.switch_flow == kNoFlow) return false;
  if (train_fabric() != nullptr && train_fabric()->is_striped(message.switch_flow)) ++queues_[node].striped_messages;
  queues_[node].flows[static_cast<std::size_t>(message.message_class)].push_back(slot);
  return true;
}

// A packet starts when there are credits for all of it.
std::uint64_t SwitchSending::need_of(std::uint32_t, const Outgoing& outgoing) const {
  const Need need{traffic_class_of_message(outgoing.message), flits_of(packet_size(outgoing))};
  check_size(need.traffic_class, need.flits);
  return need.number();
}

void SwitchSending::check_size(TrafficClass traffic_class, std::uint32_t flits) const {
  WEFT_CHECK(
      flits <= ports_.depth(traffic_class),
      fmt::format("a packet of {} flits is sent into a traffic class whose buffers have {}: it would never start",
                  flits, ports_.depth(traffic_class)));
}

void SwitchSending::start_packets(std::uint32_t node, Cycle now) {
  const Sender& sender = senders_[node];
  const unsigned waiting = waiting_classes(node);
  for (const TrafficClass traffic_class : kByPriority) {
    if ((waiting >> static_cast<unsigned>(traffic_class) & 1U) == 0) continue;
    while (sender.entering < ports_.per_node() && start_of_traffic_class(node, traffic_class, now)) {
    }
  }
}

// The traffic classes that have messages, as bits.
unsigned SwitchSending::waiting_classes(std::uint32_t node) const {
  unsigned classes = 0;
  senders_[node].ready.for_each_need(
      [&](std::uint64_t number) { classes |= 1U << static_cast<unsigned>(Need(number).traffic_class); });
  const auto& flows = queues_[node].flows;
  for (std::size_t traffic_class = 0; traffic_class < flows.size(); ++traffic_class) {
    classes |= static_cast<unsigned>(!flows[traffic_class].empty()) << traffic_class;
  }
  return classes;
}

bool SwitchSending::inject_from(std::uint32_t node, Cycle now) {
  if (train_fabric() != nullptr) return inject_trains(node, now);
  Sender& sender = senders_[node];
  start_packets(node, now);
  bool again = false;
  for (std::uint32_t port = 0; port < ports_.per_node(); ++port) {
    Injector& injector = sender.injectors[port];
    if (injector.flits_left > 0 && ports_.link_open(node, port, now)) put_on_link(ports_, node, injector, now);
    again |= !ports_.link_open(node, port, now);  // also behind a tail: the next packet starts when it is open again
  }
  return again;
}

// Starts one packet of `traffic_class`: of the oldest flow message, or of the message that is next; the one of
// higher priority, the flow first where they are equal. False if neither finds a port.
bool SwitchSending::start_of_traffic_class(std::uint32_t node, TrafficClass traffic_class, Cycle now) {
  Sender& sender = senders_[node];
  int port = -1;  // of the message that was chosen last
  const std::size_t queue = sender.ready.choose([&](std::uint64_t number) {
    const Need need(number);
    const int found = need.traffic_class == traffic_class ? port_for(node, traffic_class, need.flits, now) : -1;
    if (found >= 0) port = found;
    return found >= 0;
  });
  const bool any = queue != ReadyMessages::kNone;
  const Precedence first_ready = any ? sender.ready.precedence(queue) : Precedence{};
  if (start_flow(node, traffic_class, any ? &first_ready : nullptr, now)) return true;
  if (!any) return false;
  const std::uint32_t slot = sender.ready.slot(queue);
  queues_[node].next_port = (static_cast<std::uint32_t>(port) + 1) % ports_.per_node();
  start_on(node, slot, static_cast<std::uint32_t>(port), now);
  line_up_again(node, queue);
  return true;
}

// Starts a packet of the oldest flow message of `traffic_class`, unless there is none, its port does not take it, or
// the message with the precedence `before` has a lower rank. All packets of number k of a flow meet in one plane, so
// that only its port will do.
bool SwitchSending::start_flow(std::uint32_t node, TrafficClass traffic_class, const Precedence* before, Cycle now) {
  auto& flows = queues_[node].flows[static_cast<std::size_t>(traffic_class)];
  if (flows.empty()) return false;
  const std::uint32_t slot = flows.front();
  const Outgoing& flow = senders_[node].messages[slot];
  if (!can_form(flow) || (before != nullptr && before->rank < rank_of(flow.message))) return false;
  const std::uint32_t flits = flits_of(packet_size(flow));
  check_size(traffic_class, flits);
  const std::uint32_t port = port_of_flow(flow);
  if (!can_start(node, vc_of(port, traffic_class), flits, now)) return false;
  start_on(node, slot, port, now);
  if (flow.all_formed) flows.pop_front();
  return true;
}

void SwitchSending::start_on(std::uint32_t node, std::uint32_t slot, std::uint32_t port, Cycle now) {
  Sender& sender = senders_[node];
  const VcId vc = vc_of(port, traffic_class_of_message(sender.messages[slot].message));
  if (train_fabric() == nullptr) ports_.start(node, vc);
  form_packet(node, slot, sender.injectors[port], vc);
  enter(node, sender.injectors[port], now);
  if (train_fabric() != nullptr) send_train(node, sender.injectors[port], now);
}

// ---- packets as trains: what happens between the start of a packet and the next decision is known, so that a node is
// asked again only when a link is free, credits for all of a packet have come, a message has left, or bytes of one
// become ready. Credits are counted when a packet may start.

void SwitchSending::send_train(std::uint32_t node, Injector& injector, Cycle now) {
  const VcId vc{injector.vc};
  const std::uint32_t port = SwitchPorts::port_of(vc);
  const FlitTrain& departures = ports_.send_all(node, vc, injector.flits, now);
  injector.tail_at = departures.last();
  note_sent(node, port, now);
  train_fabric()->inject(node, vc, injector.packet, departures.later(ports_.travel(node)));
  wake(node, ports_.next_slot(node, port, now + 1));
  if (injector.last && injector.tail_at > now) wake(node, injector.tail_at);
}

bool SwitchSending::inject_trains(std::uint32_t node, Cycle now) {
  if (now > 0) end_trains(node, now - 1);
  start_packets(node, now);
  end_trains(node, now);
  bool again = false;
  for (std::uint32_t port = 0; port < ports_.per_node(); ++port) {
    ports_.link_open(node, port, now) ? wake_for_credits(node, port, now) : void(again = true);
  }
  return again;
}

// The packets whose tails have left up to and with cycle `now`.
void SwitchSending::end_trains(std::uint32_t node, Cycle now) {
  for (Injector& injector : senders_[node].injectors) {
    if (injector.flits_left > 0 && injector.tail_at <= now) end_train(node, injector, now);
  }
}

// Counts the credits for `vc` that have come up to and with cycle `now`.
void SwitchSending::take_train_credits(std::uint32_t node, VcId vc, Cycle now) {
  TrainQueue& coming = queues_[node].credits[index(vc)];
  if (!coming.empty() && coming.next() <= now) ports_.credits_back(node, vc, coming.pop_until(now));
}

// Calls visit(traffic class, flits) for the packets that could go on the link of `port` next if it were free.
template <typename Visit>
void SwitchSending::for_each_waiting(std::uint32_t node, std::uint32_t port, Visit visit) const {
  const Sender& sender = senders_[node];
  sender.ready.for_each_need([&](std::uint64_t number) {
    const Need need(number);
    visit(need.traffic_class, need.flits);
  });
  for (std::size_t traffic_class = 0; traffic_class < kTrafficClasses; ++traffic_class) {
    const auto& flows = queues_[node].flows[traffic_class];
    if (flows.empty()) continue;
    const Outgoing& flow = sender.messages[flows.front()];
    if (!can_form(flow) || port_of_flow(flow) != port) continue;
    visit(TrafficClass(static_cast<std::uint8_t>(traffic_class)), flits_of(packet_size(flow)));
  }
}

// Asks the node again when credits for what waits for the free link of `port` have come. A message that was sent when
// another one left has not asked for them yet, and may go in the next cycle.
void SwitchSending::wake_for_credits(std::uint32_t node, std::uint32_t port, Cycle now) {
  Cycle next = kNever;
  for_each_waiting(node, port, [&](TrafficClass traffic_class, std::uint32_t flits) {
    const VcId vc = vc_of(port, traffic_class);
    take_train_credits(node, vc, now);
    next = std::min(next, credits_come(node, vc, flits));
  });
  if (next != kNever) wake(node, next);
}

// When the credits for `flits` flits that `vc` lacks will have come; kNever if that is not known.
Cycle SwitchSending::credits_come(std::uint32_t node, VcId vc, std::uint32_t flits) const {
  const auto left = static_cast<std::uint32_t>(ports_.credits(node, vc));
  return left < flits ? queues_[node].credits[index(vc)].nth(flits - left) : kNever;
}

void SwitchSending::credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals) {
  queues_[node].credits[index(vc)].push(arrivals);
  for_each_waiting(node, SwitchPorts::port_of(vc), [&](TrafficClass traffic_class, std::uint32_t flits) {
    if (traffic_class != traffic_class_of(vc)) return;
    const Cycle at = credits_come(node, vc, flits);
    if (at != kNever && at >= arrivals.next()) wake(node, at);  // those before are not enough
  });
}

// Whether the next packet of some message could start if its link were free and had credits.
bool SwitchSending::may_go_on(std::uint32_t node) const {
  const auto& flows = queues_[node].flows;
  return !senders_[node].ready.empty() || std::any_of(flows.begin(), flows.end(), [&](const auto& queue) {
    return !queue.empty() && can_form(senders_[node].messages[queue.front()]);
  });
}

void SwitchSending::settle(Cycle end) {
  if (train_fabric() == nullptr) return;
  ports_.settle(end);
  for (std::uint32_t node = 0; node < queues_.size(); ++node) {
    for (std::size_t vc = 0; vc < queues_[node].credits.size(); ++vc) {
      take_train_credits(node, VcId{static_cast<std::uint8_t>(vc)}, end);
    }
    for (Injector& injector : senders_[node].injectors) {
      if (injector.flits_left > 0 && injector.tail_at <= end && !injector.last) end_train(node, injector, end);
    }
  }
}

// Whether a packet of `flits` flits can start on `vc` in cycle `now`.
bool SwitchSending::can_start(std::uint32_t node, VcId vc, std::uint32_t flits, Cycle now) {
  if (!ports_.link_free(node, SwitchPorts::port_of(vc), now)) return false;
  take_train_credits(node, vc, now);
  return ports_.has_credits(node, vc, flits);
}

// The port that takes a packet of `flits` flits in cycle `now`, -1 if none does.
int SwitchSending::port_for(std::uint32_t node, TrafficClass traffic_class, std::uint32_t flits, Cycle now) {
  for (std::uint32_t step = 0; step < ports_.per_node(); ++step) {
    const std::uint32_t port = (queues_[node].next_port + step) % ports_.per_node();
    if (can_start(node, vc_of(port, traffic_class), flits, now)) return static_cast<int>(port);
  }
  return -1;
}

// A packet starts on a port as soon as its link is free and there are credits for all of it.
void SwitchSending::note_waits(std::uint32_t node, bool, Cycle now) {
  for (std::uint32_t port = 0; port < ports_.per_node(); ++port) {
    const bool idle = senders_[node].injectors[port].flits_left == 0 && ports_.link_open(node, port, now);
    const bool waits = idle && waits_for(node, port);
    set_wait(node, port, waits ? StallReason::kNoCredit : StallReason::kNone, now);
  }
}

// Whether something could go on the link of `port` if there were credits.
bool SwitchSending::waits_for(std::uint32_t node, std::uint32_t port) const {
  bool any = false;
  for_each_waiting(node, port, [&](TrafficClass, std::uint32_t) { any = true; });
  return any;
}

bool SwitchSending::something_waits(std::uint32_t node) const {
  return SendingSide::something_waits(node) || may_go_on(node);
}

}  // namespace weft::npu
