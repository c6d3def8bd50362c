// SPDX-License-Identifier: Apache-2.0
#include "npu/player/player_tap.h"

#include "base/error.h"
#include "npu/player/graph_player.h"
#include "npu/player/point_to_point.h"

namespace weft::npu {
namespace {

/// Names of messages that are never sent; those of the network interface are slots, and fewer.
constexpr std::uint32_t kNeverSent = 0x80000000;

Request request_of(const Message& message) {
  const std::uint32_t announces = owner_of(message.tag) == kAnnouncementOwner ? 1 : 0;
  return {Request::Kind::kSend, message.bytes, index(message.dst), announces};
}

}  // namespace

PlayerTap::PlayerTap(Episodes& episodes, RankId rank, NetworkInterface& network, CollectiveStarter& collectives,
                     MemoryPort* memory)
    : episodes_(episodes),
      rank_(index(rank)),
      network_(*this, network),
      collectives_(*this, collectives),
      memory_(*this, memory) {
  episodes.add(*this);
}

Cycle PlayerTap::Network::now() const { return tap_.episodes_.repeats() ? tap_.episodes_.time() : below_.now(); }

void PlayerTap::Network::note_event() {
  if (!tap_.episodes_.repeats()) below_.note_event();
}

void PlayerTap::Network::schedule(Cycle delay, std::uint64_t cookie) {
  tap_.timers_[cookie] = now() + delay;
  tap_.episodes_.requested(tap_.rank_, {Request::Kind::kTimer, delay, cookie, 0}, now());
  tap_.names_.push_back(cookie);
  if (!tap_.episodes_.repeats()) below_.schedule(delay, cookie);
}

MessageId PlayerTap::Network::send(const Message& message, std::uint64_t released) {
  const std::size_t number = tap_.episodes_.requested(tap_.rank_, request_of(message), now());
  tap_.names_.push_back(message.tag);
  if (tap_.episodes_.repeats()) return MessageId{kNeverSent | static_cast<std::uint32_t>(number)};
  const MessageId id = below_.send(message, released);
  tap_.open_sends_[static_cast<std::uint64_t>(id)] = number;
  return id;
}

void PlayerTap::Collectives::start(const CollectiveOrder& order) {
  const Request request{Request::Kind::kCollective, order.bytes, order.group, static_cast<std::uint32_t>(order.kind)};
  const std::size_t number = tap_.episodes_.requested(tap_.rank_, request, tap_.now());
  tap_.names_.push_back(order.handle);
  if (tap_.episodes_.repeats()) return;
  tap_.open_collectives_[order.handle] = number;
  below_.start(order);
}

void PlayerTap::Memory::start(const MemoryOrder& order) {
  const Request request{order.store ? Request::Kind::kStore : Request::Kind::kLoad, order.bytes,
                        order.group == nullptr ? kNoGroup : order.group->number, 0};
  const std::size_t number = tap_.episodes_.requested(tap_.rank_, request, tap_.now());
  tap_.names_.push_back(order.handle);
  if (tap_.episodes_.repeats()) return;
  tap_.open_accesses_[order.handle] = number;
  below_->start(order);
}

void PlayerTap::Memory::store_ahead() {
  if (!tap_.episodes_.repeats()) below_->store_ahead();
}

void PlayerTap::timer_ends(std::uint64_t cookie) {
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
  const std::uint32_t announces = owner_of(delivery.tag) == kAnnouncementOwner ? 1 : 0;
  const Request request{Request::Kind::kSend, delivery.message_bytes, index(network_.node()), announces};
  episodes_.came(rank_, index(sender), request, now());
}

void PlayerTap::collective_done(std::uint64_t handle) {
  ends(Occurrence::Kind::kCollectiveDone, open_collectives_, handle);
}

void PlayerTap::memory_done(std::uint64_t handle) { ends(Occurrence::Kind::kMemoryDone, open_accesses_, handle); }

void PlayerTap::begin_episode() { names_.clear(); }

// What a message that comes says of itself is what its sender has sent this time.
void PlayerTap::repeat(const Occurrence& occurrence, const PlayerTap& sender) {
  const std::uint64_t number = occurrence.number;
  switch (occurrence.kind) {
    case Occurrence::Kind::kTimer:
      timers_.erase(number);
      return player_->on_timer(without_owner(number));
    case Occurrence::Kind::kSent:
      player_->on_sent(MessageId{kNeverSent | static_cast<std::uint32_t>(number)});
      return;
    case Occurrence::Kind::kCollectiveDone:
      return player_->collective_done(names_.at(number));
    case Occurrence::Kind::kMemoryDone:
      return player_->memory_done(names_.at(number));
    case Occurrence::Kind::kCome:
      break;
  }
  Delivery delivery;
  delivery.src = sender.network_.node();
  delivery.tag = sender.names_.at(number);
  delivery.message_bytes = episodes_.bytes_of(occurrence);
  delivery.last = true;
  if (owner_of(delivery.tag) == kAnnouncementOwner) return player_->on_announcement(without_owner(delivery.tag));
  player_->on_data(delivery, without_owner(delivery.tag));
}

}  // namespace weft::npu
