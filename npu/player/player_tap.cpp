// SPDX-License-Identifier: Apache-2.0
#include "npu/player/player_tap.h"

#include "base/error.h"
#include "npu/player/graph_player.h"
#include "npu/player/point_to_point.h"

namespace weft::npu {
namespace {

/// Names of messages that are never sent; those of the network interface are slots, and fewer.
constexpr std::uint32_t kNeverSent = 0x80000000;

PlayerRequest request_of(const Message& message) {
  const std::uint64_t announces = owner_of(message.tag) == kAnnouncementOwner ? 1 : 0;
  return {PlayerRequest::Kind::kSend, message.bytes, index(message.dst),
          std::uint64_t{message.priority} << 1 | announces};
}

}  // namespace

PlayerTap::PlayerTap(Episodes& episodes, RankId rank, NetworkInterface& network, CollectiveStarter& collectives,
                     MemoryPort* memory)
    : episodes_(episodes),
      rank_(index(rank)),
      network_(*this, network),
      collectives_(*this, collectives),
      memory_(*this, memory),
      chunks_(*this) {
  episodes.add(*this);
}

Cycle PlayerTap::Network::now() const { return tap_.episodes_.repeats() ? tap_.episodes_.time() : below_.now(); }

void PlayerTap::Network::note_event() {
  if (!tap_.episodes_.repeats()) below_.note_event();
}

// Returns the number of the request within its episode. `name`: what the player calls it by.
std::size_t PlayerTap::ask(PlayerRequest request, std::uint64_t name) {
  request.heard = episodes_.heard_by(rank_);
  request.at = now();
  if (episodes_.repeats()) names_.push_back(name);
  return episodes_.requested(rank_, request);
}

void PlayerTap::Network::schedule(Cycle delay, std::uint64_t cookie) {
  if (tap_.episodes_.is_on()) {
    tap_.timers_[cookie] = now() + delay;
    tap_.ask({PlayerRequest::Kind::kTimer, delay, cookie}, cookie);
  }
  if (!tap_.episodes_.repeats()) below_.schedule(delay, cookie);
}

MessageId PlayerTap::Network::send(const Message& message, std::uint64_t released) {
  if (!tap_.episodes_.is_on()) return below_.send(message, released);
  const PlayerRequest request = request_of(message);
  const std::size_t number = tap_.ask(request, message.tag);
  if (tap_.episodes_.repeats()) return MessageId{kNeverSent | static_cast<std::uint32_t>(number)};
  tap_.episodes_.sends(tap_.rank_, request, message.tag, number);
  const MessageId id = below_.send(message, released);
  tap_.open_sends_[static_cast<std::uint64_t>(id)] = number;
  return id;
}

void PlayerTap::Collectives::start(const CollectiveOrder& order) {
  if (tap_.episodes_.is_on()) {
    const std::uint64_t detail = std::uint64_t{order.priority} << 8 | static_cast<std::uint64_t>(order.kind);
    const std::uint32_t plane = tap_.episodes_.plane_of(order.instance);
    const std::size_t number =
        tap_.ask({PlayerRequest::Kind::kCollective, order.bytes, order.group, detail, plane}, order.handle);
    tap_.note_chunks_of(number, order);
    if (tap_.episodes_.repeats()) return;
    tap_.open_collectives_[order.handle] = number;
  }
  below_.start(order);
}

void PlayerTap::note_chunks_of(std::size_t number, const CollectiveOrder& order) {
  if (episodes_.activities() == nullptr) return;
  Activity& chunk = chunks_of_[number];
  chunk.kind = ActivityKind::kChunk;
  chunk.name = order.name;
  chunk.group = order.group;
  chunk.signature = order.signature;
  chunk.instance = order.instance;
}

void PlayerTap::Chunks::activity_ended(NodeId node, Activity activity) {
  for (const auto& [number, chunk] : tap_.chunks_of_) {
    if (chunk.group != activity.group || chunk.signature != activity.signature || chunk.instance != activity.instance)
      continue;
    const Cycle lasted = activity.end - activity.start;
    tap_.episodes_.occurred(
        {activity.end, tap_.rank_, Occurrence::Kind::kChunkDone, number, 0, activity.chunk, lasted});
    break;
  }
  tap_.episodes_.activities()->activity_ended(node, std::move(activity));
}

void PlayerTap::tell_chunk(const Occurrence& occurrence) {
  Activity chunk = chunks_of_.at(occurrence.number);
  chunk.chunk = occurrence.chunk;
  chunk.end = now();
  chunk.start = chunk.end - occurrence.lasted;
  episodes_.activities()->activity_ended(network_.node(), std::move(chunk));
}

void PlayerTap::Memory::start(const MemoryOrder& order) {
  if (tap_.episodes_.is_on()) {
    const auto kind = order.store ? PlayerRequest::Kind::kStore : PlayerRequest::Kind::kLoad;
    const std::uint64_t group = order.group == nullptr ? kNoGroup : order.group->number;
    const std::size_t number = tap_.ask({kind, order.bytes, group}, order.handle);
    if (tap_.episodes_.repeats()) return;
    tap_.open_accesses_[order.handle] = number;
  }
  below_->start(order);
}

void PlayerTap::Memory::store_ahead() {
  if (!tap_.episodes_.repeats()) below_->store_ahead();
}

void PlayerTap::timer_ends(std::uint64_t cookie) {
  if (!episodes_.is_on()) return;
  timers_.erase(cookie);
  episodes_.occurred({now(), rank_, Occurrence::Kind::kTimer, cookie, 0});
}

void PlayerTap::ends(Occurrence::Kind kind, std::map<std::uint64_t, std::size_t>& open, std::uint64_t name) {
  const auto found = open.find(name);
  if (found == open.end()) return;
  const std::size_t number = found->second;
  open.erase(found);
  episodes_.occurred({now(), rank_, kind, number, 0});
}

void PlayerTap::sent(MessageId id) { ends(Occurrence::Kind::kSent, open_sends_, static_cast<std::uint64_t>(id)); }

void PlayerTap::came(const Delivery& delivery, RankId sender) {
  if (episodes_.is_on()) episodes_.came(rank_, index(sender), network_.node(), delivery.tag, now());
}

void PlayerTap::collective_done(std::uint64_t handle) {
  const auto found = open_collectives_.find(handle);
  if (found != open_collectives_.end()) chunks_of_.erase(found->second);
  ends(Occurrence::Kind::kCollectiveDone, open_collectives_, handle);
}

void PlayerTap::memory_done(std::uint64_t handle) { ends(Occurrence::Kind::kMemoryDone, open_accesses_, handle); }

void PlayerTap::begin_episode() {
  names_.clear();
  chunks_of_.clear();
}

// What a message that comes says of itself is what its sender has sent this time.
bool PlayerTap::repeat(const Occurrence& occurrence, const PlayerTap& sender) {
  const std::uint64_t number = occurrence.number;
  switch (occurrence.kind) {
    case Occurrence::Kind::kTimer:
      timers_.erase(number);
      player_->on_timer(without_owner(number));
      return true;
    case Occurrence::Kind::kSent:
      return player_->on_sent(MessageId{kNeverSent | static_cast<std::uint32_t>(number)});
    case Occurrence::Kind::kCollectiveDone:
      player_->collective_done(names_[number]);
      return true;
    case Occurrence::Kind::kMemoryDone:
      player_->memory_done(names_[number]);
      return true;
    case Occurrence::Kind::kChunkDone:
      tell_chunk(occurrence);
      return true;
    case Occurrence::Kind::kCome:
      break;
  }
  Delivery delivery;
  delivery.src = sender.network_.node();
  delivery.tag = sender.names_[number];
  delivery.message_bytes = episodes_.bytes_of(occurrence);
  delivery.last = true;
  if (owner_of(delivery.tag) == kAnnouncementOwner) {
    player_->on_announcement(without_owner(delivery.tag));
  } else {
    player_->on_data(delivery, without_owner(delivery.tag));
  }
  return true;
}

}  // namespace weft::npu
