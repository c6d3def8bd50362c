// SPDX-License-Identifier: Apache-2.0
// A switch of RTL behind the model's interface, and what lockstep says of a faulty one. Fred_2(2) is a single
// RD-uSwitch.
#include "tb/switch/lockstep_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "tb/build/seeded_fault.h"
#include "tb/switch/switch_build.h"

namespace weft::tb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

fred::SwitchSpec small_spec() {
  fred::SwitchSpec spec;
  spec.m = 2;
  spec.ports = 2;
  spec.flit_bytes = 4;
  spec.lanes = 1;
  spec.packet_flits = 2;
  spec.buffer_flits = 4;
  spec.output_credits = 4;
  spec.matching = "greedy";
  spec.memory_bytes = 3;
  spec.values = true;
  return spec;
}

/// The RTL, or with a seeded fault.
std::shared_ptr<const RtlLibrary> library(const fred::SwitchSpec& spec, int fault = 0) {
  ModelBuilder builder(WEFT_TEST_MODELS);
  RtlDesign design = switch_design(builder, spec);
  if (fault != 0) seed_fault(builder, design, fault);
  return builder.build(design);
}

fred::FlowSet sum_to_both() {
  fred::Flow flow;
  flow.name = "a";
  flow.inputs = flow.outputs = {PortId{0}, PortId{1}};
  return {flow};
}

fred::PortFlit flit(std::uint32_t packet, std::uint32_t setting, std::uint8_t output = 0) {
  fred::PortFlit made;
  made.packet = packet;
  made.setting = setting;
  made.head = made.tail = true;
  made.output = output;
  made.match = 1;
  return made;
}

constexpr std::uint32_t kOne = 0x3f800000U;
constexpr std::uint32_t kThreeQuarters = 0x33c00000U;  ///< three quarters of the last digit of 1: the sum rounds up
constexpr std::uint32_t kNext = 0x3f800001U;

void receive(fred::SwitchModel& fred, std::uint8_t port, const fred::PortFlit& flit, std::uint32_t value) {
  std::uint8_t bytes[4];
  std::memcpy(bytes, &value, 4);
  fred.receive(PortId{port}, flit, flit.setting == fred::kUnicasts ? nullptr : bytes);
}

/// An all-reduce of one flit: written at the end of step 0, starts in step 1, passes one uSwitch, is sent in step 2
/// + 1.
TEST(RtlSwitch, adds_and_copies_in_the_cycles_of_the_model) {
  const fred::SwitchSpec spec = small_spec();
  RtlSwitch fred(spec, library(spec), 1);
  const std::uint32_t setting = fred.settings().add(sum_to_both());
  receive(fred, 0, flit(10, setting), kOne);
  receive(fred, 1, flit(11, setting), kThreeQuarters);
  EXPECT_TRUE(fred.busy());
  Cycle now = 0;
  for (; fred.sent().empty() && now < 20; ++now) fred.step(now);
  fred::FredSwitch model(spec);
  model.settings().add(sum_to_both());
  receive(model, 0, flit(10, setting), kOne);
  receive(model, 1, flit(11, setting), kThreeQuarters);
  Cycle expected = 0;
  for (; model.sent().empty() && expected < 20; ++expected) model.step(expected);
  EXPECT_EQ(now, expected);
  ASSERT_EQ(fred.sent().size(), 2U);
  for (const fred::SentFlit& sent : fred.sent()) {
    EXPECT_EQ(sent.flit.packet, 10U);  // the first operand's name goes on
    std::uint32_t value = 0;
    std::memcpy(&value, sent.data, 4);
    EXPECT_EQ(value, kNext);
  }
  EXPECT_EQ(fred.uswitch_hops(), model.uswitch_hops());
  EXPECT_EQ(fred.credits(PortId{0}, 0), spec.output_credits - 1);
  EXPECT_THROW(fred.require_empty(), ViolationError);  // credits are out
  fred.credit(PortId{0}, 0);
  fred.credit(PortId{1}, 0);
  for (; fred.next_work(now) != kNever && now < 100; ++now) fred.step(now);
  EXPECT_LT(now, 100U) << "never comes to rest";
  fred.require_empty();
}

/// Both operands' packets enter in the same step; the second one's name ends there.
TEST(RtlSwitch, knows_which_packets_were_added_to_others) {
  const fred::SwitchSpec spec = small_spec();
  RtlSwitch fred(spec, library(spec), 1);
  const std::uint32_t setting = fred.settings().add(sum_to_both());
  receive(fred, 0, flit(10, setting), kOne);
  receive(fred, 1, flit(11, setting), kOne);
  std::vector<std::uint32_t> absorbed;
  for (Cycle now = 0; now < 10; ++now) {
    fred.step(now);
    absorbed.insert(absorbed.end(), fred.absorbed().begin(), fred.absorbed().end());
  }
  EXPECT_THAT(absorbed, ElementsAre(11U));
}

/// After a rest the RTL is where it would be had it been clocked all the time.
TEST(RtlSwitch, may_sleep_once_it_has_come_to_rest) {
  fred::SwitchSpec spec = small_spec();
  LockstepSwitch pair(spec, library(spec), 1, "here");
  Cycle now = 0;
  for (const Cycle start : {Cycle{0}, Cycle{1000}, Cycle{1000000}}) {
    now = start;
    receive(pair, 0, flit(7, fred::kUnicasts, 1), 0);
    Cycle sent = 0;
    do {
      pair.step(now);
      if (!pair.sent().empty()) {
        sent = now;
        pair.credit(PortId{1}, 0);
      }
    } while (pair.next_work(now++) != kNever);
    EXPECT_EQ(sent - start, start == 0 ? 3U : 2U) << start;  // the first one loads the unicasts' setting
  }
}

TEST(RtlSwitch, refuses_two_flits_at_once_and_credits_beyond_the_places_bad) {
  const fred::SwitchSpec spec = small_spec();
  RtlSwitch fred(spec, library(spec), 1);
  receive(fred, 0, flit(1, fred::kUnicasts, 0), 0);
  EXPECT_THROW(receive(fred, 0, flit(2, fred::kUnicasts, 0), 0), ViolationError);  // two in one cycle
  EXPECT_THROW(fred.credit(PortId{0}, 0), ViolationError);
}

/// Seeded fault 1: the adder rounds towards zero.
TEST(LockstepSwitch, stops_at_the_first_difference_and_names_it) {
  const fred::SwitchSpec spec = small_spec();
  LockstepSwitch pair(spec, library(spec, 1), 1, "fabric.l1[0]");
  const std::uint32_t setting = pair.settings().add(sum_to_both());
  receive(pair, 0, flit(10, setting), kOne);
  receive(pair, 1, flit(11, setting), kThreeQuarters);
  Cycle now = 0;
  try {
    for (; now < 20; ++now) pair.step(now);
    FAIL() << "nothing was found";
  } catch (const ViolationError& error) {
    EXPECT_EQ(std::string(error.what()), "lockstep: fabric.l1[0] in cycle " + std::to_string(now) +
                                             ": output port 0, bytes 0 to 3 (flow 'a', packet 10): the model says "
                                             "0x3f800001, the RTL 0x3f800000");
  }
}

TEST(SwitchFactory, makes_every_model_and_names_what_the_rtl_lacks_bad) {
  const auto factory = switch_factory([] { return std::make_shared<ModelBuilder>(WEFT_TEST_MODELS); });
  fred::SwitchSpec spec = small_spec();
  EXPECT_NE(dynamic_cast<fred::FredSwitch*>(factory(spec, "x", "tlm").get()), nullptr);
  EXPECT_THROW(factory(spec, "x", "vhdl"), InputError);
  spec.control = FredControl::kSeveralPhases;
  try {
    factory(spec, "fabric.l1[0]", "rtl");
    FAIL() << "was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("fabric.l1[0] as rtl: RTL of a FRED switch: "));
    EXPECT_THAT(error.what(), HasSubstr("one_phase"));
  }
}

}  // namespace
}  // namespace weft::tb
