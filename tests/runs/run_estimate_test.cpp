// SPDX-License-Identifier: Apache-2.0
// Estimates by hand. What is counted is compared with runs in counted_runs_test.cpp.
#include "runs/estimate/run_estimate.h"

#include <gtest/gtest.h>

#include <string>

#include "config/load.h"
#include "runs/estimate/collective_volume.h"
#include "sc_models/fabric_kinds.h"
#include "tests/config/memory_files.h"

namespace weft::runs {
namespace {

RunEstimate estimate_of(const std::string& text, const std::optional<TraceVolume>& trace = std::nullopt) {
  const Config config =
      load_config_text(text, "a.yaml", {}, MemoryFiles(std::map<std::string, std::string>{{"t.0.et", ""}}));
  const auto sketch = sc_models::make_sketch(config);
  return estimate_run(config, *sketch, trace);
}

double hops_of(const std::string& fabric, const std::string& pattern) {
  const RunEstimate estimate =
      estimate_of("fabric: {" + fabric + "}\nworkload: {traffic: {rate: 0.1, " + pattern + "}}\n");
  return estimate.sent->packet_hops / estimate.sent->packets;
}

// The mean distance on a line of k nodes is (k^2 - 1) / (3 k), on a ring of k, which is even, k / 4.
TEST(RunEstimate, hops_of_uniform_traffic) {
  EXPECT_NEAR(hops_of("size: [8, 8]", "pattern: uniform"), 1 + 2 * 63.0 / 24, 0.02);
  EXPECT_NEAR(hops_of("size: [7, 1]", "pattern: uniform"), 1 + 48.0 / 21, 0.02);
  EXPECT_NEAR(hops_of("kind: torus, size: [8, 8]", "pattern: uniform"), 1 + 2 * 2.0, 0.02);
  EXPECT_NEAR(hops_of("size: [200, 300]", "pattern: uniform"), 1 + 39999.0 / 600 + 89999.0 / 900, 3);
  EXPECT_EQ(hops_of("kind: switch, size: 8", "pattern: uniform"), 1);
  EXPECT_NEAR(hops_of("kind: fully_connected, size: 8", "pattern: uniform"), 2 - 1.0 / 8, 0.01);
}

// All nodes count equally often. On a mesh of 4 x 4, bitcomp goes 3 or 1 steps in each dimension; neighbor one step,
// the last of each row and column back by 3; transpose |x - y| twice; node 0 is (x + y) away.
TEST(RunEstimate, hops_of_patterns) {
  EXPECT_DOUBLE_EQ(hops_of("size: [4, 4]", "pattern: bitcomp"), 1 + 2 + 2);
  EXPECT_DOUBLE_EQ(hops_of("size: [4, 4]", "pattern: neighbor"), 1 + 1.5 + 1.5);
  EXPECT_DOUBLE_EQ(hops_of("kind: torus, size: [4, 4]", "pattern: neighbor"), 3);
  EXPECT_DOUBLE_EQ(hops_of("size: [4, 4]", "pattern: transpose"), 1 + 2 * 1.25);
  EXPECT_DOUBLE_EQ(hops_of("size: [4, 4]", "pattern: hotspot, hotspots: [0]"), 1 + 1.5 + 1.5);
}

TEST(RunEstimate, traffic_run) {
  const RunEstimate estimate = estimate_of(
      "fabric: {size: [8, 8]}\nworkload: {traffic: {pattern: bitcomp, rate: 0.1, warmup_cycles: 5000, measure_cycles: "
      "10000}}\n");
  EXPECT_NEAR(estimate.sent->flits, 96000, 1e-6);  // 64 x 0.1 x 15000
  EXPECT_NEAR(estimate.sent->flit_hops, 96000 * 9, 1e-6);
  EXPECT_EQ(*estimate.cycles, 15000);
  // 64 nodes, 5 ports x 4 VCs x (14 + 4 x 8) bytes; a packet is on its way for 9 hops x 4 cycles and its own.
  EXPECT_NEAR(estimate.memory.bytes, 24e6 + 64 * (550 + 20 * 46) + 64 * 0.1 * 37 * 160, 1e-6);
}

// More than half of the buffers cannot be seen in use: 64 nodes x 5 ports x 4 VCs x 8 flits / 2 = 40.
TEST(RunEstimate, memory_of_saturated_traffic) {
  const RunEstimate estimate =
      estimate_of("fabric: {size: [8, 8], link: {latency: 1000}}\nworkload: {traffic: {rate: 1, packet_flits: 2}}\n");
  EXPECT_NEAR(estimate.memory.bytes, 24e6 + 64 * (550 + 20 * 46) + 64 * 40 * 160, 1e-6);
}

// Routers of a grid have room for 4, 8, 12 or 25 VCs. Messages need players, and these hold instructions and values.
TEST(RunEstimate, memory_of_collectives) {
  const Config config = load_config_text(
      "fabric: {size: [4, 2], form: modules, router: {vcs: 5}}\nworkload: {collective: {size: 1 KiB}}\n");
  const auto sketch = sc_models::make_sketch(config);
  const MemoryEstimate estimate = estimate_memory(config, *sketch, {{{100, 1000}, 5000}}, std::nullopt);
  EXPECT_NEAR(estimate.bytes, 24e6 + 8 * (550 + 40 * 46 + 22000 + 4300) + 100 * 160 + 1000 * 100 + 5000 * 4, 1e-6);
  EXPECT_EQ(
      estimate.formula,
      "24 M + 8 nodes x (550 + 5 ports x 8 VCs x (14 + 4 x 8 flits)) + 8 modules x 22000 + 8 players x 4300 + 100 "
      "instructions at work x 160 + 1 k instructions that wait x 100 + 5 k bytes of values x 4");
}

Config ring_of_8(const std::string& workload) {
  return load_config_text("fabric: {size: [4, 2]}\nworkload: {" + workload + "}\n", "a.yaml", {},
                          MemoryFiles(std::map<std::string, std::string>{{"t.0.et", ""}}));
}

double started_of(const std::string& collective) {
  return engine_need(ring_of_8("collective: {" + collective + "}")).instructions.started;
}

// What engines hold is proportional to the chunks at once.
TEST(RunEstimate, engines_hold_the_chunks_of_the_size) {
  const double one = started_of("size: 4 KiB");
  EXPECT_GT(one, 0);
  EXPECT_EQ(started_of("size: 4 KiB, chunks: 8"), 8 * one);
  EXPECT_EQ(started_of("size: 4 KiB, chunks: 8, chunk_bytes: 2 KiB"), 2 * one);
  EXPECT_EQ(started_of("size: 4 KiB, chunks: 8, chunk_bytes: 1 KiB, active_chunks: 3"), 3 * one);
  EXPECT_EQ(started_of("size: 4 KiB, chunks: 8, chunk_bytes: 2 KiB, active_chunks: 3"), 2 * one);
}

// The same collective of two sizes, one chunk and four: of each rank the larger counts, whichever comes first.
TEST(RunEstimate, engines_of_a_trace_hold_the_chunks_of_its_largest_collective) {
  const Config config = ring_of_8("trace: {chakra: t, chunks: 8, chunk_bytes: 1 KiB}");
  npu::ProcessGroup all;
  for (std::uint32_t rank = 0; rank < 8; ++rank) all.members.push_back(RankId{rank});
  const auto started = [&](const std::vector<std::uint64_t>& sizes) {
    TraceEngines engines(config);
    for (const RankId rank : all.members) {
      for (const std::uint64_t size : sizes) {
        npu::TraceNode node;
        node.type = npu::TraceNodeType::kCollective;
        node.collective = CollectiveKind::kAllReduce;
        node.comm_bytes = size;
        engines.add(rank, node, &all);
      }
    }
    return engines.need().instructions.started;
  };
  const double one = started_of("size: 4 KiB");
  EXPECT_EQ(started({1024}), one);
  EXPECT_EQ(started({4096}), 4 * one);
  EXPECT_EQ(started({1024, 4096}), 4 * one);
  EXPECT_EQ(started({4096, 1024}), 4 * one);
}

// Routers of a graph have their own ports and VCs: three on a ring, one for each NPU at a crossbar.
TEST(RunEstimate, memory_of_graphs) {
  const auto formula = [](const std::string& fabric) {
    const Config config = load_config_text("fabric: {" + fabric + "}\nworkload: {collective: {size: 1 KiB}}\n");
    return estimate_memory(config, *sc_models::make_sketch(config), {}, std::nullopt).formula;
  };
  EXPECT_EQ(formula("kind: ring, size: 7, router: {vcs: 2}"),
            "24 M + 7 nodes x (550 + 3 ports x 2 VCs x (14 + 4 x 8 flits)) + 7 players x 4300");
  EXPECT_EQ(formula("kind: switch, size: 7, router: {vcs: 1, buffer_flits: 1}"),
            "24 M + 7 nodes x 550 + 7 ports x 1 VC x (14 + 4 x 1 flit) + 7 players x 4300");
}

// 2 x 7 steps of each of 8 ranks with 1 MiB / 8 = 256 flits; each goes through two routers, as a ring on 4 x 2 closes.
TEST(RunEstimate, collective_run) {
  const RunEstimate estimate =
      estimate_of("fabric: {size: [4, 2], flit_bytes: 512}\nworkload: {collective: {size: 1 MiB, algorithm: ring}}\n");
  EXPECT_EQ(estimate.sent->messages, 14 * 8);
  EXPECT_EQ(estimate.sent->flits, 14 * 2048);
  EXPECT_EQ(estimate.sent->flit_hops, 2 * 14 * 2048);
  EXPECT_EQ(*estimate.cycles, 14 * 2048 / 8);
}

// 1023 messages from each of 1024 ranks; the mean way between two different nodes of 32 x 32 is 1 + 2 x 32 / 3.
TEST(RunEstimate, some_steps_stand_for_all) {
  const Config config = load_config_text(
      "fabric: {size: [32, 32], flit_bytes: 512}\nworkload: {collective: {kind: all_to_all, algorithm: direct, size: 1 "
      "MiB}}\n");
  const auto sketch = sc_models::make_sketch(config);
  npu::CommGroup group;
  group.nodes = config.npu.placement;
  CollectiveVolumes volumes(config, *sketch, {});
  const SentVolume sent = volumes.of(CollectiveKind::kAllToAll, group, 1 << 20, 0, 0.01);
  EXPECT_TRUE(sent.sampled);
  EXPECT_NEAR(sent.messages, 1024.0 * 1023, 0.03 * 1024 * 1023);
  EXPECT_NEAR(sent.flit_hops / sent.flits, 1 + 2 * 32.0 / 3, 1);
}

CpuEstimate cpu_of(const std::string& text, const SentVolume& sent, double bytes) {
  const Config config = load_config_text(text);
  return estimate_cpu(config, *sc_models::make_sketch(config), sent, 2000, 0, 0, bytes);
}

// 1000 flit-hops of 50 ns, 100 packet-hops of 60, 50 packets of 1000, 10 messages of 700, 20 steps of 200, 2000 bytes
// of values of 3, 8 nodes of 2000; no caches hold 64 MB more than twice as much, and 3 - 2 / 2 = 2.
TEST(RunEstimate, cpu_time) {
  SentVolume sent;
  sent.flit_hops = 1000;
  sent.packet_hops = 100;
  sent.packets = 50;
  sent.messages = 10;
  sent.steps = 20;
  const std::string text = "fabric: {size: [4, 2]}\nworkload: {collective: {size: 1 MiB}}\n";
  const double ns = 50e3 + 6e3 + 50e3 + 7e3 + 4e3 + 6e3 + 16e3;
  EXPECT_NEAR(cpu_of(text, sent, 24e6).seconds, ns * 1e-9, 1e-15);
  const CpuEstimate large = cpu_of(text, sent, 24e6 + 128e6);
  EXPECT_NEAR(large.seconds, 2 * ns * 1e-9, 1e-15);
  EXPECT_EQ(
      large.formula,
      "2 for what caches do not hold x (1 k flit-hops x 50 ns + 100 packet-hops x 60 ns + 50 packets x 1000 ns + 10 "
      "messages x 700 ns + 20 steps x 200 ns + 2 k bytes of values x 3 ns + 8 nodes x 2000 ns)");
}

TEST(RunEstimate, trace_needs_its_volume) {
  const std::string text = "fabric: {size: [4, 2], flit_bytes: 512}\nworkload: {trace: {chakra: t}}\n";
  EXPECT_FALSE(estimate_of(text).sent.has_value());
  TraceVolume volume;
  volume.sent.flits = 100;
  volume.sent.flit_hops = 300;
  volume.compute_seconds = 1e-6;
  volume.dram_bursts = 3e6;
  const RunEstimate estimate = estimate_of(text, volume);
  EXPECT_EQ(estimate.sent->flit_hops, 300);
  EXPECT_EQ(estimate.dram_bursts, 3e6);
  EXPECT_NEAR(*estimate.cycles, 1000, 1e-9);
}

}  // namespace
}  // namespace weft::runs
