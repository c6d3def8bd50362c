// SPDX-License-Identifier: Apache-2.0
// Stands between the player of one rank and all that it asks for things, so that what it does can be written down and
// done again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "npu/interface/network_interface.h"
#include "npu/player/collective_starter.h"
#include "npu/player/episodes.h"
#include "npu/player/memory_port.h"

namespace weft::npu {

class GraphPlayer;

/// Hands on what a player asks for, and notes it. While episodes are repeated nothing is handed on: an episode says
/// when what was asked for ends.
class PlayerTap {
 public:
  /// All outlive the tap. `memory` may be null.
  PlayerTap(Episodes& episodes, RankId rank, NetworkInterface& network, CollectiveStarter& collectives,
            MemoryPort* memory);
  /// `holds_data`: whether an engine behind the tap has data that nobody has asked for, or something to do.
  void use(GraphPlayer& player, std::function<bool()> holds_data) {
    player_ = &player;
    holds_data_ = std::move(holds_data);
  }
  bool holds_data() const { return holds_data_(); }

  NetworkInterface& network() { return network_; }
  CollectiveStarter& collectives() { return collectives_; }
  MemoryPort* memory() { return memory_.below() == nullptr ? nullptr : &memory_; }
  /// Who is to be told of chunks of collectives; null = nobody.
  ActivityProbe* chunks() { return episodes_.activities() == nullptr ? nullptr : &chunks_; }

  // The player is told something.
  void timer_ends(std::uint64_t cookie);
  void sent(MessageId id);
  /// The last packet of a send's or an announcement's message; `sender` is the rank that sent it.
  void came(const Delivery& delivery, RankId sender);
  void collective_done(std::uint64_t handle);
  void memory_done(std::uint64_t handle);

  /// A new episode begins.
  void begin_episode();
  /// Tells the player what has happened, once more; `sender` sent the message that comes. False: it does not wait for
  /// it.
  bool repeat(const Occurrence& occurrence, const PlayerTap& sender);
  /// When the timers of the player end, by cookie.
  const std::map<std::uint64_t, Cycle>& timers() const { return timers_; }
  void set_timers(std::map<std::uint64_t, Cycle> timers) { timers_ = std::move(timers); }
  GraphPlayer& player() const { return *player_; }

 private:
  class Network final : public NetworkInterface {
   public:
    Network(PlayerTap& tap, NetworkInterface& below) : tap_(tap), below_(below) {}
    NodeId node() const override { return below_.node(); }
    Cycle now() const override;
    MessageId send(const Message& message, std::uint64_t released) override;
    void release(MessageId id, std::uint64_t bytes) override { below_.release(id, bytes); }
    void schedule(Cycle delay, std::uint64_t cookie) override;
    void note_event() override;
    void note_piece(std::uint64_t family) override { below_.note_piece(family); }
    void note_chunk(std::uint32_t left) override { below_.note_chunk(left); }
    void attach(Endpoint& endpoint) override { below_.attach(endpoint); }

   private:
    PlayerTap& tap_;
    NetworkInterface& below_;
  };
  class Collectives final : public CollectiveStarter {
   public:
    Collectives(PlayerTap& tap, CollectiveStarter& below) : tap_(tap), below_(below) {}
    void start(const CollectiveOrder& order) override;
    bool goes_in_order(std::uint32_t group, CollectiveKind kind) override { return below_.goes_in_order(group, kind); }
    std::string algorithm_of(const CollectiveOrder& order) override { return below_.algorithm_of(order); }
    std::string waiting_for(std::uint64_t handle) const override { return below_.waiting_for(handle); }

   private:
    PlayerTap& tap_;
    CollectiveStarter& below_;
  };
  class Memory final : public MemoryPort {
   public:
    Memory(PlayerTap& tap, MemoryPort* below) : tap_(tap), below_(below) {}
    MemoryPort* below() const { return below_; }
    void start(const MemoryOrder& order) override;
    void store_ahead() override;
    bool copies(const CommGroup& group) const override { return below_->copies(group); }
    bool reduces(const CommGroup& group) const override { return below_->reduces(group); }
    void on_data(const Delivery& delivery) override { below_->on_data(delivery); }
    bool on_sent(MessageId id) override { return below_->on_sent(id); }
    void on_timer(std::uint64_t cookie) override { below_->on_timer(cookie); }
    std::string waiting_for(std::uint64_t handle) const override { return below_->waiting_for(handle); }

   private:
    PlayerTap& tap_;
    MemoryPort* below_;
  };

  /// Hands on what the engine tells of chunks.
  class Chunks final : public ActivityProbe {
   public:
    explicit Chunks(PlayerTap& tap) : tap_(tap) {}
    void activity_ended(NodeId node, Activity activity) override;
    void rank_finished(NodeId node, Cycle now) override { tap_.episodes_.activities()->rank_finished(node, now); }

   private:
    PlayerTap& tap_;
  };

  std::size_t ask(PlayerRequest request, std::uint64_t name);
  void note_chunks_of(std::size_t number, const CollectiveOrder& order);
  void tell_chunk(const Occurrence& occurrence);
  void ends(Occurrence::Kind kind, std::map<std::uint64_t, std::size_t>& open, std::uint64_t name);
  Cycle now() const { return network_.now(); }

  Episodes& episodes_;
  std::uint32_t rank_;
  Network network_;
  Collectives collectives_;
  Memory memory_;
  Chunks chunks_;
  GraphPlayer* player_ = nullptr;
  std::function<bool()> holds_data_;
  std::map<std::uint64_t, Cycle> timers_;
  // Numbers of open requests within the episode, by message, by handle of a collective and by that of a load or store.
  std::map<std::uint64_t, std::size_t> open_sends_;
  std::map<std::uint64_t, std::size_t> open_collectives_;
  std::map<std::uint64_t, std::size_t> open_accesses_;
  std::map<std::size_t, Activity> chunks_of_;  ///< how chunks of open collectives are named, by number of the request
  std::vector<std::uint64_t> names_;  ///< of all requests of the episode that is repeated: handle, or tag of a message
};

}  // namespace weft::npu
