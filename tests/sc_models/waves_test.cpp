// SPDX-License-Identifier: Apache-2.0
// Waves of whole runs: what the file says is what the run's tables say. Each case is a process of its own.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "config/load.h"
#include "runs/run.h"
#include "tests/waves/support/vcd_reader.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using waves::test::read_text;
using waves::test::read_vcd;
using waves::test::TempDir;
using waves::test::VcdFile;
using waves::test::VcdSignal;

/// A mesh of 4x3 with uniform traffic.
Config traffic_config() {
  Config config;
  config.seed = 7;
  config.fabric.size_x = 4;
  config.fabric.size_y = 3;
  TrafficWorkload traffic;
  traffic.rate = 0.3;
  traffic.packet_flits = 3;
  traffic.warmup_cycles = 100;
  traffic.measure_cycles = 500;
  config.workload = traffic;
  return config;
}

/// The same mesh with an all-reduce.
Config collective_config() {
  Config config = traffic_config();
  for (std::uint32_t node = 0; node < 12; ++node) config.npu.placement.push_back(NodeId{node});
  CollectiveWorkload collective;
  collective.collective.bytes = 48 * 1024;
  config.workload = collective;
  return config;
}

RunResult run_quietly(const Config& config) {
  RunControl control;
  return run(config, control);
}

/// Cycles in which a signal of a 1 GHz run is at 1, up to the end of the file.
std::uint64_t cycles_high(const VcdSignal& signal, std::uint64_t end) {
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < signal.changes.size(); ++i) {
    const std::uint64_t until = i + 1 < signal.changes.size() ? signal.changes[i + 1].first : end;
    if (signal.changes[i].second == "1") cycles += until - signal.changes[i].first;
  }
  return cycles;
}

std::uint64_t rises(const VcdSignal& signal) {
  std::uint64_t count = 0;
  for (const auto& [time, value] : signal.changes) count += value == "1" ? 1 : 0;
  return count;
}

/// Compares every link of the result with its signals in the file.
void expect_links_agree(const VcdFile& file, const RunResult& result) {
  std::uint64_t moved = 0;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    EXPECT_EQ(cycles_high(file[link.name + ".valid"], file.end), link.flits) << link.name;
    moved += link.flits;
  }
  EXPECT_GT(moved, 1000u);
}

TEST(Waves, a_flit_shows_for_each_flit_of_the_tables_and_credits_come_home) {
  const TempDir folder;
  Config config = collective_config();
  config.waves.file = folder / "run.vcd";
  const RunResult result = run_quietly(config);
  ASSERT_TRUE(result.finished);
  const VcdFile file = read_vcd(folder / "run.vcd");
  expect_links_agree(file, result);
  std::size_t credit_signals = 0;
  for (const auto& [name, signal] : file.signals) {
    if (name.find(".credits_vc") == std::string::npos) continue;
    ++credit_signals;
    EXPECT_EQ(signal.changes.front().second, "1000") << name;  // before anything happens
    EXPECT_EQ(signal.number_at(file.end), 8u) << name;
  }
  EXPECT_EQ(credit_signals, result.links.size() * 4);
}

TEST(Waves, colours_are_vcs_of_their_own) {
  const TempDir folder;
  Config config = collective_config();
  config.fabric.router.colours = 4;
  auto& collective = std::get<CollectiveWorkload>(config.workload).collective;
  collective.algorithm = "chain";
  collective.bytes = 32 * 40;
  config.npu.packet_bytes = 32;
  config.waves.file = folder / "run.vcd";
  const RunResult result = run_quietly(config);
  ASSERT_TRUE(result.finished);
  const VcdFile file = read_vcd(folder / "run.vcd");
  std::set<std::string> vcs;
  std::size_t credit_signals = 0;
  for (const auto& [name, signal] : file.signals) {
    if (name.find(".credits_colour") != std::string::npos) {
      ++credit_signals;
      EXPECT_EQ(signal.number_at(file.end), 8u) << name;
    }
    if (name.find(".vc") != std::string::npos) {
      for (const auto& [time, value] : signal.changes) vcs.insert(value);
    }
  }
  // All-reduce by chains uses three of the four: two of the reduction, one of the broadcast.
  EXPECT_EQ(credit_signals, result.links.size() * 3);
  for (const char* vc : {"100000", "100001", "100010"}) EXPECT_EQ(vcs.count(vc), 1u) << vc;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    EXPECT_EQ(cycles_high(file[link.name + ".valid"], file.end), link.flits) << link.name;
  }
}

TEST(Waves, every_packet_has_a_head_and_a_tail) {
  const TempDir folder;
  Config config = traffic_config();
  config.waves.file = folder / "run.vcd";
  config.waves.scope = {"**.inject"};
  const RunResult result = run_quietly(config);
  const VcdFile file = read_vcd(folder / "run.vcd");
  for (std::size_t i = 0; i < result.node_table.size(); ++i) {
    const NodeRecord node = result.node_table.at(i);
    const std::string link = "fabric.router[" + std::to_string(node.x) + "," + std::to_string(node.y) + "].inject.";
    EXPECT_EQ(cycles_high(file[link + "head"], file.end), node.values.count(NodeQuantity::kPacketsSent)) << link;
    EXPECT_EQ(cycles_high(file[link + "tail"], file.end), node.values.count(NodeQuantity::kPacketsSent)) << link;
    EXPECT_LE(rises(file[link + "valid"]), node.values.count(NodeQuantity::kPacketsSent)) << link;
    std::set<std::string> names;
    for (const auto& [time, name] : file[link + "packet"].changes) names.insert(name);
    names.erase("");
    EXPECT_EQ(names.size(), node.values.count(NodeQuantity::kPacketsSent)) << link;
  }
}

TEST(Waves, npus_say_what_they_run_and_end_with_nothing) {
  const TempDir folder;
  Config config = collective_config();
  config.waves.file = folder / "run.vcd";
  config.waves.scope = {"npu[*]"};
  const RunResult result = run_quietly(config);
  ASSERT_TRUE(result.finished);
  const VcdFile file = read_vcd(folder / "run.vcd");
  EXPECT_EQ(file.signals.size(), 12u * 8 + 1);
  for (int npu = 0; npu < 12; ++npu) {
    const VcdSignal& running = file["npu[" + std::to_string(npu) + "].running"];
    std::set<std::string> texts;
    for (const auto& [time, text] : running.changes) texts.insert(text);
    EXPECT_EQ(texts.count("all_reduce_0 chunk 0 step 0"), 1u) << npu;
    EXPECT_GE(texts.size(), 22u) << npu;  // 2 (12 - 1) steps of the ring
    EXPECT_EQ(running.at(file.end), "") << npu;
    // The parts say what the text says.
    const std::string scope = "npu[" + std::to_string(npu) + "].";
    for (const auto& [time, change] : running.changes) {
      const std::string text = running.at(time);  // there may be two of one instant
      EXPECT_EQ(file[scope + "collective"].at(time), text.empty() ? "" : "all_reduce_0");
      if (text.find(" chunk ") == std::string::npos) continue;
      EXPECT_EQ("all_reduce_0 chunk " + std::to_string(file[scope + "chunk"].number_at(time)) + " step " +
                    std::to_string(file[scope + "step"].number_at(time)),
                text);
      EXPECT_EQ(file[scope + "instance"].number_at(time), 0u);
      EXPECT_EQ(file[scope + "phase[2:0]"].at(time), "none");
    }
  }
}

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
  const RunResult result = run_quietly(config);
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
  const RunResult result = run_quietly(config);
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
  const Config config = load_config(WEFT_SOURCE_DIR "/configs/mesh-wafer-io.yaml",
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
      load_config(std::string(WEFT_SOURCE_DIR "/configs/") + each.config,
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

/// Runs `config` in a process of its own, because SystemC elaborates once; true if it finished. The child leaves its
/// figures in `figures` if that is not empty.
bool run_in_child(const Config& config, const std::filesystem::path& figures = {}) {
  const pid_t child = fork();
  if (child == 0) {
    const RunResult result = run_quietly(config);
    if (!figures.empty()) std::ofstream(figures) << result.cycles << " cycles, " << result.flit_hops << " flit-hops";
    _exit(result.finished ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Waves, watching_changes_nothing) {
  const TempDir folder;
  Config config = traffic_config();
  ASSERT_TRUE(run_in_child(config, folder / "unseen"));
  config.waves.file = folder / "run.vcd";
  ASSERT_TRUE(run_in_child(config, folder / "watched"));
  EXPECT_EQ(read_text(folder / "watched"), read_text(folder / "unseen"));
}

TEST(Waves, threads_and_forms_change_no_byte) {
  const TempDir folder;
  Config config = collective_config();
  config.waves.file = folder / "one.vcd";
  ASSERT_TRUE(run_in_child(config));
  config.waves.file = folder / "two.vcd";
  config.threads = 2;
  ASSERT_TRUE(run_in_child(config));
  config.waves.file = folder / "modules.vcd";
  config.threads = 1;
  config.fabric.form = FabricForm::kModules;
  ASSERT_TRUE(run_in_child(config));
  const std::string expected = read_text(folder / "one.vcd");
  EXPECT_GT(expected.size(), 100'000u);
  EXPECT_TRUE(read_text(folder / "two.vcd") == expected) << "two threads";
  EXPECT_TRUE(read_text(folder / "modules.vcd") == expected) << "one module per router and NPU";
}

TEST(Waves, a_clock_of_its_own_for_the_npus) {
  const TempDir folder;
  Config config = collective_config();
  config.npu.clock = ClockSpec{make_rational(800'000'000, 1)};
  config.waves.file = folder / "run.vcd";
  const RunResult result = run_quietly(config);
  ASSERT_TRUE(result.finished);
  const VcdFile file = read_vcd(folder / "run.vcd");
  EXPECT_EQ(file.timescale, "1ps");
  for (const auto& [time, value] : file["fabric.router[1,1].east.valid"].changes) EXPECT_EQ(time % 1000, 0u);
  for (const auto& [time, value] : file["npu[5].running"].changes) EXPECT_EQ(time % 1250, 0u);
}

}  // namespace
}  // namespace weft::sc_models
