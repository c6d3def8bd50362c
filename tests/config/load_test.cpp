// SPDX-License-Identifier: Apache-2.0
// What a legal file resolves to: defaults, units, exact rates, the kinds of workload.
#include "config/load.h"

#include <gtest/gtest.h>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

Config load(const std::string& text, const std::vector<std::string>& sets = {}) {
  return load_config_text(
      text, "dir/small.yaml", sets,
      MemoryFiles({{"dir/traces/run.0.et", ""}, {"here/run.7.et", ""}, {"dir/groups.json", ""}, {"perm.txt", ""}}));
}

TEST(ConfigLoad, fills_defaults_as_documented) {
  const Config config = load(kSmallConfig);
  const Config fresh;
  EXPECT_EQ(config.name, "small");
  EXPECT_EQ(config.seed, fresh.seed);
  EXPECT_EQ(config.threads, fresh.threads);
  EXPECT_EQ(config.clock.hertz, (Rational{1'000'000'000, 1}));
  EXPECT_EQ(config.limits.cycles, fresh.limits.cycles);
  EXPECT_EQ(config.limits.watchdog_cycles, fresh.limits.watchdog_cycles);
  EXPECT_EQ(config.fabric.kind, FabricKind::kMesh);
  EXPECT_EQ(config.fabric.size_x, 4);
  EXPECT_EQ(config.fabric.size_y, 4);
  EXPECT_EQ(config.fabric.routing, "xy");
  EXPECT_EQ(config.fabric.flit_bytes, fresh.fabric.flit_bytes);
  EXPECT_EQ(config.fabric.form, fresh.fabric.form);
  EXPECT_EQ(config.npu.packet_bytes, fresh.npu.packet_bytes);
  EXPECT_EQ(config.npu.placement.size(), 16u);
  EXPECT_EQ(config.npu.placement[15], NodeId{15});
  EXPECT_EQ(config.npu.roofline, fresh.npu.roofline);
  EXPECT_FALSE(config.npu.clock.has_value());
  EXPECT_EQ(config.waves.file, "");
  EXPECT_EQ(config.waves.to_ns, fresh.waves.to_ns);
}

TEST(ConfigLoad, router_defaults_are_those_of_the_struct) {
  const RouterSpec router = load(kSmallConfig).fabric.router;
  const RouterSpec fresh;
  EXPECT_EQ(router.vcs, fresh.vcs);
  EXPECT_EQ(router.buffer_flits, fresh.buffer_flits);
  EXPECT_EQ(router.routing_delay, fresh.routing_delay);
  EXPECT_EQ(router.vc_alloc_delay, fresh.vc_alloc_delay);
  EXPECT_EQ(router.switch_alloc_delay, fresh.switch_alloc_delay);
  EXPECT_EQ(router.traversal_delay, fresh.traversal_delay);
  EXPECT_EQ(router.credit_delay, fresh.credit_delay);
  EXPECT_EQ(router.vc_reuse, fresh.vc_reuse);
  EXPECT_EQ(router.speculative, fresh.speculative);
  EXPECT_EQ(router.allocator, fresh.allocator);
  EXPECT_EQ(router.arbiter, fresh.arbiter);
}

TEST(ConfigLoad, traffic_defaults_are_those_of_the_struct) {
  const Config config = load(kSmallConfig);
  const auto& traffic = std::get<TrafficWorkload>(config.workload);
  const TrafficWorkload fresh;
  EXPECT_EQ(traffic.pattern, fresh.pattern);
  EXPECT_EQ(traffic.rate, fresh.rate);
  EXPECT_EQ(traffic.packet_flits, fresh.packet_flits);
  EXPECT_EQ(traffic.warmup_cycles, fresh.warmup_cycles);
  EXPECT_EQ(traffic.measure_cycles, fresh.measure_cycles);
  EXPECT_EQ(traffic.drain_cycles, fresh.drain_cycles);
}

TEST(ConfigLoad, a_link_without_bandwidth_carries_one_flit_per_cycle) {
  const Config config = load("clock: 1.3 GHz\nfabric: {size: [2, 2], flit_bytes: 48}\nworkload: {traffic: {}}\n");
  EXPECT_EQ(config.fabric.link.flits_per_cycle, (Rational{1, 1}));
  EXPECT_EQ(config.fabric.local.flits_per_cycle, (Rational{1, 1}));
  EXPECT_EQ(config.fabric.link.latency_cycles, 1u);
}

TEST(ConfigLoad, converts_bandwidth_and_latency_by_clock_and_flit) {
  // Keys may stand in any order: 750 GB/s over 512 B at 1 GHz = 375/256; 20.1 ns = 21 cycles.
  const Config config = load(
      "fabric:\n  link: {bandwidth: 750 GB/s, latency: 20.1 ns}\n  local: {bandwidth: 3 TB/s}\n  size: [5, 4]\n"
      "  flit_bytes: 512\nclock: 1 GHz\nworkload: {traffic: {}}\n");
  EXPECT_EQ(config.fabric.link.flits_per_cycle, (Rational{375, 256}));
  EXPECT_EQ(config.fabric.link.latency_cycles, 21u);
  EXPECT_EQ(config.fabric.local.flits_per_cycle, (Rational{375, 64}));
  EXPECT_EQ(config.fabric.local.latency_cycles, 21u);
}

TEST(ConfigLoad, latency_may_be_bare_cycles) {
  const Config config =
      load("fabric: {size: [2, 2], link: {latency: 7}, local: {latency: 1}}\nworkload: {traffic: {}}\n");
  EXPECT_EQ(config.fabric.link.latency_cycles, 7u);
  EXPECT_EQ(config.fabric.local.latency_cycles, 1u);
}

TEST(ConfigLoad, npu_times_use_the_npu_clock) {
  const Config config = load(
      "fabric: {size: [2, 2]}\nnpu: {clock: 500 MHz, endpoint_delay: 10 ns, peak_flops: 900 TFLOP/s,"
      " memory_bandwidth: 1.6 TB/s, packet_bytes: 2 KiB, order: lifo, injectors: 1, max_collectives: 3}\n"
      "workload: {traffic: {}}\n");
  ASSERT_TRUE(config.npu.clock.has_value());
  EXPECT_EQ(config.npu.clock->hertz, (Rational{500'000'000, 1}));
  EXPECT_EQ(config.npu.endpoint_delay_cycles, 5u);
  EXPECT_EQ(config.npu.peak_flops, 9e14);
  EXPECT_EQ(config.npu.memory_bytes_per_s, 1.6e12);
  EXPECT_EQ(config.npu.packet_bytes, 2048u);
  EXPECT_EQ(config.npu.order, IssueOrder::kLifo);
  EXPECT_EQ(config.npu.injectors, 1);
  EXPECT_EQ(config.npu.max_collectives, 3);
}

TEST(ConfigLoad, torus_takes_its_own_routing) {
  EXPECT_EQ(load("fabric: {kind: torus, size: [8, 1]}\nworkload: {traffic: {}}\n").fabric.routing, "dimension_order");
}

TEST(ConfigLoad, reads_a_collective) {
  const Config config = load(
      "fabric: {size: [4, 2]}\nnpu: {placement: [7, 6, 5, 4]}\nworkload:\n  collective: {kind: reduce, algorithm: "
      "direct, size: 64 MiB,"
      " group: [3, 1], dtype: bf16, op: max, chunks: 4, active_chunks: 2, data: values}\n");
  const auto& spec = std::get<CollectiveWorkload>(config.workload).collective;
  EXPECT_EQ(spec.kind, CollectiveKind::kReduce);
  EXPECT_EQ(spec.algorithm, "direct");
  EXPECT_EQ(spec.bytes, 67'108'864u);
  EXPECT_EQ(spec.group, (std::vector<RankId>{RankId{3}, RankId{1}}));
  EXPECT_EQ(spec.root, RankId{3});  // the group's first rank
  EXPECT_EQ(spec.dtype, DataType::kBf16);
  EXPECT_EQ(spec.op, ReduceOp::kMax);
  EXPECT_EQ(spec.chunks, 4);
  EXPECT_EQ(spec.active_chunks, 2);
  EXPECT_EQ(spec.data, DataMode::kValues);
  EXPECT_EQ(config.npu.placement, (std::vector<NodeId>{NodeId{7}, NodeId{6}, NodeId{5}, NodeId{4}}));
}

TEST(ConfigLoad, a_barrier_needs_no_size) {
  const Config config = load("fabric: {size: [4, 2]}\nworkload: {collective: {kind: barrier}}\n");
  EXPECT_EQ(std::get<CollectiveWorkload>(config.workload).collective.bytes, 0u);
}

TEST(ConfigLoad, a_timing_is_a_name_or_a_file_beside_the_configuration) {
  const MemoryFiles files({{"dir/own.yaml", ""}, {"dir/sub/own", ""}, {"here.yaml", ""}});
  const auto timing = [&files](const std::string& name) {
    return load_config_text(std::string(kSmallConfig) + "memory: {timing: " + name + "}\n", "dir/a.yaml", {}, files)
        .memory.timing;
  };
  EXPECT_EQ(timing("hbm3"), "hbm3");
  EXPECT_EQ(timing("own.yaml"), "dir/own.yaml");
  EXPECT_EQ(timing("sub/own"), "dir/sub/own");
  EXPECT_EQ(timing("here.yaml"), "here.yaml");  // from the current directory
  EXPECT_THROW(timing("no/such"), InputError);
}

TEST(ConfigLoad, finds_traces_beside_the_file_or_from_the_current_directory) {
  const std::string start = "fabric: {size: [4, 2]}\nworkload: {trace: {chakra: ";
  const Config beside = load(start + "traces/run, groups: groups.json, algorithm: direct}}\n");
  EXPECT_EQ(std::get<TraceWorkload>(beside.workload).chakra, "dir/traces/run");
  EXPECT_EQ(std::get<TraceWorkload>(beside.workload).groups, "dir/groups.json");
  EXPECT_EQ(std::get<TraceWorkload>(beside.workload).collective.algorithm, "direct");
  EXPECT_EQ(std::get<TraceWorkload>(load(start + "here/run}}\n").workload).chakra, "here/run");
  // An option's name is not beside any file.
  const Config option = load(kSmallConfig, {"workload.trace.chakra=dir/traces/run"});
  EXPECT_EQ(std::get<TraceWorkload>(option.workload).chakra, "dir/traces/run");
}

TEST(ConfigLoad, an_empty_waves_file_switches_waves_off) {
  const std::string recorded = std::string(kSmallConfig) + "waves: {file: run.vcd}\n";
  ASSERT_EQ(load_config_text(recorded).waves.file, "run.vcd");
  for (const char* off : {"waves.file=", "waves.file=''", "waves.file=null", "waves.file=~", "waves={file: ''}"}) {
    const Config config = load_config_text(recorded, "a.yaml", {off});
    EXPECT_EQ(config.waves.file, "") << off;
    EXPECT_EQ(to_yaml(config), to_yaml(load_config_text(kSmallConfig, "a.yaml"))) << off;
  }
  const MemoryFiles files({{"base.yaml", recorded}});
  EXPECT_EQ(load_config_text("include: base.yaml\nwaves: {file: }\n", "a.yaml", {}, files).waves.file, "");
}

TEST(ConfigLoad, reads_a_waves_window) {
  const Config config = load(std::string(kSmallConfig) +
                             "waves: {file: run.vcd, scope: ['fabric.router[3,2].*'], from: 1.5 us, to: 2 us}\n");
  EXPECT_EQ(config.waves.file, "run.vcd");
  EXPECT_EQ(config.waves.scope, (std::vector<std::string>{"fabric.router[3,2].*"}));
  EXPECT_EQ(config.waves.from_ns, 1500.0);
  EXPECT_EQ(config.waves.to_ns, 2000.0);
}

TEST(ConfigLoad, seed_has_all_64_bits) {
  EXPECT_EQ(load("seed: 18446744073709551615\n" + std::string(kSmallConfig)).seed, 18446744073709551615u);
}

TEST(ConfigLoad, aliases_and_quotes_are_read) {
  const Config config =
      load("fabric: {size: &s [3, 3], link: {latency: \"2 ns\"}}\nnpu: {placement: *s}\nworkload: {traffic: {}}\n",
           {"npu.placement=[4, 5]"});
  EXPECT_EQ(config.fabric.link.latency_cycles, 2u);
  EXPECT_EQ(config.npu.placement.size(), 2u);
}

}  // namespace
}  // namespace weft
