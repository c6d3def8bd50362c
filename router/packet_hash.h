// SPDX-License-Identifier: Apache-2.0
// What a flit is, for hashes of state: its packet by name and what the packet has still to do, never the index of its
// descriptor.
#pragma once

#include "base/packet.h"
#include "base/random.h"

namespace weft::router::detail {

inline std::uint64_t packet_hash(const Packet& packet) {
  std::uint64_t hash = mix64(index(packet.src) * 0x100000001b3ULL + packet.sequence);
  return mix64(hash ^ (std::uint64_t{index(packet.dst)} << 32 | packet.flits));
}

// What the route ahead of a head flit and its VCs depend on.
inline std::uint64_t route_hash(const Packet& packet) {
  return mix64((std::uint64_t{packet.via_x} << 32 | std::uint64_t{packet.via_y} << 16 |
                std::uint64_t{packet.message_class} << 8 | packet.route_bits));
}

inline std::uint64_t flit_hash(const PacketPool& pool, Flit flit) {
  const Packet& packet = pool[flit.packet()];
  return mix64(packet_hash(packet) + (flit.head() ? route_hash(packet) | 1 : 0) + (flit.tail() ? 2 : 0));
}

}  // namespace weft::router::detail
