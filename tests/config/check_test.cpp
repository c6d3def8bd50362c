// SPDX-License-Identifier: Apache-2.0
// Both numbers of a starved link, other warnings.
#include "config/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/fred_configs.h"
#include "tests/config/memory_files.h"
#include "tests/support/source.h"

namespace weft {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ConfigCheck, a_starved_link_shows_both_numbers) {
  const Config config = load_config_text(
      "fabric: {size: [5, 4], flit_bytes: 512, link: {bandwidth: 750 GB/s, latency: 20 ns}, local: {latency: "
      "1}}\nworkload: {traffic: {}}\n");
  EXPECT_THAT(config_warnings(config),
              ElementsAre("fabric.link is credit-starved: 32 flits of buffer (4 VCs x 8) are below rate x round trip = "
                          "1.46484375 x 45 cycles = 65.91796875 flits; it carries at most 0.7111 flits per cycle"));
}

TEST(ConfigCheck, a_torus_says_that_half_of_the_vcs_count) {
  const Config config = load_config_text(
      "fabric: {kind: torus, size: [4, 4], router: {vcs: 2, buffer_flits: 6}}\nworkload: {traffic: {}}\n");
  EXPECT_THAT(
      config_warnings(config),
      ElementsAre("fabric.link is credit-starved: 6 flits of buffer (1 of 2 VCs that one packet may use, x 6) are "
                  "below rate x round trip = 1 x 7 cycles = 7 flits; it carries at most 0.8571 flits per cycle"));
}

TEST(ConfigCheck, other_warnings) {
  EXPECT_THAT(config_warnings(load_config_text(kSmallConfig)), IsEmpty());
  EXPECT_THAT(
      config_warnings(load_config_text(kSmallConfig, "a.yaml", {"workload.traffic={rate: 1.5, packet_flits: 5}"})),
      ElementsAre(
          "workload.traffic.rate 1.5 is more than fabric.local carries, 1 flits per cycle: the run will be saturated"));
  EXPECT_THAT(config_warnings(load_config_text(kSmallConfig, "a.yaml", {"waves.to=1 us"})),
              ElementsAre("waves has a scope, window, trigger or layout but no file: nothing is recorded"));
}

std::vector<std::string> warnings_with(const std::string& text, const std::vector<std::string>& sets) {
  return config_warnings(load_config_text(text, "a.yaml", sets));
}

/// Each with the nearest setting with which it has an effect.
TEST(ConfigCheck, keys_without_effect_of_routers) {
  const std::string iterations = "fabric.router.allocator_iterations=2";
  EXPECT_THAT(warnings_with(kSmallConfig, {iterations}),
              ElementsAre("fabric.router.allocator_iterations has no effect: fabric.router.allocator "
                          "separable_input_first always has one iteration"));
  EXPECT_THAT(warnings_with(kSmallConfig, {iterations, "fabric.router.allocator=islip"}), IsEmpty());
  EXPECT_THAT(warnings_with(kSmallConfig, {"fabric.router.merge_cycles=2"}),
              ElementsAre("fabric.router.merge_cycles has no effect: flits merge on set-up routes only, and "
                          "fabric.router.colours is 0"));
  EXPECT_THAT(warnings_with(kSmallConfig, {"io.routing=xy"}),
              ElementsAre("io.routing has no effect: io.controllers is 0"));
  EXPECT_THAT(warnings_with(kSmallConfig, {"io.routing=xy", "io.controllers=2"}), IsEmpty());
}

TEST(ConfigCheck, keys_without_effect_of_switches) {
  EXPECT_THAT(warnings_with(kFredConfig, {"fabric.accumulate=fp32", "fabric.in_switch=false"}),
              ElementsAre("fabric.accumulate has no effect: the switches do not add, since fabric.in_switch is false"));
  EXPECT_THAT(warnings_with(kFredConfig, {"fabric.accumulate=fp32"}), IsEmpty());
  EXPECT_THAT(
      warnings_with(kFredConfig, {"fabric.stay_packets=4", "fabric.control=one_tree"}),
      ElementsAre("fabric.stay_packets has no effect: only with fabric.control one_phase do stored settings wait "
                  "for each other"));
  EXPECT_THAT(warnings_with(kFredConfig, {"fabric.stay_packets=4"}), IsEmpty());
}

TEST(ConfigCheck, threads_without_effect_on_grids_and_graphs) {
  const std::string threads = "threads=2";
  EXPECT_THAT(warnings_with(kSmallConfig, {threads}), IsEmpty());
  EXPECT_THAT(warnings_with(kSmallConfig, {"fabric.form=modules"}), IsEmpty());
  EXPECT_THAT(warnings_with(kSmallConfig, {threads, "fabric.form=modules"}),
              ElementsAre("threads has no effect: with fabric.form modules one thread steps all modules"));
  EXPECT_THAT(warnings_with(kSmallConfig, {threads, "fabric.size=[4,1]"}),
              ElementsAre("threads has no effect: threads share the rows of a grid, and this one has a single row"));
  EXPECT_THAT(warnings_with(kSmallConfig, {threads, "fabric.size=[4,2]"}), IsEmpty());
  EXPECT_THAT(warnings_with(kSmallConfig, {threads, "npu.clock=2 GHz"}),
              ElementsAre("threads has no effect: with npu.clock routers and network interfaces are modules, and one "
                          "thread steps them"));
  EXPECT_THAT(
      warnings_with("fabric: {kind: ring, size: 4}\nworkload: {traffic: {pattern: uniform, rate: 0.1}}\n", {threads}),
      ElementsAre("threads has no effect: one thread steps all routers of fabric.kind ring"));
}

TEST(ConfigCheck, threads_without_effect_on_switches) {
  const std::string threads = "threads=2";
  EXPECT_THAT(warnings_with(kFredConfig, {threads}), IsEmpty());
  EXPECT_THAT(warnings_with(kFredConfig, {threads, "fabric.form=modules"}),
              ElementsAre("threads has no effect: with fabric.form modules one thread steps all modules"));
  EXPECT_THAT(warnings_with(kFredConfig, {threads, "fabric.link_layer=gbn"}),
              ElementsAre("threads has no effect: with fabric.link_layer gbn the two ends of a link are one block, so "
                          "that one thread steps all switches"));
  EXPECT_THAT(warnings_with(kFredConfig, {threads, "fabric.levels=[{groups: 1, planes: 2}]"}),
              ElementsAre("threads has no effect: threads share the L1 switches, and this fabric has a single one"));
}

TEST(ConfigCheck, threads_without_effect_on_rtl) {
  const std::string file = test::source("configs/fred-d-rtl.yaml");
  const std::string one = "threads has no effect: with fabric.model rtl one thread steps all switches";
  EXPECT_THAT(config_warnings(load_config(file, {"threads=2"})), Contains(one));
  EXPECT_THAT(config_warnings(load_config(file, {"threads=2", "fabric.model=tlm"})), testing::Not(Contains(one)));
  EXPECT_THAT(config_warnings(load_config(file, {"threads=2", "fabric.model=lockstep"})),
              Contains("threads has no effect: with fabric.model lockstep one thread steps all switches"));
}

TEST(ConfigCheck, keys_without_effect_of_npus_and_memory) {
  EXPECT_THAT(warnings_with(kSmallConfig, {"npu.peak_flops=1 TFLOP/s", "npu.roofline=false"}),
              ElementsAre("npu.peak_flops has no effect: npu.roofline is false"));
  EXPECT_THAT(warnings_with(kSmallConfig, {"npu.peak_flops=1 TFLOP/s"}), IsEmpty());
  EXPECT_THAT(warnings_with(kSmallConfig, {"memory.messages=false", "memory.pieces=5", "memory.latency=3"}),
              ElementsAre("memory.messages has no effect: without memory.timing messages never wait for memory",
                          "memory.pieces has no effect: it is for memory.tensors io, but memory.tensors is local",
                          "memory.latency has no effect: it is for memory.tensors io, but memory.tensors is local"));
}

TEST(ConfigCheck, keys_without_effect_of_workloads) {
  const std::string gather = "workload={collective: {kind: all_gather, size: 1 KiB}}";
  EXPECT_THAT(warnings_with(kSmallConfig, {gather, "workload.collective.root=3", "workload.collective.op=max"}),
              ElementsAre("workload.collective.op has no effect: workload.collective.kind all_gather reduces nothing",
                          "workload.collective.root has no effect: workload.collective.kind all_gather has no root"));
  const std::string reduce = "workload={collective: {kind: reduce, size: 1 KiB}}";
  EXPECT_THAT(warnings_with(kSmallConfig, {reduce, "workload.collective.root=3", "workload.collective.op=max"}),
              IsEmpty());
}

/// 100 of 512 bytes are 19.5 %; a packet of 4096 bytes fills its flits.
TEST(ConfigCheck, packets_that_do_not_fill_their_flits) {
  const std::string collective = "workload={collective: {size: 1 KiB}}";
  EXPECT_THAT(
      warnings_with(kSmallConfig, {collective, "npu.packet_bytes=100", "fabric.flit_bytes=512"}),
      ElementsAre("npu.packet_bytes 100 is no whole number of flits of 512 bytes, fabric.flit_bytes: a packet of "
                  "1 flit carries 19.5 % payload"));
  EXPECT_THAT(warnings_with(kSmallConfig, {collective, "npu.packet_bytes=600", "fabric.flit_bytes=512"}),
              ElementsAre(HasSubstr("a packet of 2 flits carries 58.6 % payload")));
  EXPECT_THAT(warnings_with(kSmallConfig, {collective, "npu.packet_bytes=4100"}), IsEmpty());
  EXPECT_THAT(warnings_with(kSmallConfig, {"npu.packet_bytes=100", "fabric.flit_bytes=512"}), IsEmpty());  // traffic
}

}  // namespace
}  // namespace weft
