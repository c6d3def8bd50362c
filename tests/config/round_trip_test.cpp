// SPDX-License-Identifier: Apache-2.0
// config.resolved.yaml holds everything: loading it gives the same configuration again.
#include <gtest/gtest.h>
// rapidcheck extends gtest, which must come first.
#include <rapidcheck/gtest.h>

#include "config/key.h"
#include "config/raw.h"
#include "tests/config/equal.h"
#include "tests/config/memory_files.h"

namespace weft {
namespace {

const MemoryFiles& files() {
  static const MemoryFiles known({{"run/x.0.et", ""}, {"groups.json", ""}, {"program.json", ""}, {"perm.txt", ""}});
  return known;
}

void expect_round_trip(const std::string& text, const std::vector<std::string>& sets = {}) {
  const Config config = load_config_text(text, "system.yaml", sets, files());
  const std::string yaml = to_yaml(config);
  const Config again = load_config_text(yaml, "results/config.resolved.yaml", {}, files());
  EXPECT_TRUE(same_config(config, again)) << yaml << to_yaml(again);
  EXPECT_EQ(to_yaml(again), yaml);
}

TEST(ConfigRoundTrip, smallest) { expect_round_trip(kSmallConfig); }

TEST(ConfigRoundTrip, everything_set) {
  expect_round_trip(
      "name: a b\nseed: 18446744073709551615\nthreads: 2\nclock: 976.5625 MHz\nlimits: {cycles: 5, watchdog_cycles: "
      "999}\n"
      "fabric:\n  kind: torus\n  size: [3, 5]\n  flit_bytes: 24\n  form: modules\n"
      "  link: {bandwidth: 50 GB/s, latency: 3.3 ns}\n  link_y: {bandwidth: 25 GB/s, latency: 5}\n  statistics: "
      "false\n  local: {bandwidth: 1.5 TB/s, latency: 1}\n"
      "  router: {vcs: 6, buffer_flits: 9, routing_delay: 1, vc_alloc_delay: 2, switch_alloc_delay: 2, "
      "traversal_delay: 3,\n"
      "    credit_delay: 0, hop_cycles: 4, turn_cycles: 5, vc_reuse: tail_credit, speculative: true, allocator: "
      "islip,\n"
      "    allocator_iterations: 3, arbiter: round_robin}\n"
      "npu: {clock: 1.5 GHz, peak_flops: 123.456 TFLOP/s, memory_bandwidth: 1.6 TB/s, roofline: false, "
      "reduce_bandwidth: 3 GB/s,\n"
      "  endpoint_delay: 10 ns, packet_bytes: 1 KiB, injectors: 2, injection_vcs: by_direction, message_order: "
      "oldest_first, message_classes: 2, max_collectives: 7, order: "
      "lifo, placement: [3, 1, "
      "2]}\n"
      "waves: {file: 'a b.vcd', scope: ['fabric.router[3,2].*', '\"'], from: 1.25 ns, to: 0.1 us, trigger: collective "
      "x of "
      "group y, last_cycles: 12, layout: npu, on_full: go_on}\n"
      "workload: {trace: {chakra: run/x, groups: groups.json, strict: true, algorithm: file, algorithm_file: "
      "program.json, chunks: 4,\n"
      "  chunk_bytes: 5 KiB, active_chunks: 2, op: max, dtype: int32, data: values}}\n");
}

TEST(ConfigRoundTrip, table_of_algorithms) {
  expect_round_trip(
      "fabric: {size: [2, 2]}\n"
      "workload: {collective: {size: 1 KiB, algorithm: auto, algorithm_table: program.json}}\n");
}

TEST(ConfigRoundTrip, fred) {
  const std::string levels =
      "  levels:\n"
      "    - {groups: 4, ports: 16, planes: 3, uplinks: 4, bandwidth: 100 GB/s, latency: 7, buffer: 96 B, "
      "reconfig_cycles: 0}\n"
      "    - {groups: 2, uplinks: 2, latency: 40 ns}\n"
      "    - {groups: 1, ports: 9}\n";
  expect_round_trip("fabric:\n  kind: fred\n  m: 4\n" + levels +
                    "  in_switch: true\n  formats: [bf16, fp32]\n  accumulate: fp32\n  lanes: 4\n  reduce_cycles: 3\n"
                    "  stage: skid\n  control: one_tree\n  conflict: refuse\n  setting_memory: 1 KiB\n"
                    "  stay_packets: 0\n  header: 4 B\n  control_buffer: 64 B\n  output_packets: 1\n"
                    "  flow_control: wormhole\n  local: {bandwidth: 50 GB/s, latency: 3}\n"
                    "io: {controllers: 9, bandwidth: 10 GB/s}\n"
                    "npu: {count: 20, packet_bytes: 96, placement: [3, 1]}\n"
                    "workload: {collective: {size: 1 MB, dtype: bf16}}\n");
  expect_round_trip(
      "fabric: {kind: fred, levels: [{groups: 1}]}\nnpu: {count: 3}\nworkload: {collective: {size: 1 MB}}\n");
}

TEST(ConfigRoundTrip, collective) {
  expect_round_trip(
      "fabric: {size: [4, 4]}\nworkload: {collective: {kind: broadcast, size: 1 MB, group: [4, 2], root: 2}}\n");
  expect_round_trip("fabric: {size: [4, 4]}\nworkload: {collective: {kind: barrier}}\n");
  expect_round_trip(
      "fabric: {size: [4, 4]}\nworkload: {collective: {size: 1 MB, parallelism: [2, 3, 2], phase: dp}}\n");
}

TEST(ConfigRoundTrip, traffic) {
  expect_round_trip(kSmallConfig,
                    {"workload.traffic={pattern: hotspot, hotspots: [3, 4], rate: 0.123, packet_flits: 5}"});
  expect_round_trip(kSmallConfig, {"workload.traffic={pattern: permutation, file: perm.txt}"});
}

TEST(ConfigRoundTrip, streams) {
  expect_round_trip(kSmallConfig,
                    {"workload.io={size: 3 KiB, data: values, window: 8 KiB, window_latency: 7}",
                     "fabric.router.multicast=true", "io={controllers: 5, bandwidth: 1.5 GB/s, routing: xy}"});
}

TEST(ConfigRoundTrip, names_that_look_like_something_else) {
  for (const std::string name : {"true", "null", "12", "a: b", "# x", "\"q\"", "*x", "tab\there", "- a", "~"}) {
    Config config = load_config_text(kSmallConfig, "a.yaml", {}, files());
    config.name = name;
    if (name == "tab\there") config.name = "umlaut \xc3\xa4";
    const Config again = load_config_text(to_yaml(config), "b.yaml", {}, files());
    EXPECT_EQ(again.name, config.name);
  }
}

/// Every key of the chosen kind of workload stands in the resolved file, except texts that are empty.
TEST(ConfigRoundTrip, the_file_is_complete) {
  const Config config = load_config_text(kSmallConfig, "a.yaml", {}, files());
  ConfigErrors errors;
  const RawNode tree = parse_yaml(to_yaml(config), "x.yaml", false, errors);
  const RawConfig raw = read_raw_config(tree, errors);
  errors.throw_if_any();
  for (const ConfigKey& key : config_keys()) {
    const std::string_view kind = workload_kind_of(key.path);
    if (kind == "trace" || kind == "collective" || kind == "io") continue;
    if (!key.applies_to(config.fabric)) continue;
    const bool may_be_empty = key.path == "waves.file" || key.path == "waves.trigger" ||
                              key.path == "workload.traffic.file" || key.path == "npu.count" ||
                              key.path == "io.bandwidth" || key.path == "memory.remote" ||
                              key.path == "memory.timing" || key.path == "memory.pool";
    EXPECT_TRUE(raw.has(key.path) || may_be_empty) << key.path;
  }
}

RC_GTEST_PROP(ConfigRoundTripLaw, any_rate_and_number_survives, ()) {
  Config config = load_config_text(kSmallConfig, "a.yaml", {}, files());
  config.seed = *rc::gen::arbitrary<std::uint64_t>();
  config.clock.hertz = make_rational(*rc::gen::inRange<std::uint64_t>(1'000'000, 2'000'000'000u),
                                     *rc::gen::inRange<std::uint64_t>(1, 4));
  config.fabric.flit_bytes = *rc::gen::inRange<std::uint64_t>(1, 1000);
  config.npu.packet_bytes = config.fabric.flit_bytes;
  config.fabric.link.flits_per_cycle =
      make_rational(*rc::gen::inRange<std::uint64_t>(1, 1000), *rc::gen::inRange<std::uint64_t>(1, 1000));
  config.npu.peak_flops = static_cast<double>(*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62));
  config.waves.from_ns = static_cast<double>(*rc::gen::inRange(0, 1 << 30)) / 1024.0;
  std::get<TrafficWorkload>(config.workload).rate =
      static_cast<double>(*rc::gen::inRange(0, 1 << 20)) / static_cast<double>(1 << 20);
  const Config again = load_config_text(to_yaml(config), "b.yaml", {}, files());
  RC_ASSERT(same_config(config, again));
}

}  // namespace
}  // namespace weft
