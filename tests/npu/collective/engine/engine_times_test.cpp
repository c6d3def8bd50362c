// SPDX-License-Identifier: Apache-2.0
// Times of the collective engine, from closed forms and from ASTRA-sim.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/npu/collective/engine/engine_bench.h"

namespace weft::npu {
namespace {

using testing::EngineBench;
using testing::IdealNetworkSpec;
using testing::request_for;

/// The system of the ASTRA-sim rows "Ring, 50 GB/s, 500 ns, endpoint delay 10 ns, local memory 1600 GB/s".
struct AstraSystem {
  static constexpr std::uint64_t kLatency = 500;
  static constexpr std::uint64_t kEndpoint = 10;
  static constexpr std::uint64_t kGiB50 = 50ULL << 30;

  static IdealNetworkSpec network(int nodes) {
    IdealNetworkSpec spec;
    spec.nodes = nodes;
    spec.latency = kLatency;
    spec.bytes_per_cycle = make_rational(kGiB50, 1'000'000'000);
    spec.packet_bytes = 1ULL << 40;  // a message is one packet
    return spec;
  }
  static NpuSpec npu() {
    NpuSpec spec;
    spec.endpoint_delay_cycles = kEndpoint;
    spec.reduce_bytes_per_s = 1600e9;
    return spec;
  }
  /// Cycles of one message; a bandwidth's fraction of a cycle counts whole here and is cut off there.
  static Cycle t(std::uint64_t bytes) { return kLatency + (bytes * 1'000'000'000 + kGiB50 - 1) / kGiB50; }
  static Cycle r(std::uint64_t bytes) { return 3 * (bytes / 1600); }
};

Cycle run(const std::string& algorithm, const CollectiveRequest& request) {
  EngineBench bench(AstraSystem::network(static_cast<int>(request.group->nodes.size())), algorithm, AstraSystem::npu());
  bench.start(request);
  bench.network.run();
  EXPECT_TRUE(bench.idle());
  for (const auto& node : bench.nodes) EXPECT_EQ(node->done.size(), 1u);
  return bench.end(0);
}

TEST(CollectiveEngine, ring_times_are_the_closed_form) {
  using S = AstraSystem;
  for (const std::uint64_t n : {2ULL, 4ULL, 8ULL}) {
    for (const std::uint64_t size : {1ULL << 20, 1ULL << 24}) {
      const auto ranks = static_cast<std::uint32_t>(n);
      EXPECT_EQ(run("ring", request_for(CollectiveKind::kAllReduce, size, ranks)),
                S::kEndpoint + (n - 1) * (2 * (S::t(size / n) + S::kEndpoint) + S::r(size / n)));
      EXPECT_EQ(run("ring", request_for(CollectiveKind::kReduceScatter, size, ranks)),
                S::kEndpoint + (n - 1) * (S::t(size / n) + S::kEndpoint + S::r(size / n)));
      EXPECT_EQ(run("ring", request_for(CollectiveKind::kAllGather, size, ranks)),
                S::kEndpoint + (n - 1) * (S::t(size) + S::kEndpoint));
      EXPECT_EQ(run("ring", request_for(CollectiveKind::kAllToAll, size, ranks)),
                S::kEndpoint + n * (n - 1) / 2 * (S::t(size / n) + S::kEndpoint));
      // Chunks one after the other.
      const std::uint64_t c = size / 4 / n;
      EXPECT_EQ(run("ring", request_for(CollectiveKind::kAllReduce, size, ranks, 4, 1)),
                4 * (S::kEndpoint + (n - 1) * (2 * (S::t(c) + S::kEndpoint) + S::r(c))));
    }
  }
}

double nanoseconds(const std::string& algorithm, const CollectiveRequest& request) {
  return static_cast<double>(run(algorithm, request));
}

// Rows of ASTRA-sim (congestion_unaware, Ring 4, 1 MiB), which cuts every message's time to whole ns.
TEST(CollectiveEngine, ring_times_are_those_of_astra_sim) {
  EXPECT_NEAR(nanoseconds("ring", request_for(CollectiveKind::kAllReduce, 1 << 20, 4)), 33829, 6);
  EXPECT_NEAR(nanoseconds("ring", request_for(CollectiveKind::kAllReduce, 1 << 20, 4, 4, 1)), 43000, 24);
  EXPECT_NEAR(nanoseconds("ring", request_for(CollectiveKind::kReduceScatter, 1 << 20, 4)), 17653, 3);
  EXPECT_NEAR(nanoseconds("ring", request_for(CollectiveKind::kAllGather, 1 << 20, 4)), 60133, 3);
  EXPECT_NEAR(nanoseconds("ring", request_for(CollectiveKind::kAllToAll, 1 << 20, 4)), 32362, 6);
}

TEST(CollectiveEngine, direct_reductions_overlap) {
  // All n-1 parts leave one behind the other; only the last one's delay and reduction are not hidden.
  using S = AstraSystem;
  const std::uint64_t n = 5;
  const std::uint64_t part = 1 << 20;
  const Cycle wire = ((n - 1) * part * 1'000'000'000 + S::kGiB50 - 1) / S::kGiB50;
  const Cycle scatter = S::kEndpoint + wire + S::kLatency + S::kEndpoint + S::r(part);
  EXPECT_EQ(run("direct", request_for(CollectiveKind::kReduceScatter, n * part, 5)), scatter);
  EXPECT_EQ(run("direct", request_for(CollectiveKind::kAllReduce, n * part, 5)),
            scatter + wire + S::kLatency + S::kEndpoint);
}

TEST(CollectiveEngine, messages_that_come_together_are_reduced_side_by_side) {
  // Four ranks send to the root at once; it takes one delay and one reduction, not four.
  using S = AstraSystem;
  EXPECT_EQ(run("direct", request_for(CollectiveKind::kReduce, 1 << 20, 5)),
            S::kEndpoint + S::t(1 << 20) + S::kEndpoint + S::r(1 << 20));
}

TEST(CollectiveEngine, chains_stream_packet_by_packet) {
  // 6400 bytes in packets of 100 at 10 bytes per cycle, latency 7, delay 3: the root sends for 640 cycles from 3 on;
  // each of the 3 hops after the first adds a packet's 10 cycles, the latency and the delay.
  IdealNetworkSpec network;
  network.nodes = 5;
  network.latency = 7;
  network.bytes_per_cycle = {10, 1};
  network.packet_bytes = 100;
  NpuSpec npu;
  npu.endpoint_delay_cycles = 3;
  EngineBench bench(network, "ring", npu);
  bench.start(request_for(CollectiveKind::kBroadcast, 6400, 5));
  bench.network.run();
  EXPECT_EQ(bench.end(0), 3u + 640 + 7 + 3 + 3 * (10 + 7 + 3));
  // The first receiver is done when its last packet has left again.
  std::vector<Cycle> ends;
  for (const auto& node : bench.nodes) ends.push_back(node->done.at(0).end_cycle);
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (std::vector<Cycle>{643, 663, 683, 703, 713}));
}

TEST(CollectiveEngine, streamed_reduction_costs_its_packets) {
  // Two hops of the chain 0 -> 1 -> 2; 1000 bytes in packets of 100 at 10 bytes per cycle; memory of 100 bytes per
  // cycle makes a packet's reduction 3 cycles, and that of the whole at the root 30.
  IdealNetworkSpec network;
  network.nodes = 3;
  network.latency = 5;
  network.bytes_per_cycle = {10, 1};
  network.packet_bytes = 100;
  NpuSpec npu;
  npu.reduce_bytes_per_s = 100e9;
  EngineBench bench(network, "ring", npu);
  CollectiveRequest request = request_for(CollectiveKind::kReduce, 1000, 3);
  request.root = 2;
  bench.start(request);
  bench.network.run();
  EXPECT_EQ(bench.nodes[2]->done.at(0).end_cycle, 100u + 5 + 3 + 10 + 5 + 30);
}

TEST(CollectiveEngine, long_programs_are_held_in_part_only) {
  // 66 ranks: 4291 instructions each. The time is that of the closed form as for short programs.
  using S = AstraSystem;
  EXPECT_EQ(run("ring", request_for(CollectiveKind::kAllToAll, 66 * 1024, 66)),
            S::kEndpoint + 66 * 65 / 2 * (S::t(1024) + S::kEndpoint));
  EXPECT_EQ(run("direct", request_for(CollectiveKind::kAllGather, 1024, 120)),
            S::kEndpoint + S::t(119 * 1024) + S::kEndpoint);
}

}  // namespace
}  // namespace weft::npu
