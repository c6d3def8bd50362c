// SPDX-License-Identifier: Apache-2.0
// Go-Back-N on all links of a fabric of two levels: two L1 switches with three nodes each, two uplinks. All-reduces
// with data and unicasts between all nodes, while flits, ACKs and NACKs are lost everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/switch/support/fabric_bench.h"

namespace weft::fred {
namespace {

using test::FabricBench;
using test::Received;
using test::ToSend;
using testing::HasSubstr;

constexpr std::uint32_t kNodes = 6;
constexpr int kRounds = 40;
constexpr std::size_t kElements = 30;  ///< elements per packet: four flits, the last one not full

FabricSpec fabric_of(bool go_back_n, Rational rate) {
  FabricSpec spec;
  spec.kind = FabricKind::kFred;
  spec.size_x = 3;
  spec.size_y = 2;
  spec.flit_bytes = 32;
  spec.local = {rate, 3};
  FredLevelSpec low;
  low.groups = 2;
  low.uplinks = 2;
  low.uplink_rate = rate;
  low.uplink_latency_cycles = 7;
  spec.fred.levels = {low, FredLevelSpec{}};
  FredLinkLayerSpec& links = spec.fred.link_layer;
  links.go_back_n = go_back_n;
  links.replay_packets = 12;
  links.ack_packets = 4;
  links.ack_timeout = 30;
  links.retransmit_timeout = 60;
  return spec;
}

FabricParameters parameters_of(std::uint64_t seed) {
  FabricParameters parameters;
  parameters.packet_bytes = 128;
  parameters.values = true;
  parameters.format = {DataType::kInt32, false};
  parameters.seed = seed;
  return parameters;
}

std::int32_t element(std::uint32_t node, int round, std::size_t i) {
  return static_cast<std::int32_t>(random_bits(9, node, static_cast<std::uint64_t>(round) * 1000 + i));
}

std::vector<std::int32_t> sums(int round) {
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < kElements; ++i) {
    std::uint32_t sum = 0;
    for (std::uint32_t node = 0; node < kNodes; ++node) sum += static_cast<std::uint32_t>(element(node, round, i));
    result.push_back(static_cast<std::int32_t>(sum));
  }
  return result;
}

/// In each round an all-reduce of all, and a unicast from each node to another one.
void fill(FabricBench& bench) {
  FabricFlow all;
  for (std::uint32_t node = 0; node < kNodes; ++node) all.inputs.push_back(NodeId{node});
  all.outputs = all.inputs;
  const std::uint32_t flow = bench.fabric.compiler().number_of({all}, 0);
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      ToSend operand;
      operand.flow = flow;
      operand.offset = static_cast<std::uint64_t>(round) * 128;
      for (std::size_t i = 0; i < kElements; ++i) operand.data.push_back(element(node, round, i));
      bench.send(node, operand);
      ToSend unicast;
      unicast.traffic_class = TrafficClass::kMp;
      unicast.dst = (node + 1 + static_cast<std::uint32_t>(round) % (kNodes - 1)) % kNodes;
      unicast.offset = static_cast<std::uint64_t>(round);
      unicast.data.resize(8 * (1 + static_cast<std::size_t>(round) % 4));
      bench.send(node, unicast);
    }
  }
}

void expect_all_is_right(const FabricBench& bench) {
  EXPECT_EQ(bench.reads, std::uint64_t{kNodes} * kRounds);
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    std::map<std::uint64_t, std::vector<std::int32_t>> results;
    std::map<std::pair<std::uint32_t, std::uint64_t>, int> unicasts;
    for (const Received& got : bench.received(node)) {
      if (got.flow == kNoFlow) {
        ++unicasts[{got.src, got.offset}];
      } else {
        EXPECT_TRUE(results.emplace(got.offset / 128, got.data).second) << "twice: " << got.offset;
      }
    }
    ASSERT_EQ(results.size(), static_cast<std::size_t>(kRounds));
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_EQ(results[static_cast<std::uint64_t>(round)], sums(round)) << "round " << round << " at node " << node;
    }
    EXPECT_EQ(unicasts.size(), static_cast<std::size_t>(kRounds));
    for (const auto& [which, count] : unicasts) EXPECT_EQ(count, 1);
  }
  bench.require_empty();
}

std::vector<Cycle> arrivals(const FabricBench& bench) {
  std::vector<Cycle> cycles;
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    for (const Received& got : bench.received(node)) cycles.push_back(got.at);
  }
  return cycles;
}

class GbnFabric : public testing::TestWithParam<std::uint64_t> {};

TEST_P(GbnFabric, nothing_is_lost_or_reduced_twice) {
  FabricSpec spec = fabric_of(true, {1, 1});
  spec.fred.link_layer.bit_error_rate = 5e-4;  // 12 % of the flits, 3 % of ACKs and NACKs
  spec.fred.link_layer.drop_rate = 0.1;
  FabricBench bench(spec, parameters_of(GetParam()));
  fill(bench);
  bench.run(200'000);
  expect_all_is_right(bench);
  const GbnCounters totals = bench.fabric.link_totals();
  EXPECT_GT(totals.resent, 1000u);
  EXPECT_GT(totals.nacks, 200u);
  EXPECT_GT(totals.timeouts, 20u);
  // A flow: six operands, two sums up, two results down, six to nodes. A unicast takes two links, and two more between
  // the groups, as 18 of 30 in five rounds do.
  EXPECT_EQ(totals.packets, 40u * 16 + 40 * 6 * 2 + 8 * 18 * 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GbnFabric, testing::Range(std::uint64_t{1}, std::uint64_t{11}));

// Links of half a flit per cycle hand over whole packets with credits, too.
TEST(GbnFabricLaws, without_errors_everything_arrives_when_it_does_with_credit_links) {
  FabricBench credit(fabric_of(false, {1, 2}), parameters_of(1));
  FabricSpec roomy = fabric_of(true, {1, 2});
  roomy.fred.link_layer.replay_packets = 100;
  roomy.fred.link_layer.retransmit_timeout = 1000;
  FabricBench repaired(roomy, parameters_of(1));
  for (FabricBench* bench : {&credit, &repaired}) {
    fill(*bench);
    bench->run(20'000);
    expect_all_is_right(*bench);
  }
  EXPECT_EQ(arrivals(credit), arrivals(repaired));
  EXPECT_EQ(repaired.fabric.link_totals().resent, 0u);
  EXPECT_EQ(credit.fabric.link_totals().packets, 0u);
}

TEST(GbnFabricLaws, sleeping_changes_nothing_and_the_seed_does) {
  const auto run = [](bool sleep, std::uint64_t seed) {
    FabricSpec spec = fabric_of(true, {2, 3});
    spec.fred.link_layer.drop_rate = 0.02;
    FabricParameters parameters = parameters_of(seed);
    parameters.sleep = sleep;
    FabricBench bench(spec, parameters);
    fill(bench);
    bench.run(200'000);
    return arrivals(bench);
  };
  const std::vector<Cycle> expected = run(true, 5);
  EXPECT_EQ(run(false, 5), expected);
  EXPECT_NE(run(true, 6), expected);
}

// Everything is dropped: node 0 may send 12 packets, of which nothing arrives.
TEST(GbnFabricLaws, the_report_names_links_whose_window_is_full) {
  FabricSpec spec = fabric_of(true, {1, 1});
  spec.fred.link_layer.drop_rate = 1;
  FabricBench bench(spec, parameters_of(1));
  fill(bench);
  EXPECT_THROW(bench.run(2'000), ViolationError);
  const std::vector<std::string> waiting = bench.fabric.waiting(20);
  ASSERT_EQ(waiting.size(), kNodes);
  EXPECT_THAT(waiting[0], HasSubstr("link into port 0 of l1[0]: "));
  EXPECT_THAT(waiting[0], HasSubstr("12 packets sent and not acknowledged; the window of 12 packets is full"));
  EXPECT_THAT(waiting[0], HasSubstr("0 NACKs and "));
  EXPECT_GT(bench.fabric.flits_inside(), 0u);
}

}  // namespace
}  // namespace weft::fred
