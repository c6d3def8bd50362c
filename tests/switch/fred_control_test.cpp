// SPDX-License-Identifier: Apache-2.0
// The control unit: unicasts, phases and their priority, pre-emption and yield, slow links. Cycles by hand: a packet
// whose flits come from cycle t on and that meets nobody leaves Fred_3(4) (3 stages) from cycle t + 1 + 3 on.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "base/random.h"
#include "tests/switch/support/flows.h"
#include "tests/switch/support/packet_bench.h"

namespace weft::fred {
namespace {

using testing::PacketBench;
using testing::ports;
using testing::SentPacket;
using testing::spec_of;

constexpr std::uint8_t kMp = 0;
constexpr std::uint8_t kPp = 1;
constexpr std::uint8_t kDp = 2;

TEST(FredUnicast, latency_by_hand) {
  PacketBench bench(spec_of(3, 4));
  bench.send(0, {10, 1, kPp, kUnicasts, 3, 4});
  bench.run();
  EXPECT_EQ(bench.at(3, 1).head, 10U + 1 + 2 + 3);  // 2: the unicasts' setting is loaded first
  EXPECT_EQ(bench.at(3, 1).tail, bench.at(3, 1).head + 3);
  bench.fred.require_empty();
}

/// Fred_3(4) has three stages; registers are behind the second and the last.
TEST(FredUnicast, latency_without_some_registers) {
  SwitchSpec spec = spec_of(3, 4);
  spec.register_every = 2;
  PacketBench bench(spec);
  bench.send(0, {10, 1, kPp, kUnicasts, 3, 4});
  bench.run();
  EXPECT_EQ(bench.at(3, 1).head, 10U + 1 + 2 + 2);
  EXPECT_EQ(bench.at(3, 1).tail, bench.at(3, 1).head + 3);
  bench.fred.require_empty();
}

/// Strict-sense non-blocking: whatever is under way, an idle input reaches an idle output at once. 12 inputs send to 12
/// outputs, permutations follow each other without a gap.
TEST(FredUnicast, three_middle_stages_never_block) {
  constexpr int kPorts = 12;
  constexpr std::uint32_t kRounds = 40;
  for (const auto& [m, every, registers] : {std::tuple{3, 1, 7U}, {4, 1, 7U}, {3, 2, 4U}, {3, 3, 3U}}) {
    SwitchSpec spec = spec_of(m, kPorts);
    spec.register_every = every;
    spec.reconfigure_cycles = 0;
    PacketBench bench(spec);
    RandomStream random(3, NodeId{1});
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const auto shift = static_cast<std::uint32_t>(random.below(kPorts));
      for (std::uint32_t port = 0; port < kPorts; ++port) {
        bench.send(port, {round * 8, round * 100 + port, kPp, kUnicasts,
                          static_cast<std::uint8_t>((port * 5 + shift) % kPorts), 8});
      }
    }
    bench.run();
    for (const testing::Received& packet : bench.received) {
      EXPECT_EQ(packet.head, packet.name / 100 * 8 + 1 + registers) << "m = " << m << ", packet " << packet.name;
    }
    EXPECT_EQ(bench.received.size(), kRounds * kPorts);
  }
}

/// With two middle stages a way may be missing for a while, but everything comes through, in order per pair and
/// traffic class.
TEST(FredUnicast, random_traffic_arrives_once_and_in_order) {
  RandomStream random(17, NodeId{1});
  for (int trial = 0; trial < 60; ++trial) {
    SwitchSpec spec = spec_of(2 + static_cast<int>(random.below(3)), 2 + static_cast<int>(random.below(15)));
    spec.control = FredControl(random.below(3));
    spec.reduce_cycles = 1 + static_cast<std::uint32_t>(random.below(3));
    spec.stage = random.below(2) == 0 ? StageBuffer::kRegister : StageBuffer::kSkid;
    spec.flow_control = random.below(4) == 0 ? PortFlowControl::kWormhole : PortFlowControl::kCutThrough;
    PacketBench bench(spec);
    std::map<std::uint32_t, SentPacket> sent;
    std::map<std::uint32_t, std::uint32_t> from;
    for (std::uint32_t name = 1; name <= 200; ++name) {
      SentPacket packet;
      packet.name = name;
      packet.traffic_class = static_cast<std::uint8_t>(random.below(kMostTrafficClasses));
      packet.output = static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(spec.ports)));
      packet.flits = static_cast<std::uint16_t>(1 + random.below(8));
      const auto port = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(spec.ports)));
      sent[name] = packet;
      from[name] = port;
      bench.send(port, packet);
    }
    bench.run();
    bench.fred.require_empty();
    ASSERT_EQ(bench.received.size(), sent.size()) << "trial " << trial;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>, std::uint32_t> last;
    for (const testing::Received& packet : bench.received) {
      ASSERT_EQ(packet.port, sent[packet.name].output);
      ASSERT_EQ(packet.traffic_class, sent[packet.name].traffic_class);
      std::uint32_t& before = last[{from[packet.name], packet.port, packet.traffic_class}];
      ASSERT_LT(before, packet.name) << "out of order at port " << packet.port;
      before = packet.name;
    }
  }
}

TEST(FredUnicast, any_uplink_takes_turns) {
  SwitchSpec spec = spec_of(3, 6);
  spec.first_uplink = 4;
  spec.uplinks = 2;
  PacketBench bench(spec);
  for (std::uint32_t name = 1; name <= 4; ++name) bench.send(0, {0, name, kPp, kUnicasts, kAnyUplink, 2});
  bench.run();
  std::vector<std::uint32_t> at;
  for (const testing::Received& packet : bench.received) at.push_back(packet.port);
  EXPECT_EQ(at, (std::vector<std::uint32_t>{4, 5, 4, 5}));
}

/// Two packets that ask for an uplink in one cycle: the second takes the other one in the next.
TEST(FredUnicast, loser_of_an_uplink_takes_the_next) {
  SwitchSpec spec = spec_of(3, 6);
  spec.matching = "greedy";
  spec.first_uplink = 4;
  spec.uplinks = 2;
  PacketBench bench(spec);
  for (std::uint32_t port = 0; port < 2; ++port) bench.send(port, {0, 1 + port, kPp, kUnicasts, kAnyUplink, 8});
  bench.run();
  EXPECT_EQ(bench.at(4, 1).head, 3U + 5);  // loaded in cycles 1 and 2, 5 stages
  EXPECT_EQ(bench.at(5, 2).head, 4U + 5);
}

/// Two flows of two settings on disjoint ports.
struct TwoFlows {
  explicit TwoFlows(const SwitchSpec& spec, std::uint8_t a_traffic_class, std::uint8_t b_traffic_class) : bench(spec) {
    a = {"a", ports({0, 1}), ports({0, 1})};
    b = {"b", ports({2, 3}), ports({2, 3})};
    a_index = bench.fred.settings().add({a});
    b_index = bench.fred.settings().add({b});
    traffic_class_a = a_traffic_class;
    traffic_class_b = b_traffic_class;
  }
  void send_a(Cycle at, std::uint32_t name) { bench.send_flow(a, {at, name, traffic_class_a, a_index, 0, 8}); }
  void send_b(Cycle at, std::uint32_t name) { bench.send_flow(b, {at, name, traffic_class_b, b_index, 0, 8}); }

  PacketBench bench;
  Flow a, b;
  std::uint32_t a_index = 0, b_index = 0;
  std::uint8_t traffic_class_a = 0, traffic_class_b = 0;
};

/// DP packets come without end; an MP packet that comes in the middle of one goes right behind it, after the
/// reconfiguration, and DP goes on behind the MP packet.
TEST(FredPhases, higher_phase_preempts_at_the_packet_border) {
  TwoFlows flows(spec_of(3, 4), kDp, kMp);
  for (std::uint32_t i = 0; i < 4; ++i) flows.send_a(0, 1 + i);
  flows.send_b(12, 100);
  flows.bench.run();
  // a: loaded in cycles 1, 2; packets enter from 3, 11, (19, 27); the MP packet, seen in cycle 13, waits for the second
  // one to be in (18), 19: reconfiguration, enters from 21; a again: 29 + 2 = 31, 39.
  EXPECT_EQ(flows.bench.at(0, 1).head, 3U + 3);
  EXPECT_EQ(flows.bench.at(0, 2).head, 11U + 3);
  EXPECT_EQ(flows.bench.at(2, 100).head, 21U + 3);
  EXPECT_EQ(flows.bench.at(0, 3).head, 31U + 3);
  EXPECT_EQ(flows.bench.at(0, 4).head, 39U + 3);
  EXPECT_EQ(flows.bench.fred.counters().preemptions, 1U);
  EXPECT_EQ(flows.bench.fred.counters().reconfigurations, 3U);
}

/// The same where both use the same ports and wires and the lower phase never pauses: four packets of it are here when
/// they may start, in cycle 41. The MP packet, seen in cycle 51, has all wires from 57 on.
TEST(FredPhases, higher_phase_preempts_on_the_same_wires) {
  SwitchSpec spec = spec_of(3, 4);
  spec.reconfigure_cycles = 40;
  PacketBench bench(spec);
  const Flow all = {"all", ports({0, 1, 2}), ports({0, 1})};
  const Flow same = {"same", ports({0, 1, 2}), ports({0, 1, 3})};
  const std::uint32_t dp = bench.fred.settings().add({all});
  const std::uint32_t mp = bench.fred.settings().add({same});
  for (std::uint32_t i = 0; i < 4; ++i) bench.send_flow(all, {0, 1 + i, kDp, dp, 0, 8});
  bench.send_flow(same, {50, 100, kMp, mp, 0, 8});
  bench.run();
  EXPECT_EQ(bench.at(0, 1).head, 41U + 3);
  EXPECT_EQ(bench.at(0, 2).head, 49U + 3);
  EXPECT_EQ(bench.at(3, 100).head, 97U + 3);
  EXPECT_EQ(bench.at(0, 3).head, 97U + 8 + 40 + 3);
  EXPECT_EQ(bench.fred.counters().preemptions, 1U);
}

/// Sums take 5 cycles, so what follows them on shorter ways must not catch up: a change waits for (adders on a way) x 4
/// cycles after the last beat, here more than the reconfiguration takes.
TEST(FredPhases, change_waits_until_slow_sums_are_through) {
  SwitchSpec spec = spec_of(3, 4);
  spec.reduce_cycles = 5;
  PacketBench bench(spec);
  const Flow sum = {"sum", ports({0, 1, 2, 3}), ports({0})};
  const std::uint32_t dp = bench.fred.settings().add({sum});
  bench.send_flow(sum, {0, 1, kDp, dp, 0, 8});
  bench.send(2, {1, 2, kDp, kUnicasts, 0, 1});
  bench.run();
  EXPECT_EQ(bench.at(0, 1).head, 3U + 5 + 5 + 1);
  EXPECT_EQ(bench.at(0, 2).head, 3U + 8 + 2 * 4 + 3);  // not 3 + 8 + 2 + 3, in the middle of the sum
}

/// Packets of one flow come on two traffic classes; operands that have to wait for others in the stages stay with their
/// own.
TEST(FredPhases, one_flow_on_two_traffic_classes) {
  SwitchSpec spec = spec_of(3, 5);
  spec.reduce_cycles = 3;
  PacketBench bench(spec);
  const Flow flow = {"sum", ports({0, 1, 2}), ports({4})};
  const std::uint32_t number = bench.fred.settings().add({flow});
  for (std::uint32_t i = 0; i < 20; ++i) {
    bench.send_flow(flow, {0, 1 + i, i % 2 == 0 ? kMp : kDp, number, 0, static_cast<std::uint16_t>(3 + i % 4)});
  }
  bench.run();
  EXPECT_EQ(bench.received.size(), 20U);
  for (const testing::Received& packet : bench.received) {
    EXPECT_EQ(packet.traffic_class, packet.name % 2 == 1 ? kMp : kDp) << packet.name;
  }
  bench.fred.require_empty();
}

TEST(FredPhases, lower_phase_waits_for_the_higher_one) {
  TwoFlows flows(spec_of(3, 4), kMp, kDp);
  for (std::uint32_t i = 0; i < 4; ++i) flows.send_a(0, 1 + i);
  flows.send_b(0, 100);
  flows.bench.run();
  EXPECT_EQ(flows.bench.at(0, 4).head, 3U + 3 * 8 + 3);
  EXPECT_EQ(flows.bench.at(2, 100).head, 3U + 4 * 8 + 2 + 3);
  EXPECT_EQ(flows.bench.fred.counters().preemptions, 0U);
}

/// The MP flow lacks an operand until cycle 60: DP is not held up.
TEST(FredPhases, higher_phase_without_an_operand_yields) {
  TwoFlows flows(spec_of(3, 4), kMp, kDp);
  flows.bench.send(0, {0, 1, kMp, flows.a_index, 0, 8});
  flows.bench.send(1, {60, 1, kMp, flows.a_index, 0, 8});
  for (std::uint32_t i = 0; i < 4; ++i) flows.send_b(0, 100 + i);
  flows.bench.run();
  EXPECT_EQ(flows.bench.at(2, 103).head, 3U + 3 * 8 + 3);
  EXPECT_EQ(flows.bench.at(0, 1).head, 61U + 2 + 3);
}

/// The MP flow's receiver keeps its credits back: after four packets (32 credits) DP goes on, and MP pre-empts again.
TEST(FredPhases, higher_phase_without_credits_yields) {
  TwoFlows flows(spec_of(3, 4), kMp, kDp);
  flows.bench.hold(1, kMp, 200);
  for (std::uint32_t i = 0; i < 6; ++i) flows.send_a(0, 1 + i);
  for (std::uint32_t i = 0; i < 4; ++i) flows.send_b(0, 100 + i);
  flows.bench.run();
  EXPECT_EQ(flows.bench.at(0, 4).head, 3U + 3 * 8 + 3);
  EXPECT_EQ(flows.bench.at(2, 100).head, 3U + 4 * 8 + 2 + 3);
  EXPECT_EQ(flows.bench.at(2, 103).head, 3U + 4 * 8 + 2 + 3 * 8 + 3);
  EXPECT_EQ(flows.bench.at(0, 5).head, 200U + 1 + 2 + 3);  // the credits count from cycle 201 on
  EXPECT_EQ(flows.bench.fred.counters().yields, 1U);
}

/// Five packets of each of two flows that share nothing, all there at the start.
Cycle last_tail(FredControl control, std::uint32_t stay) {
  SwitchSpec spec = spec_of(3, 4);
  spec.control = control;
  spec.stay_packets = stay;
  TwoFlows flows(spec, kDp, kDp);
  for (std::uint32_t i = 0; i < 5; ++i) {
    flows.send_a(0, 1 + i);
    flows.send_b(0, 100 + i);
  }
  flows.bench.run();
  return std::max(flows.bench.at(0, 5).tail, flows.bench.at(2, 104).tail);
}

TEST(FredPhases, ablations_by_hand) {
  // Enters from cycle 1 on; 3 stages, 8 flits.
  constexpr Cycle kTail = 3 + 7;
  // Side by side, nothing to reconfigure on wires that were never used.
  EXPECT_EQ(last_tail(FredControl::kSeveralPhases, 0), 1U + 4 * 8 + kTail);
  // All of one setting, then all of the other.
  EXPECT_EQ(last_tail(FredControl::kOnePhase, 0), 3U + 5 * 8 + 2 + 4 * 8 + kTail);
  // In turn: nine changes between ten packets.
  EXPECT_EQ(last_tail(FredControl::kOnePhase, 1), 3U + 9 * (8 + 2) + kTail);
  // One tree at a time: the next one starts when the other has left all stages.
  EXPECT_GT(last_tail(FredControl::kOneTree, 0), 3U + 9 * (8 + 2) + kTail);
}

/// Flows of inputs 0, 1, 2 go to port 6, those of 3, 4, 5 to port 7, each with a setting of its own; both ports
/// take a packet in 64 cycles, and their turns come alternately. Each input gets a third of its port.
TEST(FredPhases, ports_take_turns_where_outputs_open_alternately) {
  SwitchSpec spec = spec_of(3, 8);
  spec.port_specs.resize(8);
  for (const int output : {6, 7}) spec.port_specs[output].out_rate = {{1, 8}, 16, 0};
  PacketBench bench(spec);
  constexpr std::uint32_t kPackets = 20;
  for (int input = 0; input < 6; ++input) {
    const Flow flow{std::string(1, static_cast<char>('a' + input)), ports({input}), ports({input < 3 ? 6 : 7})};
    const std::uint32_t setting = bench.fred.settings().add({flow});
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      bench.send_flow(flow, {0, static_cast<std::uint32_t>(input) * 100 + i, kPp, setting, 0, 8});
    }
  }
  bench.run();
  std::map<std::uint32_t, std::uint32_t> of_port, of_input;
  for (const testing::Received& packet : bench.received) {
    if (++of_port[packet.port] <= 3 * kPackets / 2) ++of_input[packet.name / 100];  // half of what leaves there
  }
  for (std::uint32_t input = 0; input < 6; ++input) {
    EXPECT_GE(of_input[input], kPackets / 2 - 1) << input;
    EXPECT_LE(of_input[input], kPackets / 2 + 1) << input;
  }
}

/// A link of one flit in four cycles: the packet starts when it is all here, and does not hold up others meanwhile.
TEST(FredPorts, slow_links_send_whole_packets) {
  SwitchSpec spec = spec_of(3, 4);
  spec.reconfigure_cycles = 0;
  spec.port_specs.resize(4);
  spec.port_specs[0].in_rate = {1, 4};
  PacketBench bench(spec);
  bench.send(0, {0, 1, kPp, kUnicasts, 2, 8, 4});
  bench.send(1, {0, 2, kPp, kUnicasts, 2, 8, 1});
  bench.run();
  EXPECT_EQ(bench.at(2, 2).head, 1U + 3);
  EXPECT_EQ(bench.at(2, 1).head, 7U * 4 + 1 + 3);
  EXPECT_EQ(bench.at(2, 1).tail, bench.at(2, 1).head + 7);
}

/// An output of one flit in four cycles keeps its link busy from two packets of buffer, and headers take their time:
/// 4 flits of 16 bytes and a header of 4 at 4 bytes per cycle are 17 cycles.
TEST(FredPorts, slow_outputs_stream_and_pay_for_headers) {
  SwitchSpec spec = spec_of(3, 4);
  spec.reconfigure_cycles = 0;
  spec.port_specs.resize(4);
  spec.port_specs[3].out_rate = {{1, 4}, 16, 4};
  PacketBench bench(spec);
  for (std::uint32_t i = 0; i < 20; ++i) bench.send(0, {0, 1 + i, kPp, kUnicasts, 3, 4});
  bench.run();
  EXPECT_EQ(bench.at(3, 1).head, 1U + 3);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(bench.at(3, 1 + i).head, 4U + i * 17) << i;
}

TEST(FredState, hash_tells_states_apart_and_is_relative_to_now) {
  const auto hash_after = [](Cycle start, Cycle steps, std::uint16_t flits) {
    FredSwitch fred(spec_of(3, 4));
    PortFlit flit;
    flit.packet_flits = flits;
    flit.head = true;
    flit.tail = flits == 1;
    flit.output = 2;
    fred.receive(PortId{0}, flit);
    for (Cycle now = start; now < start + steps; ++now) fred.step(now);
    return fred.state_hash(start + steps);
  };
  EXPECT_EQ(hash_after(0, 3, 1), hash_after(1000, 3, 1));
  std::set<std::uint64_t> hashes;
  for (Cycle steps = 1; steps < 6; ++steps) hashes.insert(hash_after(5, steps, 1));
  EXPECT_EQ(hashes.size(), 5U);
  EXPECT_NE(hash_after(0, 1, 1), hash_after(0, 1, 2));
}

}  // namespace
}  // namespace weft::fred
