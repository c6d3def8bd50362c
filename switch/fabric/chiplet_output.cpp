// SPDX-License-Identifier: Apache-2.0
// What leaves a chiplet: to another one, to a network interface, or over the border of a group.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {

/// A flit leaves through port `number` of the group.
void ChipletGroup::send(std::uint32_t number, const SentFlit& sent, Cycle now) {
  Port& port = ports_[number];
  // A slow link carries the flit for several cycles.
  for (Cycle cycle = 0; cycle < port.peer.flit_cycles; ++cycle) stall_clocks_[number].sent(now + cycle);
  if (sent.flit.head) {
    const bool flow = sent.flit.setting != kUnicasts;
    port.sending = flow ? packet_leaves(sent.flit.packet) : sent.flit.packet;
    ++port.counters.packets;
  }
  ++port.counters.flits;
  port.counters.last_sent = now;
  ++flits_moved_;
  if (probe_ != nullptr) {
    const Packet& packet = (*pool_)[port.sending];
    const SwitchModel& fred = switch_at(port.chiplet);
    probe_->flit_sent(now, topology_.link_of(port.chiplet, port.number), VcId{sent.flit.traffic_class},
                      {packet.src, packet.sequence}, sent.flit.head, sent.flit.tail,
                      static_cast<int>(fred.credits(PortId{port.number}, sent.flit.traffic_class)));
  }
  WEFT_CHECK(port.peer.kind != PortPeer::kNothing,
             fmt::format("{}: a flit leaves through unused port {}", description(port.chiplet).name, port.number));
  if (port.at_border) {
    send_over_border(port, sent, now + port.travel);
  } else {
    send_within(number, sent, now);
  }
}

/// To a chiplet of the group, or to a network interface that shares its pool.
void ChipletGroup::send_within(std::uint32_t number, const SentFlit& sent, Cycle now) {
  Port& port = ports_[number];
  const bool to_node = port.peer.kind == PortPeer::kNode;
  FlitArrival flit{to_node ? number : port.peer_port, port.sending,   kNoData,
                   sent.flit.traffic_class,           sent.flit.head, sent.flit.tail};
  if (to_node && !repairs()) {
    eject(port, flit, sent.data, now + port.travel);
    return;
  }
  if (sent.data != nullptr) flit.data = take_data(sent.data);
  if (!repairs()) {
    flits_.push(now + port.travel, flit);
  } else {
    const std::uint32_t link = to_node ? static_cast<std::uint32_t>(ports_.size()) + number : port.peer_port;
    offer(link, flit, sent.flit.packet_flits, now);
  }
}

/// The descriptor goes with the head; data goes with each flit to a chiplet, with the tail's descriptor to a node.
void ChipletGroup::send_over_border(Port& port, const SentFlit& sent, Cycle at) {
  FlitTransfer transfer{
      traffic_class_vc(TrafficClass(sent.flit.traffic_class)), sent.flit.head, sent.flit.tail, {}, nullptr};
  Packet& packet = (*pool_)[port.sending];
  if (sent.flit.head) {
    transfer.packet = packet;
    // A switch's sender has read its operand, or will have when the tail has come; it does not go on.
    if (sent.flit.setting != kUnicasts) transfer.packet.payload = nullptr;
  }
  if (port.peer.kind == PortPeer::kChiplet) {
    transfer.data = sent.data;
  } else if (sent.data != nullptr) {
    collect_result(port, port.sending, sent.flit.head, sent.flit.tail, sent.data);
    if (sent.flit.tail) transfer.packet.payload = packet.payload;
  }
  if (sent.flit.tail) pool_->release(port.sending);
  border_->send_flit(static_cast<std::uint32_t>(&port - ports_.data()), transfer, at);
}

/// The descriptor for one of a packet's copies: the last one that leaves takes the original.
PacketIndex ChipletGroup::packet_leaves(PacketIndex packet) {
  if (--copies_[packet] == 0) return packet;
  const PacketIndex copy = pool_->allocate();
  (*pool_)[copy] = (*pool_)[packet];
  (*pool_)[copy].payload = nullptr;  // its sender counts on one reader
  return copy;
}

void ChipletGroup::eject(Port& port, const FlitArrival& flit, const std::uint8_t* data, Cycle at) {
  if (data != nullptr) collect_result(port, flit.packet, flit.head, flit.tail, data);
  local_->eject(port.peer.node, plane_vc(port.plane, TrafficClass(flit.traffic_class)),
                Flit(flit.packet, flit.head, flit.tail), at);
}

/// Keeps the bytes of a packet for a node; with its tail they become its data.
void ChipletGroup::collect_result(Port& port, PacketIndex packet, bool head, bool tail, const std::uint8_t* data) {
  Packet& whole = (*pool_)[packet];
  if (head) port.ejected_flits = 0;
  const std::uint64_t first = port.ejected_flits * fabric_.flit_bytes;
  port.result.resize(whole.bytes);
  std::copy_n(data, std::min<std::uint64_t>(fabric_.flit_bytes, whole.bytes - first),
              port.result.begin() + static_cast<std::ptrdiff_t>(first));
  ++port.ejected_flits;
  if (!tail) return;
  packet_data_->made(whole, std::move(port.result));
  port.result = {};
}

std::uint32_t ChipletGroup::take_data(const std::uint8_t* bytes) {
  if (free_data_.empty()) {
    free_data_.push_back(static_cast<std::uint32_t>(data_.size() / fabric_.flit_bytes));
    data_.resize(data_.size() + fabric_.flit_bytes);
  }
  const std::uint32_t slot = free_data_.back();
  free_data_.pop_back();
  std::copy_n(bytes, fabric_.flit_bytes, &data_[slot * fabric_.flit_bytes]);
  return slot;
}

}  // namespace weft::fred
