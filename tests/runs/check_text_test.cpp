// SPDX-License-Identifier: Apache-2.0
// The text of `weft check`: what the fabric is, and the estimate with its formula.
#include "runs/estimate/check_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "sc_models/fabric_kinds.h"
#include "switch/routing/switch_setting.h"
#include "switch/topology/interconnect.h"
#include "tests/config/fred_configs.h"
#include "tests/config/memory_files.h"
#include "tests/support/source.h"

namespace weft::runs {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What is printed; `warnings` gets how many there are.
std::string text_of(const Config& config, const std::optional<TraceVolume>& trace = std::nullopt,
                    int* warnings = nullptr) {
  std::ostringstream out;
  const auto sketch = sc_models::make_sketch(config);
  const int count = check_config(config, *sketch, estimate_run(config, *sketch, trace), out);
  if (warnings != nullptr) *warnings = count;
  return out.str();
}

TEST(CheckText, prints_summary_estimate_and_warnings) {
  const Config config =
      load_config_text(kSmallConfig, "sys.yaml", {"fabric.router.buffer_flits=1", "workload.traffic.pattern=bitcomp"});
  int warnings = 0;
  EXPECT_EQ(
      text_of(config, std::nullopt, &warnings),
      "system     sys\n"
      "fabric     4 x 4 mesh, xy, flits of 32 B, clock 1 GHz\n"
      "link       32 GB/s = 1 flit/cycle, latency 1 cycle\n"
      "local      32 GB/s = 1 flit/cycle, latency 1 cycle\n"
      "router     4 VCs x 1 flit, credit_delay 2\n"
      "workload   traffic bitcomp, 0.1 flits per node and cycle, packets of 1 flit\n"
      "estimate   24 k flits = 16 nodes x 0.1 flits/cycle x 15000 cycles of warm-up and measurement\n"
      "           120 k flit-hops = flits x 5 routers on the way\n"
      "           about 15 k cycles of simulated time\n"
      "           about 0.013 s of CPU time = 120 k flit-hops x 50 ns + 120 k packet-hops x 60 ns + 16 nodes x 2000 "
      "ns\n"
      "           about 24 M bytes of memory = 24 M + 16 nodes x (550 + 5 ports x 4 VCs x (14 + 4 x 1 flit)) + 33.6 "
      "packets x 160\n"
      "warning: fabric.link is credit-starved: 4 flits of buffer (4 VCs x 1) are below rate x round trip = 1 x 7 "
      "cycles = 7 flits; it carries at most 0.5714 flits per cycle\n"
      "warning: fabric.local is credit-starved: 4 flits of buffer (4 VCs x 1) are below rate x round trip = 1 x 7 "
      "cycles = 7 flits; it carries at most 0.5714 flits per cycle\n");
  EXPECT_EQ(warnings, 2);
}

TEST(CheckText, says_which_cycles_a_run_need_not_simulate) {
  const auto text = [](const std::vector<std::string>& sets) {
    return text_of(load_config(test::source("configs/mesh-wafer.yaml"), sets));
  };
  EXPECT_THAT(text({}), HasSubstr("\ncycles     run.fast_forward: exact may leave out those that are copies of earlier "
                                  "ones\n"));
  EXPECT_THAT(text({"run.fast_forward=steady"}), HasSubstr("run.fast_forward: steady approximates"));
  EXPECT_THAT(text({"run.fast_forward=off"}), Not(HasSubstr("run.fast_forward")));
  EXPECT_THAT(text({"workload.collective.data=values"}),
              HasSubstr("run.fast_forward: exact leaves out none: collectives carry data\n"));
  EXPECT_THAT(text({"waves.file=w.fst"}), HasSubstr("leaves out none: a waveform shows every cycle\n"));
  EXPECT_THAT(text({"log.level=steps"}), HasSubstr("leaves out none: log.level: steps and packets"));
}

// A fabric says itself what it is.
TEST(CheckText, a_ring_is_no_grid) {
  EXPECT_THAT(text_of(load_config_text("fabric: {kind: ring, size: 27}\nworkload: {traffic: {}}\n")),
              HasSubstr("fabric     ring of 27, shortest_way, flits of 32 B, clock 1 GHz\n"));
}

TEST(CheckText, says_what_it_cannot_know_of_a_trace) {
  const Config config = load_config_text(kSmallConfig, "a.yaml", {"workload.trace.chakra=t"},
                                         MemoryFiles(std::map<std::string, std::string>{{"t.0.et", ""}}));
  EXPECT_THAT(text_of(config), HasSubstr("flit-hops and time depend on the trace"));
  TraceVolume volume;
  volume.sent.bytes = 3200;
  volume.sent.flits = 100;
  volume.sent.flit_hops = 250;
  volume.sent.sampled = true;
  volume.dram_bursts = 4e7;
  const std::string known = text_of(config, volume);
  EXPECT_THAT(
      known,
      HasSubstr("estimate   100 flits = 3200 bytes of messages in flits of 32 bytes\n"
                "           250 flit-hops = flits x 2.5 routers on the way, counted at some of the ranks\n"
                "           40 M bursts of DRAM\n           about 2 s of CPU time = 250 flit-hops x 50 ns + 40 M "
                "bursts x 50 ns + 16 nodes x 2000 ns\n"));
  EXPECT_THAT(known, Not(HasSubstr("simulated time")));  // no node has a recorded duration
}

TEST(CheckText, levels_of_switches) {
  int warnings = 1;
  const std::string text = text_of(
      load_config_text(kFredConfig, "a.yaml", {"io.controllers=4", "io.bandwidth=16 GB/s"}), std::nullopt, &warnings);
  EXPECT_EQ(warnings, 0);
  EXPECT_THAT(text,
              HasSubstr("fabric     12 NPUs, fred, 2 levels, 2 planes, in_switch true, conflict serialize, flits of 32 "
                        "B, clock 1 GHz\n"
                        "local      64 GB/s = 2 flits/cycle, latency 1 cycle\n"
                        "io         4 controllers x 16 GB/s\n"
                        "level 0    4 switches x 2 planes x 1 chiplet Fred_3(6): 3 NPUs + 2 uplinks up + up to 1 I/O\n"
                        "           buffers of 640 B = 20 flits per traffic class and port, reconfiguration 1 cycle\n"
                        "           trunk 32 GB/s = 2 uplinks x 2 planes x 0.25 flits/cycle = 1 flit/cycle, latency 10 "
                        "cycles\n"
                        "level 1    1 switch x 2 planes x 2 chiplets Fred_3(4): 4 children x 1 uplink\n"
                        "           buffers of 512 B = 16 flits per traffic class and port, reconfiguration 1 cycle\n"
                        "chiplets   12 = 8 x Fred_3(6) + 4 x Fred_3(4), each with 1536 B for stored settings\n"));
  // The ring has the three NPUs below a switch one after the other: 8 steps pass one switch and 4 pass three, (8 + 12)
  // / 12. Ports: 2 x 4 x 6 + 2 x 2 x 4, each with 3 data traffic classes of 16 flits and control of 64; 20 flits below.
  EXPECT_THAT(text, HasSubstr("flits x 1.67 switches on the way"));
  EXPECT_THAT(text, HasSubstr("12 nodes x 550 + 64 ports x 7000 + 64 ports with datapaths x 25000 + 7.74 k flits "
                              "of buffer x 4 + 12 players x 4300"));
}

TEST(CheckText, chunks_of_the_size) {
  const auto line = [](const std::string& size) {
    return text_of(load_config_text(kSmallConfig, "a.yaml",
                                    {"workload={collective: {chunks: 4, chunk_bytes: 1 KiB, size: " + size + "}}"}));
  };
  EXPECT_THAT(line("1 KiB"), HasSubstr("workload   all_reduce of 1 KiB over 16 ranks, algorithm ring, 1 chunk\n"));
  EXPECT_THAT(line("3 KiB"), HasSubstr("workload   all_reduce of 3 KiB over 16 ranks, algorithm ring, 3 chunks\n"));
  EXPECT_THAT(line("9 KiB"), HasSubstr("workload   all_reduce of 9 KiB over 16 ranks, algorithm ring, 4 chunks\n"));
}

// A reduce-scatter over four ports is a series of four reductions, each with a setting of its own.
Config series(const std::vector<std::string>& sets) {
  return load_config_text(
      "fabric: {kind: fred, flit_bytes: 512, header: 0 B, levels: [{groups: 1, ports: 4}]}\n"
      "npu: {count: 4, packet_bytes: 4 KiB}\n"
      "workload: {collective: {kind: reduce_scatter, algorithm: in_switch, size: 16 KiB}}\n",
      "series.yaml", sets);
}

TEST(CheckText, stored_settings_without_room_are_refused_before_a_run) {
  const std::uint64_t bytes = (fred::setting_bits(fred::build_interconnect(3, 4)) + 7) / 8;
  const auto memory = [bytes](std::uint64_t settings) {
    return "fabric.setting_memory=" + std::to_string(settings * bytes) + " B";
  };
  const std::string all = text_of(series({}));
  EXPECT_THAT(all, HasSubstr("settings   4 in l1[0], whose memory of 1536 B holds "));
  const std::string reloaded = text_of(series({memory(3), "fabric.reload_cycles=7"}));
  EXPECT_THAT(reloaded,
              HasSubstr("settings   4 in l1[0], whose memory of " + std::to_string(3 * bytes) + " B holds 3 of "));
  EXPECT_THAT(reloaded, HasSubstr("; each load of one takes 7 cycles\n"));
  try {
    text_of(series({memory(3)}));
    FAIL() << "a series without room is not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("fabric.setting_memory: 1 of 4 stored settings have no room in l1[0]; legal: " +
                                        std::to_string(4 * bytes) + " B or more"));
  }
  EXPECT_THAT(text_of(series({memory(4)})), HasSubstr("holds 4 of "));
}

}  // namespace
}  // namespace weft::runs
