// SPDX-License-Identifier: Apache-2.0
// A FRED switch in time: latency by hand, full throughput, nothing lost or added twice whatever pauses.
#include "switch/network/fred_switch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/tree_order.h"
#include "tests/switch/support/flows.h"
#include "tests/switch/support/switch_bench.h"

namespace weft::fred {
namespace {

using testing::all_reduces;
using ::testing::HasSubstr;
using testing::ports;
using testing::random_flows;
using testing::SwitchBench;

SwitchSpec small_spec(int m, int port_count) {
  SwitchSpec spec;
  spec.m = m;
  spec.ports = port_count;
  spec.flit_bytes = 16;
  spec.memory_bytes = 100000;
  spec.reconfigure_cycles = 0;
  return spec;
}

/// Step in which the only packet's head left, received before step 0.
std::uint64_t latency(const SwitchSpec& spec, const Flow& flow) {
  SwitchBench bench(spec, 1, 0);
  bench.fred.settings().add({flow});
  bench.queue_packet(1, 0, 1);
  bench.run();
  bench.expect_clean();
  return bench.departures.at(0).step;
}

/// Fred_3(12) has 7 stages: in, in, demux or in, rd, out or mux, out, out.
TEST(FredSwitch, zero_load_latency_by_hand) {
  SwitchSpec spec = small_spec(3, 12);
  const Flow unicast{"u", ports({0}), ports({11})};
  const Flow pair = all_reduce_flow("p", ports({0, 1}));  // adds once, in in[0]
  const Flow quad =
      all_reduce_flow("q", ports({0, 1, 2, 3}));  // adds in in[0] and in[1] side by side, then in mid.in[0]
  EXPECT_EQ(latency(spec, unicast), 1U + 7);
  EXPECT_EQ(latency(spec, quad), 1U + 7);
  spec.reduce_cycles = 3;
  EXPECT_EQ(latency(spec, unicast), 1U + 7);
  EXPECT_EQ(latency(spec, pair), 1U + 7 + 2);
  EXPECT_EQ(latency(spec, quad), 1U + 7 + 2 * 2);
  spec.stage = StageBuffer::kSkid;
  EXPECT_EQ(latency(spec, quad), 1U + 7 + 2 * 2);
  spec.lanes = 1;  // 4 beats per flit: the last comes 3 cycles after the first
  EXPECT_EQ(latency(spec, quad), 1U + 7 + 2 * 2 + 3);
  spec.reconfigure_cycles = 10;
  EXPECT_EQ(latency(spec, quad), 1U + 10 + 7 + 2 * 2 + 3);
}

/// Registers behind the 2nd, 4th and 6th stage and the last one; behind the 3rd, 6th and 7th; only behind the 7th.
TEST(FredSwitch, stages_without_registers_take_no_time) {
  SwitchSpec spec = small_spec(3, 12);
  const Flow unicast{"u", ports({0}), ports({11})};
  const Flow quad = all_reduce_flow("q", ports({0, 1, 2, 3}));
  for (const auto& [every, stages] : {std::pair{2, 4U}, {3, 3U}, {7, 1U}, {32, 1U}}) {
    spec.register_every = every;
    EXPECT_EQ(latency(spec, unicast), 1 + stages);
    EXPECT_EQ(latency(spec, quad), 1 + stages);
  }
}

TEST(FredSwitch, fred_of_two_ports_is_one_stage) {
  EXPECT_EQ(latency(small_spec(3, 2), all_reduce_flow("p", ports({0, 1}))), 1U + 1);
}

/// Every output sends one flit per `beats` cycles from its first to its last.
void expect_full_rate(const SwitchSpec& spec, const FlowSet& flows) {
  SwitchBench bench(spec, 1, 0);
  bench.fred.settings().add(flows);
  constexpr int kPackets = 50;
  constexpr std::uint16_t kFlits = 4;
  for (int i = 0; i < kPackets; ++i) {
    for (std::size_t f = 0; f < flows.size(); ++f) bench.queue_packet(1, f, kFlits);
  }
  bench.run();
  bench.expect_clean();
  std::vector<std::vector<std::uint64_t>> sent(spec.ports);
  for (const testing::Departure& departure : bench.departures) sent[departure.port].push_back(departure.step);
  for (const Flow& flow : flows) {
    for (const PortId port : flow.outputs) {
      const std::vector<std::uint64_t>& steps = sent[index(port)];
      ASSERT_EQ(steps.size(), std::size_t{kPackets} * kFlits);
      EXPECT_EQ(steps.back() - steps.front(), (steps.size() - 1) * spec.beats())
          << flow.name << " port " << int{index(port)};
    }
  }
}

TEST(FredSwitch, full_rate_with_and_without_reduction) {
  FlowSet permutation;
  for (int p = 0; p < 12; ++p) permutation.push_back({std::to_string(p), ports({p}), ports({(5 * p + 3) % 12})});
  const FlowSet everything = all_reduces({{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}});
  // b and c add at different depths, a has inputs without partner.
  const FlowSet uneven = all_reduces({{0, 2, 3, 11}, {4, 5, 6, 7}, {8, 9, 10}});
  for (const StageBuffer stage : {StageBuffer::kRegister, StageBuffer::kSkid}) {
    for (const PortFlowControl flow_control : {PortFlowControl::kCutThrough, PortFlowControl::kWormhole}) {
      for (const std::uint32_t lanes : {0U, 2U}) {
        for (const int every : {1, 2, 3, -3}) {
          const std::uint32_t reduce_cycles = every < 0 ? 3 : 1;
          SwitchSpec spec = small_spec(3, 12);
          spec.register_every = every < 0 ? 1 : every;
          spec.stage = stage;
          spec.flow_control = flow_control;
          spec.lanes = lanes;
          spec.reduce_cycles = reduce_cycles;
          spec.output_credits = 32;  // a packet, the way through the switch, and back
          for (const FlowSet& flows : {permutation, everything, uneven}) expect_full_rate(spec, flows);
        }
      }
    }
  }
}

/// A packet that starts takes credits for all of its flits; with room for one packet behind the switch the next one
/// waits until the last credit is back.
TEST(FredSwitch, cut_through_starts_with_credits_for_a_packet) {
  SwitchSpec spec = small_spec(2, 4);
  spec.packet_flits = 4;
  spec.output_credits = 4;
  SwitchBench bench(spec, 1, 0);
  bench.fred.settings().add({{"u", ports({0}), ports({3})}});
  bench.queue_packet(1, 0, 4);
  bench.queue_packet(1, 0, 4);
  bench.run();
  bench.expect_clean();
  ASSERT_EQ(bench.departures.size(), 8U);
  // Three stages: sent in steps 4, 5, 6, 7. The last credit comes before step 8 and counts from step 9 on, when the
  // second packet enters; its head leaves three steps later.
  EXPECT_EQ(bench.departures[0].step, 4U);
  EXPECT_EQ(bench.departures[3].step, 7U);
  EXPECT_EQ(bench.departures[4].step, 9U + 3);
}

struct RandomCase {
  const char* format;
  ReduceOp op;
  StageBuffer stage;
  PortFlowControl flow_control;
  std::uint32_t lanes;
  std::uint32_t reduce_cycles;
  int register_every = 1;
};

class AnyPauses : public ::testing::TestWithParam<RandomCase> {};

/// Random flows on switches of many sizes, several settings in turn, pauses at inputs and outputs: every output
/// sends the exact sums, in order, each operand once.
TEST_P(AnyPauses, lose_nothing_and_add_nothing_twice) {
  const RandomCase& c = GetParam();
  RandomStream random(31, NodeId{4});
  for (int trial = 0; trial < 150; ++trial) {
    SwitchSpec spec = small_spec(2 + static_cast<int>(random.below(3)), 2 + static_cast<int>(random.below(12)));
    spec.values = true;
    spec.format = lane_format(c.format);
    spec.op = c.op;
    spec.stage = c.stage;
    spec.flow_control = c.flow_control;
    spec.lanes = c.lanes;
    spec.reduce_cycles = c.reduce_cycles;
    spec.register_every = c.register_every;
    spec.packet_flits = 4;
    spec.buffer_flits = 4 + static_cast<std::uint32_t>(random.below(5));
    spec.output_credits = c.flow_control == PortFlowControl::kCutThrough ? 4 : 1;
    spec.reconfigure_cycles = static_cast<std::uint32_t>(random.below(4));
    spec.stay_packets = static_cast<std::uint32_t>(random.below(4));
    SwitchBench bench(spec, random.bits(), trial % 3 == 0 ? 0 : 20 * (trial % 3));
    while (bench.fred.settings().size() < 4) {
      const FlowSet flows = random_flows(spec.ports, 4, random);
      if (flows.empty() || route_flows(bench.fred.interconnect(), flows).status != RouteStatus::kRouted) continue;
      bench.fred.settings().add(flows);
    }
    for (int i = 0; i < 60; ++i) {
      const auto setting = static_cast<std::uint32_t>(1 + random.below(3));
      const std::size_t flows = bench.fred.settings()[setting].flows.size();
      bench.queue_packet(setting, random.below(flows), static_cast<std::uint16_t>(1 + random.below(4)));
    }
    bench.run();
    bench.expect_clean();
    if (HasFailure()) FAIL() << "trial " << trial << " on " << bench.fred.interconnect().name();
  }
}

INSTANTIATE_TEST_SUITE_P(
    switches, AnyPauses,
    ::testing::Values(RandomCase{"fp32", ReduceOp::kSum, StageBuffer::kRegister, PortFlowControl::kCutThrough, 0, 1},
                      RandomCase{"fp32", ReduceOp::kSum, StageBuffer::kSkid, PortFlowControl::kWormhole, 1, 2},
                      RandomCase{"int32", ReduceOp::kSum, StageBuffer::kRegister, PortFlowControl::kWormhole, 2, 3},
                      RandomCase{"bf16_fp32", ReduceOp::kSum, StageBuffer::kRegister, PortFlowControl::kWormhole, 0, 4},
                      RandomCase{"fp16", ReduceOp::kMax, StageBuffer::kSkid, PortFlowControl::kCutThrough, 4, 2},
                      RandomCase{"fp16_fp32", ReduceOp::kMin, StageBuffer::kSkid, PortFlowControl::kWormhole, 1, 1},
                      RandomCase{"fp32", ReduceOp::kSum, StageBuffer::kRegister, PortFlowControl::kCutThrough, 2, 1, 2},
                      RandomCase{"fp32", ReduceOp::kSum, StageBuffer::kRegister, PortFlowControl::kWormhole, 0, 1, 3},
                      RandomCase{"bf16", ReduceOp::kSum, StageBuffer::kSkid, PortFlowControl::kWormhole, 1, 1, 32}));

/// In FP32 1 + 2^24 rounds to 2^24, so the order shows.
TEST(FredSwitch, adds_in_the_order_of_the_tree) {
  const auto add = [](double left, double right) { return static_cast<double>(static_cast<float>(left + right)); };
  const double big = 16777216.0;
  const std::vector<std::optional<double>> values{1.0, big, std::nullopt, std::nullopt, -big, 1.0};
  EXPECT_EQ(reduce_in_tree_order(values, add), 1.0);  // 2^24 + (1 - 2^24)
  const std::vector<std::optional<double>> apart{1.0, std::nullopt, big, -big};
  EXPECT_EQ(reduce_in_tree_order(apart, add), 1.0);  // 1 + (2^24 - 2^24), not (1 + 2^24) - 2^24 = 0
  const std::vector<std::optional<double>> odd{1.0, big, -big};
  EXPECT_EQ(reduce_in_tree_order(odd, add), 0.0);  // (1 + 2^24) - 2^24
}

TEST(FredSwitch, other_settings_get_their_turn) {
  SwitchSpec spec = small_spec(3, 4);
  spec.stay_packets = 5;
  SwitchBench bench(spec, 1, 0);
  bench.fred.settings().add({{"a", ports({0}), ports({1})}});
  bench.fred.settings().add({{"b", ports({2}), ports({3})}});
  for (int i = 0; i < 20; ++i) bench.queue_packet(1, 0, 1);
  for (int i = 0; i < 20; ++i) bench.queue_packet(2, 0, 1);
  bench.run();
  bench.expect_clean();
  EXPECT_EQ(bench.fred.counters().reconfigurations, 8U);  // a and b in turn, 5 packets each, 4 times
}

TEST(FredSwitch, waiting_says_for_what) {
  SwitchSpec spec = small_spec(3, 4);
  FredSwitch fred(spec);
  fred.settings().add({all_reduce_flow("grads", ports({0, 3}))});
  fred.receive(PortId{3}, {7, 1, 1, true, true});
  for (Cycle i = 0; i < 10; ++i) fred.step(i);
  EXPECT_TRUE(fred.busy());
  EXPECT_THAT(fred.waiting(),
              ::testing::ElementsAre("input port 3: flow 'grads' of stored setting 1, waits for a packet at "
                                     "input port 0 (uSwitch in[0]), is not loaded"));
}

TEST(FredSwitch, stalls_have_reasons) {
  SwitchSpec spec = small_spec(3, 4);
  spec.packet_flits = 4;
  spec.output_credits = 4;
  FredSwitch fred(spec);
  fred.settings().add({all_reduce_flow("grads", ports({0, 3}))});
  fred.settings().add({{"other", ports({1}), ports({2})}});
  Cycle now = 0;
  const auto reasons_after = [&](int steps) {
    for (int i = 0; i < steps; ++i) fred.step(now++);
    std::vector<StallReason> reasons;
    EXPECT_TRUE(fred.stalls(&reasons));
    return reasons;
  };
  const auto send = [&](std::uint8_t port, std::uint32_t packet, std::uint32_t setting) {
    for (int flit = 0; flit < 4; ++flit) {
      fred.receive(PortId{port}, {packet, setting, 4, flit == 0, flit == 3});
    }
  };
  using ::testing::ElementsAre;
  const StallReason none = StallReason::kNone;
  EXPECT_THAT(reasons_after(1), ElementsAre(none, none, none, none));
  send(3, 7, 1);
  EXPECT_THAT(reasons_after(2), ElementsAre(StallReason::kWaitingOperand, none, none, StallReason::kWaitingOperand));
  send(0, 8, 1);
  // Both operands start and take the credits of both outputs; meanwhile another setting wants port 2.
  EXPECT_THAT(reasons_after(2), ElementsAre(none, none, none, none));
  send(1, 9, 2);
  EXPECT_THAT(reasons_after(1), ElementsAre(none, none, StallReason::kLostArbitration, none));
  send(0, 10, 1);
  send(3, 11, 1);
  EXPECT_THAT(reasons_after(20), ElementsAre(StallReason::kNoCredit, none, none, StallReason::kNoCredit));
  for (int flit = 0; flit < 4; ++flit) fred.credit(PortId{0}, 0);
  EXPECT_THAT(reasons_after(2), ElementsAre(StallReason::kNoCredit, none, none, StallReason::kNoCredit));
  for (int flit = 0; flit < 4; ++flit) fred.credit(PortId{3}, 0);
  EXPECT_THAT(reasons_after(20), ElementsAre(none, none, none, none));
}

TEST(FredSwitch, setting_memory_bad) {
  SwitchSpec spec = small_spec(3, 12);
  const std::size_t bytes = (setting_bits(build_interconnect(3, 12)) + 7) / 8;
  spec.memory_bytes = 2 * bytes + bytes - 1;
  FredSwitch fred(spec);
  EXPECT_EQ(fred.settings().capacity(), 2U);
  fred.settings().add({all_reduce_flow("a", ports({0, 1}))});
  fred.settings().add({all_reduce_flow("a", ports({0, 2}))});
  try {
    fred.settings().add({all_reduce_flow("a", ports({0, 3}))});
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no room for stored setting 3"));
  }
}

TEST(FredSwitch, conflicting_flows_bad) {
  FredSwitch fred(small_spec(2, 8));
  EXPECT_THROW(fred.settings().add(all_reduces({{0, 2}, {1, 4}, {3, 5}})), InputError);
}

/// Gives port 0 the flits of one packet, whose head says that they are `flits`; the switch looks at them in one step.
void give_packet(FredSwitch& fred, std::uint16_t flits, const std::vector<std::pair<bool, bool>>& heads_and_tails) {
  for (const auto& [head, tail] : heads_and_tails) fred.receive(PortId{0}, {0, 1, flits, head, tail});
  fred.step(0);
}

TEST(FredSwitch, packets_of_another_length_than_their_heads_say_bad) {
  const auto expect_refused = [](std::uint16_t flits, const std::vector<std::pair<bool, bool>>& heads_and_tails) {
    FredSwitch fred(small_spec(3, 4));
    fred.settings().add({all_reduce_flow("a", ports({0, 1}))});
    EXPECT_THROW(give_packet(fred, flits, heads_and_tails), ViolationError);
  };
  expect_refused(2, {{true, true}});                                 // its head is its tail
  expect_refused(1, {{true, false}});                                // its head ought to be
  expect_refused(2, {{true, false}, {false, false}});                // too long
  expect_refused(3, {{true, false}, {false, true}});                 // too short
  expect_refused(2, {{true, false}, {true, true}});                  // the next one comes too early
  expect_refused(2, {{true, false}, {false, true}, {false, true}});  // a flit without a head
  FredSwitch fred(small_spec(3, 4));
  fred.settings().add({all_reduce_flow("a", ports({0, 1}))});
  EXPECT_NO_THROW(give_packet(fred, 2, {{true, false}, {false, true}}));
}

TEST(FredSwitch, headers_and_credits_bad) {
  FredSwitch fred(small_spec(3, 4));
  fred.settings().add({all_reduce_flow("a", ports({0, 1}))});
  EXPECT_THROW(fred.receive(PortId{0}, {0, 2, 1, true, true}), ViolationError);  // no such setting
  EXPECT_THROW(fred.receive(PortId{2}, {0, 1, 1, true, true}), ViolationError);  // port 2 gives nothing there
  EXPECT_THROW(fred.receive(PortId{0}, {0, 1, 9, true, true}), ViolationError);  // longer than the largest packet
  EXPECT_THROW(fred.receive(PortId{4}, {0, 1, 1, true, true}), ViolationError);
  fred.receive(PortId{0}, {0, 1, 1, true, true});
  fred.receive(PortId{1}, {0, 1, 2, true, false});
  fred.step(0);
  EXPECT_THROW(fred.step(1), ViolationError);  // packets of one flow differ in length
  FredSwitch other(small_spec(3, 4));
  other.credit(PortId{0}, 0);
  EXPECT_THROW(other.step(0), ViolationError);
}

TEST(FredSwitch, parameters_bad) {
  const auto text_of = [](void (*change)(SwitchSpec&)) {
    SwitchSpec spec = small_spec(3, 4);
    change(spec);
    try {
      FredSwitch fred(spec);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_THAT(text_of([](SwitchSpec& s) { s.flit_bytes = 18; }), HasSubstr("flits of 18 bytes"));
  EXPECT_THAT(text_of([](SwitchSpec& s) { s.lanes = 3; }), HasSubstr("lanes must divide 4"));
  EXPECT_THAT(text_of([](SwitchSpec& s) { s.buffer_flits = 7; }), HasSubstr("smaller than a packet of 8 flits"));
  EXPECT_THAT(text_of([](SwitchSpec& s) { s.output_credits = 7; }), HasSubstr("cannot leave with fewer than 8"));
  EXPECT_THAT(text_of([](SwitchSpec& s) { s.reduce_cycles = 0; }), HasSubstr("a reduction of 0 cycles"));
  EXPECT_THAT(text_of([](SwitchSpec& s) { s.packet_flits = 0; }), HasSubstr("packets of 0 flits"));
  EXPECT_THAT(text_of([](SwitchSpec& s) { s.reconfigure_cycles = 2000000; }), HasSubstr("0 to 1000000"));
}

}  // namespace
}  // namespace weft::fred
