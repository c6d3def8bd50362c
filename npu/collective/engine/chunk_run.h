// SPDX-License-Identifier: Apache-2.0
// One chunk of one collective on its way through its program, at one NPU: the inner part of the collective engine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/inline_vector.h"
#include "base/prefetch.h"
#include "base/queue_ring.h"
#include "npu/collective/engine/collective_job.h"
#include "npu/collective/engine/endpoint_cost.h"
#include "npu/collective/engine/inbox_table.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/collective/form/program.h"
#include "npu/collective/form/tag.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// What a chunk needs of its engine. `operand_left` may call the chunk back; the other calls do not.
class EngineServices {
 public:
  virtual ~EngineServices() = default;
  virtual Cycle now() const = 0;
  virtual const EndpointCost& cost() const = 0;
  /// Colours whose routes are set up; 0 = all messages go through VCs.
  virtual int colours() const = 0;
  /// Whether routers copy packets to several ranks on their way through VCs.
  virtual bool multicast() const = 0;
  /// Whether the operand of a flow of FRED switches may leave now; if not, run.elapsed comes back when it may.
  virtual bool may_leave(ChunkRun& run, std::uint32_t step) = 0;
  /// It has left.
  virtual void operand_left(ChunkRun& run) = 0;
  /// Largest payload of a packet.
  virtual std::uint64_t packet_bytes() const = 0;
  virtual MessageId send(ChunkRun& run, std::uint32_t step, const Message& message, std::uint64_t released) = 0;
  virtual void release(MessageId id, std::uint64_t bytes) = 0;
  /// Calls run.elapsed(step, bytes) `delay` cycles from now.
  virtual void after(ChunkRun& run, std::uint32_t step, Cycle delay, std::uint64_t bytes) = 0;
  /// Calls run.arrived(step) from now on when something of that message comes.
  virtual InboxTable::Number post(ChunkRun& run, std::uint32_t step, NodeId src, std::uint64_t tag) = 0;
  /// What has come of such a message; valid until another one is posted or comes.
  virtual const Inbox& inbox(InboxTable::Number number) const = 0;
  /// Forgets a message that has come.
  virtual void close(InboxTable::Number number) = 0;
};

/// Executes the program of this rank for one chunk. The engine calls arrived, sent and elapsed, and then drain.
class ChunkRun {
 public:
  ChunkRun(CollectiveJob& job, std::uint32_t chunk, EngineServices& engine);

  /// Whether something can be done now.
  bool can_go_on() const { return !ready_.empty() || !ordered_.empty(); }
  /// Does everything that can be done now.
  void drain();
  void arrived(std::uint32_t index);
  void sent(std::uint32_t index);
  void elapsed(std::uint32_t index, std::uint64_t bytes);

  /// Fetches into the caches what the next call will touch.
  void fetch() const {
    if (!held_.empty()) fetch_lines(&held_.front(), 2 * sizeof(Held));
    if (!works_.empty()) fetch_lines(works_.data(), 2 * sizeof(Work));
    fetch_line(&job_.request.data);
    fetch_line(&job_.unit);
  }
  bool finished() const { return base_ == length_; }
  /// Gives `form` its state, behind which chunk it is.
  void put_state(StateForm& form);
  /// Gives `form` which chunk it is, and returns when it began, which it does not give.
  Cycle* put_chunk(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// Gives `form` the message whose bytes the messages of instruction `step` wait for, if there is one.
  void put_source(StateForm& form, std::uint32_t step);
  /// Whether instruction `step` passes on what comes, packet by packet.
  bool streams(std::uint32_t step);
  /// Share of its instructions that are done, 0..1; of those that wait for a message, the share that has come.
  double share() const;
  CollectiveJob& job() const { return job_; }
  std::uint32_t chunk() const { return chunk_; }
  /// The operand of a flow, of so many bytes, begins so many planes behind that of the chunk before: one for each of
  /// its packets.
  static std::uint32_t planes_of_operand(std::uint64_t bytes, std::uint64_t packet_bytes) {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>((bytes + packet_bytes - 1) / packet_bytes, 1));
  }
  /// Number of the first instruction that is held.
  std::uint32_t first_held() const { return base_; }
  /// What the tags of all its messages have in common: chunk_of_tag.
  std::uint64_t tags() const { return chunk_of_tag(tag(0)); }
  /// By how much the tags grow from period to period, after the third look at its state.
  std::uint64_t tag_growth() const { return tag_growth_; }
  Cycle start_cycle() const { return start_; }
  /// Tag of the first instruction that is not done.
  std::uint32_t current_step() const;
  /// Number, in the program, of the flow that it is about; -1 = it is no flow.
  int current_flow() const;
  /// What the chunk does, as in "waits in step 3 for data from member 5".
  std::string waiting_for() const;

 private:
  friend struct EngineState;  // tests change single fields to see that a look has them
  /// What an instruction waits for, and who waits for it. Programs are long and most of what is held of them waits for
  /// others, for a message or for one to leave, so this is small; its Work is there while there is more to know.
  struct Held {
    ShortList dependents;             ///< twice their numbers, plus one if they wait only for their order
    std::uint32_t missing = 0;        ///< dependencies not done that it must wait for before it starts
    std::uint32_t missing_order = 0;  ///< reductions into the same slice that come first
    std::uint32_t work = kNoWork;     ///< number of its Work in works_; while it is posted, that of its inbox
    Op op = Op::kSend;
    bool adds : 1;    ///< a receive-and-reduce that adds to what is there
    bool paid : 1;    ///< receive-and-reduce: its own cost is over
    bool posted : 1;  ///< a receive: nothing of its message has come yet
    bool sent : 1;    ///< a send: its one message waits to leave, and its Work is not needed any more
    bool done : 1;    ///< nothing waits for it any more

    Held() : adds(false), paid(false), posted(false), sent(false), done(false) {}
  };
  /// An instruction that has started. The program tells the rest of it whenever that is asked for.
  struct Work {
    std::uint64_t bytes = 0;  ///< bytes of its message
    // Fused forms.
    std::uint64_t taken = 0;   ///< bytes given to the adder
    std::uint64_t passed = 0;  ///< bytes that came out of it
    Cycle adder_free = 0;      ///< bytes come out in order
    // Sends.
    InlineVector<MessageId, 2> messages;
    std::shared_ptr<Payload> payload;
    InboxTable::Number inbox = InboxTable::kNone;  ///< inbox of the message that it waits for
    std::uint32_t unsent = 0;
    bool all_taken = false;    ///< by the adder
    bool result_open = false;  ///< the result of a flow is still to come
  };
  static constexpr std::uint32_t kNoWork = ~std::uint32_t{0};
  static_assert(sizeof(Held) == 32, "a chunk holds many of these");

  /// What has come of the message that `s` waits for.
  const Inbox& inbox(const Work& s) const { return engine_.inbox(s.inbox); }
  static bool has_inbox(const Work& s) { return s.inbox != InboxTable::kNone; }
  double share(const Held& held) const;
  Held& held(std::uint32_t index) { return held_[index - base_]; }
  Work& work(std::uint32_t index) { return works_[held(index).work]; }
  /// An instruction of the program; valid until another one is asked for.
  const Instruction& instruction(std::uint32_t index) const;
  /// The first instruction that is not done; null if none is held.
  const Instruction* first_open() const;
  void put_state(StateForm& form, Op op, Work& work);
  static bool has_begun(const Held& held);
  void reload(std::uint32_t begun);
  std::uint32_t repeated_until(std::uint32_t step, std::uint32_t begun, std::uint64_t periods);
  bool is_repeated(std::uint32_t index, std::uint32_t step, std::optional<std::uint32_t>* tags) const;
  void load();
  void connect(std::uint32_t index, Held& fresh);
  /// Whether both of two instructions add to the slice `sum`, which is that of the second one.
  bool add_to_one_sum(std::uint32_t before, const Held& fresh, const Slice& sum) {
    return fresh.adds && held(before).adds && job_.program->at(job_.rank(), before).dst == sum;
  }
  void start(std::uint32_t index);
  Work& add_work(std::uint32_t index);
  void free_work(Held& held);
  void post(std::uint32_t index);
  void wait_then(std::uint32_t index, Cycle delay, std::uint64_t bytes);
  void start_flow(std::uint32_t index);
  void launch(std::uint32_t index, std::uint64_t released);
  bool launch_once(std::uint32_t index, Message& message, std::uint64_t released);
  void put_into_flow(std::uint32_t index);
  Message message_of(std::uint32_t index);
  void commit(std::uint32_t index);
  void commit_values(std::uint32_t index);
  void take(std::uint32_t index);
  void pass(std::uint32_t index, std::uint64_t bytes);
  void pass_values(std::uint32_t index, std::uint64_t bytes);
  void finish(std::uint32_t index);
  std::uint64_t tag(std::uint32_t program_tag) const;
  std::uint64_t slice_bytes(const Slice& slice) const;
  NodeId node(std::uint32_t rank) const { return job_.request.group->nodes[rank]; }

  // Values mode: bytes [from, from + count) of a slice in message order.
  template <typename Visit>
  void each_part(const Slice& slice, std::uint64_t from, std::uint64_t count, Visit visit);
  void copy_out(const Slice& slice, std::uint64_t from, std::uint64_t count, std::uint8_t* to);
  void copy_in(const Slice& slice, std::uint64_t from, std::uint64_t count, const std::uint8_t* data);
  void reduce_into(Payload& accumulator, const std::uint8_t* operand) const;

  CollectiveJob& job_;
  std::uint32_t chunk_;
  EngineServices& engine_;
  Cycle start_;
  Cycle first_send_;  ///< no send leaves earlier
  std::uint32_t length_;
  std::uint32_t look_ahead_;
  std::uint32_t blocked_ = 0;  ///< instructions held that wait for dependencies
  std::uint32_t base_ = 0;     ///< all instructions below are done
  QueueRing<Held> held_;       ///< from base_ on
  std::vector<Work> works_;
  mutable std::optional<Instruction> asked_;  ///< what `instruction` gave last, and its index
  mutable std::uint32_t asked_index_ = kNoWork;
  std::vector<std::uint32_t> free_works_;
  QueueRing<std::uint32_t> ready_;    ///< to be started
  QueueRing<std::uint32_t> ordered_;  ///< paid reductions that are next in the order of their flow
  std::uint64_t tag_growth_ = 0;      ///< per period, as the last look has found
};

}  // namespace weft::npu
