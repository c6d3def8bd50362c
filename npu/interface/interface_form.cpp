// SPDX-License-Identifier: Apache-2.0
// The state of network interfaces for comparing it with itself a period before. Only nodes with one port into a router,
// whose messages go on set-up routes, take part.
#include <algorithm>

#include "base/state_form.h"
#include "npu/interface/message_interfaces.h"
#include "npu/interface/router_sending.h"

namespace weft::npu {

void MessageInterfaces::set_latency_tap(std::vector<Cycle>* latencies, std::vector<Cycle>* network_latencies) {
  latencies_ = latencies;
  network_latencies_ = network_latencies;
}

void MessageInterfaces::put_state(StateForm& form) {
  if (message_probe_ != nullptr) return form.refuse("somebody watches messages");
  if (train_fabric_ != nullptr) return form.refuse("packets that go as trains do not take part yet");
  form.time(now_);
  sending_->put_state(form);
  for (Node& node : nodes_) {
    if (form.failed()) return;
    form.grows(node.packets_received);
    form.grows(node.flits_received);
    form.same(node.incoming.size());
    // A map has no order; with one message there is only one.
    if (node.incoming.size() > 1) return form.refuse("several messages come in at a node side by side");
    for (auto& [key, incoming] : node.incoming) {
      if (!incoming.early.empty()) return form.refuse("packets of a message overtake each other");
      form.same(key);
      form.grows(incoming.delivered);
    }
    if (node.endpoint != nullptr) node.endpoint->put_state(form);
  }
  arriving_.put_state(form, [&](const Arrival& arrival) {
    form.same(std::uint64_t{arrival.node} << 8 | arrival.vc);
    form.flit(*pool_, arrival.flit);
  });
  const auto timer = [&](Timer& each) {
    form.time(each.at);
    form.same(each.node);
    form.same(each.cookie);
    form.grows(each.order);
  };
  near_timers_.put_state(form, timer);
  std::vector<Timer> far;
  for (; !timers_.empty(); timers_.pop()) far.push_back(timers_.top());
  form.same(far.size());
  for (Timer& each : far) timer(each);
  for (const Timer& each : far) timers_.push(each);
  form.grows(timers_set_);
  form.grows(statistics_.hops);
  form.grows(statistics_.packets_received);
  form.grows(statistics_.flits_received);
}

void SendingSide::put_state(StateForm& form) {
  put_port_state(form);
  for (Sender& sender : senders_) {
    if (form.failed()) return;
    put_state(form, sender);
  }
  form.same(active_.size());
  for (const std::uint32_t node : active_) form.same(node);
  credits_.put_state(form, [&](const Credit& credit) { form.same(std::uint64_t{credit.node} << 8 | credit.vc); });
  waits_.put_state(form);
}

void SendingSide::put_state(StateForm& form, Sender& sender) {
  if (!sender.ready.empty()) return form.refuse("messages wait for VCs");
  form.same(std::uint64_t{sender.entering} << 32 | sender.next_injector);
  for (Injector& injector : sender.injectors) {
    form.same(injector.flits_left);
    if (injector.flits_left == 0) continue;
    form.same(std::uint64_t{injector.flits} << 32 | injector.message);
    form.same(std::uint64_t{injector.vc} << 1 | std::uint64_t{injector.last});
    form.packet(*pool_, injector.packet);
  }
  form.same(sender.messages.size());
  for (Outgoing& outgoing : sender.messages) {
    form.same(outgoing.in_use ? 1 : 0);
    if (!outgoing.in_use) continue;
    const MessageFields& message = outgoing.message;
    if (outgoing.payload != nullptr) return form.refuse("messages carry data");
    form.same(message.tag);
    form.same(message.bytes);
    form.same(std::uint64_t{index(message.dst)} << 32 | message.order);
    form.same(std::uint64_t{message.switch_flow} << 32 | message.stripe);
    form.same(static_cast<std::uint64_t>(message.colour) << 32 | std::uint64_t{message.priority} << 16 |
              static_cast<std::uint64_t>(message.message_class) << 8 | std::uint64_t{message.multicast} << 1 |
              std::uint64_t{message.flow});
    form.same(std::uint64_t{outgoing.sequence} << 2 | std::uint64_t{outgoing.all_formed} << 1 |
              std::uint64_t{outgoing.kept});
    form.counts_to(outgoing.released, message.bytes);
    form.counts_to(outgoing.formed, message.bytes);
    form.gap(outgoing.released, outgoing.formed, packet_bytes_);
    form.grows(outgoing.ticket);
    form.grows(outgoing.ready_since);
  }
  form.same(sender.free_messages.size());
  for (const std::uint32_t slot : sender.free_messages) form.same(slot);
  form.same(sender.message_sequence);
  form.grows(sender.tickets);
  form.grows(sender.packet_sequence);
  form.grows(sender.packets_sent);
}

void RouterSending::put_port_state(StateForm& form) {
  ports_.put_state(form);
  for (const std::vector<std::uint32_t>& line : coloured_) {
    form.same(line.size());
    for (const std::uint32_t slot : line) form.same(slot);
  }
}

void InjectionPorts::put_state(StateForm& form) {
  for (Port& port : nodes_) {
    form.same(std::uint64_t{port.free} << 32 | port.draining);
    form.same(port.last_vc);
    for (int vc = 0; vc < vcs_; ++vc) form.same(port.credits[vc].left());
    form.grows(port.flits);
    port.link.put_state(form);
  }
  for (const std::uint32_t taken : taken_colours_) form.same(taken);
  for (const Credits& credits : colour_credits_) form.same(credits.left());
}

}  // namespace weft::npu
