// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_net.h"

#include <algorithm>

#include "base/error.h"

namespace weft::mem {

std::uint32_t PoolNet::add_link(const PoolLinkSpec& spec, std::uint32_t from_node, std::uint32_t to_node) {
  Link link;
  link.rate = spec.flits_per_cycle;
  link.latency = spec.latency;
  link.from_node = from_node;
  link.to_node = to_node;
  link.credits = spec.buffer_flits;
  link.buffer.resize(spec.buffer_flits);
  links_.push_back(std::move(link));
  return static_cast<std::uint32_t>(links_.size() - 1);
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

void PoolNet::send(std::uint32_t number, PoolFlit flit, Cycle now) {
  Link& link = links_[number];
  WEFT_CHECK(link.credits > 0, "a flit of the memory pool was sent without a credit");
  --link.credits;
  link.slots.send(link.rate, now);
  ++link.figures.flits;
  wheel_.push(now + link.latency, {number, false, flit});
}

void PoolNet::put(Link& link, PoolFlit flit) {
  WEFT_CHECK(link.used < link.buffer.size(), "a flit of the memory pool arrived at a full buffer");
  link.buffer[(link.head + link.count) % link.buffer.size()] = flit;
  ++link.count;
  link.figures.queue_max = std::max(link.figures.queue_max, ++link.used);
}

PoolFlit PoolNet::take(std::uint32_t number) {
  Link& link = links_[number];
  WEFT_CHECK(link.count > 0, "a flit of the memory pool was taken from an empty buffer");
  const PoolFlit flit = link.buffer[link.head];
  link.head = (link.head + 1) % static_cast<std::uint32_t>(link.buffer.size());
  --link.count;
  return flit;
}

void PoolNet::give_back(std::uint32_t number, Cycle now) {
  Link& link = links_[number];
  WEFT_CHECK(link.used > link.count, "a slot of a buffer of the memory pool was given back that holds a flit");
  --link.used;
  wheel_.push(now + link.latency, {number, true, {}});
}

bool PoolNet::at_rest() const {
  return wheel_.empty() && std::all_of(links_.begin(), links_.end(), [](const Link& link) {
           return link.used == 0 && link.credits == link.buffer.size();
         });
}

std::uint64_t PoolNet::flit_hash(PoolFlit flit, const AccessAges& accesses) const {
  const PoolPacket& packet = packets_[flit.packet];
  StateHash hash;
  hash.add(packet.controller).add(accesses.age(packet.controller, packet.access));
  hash.add(packet.place.lane).add(packet.place.group).add(packet.place.module);
  hash.add(packet.command == Command::kRead ? 1 : 2).add(packet.bytes);
  return hash.add((flit.head ? 1 : 0) + (flit.tail ? 2 : 0)).value();
}

std::uint64_t PoolNet::state_hash(Cycle now, const AccessAges& accesses) const {
  StateHash hash;
  for (const Link& link : links_) {
    hash.add(link.credits).add(link.used).add(link.slots.state(link.rate, now)).add(link.count);
    for (std::uint32_t i = 0; i < link.count; ++i)
      hash.add(flit_hash(link.buffer[(link.head + i) % link.buffer.size()], accesses));
  }
  // Events of one cycle have no order.
  std::uint64_t sum = hash.value();
  wheel_.for_each(now, [&](Cycle ahead, const Event& event) {
    StateHash one;
    one.add(ahead).add(event.link).add(event.is_credit ? 0 : flit_hash(event.flit, accesses));
    sum += one.value();
  });
  return sum;
}

}  // namespace weft::mem
