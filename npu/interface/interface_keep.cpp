// SPDX-License-Identifier: Apache-2.0
// The state of network interfaces in a checkpoint, and of the endpoints behind them.
#include "base/checkpoint.h"
#include "npu/interface/message_interfaces.h"
#include "npu/interface/payload_keeper.h"
#include "npu/interface/router_sending.h"
#include "npu/interface/switch_sending.h"

namespace weft::npu {
namespace {

void keep_fields(Checkpoint& checkpoint, MessageFields& message) {
  checkpoint.values(message.tag, message.bytes, message.dst, message.order, message.switch_flow, message.stripe,
                    message.colour, message.message_class, message.priority, message.multicast, message.flow);
}

}  // namespace

void MessageInterfaces::keep(Checkpoint& checkpoint) {
  checkpoint.section("network interfaces");
  checkpoint.values(now_, timers_set_, events_);
  sending_->keep(checkpoint);
  checkpoint.all(nodes_, [&](Node& node) { keep(checkpoint, node); });
  arriving_.keep(checkpoint, [&](Arrival& arrival) { checkpoint.values(arrival.node, arrival.flit, arrival.vc); });
  keep_timers(checkpoint);
  PayloadKeeper payloads(checkpoint);
  pool_->for_each([&](Packet& packet) { payloads.keep(packet.payload); });
  for (Node& node : nodes_) {
    checkpoint.hashed_values(node.incoming, [&](Incoming& incoming) {
      for (auto& [offset, packet] : incoming.early) payloads.keep(packet.payload);
    });
  }
  sending_->keep_payloads(payloads);
  statistics_.latency.keep(checkpoint);
  statistics_.network_latency.keep(checkpoint);
  checkpoint.values(statistics_.hops, statistics_.packets_received, statistics_.flits_received);
}

void MessageInterfaces::keep(Checkpoint& checkpoint, Node& node) {
  checkpoint.values(node.packets_received, node.flits_received);
  checkpoint.hashed(node.incoming, [&](Incoming& incoming) {
    checkpoint.values(incoming.delivered);
    checkpoint.map(incoming.early, [&](std::uint64_t& offset, Packet& packet) {
      checkpoint.values(offset);
      weft::keep(checkpoint, packet);
    });
  });
  if (checkpoint.loads()) node.last_incoming = nullptr;
  checkpoint.each(node.ejecting, [&](QueueRing<FlitTrain>& trains) {
    checkpoint.queue(trains, [&](FlitTrain& train) { train.keep(checkpoint); });
  });
  bool listens = node.endpoint != nullptr;
  checkpoint.values(listens);
  WEFT_CHECK(listens == (node.endpoint != nullptr), "a checkpoint is of a run with another placement of ranks");
  if (listens) node.endpoint->keep(checkpoint);
}

void MessageInterfaces::keep_timers(Checkpoint& checkpoint) {
  const auto keep_timer = [&](Timer& timer) { checkpoint.values(timer.at, timer.order, timer.node, timer.cookie); };
  near_timers_.keep(checkpoint, keep_timer);
  std::vector<Timer> far;
  for (auto rest = timers_; !rest.empty(); rest.pop()) far.push_back(rest.top());
  checkpoint.each(far, keep_timer);
  if (!checkpoint.loads()) return;
  timers_ = {};
  for (const Timer& timer : far) timers_.push(timer);
}

void SendingSide::keep(Checkpoint& checkpoint) {
  keep_ports(checkpoint);
  checkpoint.all(senders_, [&](Sender& sender) { keep(checkpoint, sender); });
  checkpoint.all(is_active_);
  checkpoint.list(active_);
  credits_.keep(checkpoint, [&](Credit& credit) { checkpoint.values(credit.node, credit.vc); });
  waits_.keep(checkpoint);
}

void SendingSide::keep(Checkpoint& checkpoint, Sender& sender) {
  checkpoint.values(sender.entering, sender.next_injector, sender.credit_missing, sender.tickets,
                    sender.packet_sequence, sender.message_sequence, sender.packets_sent);
  for (Injector& injector : sender.injectors) {
    checkpoint.values(injector.packet, injector.flits_left, injector.flits, injector.message, injector.vc,
                      injector.last, injector.tail_at);
  }
  sender.ready.keep(checkpoint);
  checkpoint.each(sender.messages, [&](Outgoing& outgoing) {
    keep_fields(checkpoint, outgoing.message);
    checkpoint.values(outgoing.released, outgoing.formed, outgoing.ticket, outgoing.ready_since, outgoing.sequence,
                      outgoing.all_formed, outgoing.kept, outgoing.in_use);
  });
  checkpoint.list(sender.free_messages);
}

void SendingSide::keep_payloads(PayloadKeeper& payloads) {
  for (Sender& sender : senders_) {
    for (Outgoing& outgoing : sender.messages) payloads.keep(outgoing.payload);
  }
}

void RouterSending::keep_ports(Checkpoint& checkpoint) {
  ports_.keep(checkpoint);
  checkpoint.all(coloured_, [&](std::vector<std::uint32_t>& line) { checkpoint.list(line); });
}

void SwitchSending::keep_ports(Checkpoint& checkpoint) {
  ports_.keep(checkpoint);
  checkpoint.all(queues_, [&](Queues& queues) {
    for (std::deque<std::uint32_t>& flows : queues.flows) checkpoint.list(flows);
    checkpoint.values(queues.next_port);
    for (TrainQueue& credits : queues.credits) credits.keep(checkpoint);
  });
}

void SwitchPorts::keep(Checkpoint& checkpoint) {
  checkpoint.all(ports_, [&](Port& port) {
    port.rate.keep(checkpoint);
    checkpoint.values(port.flits, port.last_sent, port.taken);
    for (auto& credits : port.credits) credits.keep(checkpoint);
    port.leaving.keep(checkpoint);
  });
}

void InjectionPorts::keep(Checkpoint& checkpoint) {
  checkpoint.all(nodes_, [&](Port& port) {
    port.link.keep(checkpoint);
    checkpoint.values(port.flits, port.free, port.draining, port.last_vc);
    for (Credits& credits : port.credits) credits.keep(checkpoint);
  });
  checkpoint.all(taken_colours_);
  checkpoint.all(colour_credits_, [&](Credits& credits) { credits.keep(checkpoint); });
}

}  // namespace weft::npu
