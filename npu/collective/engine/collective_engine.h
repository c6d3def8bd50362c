// SPDX-License-Identifier: Apache-2.0
// The collective engine of one NPU: executes programs on the message API.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/activity_probe.h"
#include "base/probe.h"
#include "base/queue_ring.h"
#include "config/config.h"
#include "npu/collective/engine/chunk_run.h"
#include "npu/collective/engine/endpoint_cost.h"
#include "npu/collective/engine/flow_queue.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// A collective has ended at this NPU.
struct CollectiveDone {
  std::uint64_t handle = 0;
  Cycle start_cycle = 0;
  Cycle end_cycle = 0;
  std::shared_ptr<const Payload> result;  ///< this rank's output; null in timing mode
};

/// Is told about the ends of collectives.
class CollectiveListener {
 public:
  virtual ~CollectiveListener() = default;
  /// May start further collectives; is called from within `start` if there is nothing to wait for.
  virtual void on_collective_done(const CollectiveDone& done) = 0;
};

/// Executes the collectives of one NPU, any number at once.
///
/// Collectives of the ranks of a group find each other by group, signature and instance, which all ranks must count
/// alike; data of peers that are ahead are kept. Ranks know of each other by messages only.
///
/// Time, as ASTRA-sim counts it: a chunk begins with `npu.endpoint_delay`, each complete receive takes the delay
/// again, and a reduction 3 * floor(bytes / reduce_bandwidth) more (two operands read, one written); so a ring
/// all-reduce of one chunk takes e + (n-1)(2(t+e) + r). Reductions of several messages into one buffer overlap like
/// in a pipelined adder but are done in the order of the program. Fused forms do the same packet by packet. Copies
/// within a rank cost nothing. Sends leave when what they depend on is done.
class CollectiveEngine final : private EngineServices {
 public:
  /// All references outlive the engine. `cost` counts in the cycles of `network`; `packet_bytes` is the largest payload
  /// of a packet.
  CollectiveEngine(NetworkInterface& network, const EndpointCost& cost, std::uint64_t packet_bytes,
                   ProgramCache& programs, CollectiveListener& listener);
  ~CollectiveEngine() override;
  CollectiveEngine(const CollectiveEngine&) = delete;
  CollectiveEngine& operator=(const CollectiveEngine&) = delete;

  /// Begins a collective in this cycle. InputError if there is no program for it or its numbers are out of range.
  void start(const CollectiveRequest& request);

  // What the owner of the network interface passes on: deliveries and timers whose top four bits are 0.
  void on_data(const Delivery& delivery);
  /// False: the message is not one of the engine's.
  bool on_sent(MessageId id);
  void on_timer(std::uint64_t cookie);
  /// Gives `form` its state, or refuses with a reason.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  /// `groups`: those of the workload, by number.
  void keep(Checkpoint& checkpoint, const std::vector<SharedGroup>& groups);
  /// Whether a timer belongs to the packets of one message.
  bool timer_streams(std::uint64_t cookie) const;
  void put_timer(StateForm& form, std::uint64_t cookie);
  void put_message(StateForm& form, MessageId id);
  /// Does what Endpoint::fetch_ahead does.
  void fetch_ahead(int depth) const;

  /// Who is told of chunks that have ended; null = nobody.
  void set_activity_probe(ActivityProbe* probe) { activities_ = probe; }

  /// True when nothing is under way and nothing has arrived that nobody asked for.
  bool idle() const { return jobs_.empty() && inboxes_.empty(); }
  /// How much is done of the collectives under way, each of them counting from 0 to 1.
  double open_share() const;
  /// "" or for example "all_reduce_0 chunk 1 step 3": the oldest collective, its oldest chunk and the tag of the
  /// first instruction that is not done; " (+2)" if two more collectives are under way.
  std::string state_text() const { return activity().text; }
  /// The same in parts.
  NodeActivity activity() const;
  /// Is called with state_text when the activity has changed. Costs nothing when not set.
  void set_state_listener(std::function<void(const std::string&)> listener);
  /// For the stall report: "chunk 2 waits in step 3 for data from member 5", all chunks in flight; those that follow
  /// each other and wait for the same stand together. "" if not under way.
  std::string waiting_for(std::uint64_t handle) const;
  /// About data that has come and that no collective here has asked for; "" if there is none.
  std::string unasked() const;
  /// One sentence for each collective under way, and for data that nobody has asked for.
  std::vector<std::string> waiting_for() const;

 private:
  friend struct EngineState;  // tests change single fields to see that a look has them
  struct Timer {
    ChunkRun* run = nullptr;
    std::uint32_t step = 0;
    std::uint64_t bytes = 0;
  };
  struct OpenMessage {
    ChunkRun* run = nullptr;
    std::uint32_t step = 0;
  };
  /// A chunk that has ended here.
  struct EndedChunk {
    std::uint64_t handle = 0;  ///< of its collective
    std::uint32_t chunk = 0;
    Cycle start = 0;
    Cycle end = 0;
  };
  /// Chunks of a collective that begin in a period.
  struct ChunkGrowth {
    const CollectiveJob* job = nullptr;
    std::uint32_t before = 0;  ///< the one that began next when the state was given
    std::uint64_t per_period = 0;
  };
  /// So many ends of chunks are remembered.
  static constexpr std::size_t kMostEnded = 256;
  struct StateListener {
    std::function<void(const std::string&)> tell;
    NodeActivity last;  ///< what it was told last
  };

  // EngineServices
  Cycle now() const override { return network_.now(); }
  const EndpointCost& cost() const override { return cost_; }
  int colours() const override { return programs_.colours(); }
  bool multicast() const override { return programs_.multicast(); }
  bool may_leave(ChunkRun& run, std::uint32_t step) override { return flows_->may_leave({&run, step}); }
  void operand_left(ChunkRun& run) override;
  std::uint64_t packet_bytes() const override { return packet_bytes_; }
  MessageId send(ChunkRun& run, std::uint32_t step, const Message& message, std::uint64_t released) override;
  void release(MessageId id, std::uint64_t bytes) override { network_.release(id, bytes); }
  void after(ChunkRun& run, std::uint32_t step, Cycle delay, std::uint64_t bytes) override;
  InboxTable::Number post(ChunkRun& run, std::uint32_t step, NodeId src, std::uint64_t tag) override;
  const Inbox& inbox(InboxTable::Number number) const override { return inboxes_[number]; }
  void close(InboxTable::Number number) override;

  InboxTable::Number inbox_of(NodeId src, std::uint64_t tag);
  void bound_by_chunks(StateForm& form, ChunkGrowth* chunks) const;
  bool begin_in_same_planes(const CollectiveJob& job, std::uint64_t apart) const;
  void put_chunks(StateForm& form, CollectiveJob& job);
  void tell_chunks_again(const StateForm& form, const std::vector<ChunkGrowth>& chunks);
  static Cycle start_of(const CollectiveJob& job, std::uint32_t chunk, std::uint32_t next, std::uint32_t per_period,
                        const std::vector<EndedChunk>& ended, Cycle period);
  std::uint32_t next_chunk(std::uint64_t tags) const;
  std::uint64_t program_growth(std::uint64_t chunk, const std::vector<ChunkGrowth>& chunks) const;
  void keep(Checkpoint& checkpoint, ChunkRun*& run);
  std::unique_ptr<CollectiveJob> keep_request(Checkpoint& checkpoint, CollectiveRequest request,
                                              const std::vector<SharedGroup>& groups);
  void advance(ChunkRun& run);
  void advance(CollectiveJob& job);
  bool start_chunks(CollectiveJob& job);
  void finish(CollectiveJob& job);
  void report_state();
  void report_chunks(const CollectiveJob& job);
  void tell_chunk(const CollectiveJob& job, const EndedChunk& ended);

  NetworkInterface& network_;
  const EndpointCost& cost_;
  std::uint64_t packet_bytes_;
  ProgramCache& programs_;
  CollectiveListener& listener_;
  std::vector<std::unique_ptr<CollectiveJob>> jobs_;  ///< in order of start
  InboxTable inboxes_;
  InboxTable::Number last_inbox_ = InboxTable::kNone;  ///< used last: packets of a message come in a row
  ChunkRun* last_run_ = nullptr;                       ///< to which something has happened last
  std::unique_ptr<FlowQueue> flows_;                   ///< null = no collective has had flows in switches
  bool passing_on_ = false;
  std::vector<OpenMessage> open_messages_;  ///< by MessageId
  std::vector<Timer> timers_;               ///< by cookie
  std::vector<std::uint32_t> free_timers_;
  ActivityProbe* activities_ = nullptr;
  QueueRing<EndedChunk> ended_;                    ///< the last chunks that have ended, where somebody is told of them
  Cycle ended_from_ = 0;                           ///< all that ended after this cycle are there
  std::unique_ptr<StateListener> state_listener_;  ///< null = nobody
};

}  // namespace weft::npu
