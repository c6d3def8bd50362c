// SPDX-License-Identifier: Apache-2.0
// Waves of whole runs: what the file says is what the run's tables say. Each case is a process of its own.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "config/load.h"
#include "tests/sc_models/support/wave_run.h"
#include "tests/waves/support/vcd_reader.h"

namespace weft::sc_models {
namespace {

using test::run_as_set;
using test::traffic_config;
using waves::test::read_text;
using waves::test::read_vcd;
using waves::test::TempDir;
using waves::test::VcdFile;
using waves::test::VcdSignal;

/// The same mesh with an all-reduce.
Config collective_config() {
  Config config = traffic_config();
  for (std::uint32_t node = 0; node < 12; ++node) config.npu.placement.push_back(NodeId{node});
  CollectiveWorkload collective;
  collective.collective.bytes = 48 * 1024;
  config.workload = collective;
  return config;
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
  const RunResult result = run_as_set(config);
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
  const RunResult result = run_as_set(config);
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
  const RunResult result = run_as_set(config);
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
  const RunResult result = run_as_set(config);
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

/// Runs `config` in a process of its own, because SystemC elaborates once; true if it finished. The child leaves its
/// figures in `figures` if that is not empty.
bool run_in_child(const Config& config, const std::filesystem::path& figures = {}) {
  const pid_t child = fork();
  if (child == 0) {
    const RunResult result = run_as_set(config);
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
  const RunResult result = run_as_set(config);
  ASSERT_TRUE(result.finished);
  const VcdFile file = read_vcd(folder / "run.vcd");
  EXPECT_EQ(file.timescale, "1ps");
  for (const auto& [time, value] : file["fabric.router[1,1].east.valid"].changes) EXPECT_EQ(time % 1000, 0u);
  for (const auto& [time, value] : file["npu[5].running"].changes) EXPECT_EQ(time % 1250, 0u);
}

}  // namespace
}  // namespace weft::sc_models
