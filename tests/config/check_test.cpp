// SPDX-License-Identifier: Apache-2.0
// The text of `weft check`: both numbers of a starved link, other warnings, the estimate with its formula.
#include "config/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/config/fred_configs.h"
#include "tests/config/memory_files.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
      ElementsAre("fabric.stay_packets has no effect: only with fabric.control one_phase do configurations wait "
                  "for each other"));
  EXPECT_THAT(warnings_with(kFredConfig, {"fabric.stay_packets=4"}), IsEmpty());
}

TEST(ConfigCheck, keys_without_effect_of_npus_and_memory) {
  EXPECT_THAT(warnings_with(kSmallConfig, {"npu.peak_flops=1 TFLOP/s", "npu.roofline=false"}),
              ElementsAre("npu.peak_flops has no effect: npu.roofline is false"));
  EXPECT_THAT(warnings_with(kSmallConfig, {"npu.peak_flops=1 TFLOP/s"}), IsEmpty());
  EXPECT_THAT(warnings_with(kSmallConfig, {"memory.messages=false", "memory.pieces=5", "memory.latency=3"}),
              ElementsAre("memory.messages has no effect: without memory.timing messages never wait for memory",
                          "memory.pieces has no effect: it is for memory.place io, but memory.place is local",
                          "memory.latency has no effect: it is for memory.place io, but memory.place is local"));
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

TEST(ConfigCheck, prints_summary_estimate_and_warnings) {
  std::ostringstream out;
  const Config config = load_config_text(kSmallConfig, "sys.yaml", {"fabric.router.buffer_flits=1"});
  EXPECT_EQ(check_config(config, out), 2);
  EXPECT_EQ(
      out.str(),
      "system     sys\n"
      "fabric     mesh 4 x 4, routing xy, flits of 32 B, clock 1 GHz\n"
      "link       32 GB/s = 1 flits/cycle, latency 1 cycle\n"
      "local      32 GB/s = 1 flits/cycle, latency 1 cycle\n"
      "router     4 VCs x 1 flits, credit_delay 2\n"
      "workload   traffic uniform, 0.1 flits per node and cycle, packets of 1 flits\n"
      "estimate   24 k flits = 16 nodes x 0.1 flits/cycle x 15000 cycles of warm-up and measurement\n"
      "           84 k flit-hops = flits x 3.5 routers on the way\n"
      "           about 15 k cycles of simulated time\n"
      "           about 0.011 s of CPU time = flit-hops / 8 M per second + 16 nodes x 20 us\n"
      "           about 24 M bytes of memory = 24 M + 16 nodes x (550 + 5 ports x 4 VCs x (14 + 4 x 1 flits)) + 24 "
      "packets x "
      "160\n"
      "warning: fabric.link is credit-starved: 4 flits of buffer (4 VCs x 1) are below rate x round trip = 1 x 7 "
      "cycles = 7 flits; it carries at most 0.5714 flits per cycle\n"
      "warning: fabric.local is credit-starved: 4 flits of buffer (4 VCs x 1) are below rate x round trip = 1 x 7 "
      "cycles = 7 flits; it carries at most 0.5714 flits per cycle\n");
}

TEST(ConfigCheck, says_what_it_cannot_know_of_a_trace) {
  const Config config = load_config_text(kSmallConfig, "a.yaml", {"workload.trace.chakra=t"},
                                         MemoryFiles(std::map<std::string, std::string>{{"t.0.et", ""}}));
  std::ostringstream out;
  EXPECT_EQ(check_config(config, out), 0);
  EXPECT_THAT(out.str(), HasSubstr("flit-hops and time depend on the trace"));
  std::ostringstream known;
  check_config(config, known, TraceVolume{3200.0000001, 0, 4e7});
  EXPECT_THAT(known.str(), HasSubstr("estimate   100 flits = 3200 bytes of messages in flits of 32 bytes\n"));
  EXPECT_THAT(known.str(),
              HasSubstr("           40 M bursts of DRAM\n           about 2 s of CPU time = flit-hops / 8 M "
                        "per second + bursts / 20 M per second + 16 nodes x 20 us\n"));
  EXPECT_THAT(known.str(), Not(HasSubstr("simulated time")));  // no node has a recorded duration
}

}  // namespace
}  // namespace weft
