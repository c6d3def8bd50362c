// SPDX-License-Identifier: Apache-2.0
// How many periods of a program can be left out: up to the instruction that is another one than a period before.
#include <gtest/gtest.h>

#include <memory>

#include "base/state_form.h"
#include "tests/npu/collective/engine/flow_bench.h"

namespace weft::npu {
namespace {

using testing::NoServices;

constexpr std::uint64_t kBytes = 12;

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
  static ProgramShape shape_of_three() {
    ProgramShape shape;
    shape.ranks = 3;
    return shape;
  }
  std::uint32_t length_;
  std::uint32_t other_;
};

/// Periods that can be left out after three looks at such a program, an instruction from each other. The first look is
/// at its beginning.
std::uint64_t periods_of_receives(std::uint32_t length, std::uint32_t other) {
  CollectiveRequest request;
  request.group = std::make_shared<CommGroup>(CommGroup{0, "group", {NodeId{0}, NodeId{1}, NodeId{2}}, {}});
  request.bytes = kBytes;
  auto plan = std::make_shared<CollectivePlan>();
  plan->program = std::make_shared<Receives>(length, other);
  CollectiveJob job(request, plan);
  NoServices services;
  ChunkRun run(job, 0, services);
  run.drain();
  StateForm form;
  std::uint32_t done = 0;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    form.begin(pass, 10 * done, 10);
    run.put_state(form);
    EXPECT_TRUE(form.end()) << form.refusal();
    services.its_inbox.arrived = services.its_inbox.message_bytes = kBytes;
    services.its_inbox.complete = true;
    run.arrived(done++);
    // Nothing has come yet of the next one.
    services.its_inbox.arrived = services.its_inbox.message_bytes = 0;
    services.its_inbox.complete = false;
    run.drain();
  }
  return form.periods();
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

}  // namespace
}  // namespace weft::npu
