// SPDX-License-Identifier: Apache-2.0
// Mean hops against counting all pairs, volumes against closed forms.
#include "config/run_estimate.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

FabricSpec fabric(FabricKind kind, int x, int y) {
  FabricSpec spec;
  spec.kind = kind;
  spec.size_x = x;
  spec.size_y = y;
  return spec;
}

int line(int from, int to, int size, bool wraps) {
  int best = std::abs(from - to);
  if (wraps) best = std::min({best, std::abs(from + size - to), std::abs(to + size - from)});
  return best;
}

/// Mean routers on the way, counted node by node; `to` maps a coordinate pair to its destination.
template <typename Destination>
double counted(const FabricSpec& f, const Destination& to) {
  const bool wraps = f.kind == FabricKind::kTorus;
  double sum = 0;
  for (int x = 0; x < f.size_x; ++x) {
    for (int y = 0; y < f.size_y; ++y) {
      const auto [dx, dy] = to(x, y);
      sum += 1 + line(x, dx, f.size_x, wraps) + line(y, dy, f.size_y, wraps);
    }
  }
  return sum / f.nodes();
}

TEST(RunEstimate, uniform_hops_are_the_mean_over_all_pairs) {
  for (const auto kind : {FabricKind::kMesh, FabricKind::kTorus}) {
    for (const auto& f : {fabric(kind, 8, 8), fabric(kind, 5, 3), fabric(kind, 1, 1), fabric(kind, 7, 1)}) {
      double sum = 0;
      for (int x = 0; x < f.size_x; ++x)
        for (int y = 0; y < f.size_y; ++y) sum += counted(f, [&](int, int) { return std::make_pair(x, y); });
      EXPECT_NEAR(average_hops(f), sum / f.nodes(), 1e-12);
    }
  }
  // The mesh's closed form: 1 + 2 (k^2 - 1) / (3 k).
  EXPECT_NEAR(average_hops(fabric(FabricKind::kMesh, 8, 8)), 1 + 2.0 * 63 / 24, 1e-12);
}

TEST(RunEstimate, pattern_hops_are_the_mean_over_all_nodes) {
  for (const auto kind : {FabricKind::kMesh, FabricKind::kTorus}) {
    for (const int k : {4, 5, 8}) {
      const FabricSpec f = fabric(kind, k, k);
      TrafficWorkload traffic;
      traffic.pattern = "transpose";
      EXPECT_NEAR(average_hops(f, traffic), counted(f, [](int x, int y) { return std::make_pair(y, x); }), 1e-12);
      traffic.pattern = "bitcomp";
      EXPECT_NEAR(average_hops(f, traffic),
                  counted(f, [&](int x, int y) { return std::make_pair(k - 1 - x, k - 1 - y); }), 1e-12);
      traffic.pattern = "neighbor";
      EXPECT_NEAR(average_hops(f, traffic),
                  counted(f, [&](int x, int y) { return std::make_pair((x + 1) % k, (y + 1) % k); }), 1e-12);
      traffic.pattern = "tornado";
      const int step = (k + 1) / 2 - 1;
      EXPECT_NEAR(average_hops(f, traffic),
                  counted(f, [&](int x, int y) { return std::make_pair((x + step) % k, (y + step) % k); }), 1e-12);
      traffic.pattern = "hotspot";
      traffic.hotspots = {NodeId{0}, NodeId{static_cast<std::uint32_t>(k + 2)}};
      const double first = counted(f, [](int, int) { return std::make_pair(0, 0); });
      const double second = counted(f, [](int, int) { return std::make_pair(2, 1); });
      EXPECT_NEAR(average_hops(f, traffic), (first + second) / 2, 1e-12);
    }
  }
}

TEST(RunEstimate, volumes_of_collectives) {
  EXPECT_EQ(collective_bytes(CollectiveKind::kAllReduce, 8, 1000), 14000);
  EXPECT_EQ(collective_bytes(CollectiveKind::kReduceScatter, 8, 1000), 7000);
  EXPECT_EQ(collective_bytes(CollectiveKind::kAllGather, 8, 1000), 56000);
  EXPECT_EQ(collective_bytes(CollectiveKind::kAllToAll, 8, 1000), 7000);
  EXPECT_EQ(collective_bytes(CollectiveKind::kScatter, 8, 1000), 875);
  EXPECT_EQ(collective_bytes(CollectiveKind::kAllReduce, 1, 1000), 0);
}

TEST(RunEstimate, traffic_run) {
  const Config config = load_config_text(
      "fabric: {size: [8, 8]}\nworkload: {traffic: {rate: 0.1, warmup_cycles: 5000, measure_cycles: 10000}}\n");
  const RunEstimate estimate = estimate_run(config);
  EXPECT_NEAR(*estimate.flits, 96000, 1e-6);  // 64 x 0.1 x 15000
  EXPECT_NEAR(*estimate.flit_hops, 96000 * 6.25, 1e-6);
  EXPECT_NEAR(*estimate.cpu_seconds, 96000 * 6.25 / kFlitHopsPerSecond + 64 * kSetupSecondsPerNode, 1e-9);
  // 64 nodes, 5 ports x 4 VCs x (14 + 4 x 8) bytes; a packet is on its way for 6.25 hops x 4 cycles and its own.
  EXPECT_NEAR(estimate.memory_bytes, 24e6 + 64 * (550 + 20 * 46) + 64 * 0.1 * 26 * 160, 1e-6);
}

// More than half of the buffers cannot be seen in use: 64 nodes x 5 ports x 4 VCs x 8 flits / 2 = 40.
TEST(RunEstimate, memory_of_saturated_traffic) {
  const Config config = load_config_text(
      "fabric: {size: [8, 8], link: {latency: 1000}}\nworkload: {traffic: {rate: 1, packet_flits: 2}}\n");
  EXPECT_NEAR(estimate_run(config).memory_bytes, 24e6 + 64 * (550 + 20 * 46) + 64 * 40 * 160, 1e-6);
}

// Routers have room for 4, 8, 12 or 25 VCs. Messages need players, and these hold instructions and values.
TEST(RunEstimate, memory_of_collectives) {
  const char* const text =
      "fabric: {size: [4, 2], form: modules, router: {vcs: 5}}\nworkload: {collective: {size: 1 KiB}}\n";
  const RunEstimate estimate = estimate_run(load_config_text(text), std::nullopt, {100, 5000});
  EXPECT_NEAR(estimate.memory_bytes, 24e6 + 8 * (550 + 40 * 46 + 22000 + 8500) + 100 * 460 + 5000 * 4, 1e-6);
  EXPECT_EQ(
      estimate.memory_formula,
      "24 M + 8 nodes x (550 + 5 ports x 8 VCs x (14 + 4 x 8 flits)) + 8 modules x 22000 + 8 players x 8500 + 100 "
      "instructions x 460 + 5 k bytes of values x 4");
}

TEST(RunEstimate, collective_run) {
  const Config config =
      load_config_text("fabric: {size: [4, 2], flit_bytes: 512}\nworkload: {collective: {size: 1 MiB}}\n");
  const RunEstimate estimate = estimate_run(config);
  EXPECT_EQ(*estimate.flits, 14 * 2048);
  EXPECT_EQ(*estimate.flit_hops, 2 * 14 * 2048);
  EXPECT_EQ(*estimate.cycles, 14 * 2048 / 8);
}

TEST(RunEstimate, trace_needs_its_volume) {
  Config config = load_config_text("fabric: {size: [4, 2], flit_bytes: 512}\nworkload: {collective: {size: 1 MiB}}\n");
  config.workload = TraceWorkload();
  EXPECT_FALSE(estimate_run(config).flit_hops.has_value());
  const RunEstimate estimate = estimate_run(config, TraceVolume{51200, 1e-6, 3e6, {}});
  EXPECT_EQ(*estimate.flits, 100);
  EXPECT_EQ(estimate.dram_bursts, 3e6);
  EXPECT_NEAR(
      *estimate.cpu_seconds,
      100 * average_hops(config.fabric) / kFlitHopsPerSecond + 3e6 / kDramBurstsPerSecond + 8 * kSetupSecondsPerNode,
      1e-9);
  EXPECT_NEAR(*estimate.cycles, 1000, 1e-9);
}

}  // namespace
}  // namespace weft
