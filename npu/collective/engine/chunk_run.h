// SPDX-License-Identifier: Apache-2.0
// One chunk of one collective on its way through its program, at one NPU: the inner part of the collective engine.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "npu/collective/engine/collective_job.h"
#include "npu/collective/engine/endpoint_cost.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/collective/form/program.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

class ChunkRun;

/// A message that arrives, has arrived, or is waited for.
struct Inbox {
  std::uint64_t arrived = 0;  ///< bytes
  std::uint64_t message_bytes = 0;
  bool complete = false;
  Payload data;             ///< values mode
  ChunkRun* run = nullptr;  ///< who waits for it
  std::uint32_t step = 0;
};

/// What a chunk needs of its engine.
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
  virtual Inbox& post(ChunkRun& run, std::uint32_t step, NodeId src, std::uint64_t tag) = 0;
  virtual void close(NodeId src, std::uint64_t tag) = 0;
};

/// Executes the program of this rank for one chunk. The engine calls arrived, sent and elapsed, and then drain.
class ChunkRun {
 public:
  ChunkRun(CollectiveJob& job, std::uint32_t chunk, EngineServices& engine);

  /// Does everything that can be done now.
  void drain();
  void arrived(std::uint32_t index);
  void sent(std::uint32_t index);
  void elapsed(std::uint32_t index, std::uint64_t bytes);

  bool finished() const { return base_ == length_; }
  /// Share of its instructions that are done, 0..1; of those that wait for a message, the share that has come.
  double share() const;
  CollectiveJob& job() const { return job_; }
  std::uint32_t chunk() const { return chunk_; }
  Cycle start_cycle() const { return start_; }
  /// Tag of the first instruction that is not done.
  std::uint32_t current_step() const;
  /// Number, in the program, of the flow that it is about; -1 = it is no flow.
  int current_flow() const;
  /// "chunk 2 step 3 waits for data from rank 5".
  std::string waiting_for() const;

 private:
  /// An instruction that is held.
  struct Step {
    Instruction instruction;
    std::uint32_t missing = 0;        ///< dependencies not done that it must wait for before it starts
    std::uint32_t missing_order = 0;  ///< reductions into the same place that come first
    std::vector<std::uint32_t> dependents;
    std::vector<std::uint32_t> order_dependents;
    bool started = false;
    bool paid = false;  ///< receive-and-reduce: its own cost is over
    bool done = false;
    std::uint64_t bytes = 0;  ///< of its message
    Inbox* inbox = nullptr;
    // Fused forms.
    std::uint64_t taken = 0;   ///< bytes given to the adder
    std::uint64_t passed = 0;  ///< bytes that came out of it
    bool all_taken = false;
    Cycle adder_free = 0;  ///< bytes come out in order
    // Sends.
    std::vector<MessageId> messages;
    std::uint32_t unsent = 0;
    bool result_open = false;  ///< of a flow: the result is still to come
    std::shared_ptr<Payload> payload;
  };

  static double share(const Step& step);
  Step& step(std::uint32_t index) { return steps_[index - base_]; }
  void load();
  void connect(std::uint32_t index, Step& fresh);
  void start(std::uint32_t index);
  void wait_then(std::uint32_t index, Cycle delay, std::uint64_t bytes);
  void start_flow(std::uint32_t index);
  void launch(std::uint32_t index, std::uint64_t released);
  bool launch_once(Step& s, std::uint32_t index, Message& message, std::uint64_t released);
  void put_into_flow(std::uint32_t index);
  Message message_of(Step& s);
  void commit(std::uint32_t index);
  void take(std::uint32_t index);
  void pass(std::uint32_t index, std::uint64_t bytes);
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
  std::uint32_t blocked_ = 0;  ///< steps held that wait for dependencies
  std::uint32_t base_ = 0;     ///< all instructions below are done
  std::deque<Step> steps_;
  std::deque<std::uint32_t> ready_;    ///< to be started
  std::deque<std::uint32_t> ordered_;  ///< paid reductions whose turn it is
};

}  // namespace weft::npu
