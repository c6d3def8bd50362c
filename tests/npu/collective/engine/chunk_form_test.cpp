// SPDX-License-Identifier: Apache-2.0
// How many periods of a program can be left out: up to the instruction that is another one than a period before.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "base/state_form.h"
#include "tests/npu/collective/engine/flow_bench.h"

namespace weft::npu {
namespace {

using testing::NoServices;

constexpr std::uint64_t kBytes = 12;

ProgramShape shape_of_three() {
  ProgramShape shape;
  shape.ranks = 3;
  return shape;
}

/// A rank receives from rank 1 up to instruction `other`, from there on from rank 2: one message after the other.
class Receives final : public Program {
 public:
  Receives(std::uint32_t length, std::uint32_t other) : Program(shape_of_three()), length_(length), other_(other) {}
  std::uint32_t length(std::uint32_t /*rank*/) const override { return length_; }
  Instruction at(std::uint32_t /*rank*/, std::uint32_t index) const override {
    Instruction instruction;
    instruction.op = Op::kRecv;
    instruction.from = index < other_ ? 1 : 2;
    instruction.recv_tag = index;
    instruction.dst.count = 1;
    if (index > 0) instruction.deps = {index - 1};
    return instruction;
  }

 private:
  std::uint32_t length_;
  std::uint32_t other_;
};

/// A rank waits for the result of a flow, then for a message, and so on.
class FlowsAndReceives final : public Program {
 public:
  explicit FlowsAndReceives(std::uint32_t length) : Program(shape_of_three()), length_(length) {}
  std::uint32_t length(std::uint32_t /*rank*/) const override { return length_; }
  Instruction at(std::uint32_t /*rank*/, std::uint32_t index) const override {
    Instruction instruction;
    instruction.op = index % 2 == 0 ? Op::kFlow : Op::kRecv;
    instruction.from = 1;
    instruction.recv_tag = instruction.send_tag = index;
    instruction.dst.count = 1;
    if (index > 0) instruction.deps = {index - 1};
    return instruction;
  }

 private:
  std::uint32_t length_;
};

/// Periods that can be left out after three looks at a program, `period` instructions from each other. The first look
/// is when `done` instructions are done.
std::uint64_t periods_of_program(std::shared_ptr<const Program> program, std::uint32_t period = 1,
                                 std::uint32_t done = 0) {
  CollectiveRequest request;
  request.group = std::make_shared<CommGroup>(CommGroup{0, "group", {NodeId{0}, NodeId{1}, NodeId{2}}, {}});
  request.bytes = kBytes;
  auto plan = std::make_shared<CollectivePlan>();
  plan->program = std::move(program);
  plan->flow_traffic_class = TrafficClass::kMp;
  CollectiveJob job(request, plan);
  NoServices services;
  ChunkRun run(job, 0, services);
  run.drain();
  std::uint32_t next = 0;
  const auto do_until = [&](std::uint32_t end) {
    while (next < end) {
      services.its_inbox.arrived = services.its_inbox.message_bytes = kBytes;
      services.its_inbox.complete = true;
      run.arrived(next++);
      // Nothing has come yet of the next one.
      services.its_inbox.arrived = services.its_inbox.message_bytes = 0;
      services.its_inbox.complete = false;
      run.drain();
    }
  };
  StateForm form;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    do_until(done);
    form.begin(pass, 10 * done, 10 * period);
    run.put_state(form);
    EXPECT_TRUE(form.end()) << form.refusal();
    done += period;
  }
  return form.periods();
}

std::uint64_t periods_of_receives(std::uint32_t length, std::uint32_t other) {
  return periods_of_program(std::make_shared<Receives>(length, other));
}

// Two instructions are done by the third look, and the last two periods before the end are simulated.
TEST(ChunkForm, a_program_repeats_itself_up_to_its_last_two_periods) {
  EXPECT_EQ(periods_of_receives(20, 20), 20u - 2 - 2);
  EXPECT_EQ(periods_of_receives(200, 200), 200u - 2 - 2);
}

TEST(ChunkForm, a_program_repeats_itself_up_to_what_is_another_instruction) {
  EXPECT_EQ(periods_of_receives(200, 150), 150u - 2 - 2);
  EXPECT_EQ(periods_of_receives(200, 4), 0u);
}

// The result comes into an inbox that is made when the flow begins, and keeps its tag. Where the looks find the rank at
// receives, five instructions are done by the third one, and the last two periods before the end are simulated.
TEST(ChunkForm, nothing_is_left_out_while_the_result_of_a_flow_is_to_come) {
  const auto program = std::make_shared<FlowsAndReceives>(41);
  EXPECT_EQ(periods_of_program(program, 2, 1), (41u - 5) / 2 - 2);
  EXPECT_EQ(periods_of_program(program, 2, 0), 0u);
}

}  // namespace
}  // namespace weft::npu
