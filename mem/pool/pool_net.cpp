// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_net.h"

#include <fmt/format.h>

namespace weft::mem {

PoolNet::PoolNet()
    : CreditLinks(
          1, [](std::uint32_t link, bool /*is_sending*/) { return fmt::format("link {} of the memory pool", link); }) {}

std::uint32_t PoolNet::add_link(const PoolLinkSpec& spec, std::uint32_t from_node, std::uint32_t to_node) {
  return add({spec.flits_per_cycle, spec.latency, spec.latency, spec.buffer_flits}, from_node, to_node);
}

std::uint32_t PoolNet::add_packet(const PoolPacket& packet) {
  if (free_packets_.empty()) {
    packets_.push_back(packet);
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t number = free_packets_.back();
  free_packets_.pop_back();
  packets_[number] = packet;
  return number;
}

std::uint64_t PoolNet::flit_hash(PoolFlit flit, const AccessAges& accesses) const {
  const PoolPacket& packet = packets_[flit.packet];
  StateHash hash;
  hash.add(packet.controller).add(accesses.age(packet.controller, packet.access));
  hash.add(packet.location.lane).add(packet.location.group).add(packet.location.module);
  hash.add(packet.command == Command::kRead ? 1 : 2).add(packet.bytes);
  return hash.add((flit.head ? 1 : 0) + (flit.tail ? 2 : 0)).value();
}

}  // namespace weft::mem
