// SPDX-License-Identifier: Apache-2.0
// Stalls in the waves of whole runs: their cycles are those of the run's tables. Each case is a process of its own.
#include <gtest/gtest.h>

#include <algorithm>

#include "config/load.h"
#include "tests/sc_models/support/wave_run.h"
#include "tests/support/source.h"
#include "tests/waves/support/vcd_reader.h"

namespace weft::sc_models {
namespace {

using test::run_as_set;
using test::traffic_config;
using waves::test::read_vcd;
using waves::test::TempDir;
using waves::test::VcdFile;
using waves::test::VcdSignal;

/// Cycles of a 1 GHz run in which an enum has this value.
std::uint64_t cycles_at(const VcdSignal& signal, const std::string& value, std::uint64_t end) {
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < signal.changes.size() && signal.changes[i].first < end; ++i) {
    const std::uint64_t until = i + 1 < signal.changes.size() ? std::min(end, signal.changes[i + 1].first) : end;
    if (signal.changes[i].second == value) cycles += until - signal.changes[i].first;
  }
  return cycles;
}

/// Cycles in which a link carries nothing and has no reason for it.
std::uint64_t idle_cycles(const VcdSignal& stall, const VcdSignal& valid, std::uint64_t end) {
  std::uint64_t idle = 0;
  for (std::uint64_t at = 0; at < end; ++at) idle += valid.at(at) != "1" && stall.at(at) == "none" ? 1 : 0;
  return idle;
}

// The tables count the same in another way, from the moments in which something gets stuck and goes on; what is stuck
// at the end up to the last cycle, which they leave out.
LinkValues expect_stalls_agree(Config config) {
  const TempDir folder;
  config.waves.file = folder / "run.vcd";
  config.waves.scope = {"**.stall", "**.valid"};
  const RunResult result = run_as_set(config);
  EXPECT_TRUE(result.finished);
  const VcdFile file = read_vcd(folder / "run.vcd");
  LinkValues sum;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    const auto signal = file.signals.find(link.name + ".stall[1:0]");
    EXPECT_EQ(signal != file.signals.end(), link.values.known()) << link.name;
    if (signal == file.signals.end()) continue;
    const auto cycles = [&](const char* reason) { return cycles_at(signal->second, reason, result.cycles); };
    EXPECT_EQ(cycles("no_credit"), link.values.count(LinkQuantity::kNoCredit)) << link.name;
    EXPECT_EQ(cycles("lost_arbitration"), link.values.count(LinkQuantity::kLostArbitration)) << link.name;
    EXPECT_EQ(cycles("waiting_operand"), link.values.count(LinkQuantity::kWaitingOperand)) << link.name;
    // Every cycle is busy, a stall or idle: `stall` shows nothing in a busy one.
    const std::uint64_t busy = cycles_at(file[link.name + ".valid"], "1", result.cycles);
    EXPECT_EQ(busy + link.values.count(LinkQuantity::kNoCredit) + link.values.count(LinkQuantity::kLostArbitration) +
                  link.values.count(LinkQuantity::kWaitingOperand) +
                  idle_cycles(signal->second, file[link.name + ".valid"], result.cycles),
              result.cycles)
        << link.name;
    sum += link.values;
  }
  if (!result.link_totals) return ADD_FAILURE(), sum;
  EXPECT_EQ(result.link_totals->count(LinkQuantity::kNoCredit), sum.count(LinkQuantity::kNoCredit));
  EXPECT_EQ(result.link_totals->count(LinkQuantity::kLostArbitration), sum.count(LinkQuantity::kLostArbitration));
  EXPECT_EQ(result.link_totals->count(LinkQuantity::kWaitingOperand), sum.count(LinkQuantity::kWaitingOperand));
  return sum;
}

void expect_mesh_stalls_agree(const Config& config) {
  const LinkValues sum = expect_stalls_agree(config);
  EXPECT_GT(sum.count(LinkQuantity::kNoCredit), 100u);
  EXPECT_GT(sum.count(LinkQuantity::kLostArbitration), 100u);
  EXPECT_EQ(sum.count(LinkQuantity::kWaitingOperand), 0u);
}

Config crowded_config() {
  Config config = traffic_config();
  config.fabric.router.buffer_flits = 2;
  std::get<TrafficWorkload>(config.workload).rate = 0.45;
  return config;
}

TEST(Waves, cycles_without_credit_are_the_stalls_of_the_tables) { expect_mesh_stalls_agree(crowded_config()); }

// One message over a local link whose credits take longer than its two places last: between its first and its last flit
// the interface has nothing but credits to wait for.
TEST(Waves, a_message_alone_waits_for_credits_at_its_interface) {
  const TempDir folder;
  const Config config = load_config_text(
      "fabric: {size: [2, 1], local: {latency: 6}, router: {vcs: 1, buffer_flits: 2}}\n"
      "workload: {collective: {kind: broadcast, algorithm: ring, size: 2 KiB}}\n",
      "a.yaml", {"waves.file=" + (folder / "run.vcd").string(), "waves.scope=['fabric.router[0,0].inject']"});
  const RunResult result = run_as_set(config);
  ASSERT_TRUE(result.finished);
  const VcdFile file = read_vcd(folder / "run.vcd");
  const VcdSignal& valid = file["fabric.router[0,0].inject.valid"];
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  for (std::uint64_t at = 0; at < result.cycles; ++at) {
    if (valid.at(at) != "1") continue;
    first = std::min(first, at);
    last = at;
  }
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    if (link.name != "fabric.router[0,0].inject") continue;
    ASSERT_GT(link.flits, 10u);
    EXPECT_EQ(link.values.count(LinkQuantity::kNoCredit), last - first + 1 - link.flits);
    EXPECT_GT(link.values.count(LinkQuantity::kNoCredit),
              5 * link.flits / 2);  // two flits per round of 6 + 1 cycles there and back
    EXPECT_EQ(link.values.count(LinkQuantity::kLostArbitration), 0u);
  }
}

TEST(Waves, stalls_of_a_pipelined_router_are_those_of_the_tables) {
  Config config = crowded_config();
  config.fabric.router.routing_delay = 1;
  config.fabric.router.vc_alloc_delay = 2;
  config.fabric.router.speculative = true;
  expect_mesh_stalls_agree(config);
}

TEST(Waves, stalls_of_a_torus_in_parts_are_those_of_the_tables) {
  Config config = crowded_config();
  config.fabric.kind = FabricKind::kTorus;
  config.fabric.routing = "dimension_order";
  config.threads = 2;
  expect_mesh_stalls_agree(config);
}

// Streams of I/O controllers, whose packets routers copy.
TEST(Waves, stalls_of_packets_being_copied_are_those_of_the_tables) {
  const Config config = load_config(weft::test::source("configs/mesh-wafer-io.yaml"),
                                    {"clock=1 GHz", "workload.io.size=64 KiB", "fabric.router.multicast=true"});
  const LinkValues sum = expect_stalls_agree(config);
  EXPECT_GT(sum.count(LinkQuantity::kNoCredit), 100u);
  EXPECT_GT(sum.count(LinkQuantity::kLostArbitration), 100u);
}

/// A collective over set-up routes, and which reasons it has to have.
struct OnRoutes {
  const char* name;
  const char* config;
  const char* kind;
  const char* algorithm;
  const char* size;
  bool no_credit = false;
  bool lost_arbitration = false;
  bool waiting_operand = false;
  int buffer_flits = 8;
};
std::ostream& operator<<(std::ostream& out, const OnRoutes& each) { return out << each.name; }

class WavesOnRoutes : public testing::TestWithParam<OnRoutes> {};

TEST_P(WavesOnRoutes, stalls_are_those_of_the_tables) {
  const OnRoutes& each = GetParam();
  const Config config =
      load_config(weft::test::source("configs/") + each.config,
                  {"clock=1 GHz", std::string("fabric.size=") + each.size,
                   "fabric.router.buffer_flits=" + std::to_string(each.buffer_flits), "workload.collective.size=64 B",
                   std::string("workload.collective.kind=") + each.kind,
                   std::string("workload.collective.algorithm=") + each.algorithm});
  const LinkValues sum = expect_stalls_agree(config);
  EXPECT_EQ(sum.count(LinkQuantity::kNoCredit) > 0, each.no_credit);
  EXPECT_EQ(sum.count(LinkQuantity::kLostArbitration) > 0, each.lost_arbitration);
  EXPECT_EQ(sum.count(LinkQuantity::kWaitingOperand) > 0, each.waiting_operand);
}

INSTANTIATE_TEST_SUITE_P(
    Routes, WavesOnRoutes,
    testing::Values(OnRoutes{"chain", "wse-reduce.yaml", "reduce", "chain", "[16, 1]", false},
                    OnRoutes{"tree", "wse-reduce.yaml", "reduce", "tree", "[16, 1]", true},
                    OnRoutes{"star", "wse-reduce.yaml", "reduce", "star", "[16, 1]", true},
                    OnRoutes{"two_phase", "wse-reduce.yaml", "reduce", "two_phase", "[16, 1]", true, true},
                    OnRoutes{"auto_gen", "wse-reduce.yaml", "reduce", "auto_gen", "[16, 1]", true},
                    OnRoutes{"in_router", "wse-reduce.yaml", "reduce", "in_router", "[6, 5]", true, true, true},
                    OnRoutes{"copies", "wse-reduce.yaml", "all_reduce", "in_router", "[6, 5]", true, true, true},
                    OnRoutes{"held_copies", "wse-reduce.yaml", "all_reduce", "chain", "[16, 1]", true, false, false, 1},
                    OnRoutes{"turns", "wse3-reduce.yaml", "all_reduce", "in_router", "[6, 5]", false, true, true, 32}),
    [](const auto& each) { return each.param.name; });

// Links of half a flit and of two flits per cycle.
TEST(Waves, stalls_of_slow_and_fast_links_are_those_of_the_tables) {
  Config config = crowded_config();
  config.fabric.link.flits_per_cycle = {1, 2};
  config.fabric.local.flits_per_cycle = {2, 1};
  std::get<TrafficWorkload>(config.workload).rate = 0.3;
  expect_mesh_stalls_agree(config);
}

}  // namespace
}  // namespace weft::sc_models
