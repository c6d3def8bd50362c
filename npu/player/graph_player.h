// SPDX-License-Identifier: Apache-2.0
// Plays the workload graph of one rank: decides which node starts when, and on what.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/activity_probe.h"
#include "config/config.h"
#include "npu/interface/network_interface.h"
#include "npu/player/collective_starter.h"
#include "npu/player/compute_model.h"
#include "npu/player/group_table.h"
#include "npu/player/memory_port.h"
#include "npu/player/node_rules.h"
#include "npu/player/rank_statistics.h"
#include "npu/player/receive_matcher.h"
#include "npu/trace/trace_node.h"

namespace weft::npu {

/// What all players of a run know from the start. It outlives them, and so does what it points to.
struct PlayerSetup {
  /// `spec.placement` holds every rank of the workload; `clock` is the domain in which the NPUs count their cycles.
  /// InputError where a rate of `spec` is out of range.
  PlayerSetup(const NpuSpec& its_spec, const ClockSpec& clock, const GroupTable& its_groups)
      : spec(&its_spec), groups(&its_groups), model(its_spec, clock) {}

  const NpuSpec* spec;
  const GroupTable* groups;
  ComputeModel model;
  std::string algorithm;                                  ///< algorithm of collectives, for the records
  MessageClass message_class = MessageClass::kRequest;    ///< message class of sends
  bool in_order = false;                                  ///< some collectives have to be started in one order
  const std::vector<SharedGroup>* comm_groups = nullptr;  ///< by number; needed with `PlayerRank::memory`
  ActivityProbe* activities = nullptr;                    ///< who is told what was done; null = nobody
};

/// What one player knows for itself. The memories outlive it.
struct PlayerRank {
  RankId rank{};
  MemoryPort* memory = nullptr;  ///< null = loads and stores take the time of the memory model
  LocalMemory* local = nullptr;  ///< null = the NPU's own memory is a plain limit of bandwidth
};

/// One rank's graph player.
///
/// A node may start when its data and control dependencies have finished. Compute nodes run one at a time on the
/// accelerator, or on the host where `is_cpu_op` is set; loads and stores run one at a time on the memory port, as
/// local accesses, unless `PlayerRank::memory` carries them out: then they start at once and count as communication. A
/// load of a group that is not copied on its way is a load of a part and an all-gather; a store of a group that is not
/// summed on its way a reduce-scatter and a store of a part. A unit takes the ready nodes in the order in which they
/// became ready (FIFO) or the youngest first (LIFO). Communication starts at once, higher priority first among what is
/// ready in the same cycle; only collectives may have to wait, for one of `npu.max_collectives` slots. A send ends
/// when its tail has left the network interface, a receive when its whole message is here; they match by source,
/// destination, tag and size. Collectives match by order of issue within their group, among those of one kind and size.
/// Those that switches add start in the order in which the group's first member does (AnnouncedOrder). Metadata nodes,
/// nodes of no cycles, collectives of no bytes (barriers excepted) and of one rank end in the cycle in which they
/// start.
///
/// Touches nothing but its own state, its network interface and its collective starter.
class GraphPlayer {
 public:
  GraphPlayer(const PlayerSetup& setup, const PlayerRank& own, std::unique_ptr<TraceFeeder> feeder,
              NetworkInterface& network, CollectiveStarter& collectives);
  ~GraphPlayer();
  GraphPlayer(const GraphPlayer&) = delete;
  GraphPlayer& operator=(const GraphPlayer&) = delete;

  /// Starts the first nodes. To be called once, in the NPU's first cycle.
  void start();
  /// A packet of a point-to-point message; `tag` is the sender's trace tag.
  void on_data(const Delivery& delivery, std::uint64_t tag);
  /// The first member of a group has started a collective; `tag` as it came, without its owner.
  void on_announcement(std::uint64_t tag);
  /// False: the message is not one of the player's.
  bool on_sent(MessageId id);
  /// A unit's work has ended; `unit` is what the player gave to `schedule`, without its owner bits.
  void on_timer(std::uint64_t unit);
  void collective_done(std::uint64_t handle);
  /// A load or store that `PlayerRank::memory` carries out has ended.
  void memory_done(std::uint64_t handle);

  /// Gives `form` its state. What a player has and knows only changes with its events, so their number is all of it.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// Gives `form` what a message that is being sent is for. False: it is not one of the player's.
  bool put_message(StateForm& form, MessageId id) const;

  /// Lets the feeder read beyond its look-ahead and plays on; true if that made a node ready. Not part of a rank's own
  /// doing: for a run in which nothing moves any more, because what others wait for lies further down in a trace.
  bool look_further();

  /// From here on what is read of the trace is remembered, so that `keep` can go back to before it was read; or no
  /// longer.
  void remember_reads(bool remembered) { feeder_->remember(remembered); }

  /// True when every node of the trace has finished.
  bool finished() const { return finished_; }
  const RankStatistics& statistics() const { return statistics_; }
  /// The run ends in cycle `now`: what is under way is counted, and told, up to then.
  void stop(Cycle now);
  /// Collectives issued and not finished; their end_cycle means nothing.
  std::vector<RankCollective> open_collectives() const;
  /// What the rank does, for each thing that is under way or cannot be matched, as in "waits for its send to leave";
  /// empty when finished and nothing is left over.
  std::vector<std::string> waiting_for() const;
  /// Messages that have come and that no receive has asked for.
  const std::map<ReceiveKey, std::uint64_t>& unreceived() const;
  /// "compute NAME", or "" when neither accelerator nor host runs.
  std::string state() const;
  /// Is called after the text of `state` may have changed.
  void set_state_listener(std::function<void()> listener) { state_listener_ = std::move(listener); }

 private:
  enum Unit : std::size_t { kAccelerator, kHost, kMemory, kUnits };
  /// Position in the order of start: complement of the priority, then age (FIFO) or its complement (LIFO).
  using StartOrder = std::pair<std::uint32_t, std::uint64_t>;
  /// Ready nodes of one kind, in the order in which they start.
  using ReadyNodes = std::map<StartOrder, TraceNode>;
  // A wafer has many NPUs, and most workloads use few of these parts, so that each is made when it is needed first.
  struct Units;      // compute units and memory port
  struct Transfers;  // sends and receives
  struct Accesses;   // loads and stores that PlayerRank::memory carries out
  struct Order;      // the order of collectives whose operands meet in switches

  void keep_accesses(Checkpoint& checkpoint);
  void note_event();
  void play();
  bool take_ready_nodes();
  void accept(TraceNode node);
  void accept_work(Unit unit, const TraceNode& node);
  void end_part(std::size_t unit);
  void end_compute(std::size_t unit);
  void accept_communication(TraceNode node);
  bool window_full() const;
  bool start_units();
  void start_unit_work(std::size_t unit);
  bool start_communication();
  void start_send(const TraceNode& node);
  void start_receive(const TraceNode& node);
  void start_collective(const TraceNode& node);
  void accept_access(TraceNode node);
  void start_access(const TraceNode& node, std::uint64_t bytes, const CommGroup* group);
  void end_access(std::uint64_t handle);
  void exchange(const TraceNode& access, const ProcessGroup& group);
  bool exchanged(std::uint64_t handle);
  void refuse_mixed_flows(const TraceNode& node, const ProcessGroup& group);
  bool may_start_collective() const;
  bool goes_in_order(const TraceNode& collective);
  bool may_start_now(const TraceNode& collective);
  ReadyNodes::iterator next_collective();
  Transfers& transfers();
  void finish(std::uint64_t node);
  void begin_activity(ActivityKind kind, std::uint64_t node, const std::string& name, std::uint64_t bytes);
  RankId rank_at(NodeId node) const;
  void add_receives(std::vector<std::string>* lines) const;
  void add_accesses(std::vector<std::string>* lines) const;
  void add_sends(std::vector<std::string>* lines) const;
  void add_held_collectives(std::vector<std::string>* lines) const;
  std::string describe_group(const std::string& name) const;
  bool is_compute(std::size_t unit) const { return unit != kMemory; }

  const PlayerSetup& setup_;
  PlayerRank own_;
  NodeRules rules_;
  std::unique_ptr<TraceFeeder> feeder_;
  NetworkInterface& network_;
  CollectiveStarter& collectives_;
  std::function<void()> state_listener_;

  std::unique_ptr<Units> units_;          ///< null = no node of theirs yet
  std::unique_ptr<Transfers> transfers_;  ///< null = none yet
  std::unique_ptr<Accesses> accesses_;    ///< null = nobody carries them out
  std::unique_ptr<Order> order_;          ///< null = collectives need none
  ReadyNodes ready_collectives_;
  std::uint64_t age_ = 0;
  std::map<std::uint64_t, RankCollective> open_collectives_;  ///< by node id = handle
  /// Collectives issued so far, by group and signature.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> issued_;
  std::map<std::uint64_t, Activity> activities_;  ///< under way, by node id; only if somebody is told
  std::uint64_t events_ = 0;                      ///< calls so far in which something has begun, ended or come
  bool playing_ = false;
  bool finished_ = false;
  ActivityMeter meter_;
  RankStatistics statistics_;
};

}  // namespace weft::npu
