// SPDX-License-Identifier: Apache-2.0
// One NPU: graph player and collective engine behind one network interface.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/probe.h"
#include "config/config.h"
#include "npu/collective/engine/collective_engine.h"
#include "npu/collective/engine/endpoint_cost.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/interface/network_interface.h"
#include "npu/player/graph_player.h"
#include "npu/player/player_tap.h"
#include "npu/player/value_check.h"

namespace weft::npu {

/// Groups as the collective engine sees them, by number.
using CommGroups = std::vector<std::shared_ptr<const CommGroup>>;

/// What all NPUs of a run know from the start. It outlives them, and so does what it points to.
struct NpuSetup {
  PlayerSetup player;  ///< with groups
  ProgramCache* programs = nullptr;
  const CollectiveSpec* collective = nullptr;  ///< algorithm, chunks, data of all collectives
  EndpointCost cost;                           ///< what messages and reductions cost the engines, cycles
  std::optional<RankId> root;                  ///< root of kinds that have one; none = the first of the group
  ValueCheck* values = nullptr;                ///< null in timing mode
  MemoryPorts* memory = nullptr;  ///< who carries out loads and stores; null = the player's model of memory
  Episodes* episodes = nullptr;   ///< who writes down what players do; null = nobody
};

/// An NPU. Deliveries and timers go to player or engine by the owner bits of tag and cookie.
class Npu final : public Endpoint, private CollectiveStarter, private CollectiveListener {
 public:
  /// Attaches itself to `network`. `local`: its own memory, which outlives it; null = a plain limit of bandwidth.
  Npu(const NpuSetup& setup, RankId rank, std::unique_ptr<TraceFeeder> feeder, NetworkInterface& network,
      LocalMemory* local = nullptr);

  /// Starts the first nodes; to be called in the NPU's first cycle.
  void start() { player_.start(); }
  bool finished() const { return player_.finished(); }
  RankId rank() const { return rank_; }
  NodeId node() const { return network_.node(); }
  /// Lets the trace be read beyond its look-ahead; true if that made work. For a run in which nothing moves any more.
  bool look_further() { return player_.look_further(); }

  const RankStatistics& statistics() const { return player_.statistics(); }
  /// The run ends in cycle `now`, before this NPU has finished.
  void stop(Cycle now) { player_.stop(now); }
  /// Messages of sends that have come and that no receive has asked for.
  const std::map<ReceiveKey, std::uint64_t>& unreceived() const { return player_.unreceived(); }
  /// Data of collectives that nobody here has asked for, as a sentence; "" if there is none.
  std::string unasked_data() const { return engine_.unasked(); }
  /// How much is done of the collectives under way, each of them counting from 0 to 1.
  double open_share() const { return engine_.open_share(); }
  /// Collectives that this rank has issued and not finished; their end_cycle means nothing.
  std::vector<RankCollective> open_collectives() const { return player_.open_collectives(); }
  /// What the rank waits for, one after the other, as in "waits for receive of 4096 bytes from rank 2, tag 7 (trace
  /// node 12)".
  std::vector<std::string> waiting_for() const;
  /// What it does: "" or for example "all_reduce_0 chunk 1 step 3 | compute fwd_m0_l2_qkv".
  NodeActivity activity() const;
  std::string state() const { return activity().text; }
  /// Is called when `activity` has changed, with the cycle and the new one, and when a collective begins with an
  /// activity that names it, followed in the same cycle by the one that stays. Costs nothing when not set.
  void set_state_listener(std::function<void(Cycle, const NodeActivity&)> listener);

  // Endpoint
  void on_data(const Delivery& delivery) override;
  void on_sent(MessageId id) override;
  void on_timer(std::uint64_t cookie) override;
  void fetch_ahead(int depth) const override { engine_.fetch_ahead(depth); }
  bool timer_stays(std::uint64_t cookie) const override;
  bool timer_streams(std::uint64_t cookie) const override;
  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;
  void put_timer(StateForm& form, std::uint64_t cookie) override;
  void put_message(StateForm& form, MessageId id) override;

 private:
  // CollectiveStarter
  void start(const CollectiveOrder& order) override;
  std::string algorithm_of(const CollectiveOrder& order) override;
  bool goes_in_order(std::uint32_t group, CollectiveKind kind) override;
  std::string waiting_for(std::uint64_t handle) const override { return engine_.waiting_for(handle); }
  // CollectiveListener
  void on_collective_done(const CollectiveDone& done) override;

  void memory_done(std::uint64_t handle);
  void note_message(const Delivery& delivery);
  std::uint32_t root_index(const CollectiveOrder& order) const;
  void report_begin(const CollectiveRequest& request);
  void report_state();

  const NpuSetup& setup_;
  RankId rank_;
  NetworkInterface& network_;
  CollectiveEngine engine_;
  std::unique_ptr<MemoryPort> memory_;
  std::unique_ptr<PlayerTap> tap_;  ///< null = nobody writes down what the player does
  GraphPlayer player_;
  /// Values mode: what is under way, by handle.
  struct OpenValues {
    ValueJob job;
    std::uint32_t member = 0;
  };
  std::map<std::uint64_t, OpenValues> open_values_;
  struct StateListener {
    std::function<void(Cycle, const NodeActivity&)> tell;
    NodeActivity last;  ///< what it was told last
  };
  std::unique_ptr<StateListener> state_listener_;  ///< null = nobody
};

}  // namespace weft::npu
