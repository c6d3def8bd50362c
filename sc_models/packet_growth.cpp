// SPDX-License-Identifier: Apache-2.0
#include "sc_models/packet_growth.h"

namespace weft::sc_models {

std::optional<PacketGrowth> PacketGrowth::between(const Packet& before, const Packet& behind) {
  PacketGrowth growth;
  growth.sequence = std::uint64_t{behind.sequence} - before.sequence;
  growth.message_sequence = std::uint64_t{behind.message_sequence} - before.message_sequence;
  growth.tag = behind.tag - before.tag;
  growth.offset = behind.offset - before.offset;
  growth.created = behind.created - before.created;
  growth.injected = behind.injected - before.injected;
  const Packet reached = growth.later(before, 1);
  const bool alike = before.offset <= behind.offset && reached.src == behind.src && reached.dst == behind.dst &&
                     reached.flits == behind.flits && reached.flits_received == behind.flits_received &&
                     reached.dst_x == behind.dst_x && reached.dst_y == behind.dst_y && reached.via_x == behind.via_x &&
                     reached.via_y == behind.via_y && reached.route_bits == behind.route_bits &&
                     reached.message_class == behind.message_class && reached.hops == behind.hops &&
                     reached.measured == behind.measured && reached.follows_route == behind.follows_route &&
                     reached.flow == behind.flow && reached.bytes == behind.bytes &&
                     reached.switch_flow == behind.switch_flow && reached.message_bytes == behind.message_bytes &&
                     before.payload == nullptr && behind.payload == nullptr;
  return alike ? std::optional<PacketGrowth>(growth) : std::nullopt;
}

Packet PacketGrowth::later(Packet packet, std::uint64_t periods) const {
  packet.sequence = static_cast<std::uint32_t>(packet.sequence + periods * sequence);
  packet.message_sequence = static_cast<std::uint32_t>(packet.message_sequence + periods * message_sequence);
  packet.tag += periods * tag;
  packet.offset += periods * offset;
  packet.created += periods * created;
  packet.injected += periods * injected;
  return packet;
}

}  // namespace weft::sc_models
