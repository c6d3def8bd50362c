// SPDX-License-Identifier: Apache-2.0
// Datapaths of unicasts that are made anew: the switch does in every cycle what it does when it keeps all of them.
#include "switch/network/unicast_datapaths.h"

#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "tests/switch/support/flows.h"
#include "tests/switch/support/packet_bench.h"

namespace weft::fred {
namespace {

using testing::PacketBench;
using testing::ports;
using testing::Received;
using testing::spec_of;

constexpr std::uint8_t kPp = 1;
constexpr std::uint8_t kDp = 2;

/// Packets in the order in which they leave: port, name, traffic class, first and last cycle.
using Outcome = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t, Cycle, Cycle>>;

struct SwitchCase {
  PortFlowControl flow_control;
  std::uint32_t lanes;
  int register_every;
  StageBuffer stage;
};

/// 400 unicasts of random ports, lengths and gaps, and all-reduces among them; receivers that hold credits for a while.
Outcome outcome(std::size_t kept, const SwitchCase& c, std::uint64_t seed) {
  SwitchSpec spec = spec_of(3, 8);
  spec.flow_control = c.flow_control;
  spec.lanes = c.lanes;
  spec.register_every = c.register_every;
  spec.stage = c.stage;
  spec.kept_datapaths = kept;
  PacketBench bench(spec);
  const Flow pair = all_reduce_flow("p", ports({0, 5}));
  const std::uint32_t added = bench.fred.settings().add({pair});
  RandomStream random(seed, NodeId{1});
  for (std::uint32_t port = 0; port < 8; port += 3) bench.hold(port, kPp, 100 * random.below(8));
  for (std::uint32_t name = 1; name <= 400; ++name) {
    const auto flits = static_cast<std::uint16_t>(1 + random.below(8));
    if (name % 50 == 0) {
      bench.send_flow(pair, {0, name, kDp, added, 0, flits});
      continue;
    }
    const auto from = static_cast<std::uint32_t>(random.below(8));
    const auto to = static_cast<std::uint8_t>(random.below(8));
    // A packet that may start before its last flit is there comes without gaps.
    const Cycle gap = c.flow_control == PortFlowControl::kWormhole ? 1 + random.below(2) : 1;
    bench.send(from, {0, name, kPp, kUnicasts, to, flits, gap});
  }
  bench.run();
  bench.fred.require_empty();
  Outcome sent;
  for (const Received& each : bench.received) {
    sent.emplace_back(each.port, each.name, each.traffic_class, each.head, each.tail);
  }
  return sent;
}

class UnicastDatapathsOfSwitch : public ::testing::TestWithParam<SwitchCase> {};

TEST_P(UnicastDatapathsOfSwitch, made_anew_change_no_cycle) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome all_kept = outcome(100000, GetParam(), seed);
    EXPECT_GE(all_kept.size(), 400u);
    for (const std::size_t kept : {0u, 1u, 4u}) EXPECT_EQ(outcome(kept, GetParam(), seed), all_kept) << kept;
  }
}

constexpr PortFlowControl kCut = PortFlowControl::kCutThrough;
constexpr PortFlowControl kWormhole = PortFlowControl::kWormhole;
INSTANTIATE_TEST_SUITE_P(cases, UnicastDatapathsOfSwitch,
                         ::testing::Values(SwitchCase{kCut, 0, 1, StageBuffer::kRegister},
                                           SwitchCase{kCut, 1, 1, StageBuffer::kSkid},
                                           SwitchCase{kCut, 2, 3, StageBuffer::kRegister},
                                           SwitchCase{kWormhole, 0, 1, StageBuffer::kSkid},
                                           SwitchCase{kWormhole, 1, 2, StageBuffer::kRegister},
                                           SwitchCase{kWormhole, 0, 32, StageBuffer::kSkid}));

TEST(UnicastDatapaths, keep_as_many_as_they_may_where_the_others_can_go) {
  const SwitchSpec spec;
  WordPool pool(1);
  DatapathContext context{spec, pool};
  const auto fill = [&](bool can_go) {
    UnicastDatapaths datapaths(4, 2);
    for (std::uint8_t i = 0; i < 20; ++i) {
      const std::vector<Terminal> route(i + std::size_t{1});
      ElasticDatapath& made = datapaths.add(PortId{static_cast<std::uint8_t>(i % 4)}, PortId{0}, route,
                                            std::make_unique<ElasticDatapath>(DatapathPlan{}, context),
                                            [&](const ElasticDatapath&) { return can_go; });
      EXPECT_EQ(datapaths.find(PortId{static_cast<std::uint8_t>(i % 4)}, PortId{0}, route), &made);
    }
    const std::vector<Terminal> first(1);
    EXPECT_EQ(datapaths.find(PortId{0}, PortId{0}, first) == nullptr, can_go);
    return datapaths.size();
  };
  EXPECT_EQ(fill(true), 8u);
  EXPECT_EQ(fill(false), 20u);
}

}  // namespace
}  // namespace weft::fred
