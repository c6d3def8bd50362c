// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_port.h"

#include <algorithm>

#include "base/error.h"

namespace weft::mem {

PoolPort::PoolPort(PoolNet& net, const PoolSpec& spec, std::uint32_t number, std::vector<std::uint32_t> down,
                   std::vector<std::uint32_t> up)
    : net_(net),
      spec_(spec),
      mapping_(pool_mapping(spec.mapping)),
      number_(number),
      down_(std::move(down)),
      up_(std::move(up)) {}

void PoolPort::submit(const PoolAccess& access, Cycle at) {
  WEFT_CHECK(access.bytes > 0 && access.address + (access.bytes - 1) >= access.address,
             "an access of the memory pool is empty or wraps around");
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {access.id, 0, false, true, submitted_++};
  waiting_.push_back({access, at, slot});
  figures_.queue_max = std::max(figures_.queue_max, waiting_.size());
  ++figures_.accesses;
  (access.command == Command::kRead ? figures_.read_bytes : figures_.written_bytes) += access.bytes;
}

void PoolPort::step(Cycle now) {
  collect(now);
  send(now);
}

void PoolPort::send(Cycle now) {
  while (out_.can_send(spec_.controller_flits_per_cycle, now)) {
    if (sending_.sent == sending_.flits && !cut_next(now)) return;
    if (!net_.can_send(sending_.link, now)) return;
    const bool is_head = sending_.sent == 0;
    ++sending_.sent;
    net_.send(sending_.link, {sending_.packet, is_head, sending_.sent == sending_.flits}, now);
    out_.send(spec_.controller_flits_per_cycle, now);
  }
}

/// Makes the next packet of the first waiting access.
bool PoolPort::cut_next(Cycle now) {
  if (waiting_.empty() || waiting_.front().from > now || under_way_ == spec_.outstanding) return false;
  Waiting& first = waiting_.front();
  PoolPacket packet;
  packet.access = first.slot;
  packet.controller = number_;
  packet.location = mapping_.location(spec_, number_, first.left.address);
  packet.command = first.left.command;
  packet.bytes = std::min({first.left.bytes, spec_.packet_bytes, mapping_.run(spec_, first.left.address)});
  first.left.address += packet.bytes;
  first.left.bytes -= packet.bytes;
  ++slots_[first.slot].packets;
  if (first.left.bytes == 0) {
    slots_[first.slot].is_cut = true;
    waiting_.pop_front();
  }
  ++under_way_;
  sending_ = {net_.add_packet(packet), down_[packet.location.lane], packet.request_flits(spec_.flit_bytes), 0};
  return true;
}

void PoolPort::collect(Cycle now) {
  while (in_.can_send(spec_.controller_flits_per_cycle, now)) {
    const std::size_t from = next_full(next_up_);
    if (from == up_.size()) return;
    const PoolFlit flit = net_.take(up_[from]);
    net_.give_back(up_[from], now);
    in_.send(spec_.controller_flits_per_cycle, now);
    next_up_ = (from + 1) % up_.size();
    if (flit.tail) complete(flit.packet, now);
  }
}

/// The next link in round-robin order that has a flit, or up_.size().
std::size_t PoolPort::next_full(std::size_t first) const {
  for (std::size_t ahead = 0; ahead < up_.size(); ++ahead) {
    const std::size_t link = (first + ahead) % up_.size();
    if (!net_.empty(up_[link])) return link;
  }
  return up_.size();
}

void PoolPort::complete(std::uint32_t packet, Cycle now) {
  const std::uint32_t slot = net_.packet(packet).access;
  net_.drop_packet(packet);
  --under_way_;
  Slot& access = slots_[slot];
  if (--access.packets > 0 || !access.is_cut) return;
  free_slots_.push_back(slot);
  access.is_open = false;
  const std::uint64_t id = access.id;
  if (done_) done_(id, now);
}

Cycle PoolPort::next_work(Cycle now) const {
  Cycle next = kNever;
  const bool is_sending = sending_.sent < sending_.flits;
  const bool can_cut = !waiting_.empty() && under_way_ < spec_.outstanding;
  if (is_sending || can_cut) {
    const Cycle from = is_sending ? now + 1 : std::max(now + 1, waiting_.front().from);
    next = out_.next_slot(spec_.controller_flits_per_cycle, from);
    if (is_sending) {
      const Cycle slot = net_.next_slot(sending_.link, from);
      next = slot == kNever ? kNever : std::max(next, slot);
    }
  }
  if (next_full(0) != up_.size()) next = std::min(next, in_.next_slot(spec_.controller_flits_per_cycle, now + 1));
  return next;
}

std::uint64_t PoolPort::state_hash(Cycle now, const AccessAges& accesses) const {
  const Rational rate = spec_.controller_flits_per_cycle;
  StateHash hash;
  hash.add(out_.state(rate, now)).add(in_.state(rate, now)).add(under_way_).add(next_up_).add(waiting_.size());
  for (const Waiting& waiting : waiting_) {
    hash.add(waiting.left.command == Command::kRead ? 1 : 2).add(waiting.left.address).add(waiting.left.bytes);
    hash.add(waiting.from > now ? waiting.from - now : 0).add(age(waiting.slot));
  }
  if (sending_.sent < sending_.flits) {
    hash.add(net_.flit_hash({sending_.packet, false, false}, accesses)).add(sending_.link);
    hash.add(sending_.flits).add(sending_.sent);
  }
  std::uint64_t sum = hash.value();  // slots have no order
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (!slots_[slot].is_open) continue;
    StateHash one;
    sum += one.add(age(slot)).add(slots_[slot].packets).add(slots_[slot].is_cut ? 1 : 0).value();
  }
  return sum;
}

}  // namespace weft::mem
