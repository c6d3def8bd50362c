// SPDX-License-Identifier: Apache-2.0
// Datapaths in which nothing waits: a few steps by hand, and random flows against registers with valid and ready each.
#include "switch/network/beat_delay.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <vector>

#include "base/random.h"
#include "switch/network/elastic_datapath.h"
#include "switch/network/setting_store.h"
#include "switch/topology/interconnect.h"
#include "tests/switch/support/flows.h"

namespace weft::fred {
namespace {

Beat beat_of(std::uint32_t packet) {
  Beat beat;
  beat.packet = packet;
  return beat;
}

/// Two operands are added in a uSwitch with a register; one copy of the sum leaves there, the other passes a further
/// uSwitch.
DatapathPlan sum_with_two_copies() {
  DatapathPlan plan;
  plan.inputs = {0, 1};
  plan.outputs = {0, 1};
  plan.registers = {0, 0, 1, 1, 1};
  DatapathOp add;
  add.inputs = 2;
  add.outputs = 2;
  add.from[1] = 1;
  add.to[0] = 2;
  add.to[1] = 3;
  DatapathOp pass;
  pass.inputs = pass.outputs = 1;
  pass.from[0] = 3;
  pass.to[0] = 4;
  plan.ops = {pass, add};
  plan.out_wires = {2, 4};
  plan.depth = 2;
  return plan;
}

TEST(BeatDelay, a_beat_shows_after_as_many_steps_as_there_are_registers) {
  BeatDelay delay(sum_with_two_copies(), false);
  EXPECT_EQ(delay.moves(), 3u) << "onto the two wires of the sum and onto the last one";
  EXPECT_EQ(delay.joins(), 1u);
  const Beat first = beat_of(7);
  delay.step(&first);
  EXPECT_FALSE(delay.valid(0) || delay.valid(1));
  EXPECT_EQ(delay.moves_ahead(), 1u) << "the last wire";
  delay.step(nullptr);
  ASSERT_TRUE(delay.valid(0));
  EXPECT_EQ(delay.beat(0).packet, 7u);
  EXPECT_FALSE(delay.valid(1));
  EXPECT_FALSE(delay.empty());
  EXPECT_EQ(delay.moves_ahead(), 0u);
  delay.step(nullptr);
  EXPECT_FALSE(delay.valid(0));
  ASSERT_TRUE(delay.valid(1));
  EXPECT_EQ(delay.beat(1).packet, 7u);
  EXPECT_TRUE(delay.empty());
}

/// The same flows as a delay and as registers whose outputs are always ready.
struct Pair {
  explicit Pair(const SwitchSpec& given, std::size_t words) : spec(given), pool(words), context{spec, pool} {}

  SwitchSpec spec;
  WordPool pool;
  DatapathContext context;
};

SwitchSpec spec_with(PortFlowControl flow_control) {
  SwitchSpec spec;
  spec.flow_control = flow_control;
  spec.values = true;
  spec.format.element = DataType::kFp32;
  return spec;
}

/// The beat of an input in a step, with a number: the sum depends on the order in which the numbers are added.
Beat operand(Pair& side, std::uint64_t step, std::uint32_t input) {
  RandomStream random(step, NodeId{input});
  Beat beat = beat_of(static_cast<std::uint32_t>(step) * 100 + input);
  beat.data = side.pool.take();
  const float number = static_cast<float>(random.unit()) * static_cast<float>(1u << random.below(24));
  std::memcpy(side.pool.at(beat.data), &number, sizeof number);
  return beat;
}

/// A step of the delay, in which a beat enters or none.
void step_delay(ElasticDatapath& delay, Pair& side, std::uint64_t step, bool comes) {
  std::vector<std::uint32_t> operands;
  Beat beat;
  for (std::uint32_t i = 0; comes && i < delay.plan().inputs.size(); ++i) {
    const Beat given = operand(side, step, i);
    if (i == 0) beat = given;
    operands.push_back(given.data);
  }
  delay.step_delay(comes ? &beat : nullptr, operands);
}

/// The same step of the registers, which take all that is offered.
void step_registers(ElasticDatapath& registers, Pair& side, std::uint64_t step, bool comes) {
  for (std::uint32_t i = 0; comes && i < registers.plan().inputs.size(); ++i) {
    registers.input(i).valid = true;
    registers.input(i).beat = operand(side, step, i);
  }
  registers.step();
  for (std::uint32_t i = 0; i < registers.plan().inputs.size(); ++i) {
    auto& input = registers.input(i);
    RC_ASSERT(input.taken == input.valid);
    if (!input.taken) continue;
    side.pool.release(input.beat.data);
    input.valid = input.taken = false;
  }
}

RC_GTEST_PROP(BeatDelay, shows_what_registers_with_valid_and_ready_show, ()) {
  const int ports = *rc::gen::inRange(2, 17);
  const Interconnect net = build_interconnect(*rc::gen::inRange(2, 4), ports);
  RandomStream random(*rc::gen::inRange<std::uint64_t>(0, 1 << 30), NodeId{0});
  const int every = *rc::gen::inRange(1, 3);
  const std::uint32_t reduce_cycles = every > 1 ? 1 : *rc::gen::inRange(1, 3);
  SettingStore store(net, 1 << 20, {reduce_cycles, stage_registers(net, every)});
  const FlowSet flows = testing::random_flows(ports, 4, random);
  RC_PRE(!flows.empty() && route_flows(net, flows).status == RouteStatus::kRouted);
  const StoredSetting& stored = store[store.add(flows)];
  for (const DatapathPlan& plan : stored.datapaths) {
    if (plan.skewed) continue;
    Pair delayed(spec_with(PortFlowControl::kCutThrough), 1);
    Pair stepped(spec_with(PortFlowControl::kWormhole), 1);
    ElasticDatapath delay(plan, delayed.context);
    ElasticDatapath registers(plan, stepped.context);
    for (std::uint64_t step = 0; step < 60; ++step) {
      const bool comes = step < 40 && random.below(4) > 0;
      step_delay(delay, delayed, step, comes);
      step_registers(registers, stepped, step, comes);
      const BeatDelay& shown = *delay.delay();
      for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        auto& expected = registers.output(i);
        RC_ASSERT(shown.valid(i) == expected.valid);
        if (!expected.valid) continue;
        RC_ASSERT(shown.beat(i).packet == expected.beat.packet);
        RC_ASSERT(*delayed.pool.at(shown.data(i)) == *stepped.pool.at(expected.beat.data));
        delayed.pool.release(shown.data(i));
        stepped.pool.release(expected.beat.data);
      }
      RC_ASSERT(delay.empty() == registers.empty());
      RC_ASSERT(delayed.context.moves - delay.moves_ahead() == stepped.context.moves);
      RC_ASSERT(delayed.context.reductions - delay.reductions_ahead() == stepped.context.reductions);
    }
    RC_ASSERT(delay.empty());
    RC_ASSERT(delayed.pool.in_use() == 0u);
    RC_ASSERT(stepped.pool.in_use() == 0u);
  }
}

}  // namespace
}  // namespace weft::fred
