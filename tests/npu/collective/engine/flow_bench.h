// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives without an engine, and collectives whose operands go into flows of switches.
#pragma once

#include <cstdint>
#include <memory>

#include "npu/collective/engine/chunk_run.h"
#include "npu/collective/engine/collective_job.h"
#include "npu/collective/engine/program_cache.h"

namespace weft::npu::testing {

/// Each rank puts three operands into flows.
class ThreeOperands final : public Program {
 public:
  ThreeOperands() : Program(ProgramShape{}) {}
  std::uint32_t length(std::uint32_t /*rank*/) const override { return 3; }
  Instruction at(std::uint32_t /*rank*/, std::uint32_t /*index*/) const override {
    Instruction instruction;
    instruction.op = Op::kFlow;
    instruction.src.count = 1;
    return instruction;
  }
};

/// A collective of two chunks that does so.
struct FlowJob : CollectiveJob {
  FlowJob(std::uint64_t handle, TrafficClass traffic_class)
      : CollectiveJob(request_of(handle), plan_of(traffic_class)) {}

  static CollectiveRequest request_of(std::uint64_t handle) {
    CollectiveRequest request;
    request.handle = handle;
    request.group = std::make_shared<CommGroup>(CommGroup{0, "group", {NodeId{0}}, {}});
    request.bytes = 12;
    request.chunks = 2;
    return request;
  }
  static std::shared_ptr<const CollectivePlan> plan_of(TrafficClass traffic_class) {
    auto plan = std::make_shared<CollectivePlan>();
    plan->program = std::make_shared<ThreeOperands>();
    plan->flow_traffic_class = traffic_class;
    return plan;
  }
};

/// Does nothing that a chunk asks for: a test says what has come, and that time is over.
class NoServices final : public EngineServices {
 public:
  Cycle now() const override { return 0; }
  const EndpointCost& cost() const override { return cost_; }
  int colours() const override { return 0; }
  bool multicast() const override { return false; }
  bool may_leave(ChunkRun&, std::uint32_t) override { return false; }
  void operand_left(ChunkRun&) override {}
  std::uint64_t packet_bytes() const override { return 100; }
  MessageId send(ChunkRun&, std::uint32_t, const Message&, std::uint64_t) override { return {}; }
  void release(MessageId, std::uint64_t) override {}
  void after(ChunkRun&, std::uint32_t, Cycle, std::uint64_t) override {}
  InboxTable::Number post(ChunkRun&, std::uint32_t, NodeId, std::uint64_t) override { return 0; }
  const Inbox& inbox(InboxTable::Number) const override { return its_inbox; }
  void close(InboxTable::Number) override {}

  Inbox its_inbox;

 private:
  EndpointCost cost_{NpuSpec{}, ClockSpec{}};
};

}  // namespace weft::npu::testing
