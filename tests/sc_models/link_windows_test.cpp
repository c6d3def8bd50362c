// SPDX-License-Identifier: Apache-2.0
// Flits per link over time: windows by hand, and in whole runs against what a probe sees flit by flit.
#include "sc_models/link_windows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>

#include "sc_models/run_control.h"
#include "sc_models/supervisor.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"

namespace weft::sc_models {
namespace {

/// Links whose counters a test sets.
class Counters {
 public:
  explicit Counters(std::size_t links) : flits(links) {}
  LinkWindows::Reader reader() {
    return [this](std::uint64_t* to) {
      ++reads;
      std::copy(flits.begin(), flits.end(), to);
    };
  }
  std::vector<std::uint64_t> flits;
  int reads = 0;
};

TEST(LinkWindows, counts_what_was_sent_between_borders) {
  Counters c(2);
  LinkWindows windows(2, 8, c.reader());
  EXPECT_EQ(windows.border(), 16U);
  c.flits = {3, 1};
  windows.close_until(15);  // cycle 15 is still to come
  EXPECT_EQ(c.reads, 0);
  c.flits = {4, 1};
  windows.close_until(16);
  c.flits = {4, 9};
  windows.close_until(50);  // nothing happens before cycle 50: windows [16, 32) and, empty, [32, 48)
  EXPECT_EQ(windows.border(), 64U);
  c.flits = {6, 9};
  const LinkWindowTable table = windows.finish(60);
  EXPECT_EQ(table.ends, (std::vector<Cycle>{16, 32, 48, 60}));
  EXPECT_EQ(table.flits, (std::vector<std::uint32_t>{4, 1, 0, 8, 0, 0, 2, 0}));
  EXPECT_EQ(table.at(1, 1), 8U);
}

TEST(LinkWindows, joins_pairs_when_there_are_too_many) {
  Counters c(1);
  LinkWindows windows(1, 4, c.reader());
  for (Cycle border = 16; border <= 64; border += 16) {
    c.flits[0] += border / 16;  // 1, 2, 3, 4
    windows.close_until(border);
  }
  // [0, 32) 3, [32, 64) 7, and [64, 96) is open.
  EXPECT_EQ(windows.border(), 96U);
  c.flits[0] += 5;
  const LinkWindowTable table = windows.finish(70);
  EXPECT_EQ(table.ends, (std::vector<Cycle>{32, 64, 70}));
  EXPECT_EQ(table.flits, (std::vector<std::uint32_t>{3, 7, 5}));
}

// Four windows of 16 cycles become two of 32 at cycle 64, and those two and two more become two of 64 at cycle 128.
TEST(LinkWindows, borders_ahead_are_those_that_come) {
  Counters c(1);
  LinkWindows windows(1, 4, c.reader());
  const std::vector<Cycle> all = {16, 32, 48, 64, 96, 128, 192, 256, 384, 512};
  EXPECT_EQ(windows.borders(0, 512, 100), all);
  for (const Cycle border : all) {
    ASSERT_EQ(windows.border(), border);
    windows.close_until(border);
  }
  EXPECT_EQ(windows.borders(800, 2048, 100), (std::vector<Cycle>{1024, 1536, 2048})) << "768 comes before 800";
  EXPECT_EQ(windows.borders(0, 2047, 2), (std::vector<Cycle>{768, 1024})) << "no more than two";
  EXPECT_TRUE(windows.borders(0, 767, 100).empty());
}

TEST(LinkWindows, a_long_sleep_costs_few_steps) {
  Counters c(1);
  LinkWindows windows(1, 128, c.reader());
  c.flits[0] = 7;
  windows.close_until(Cycle{1} << 50);
  EXPECT_EQ(c.reads, 1);
  const LinkWindowTable table = windows.finish((Cycle{1} << 50) + 1);
  EXPECT_LE(table.ends.size(), 128U);
  EXPECT_GT(table.ends.size(), 64U);
  EXPECT_EQ(table.flits[0], 7U);
}

// The fabric runs empty after the workload's end: those flits belong to the last window of the run.
TEST(LinkWindows, what_leaves_after_the_end_counts_with_the_last) {
  Counters c(1);
  LinkWindows windows(1, 8, c.reader());
  c.flits[0] = 2;
  windows.close_until(32);
  c.flits[0] = 5;
  const LinkWindowTable table = windows.finish(32);
  EXPECT_EQ(table.ends, (std::vector<Cycle>{16, 32}));
  EXPECT_EQ(table.flits, (std::vector<std::uint32_t>{2, 3}));
}

TEST(LinkWindows, fewer_windows_for_many_links_and_none_for_too_many) {
  Counters many(50'000);
  LinkWindows windows(50'000, 128, many.reader());
  for (Cycle border = 16; border <= 16 * 200; border += 16) windows.close_until(border);
  EXPECT_LE(windows.finish(16 * 200).flits.size(), LinkWindows::kMostCounts);
  Counters none(1);
  EXPECT_EQ(LinkWindows(LinkWindows::kMostLinks + 1, 128, none.reader()).border(), kNever);
  LinkWindows off(1, 0, none.reader());
  EXPECT_EQ(off.border(), kNever);
  EXPECT_TRUE(off.finish(100).ends.empty());
}

// However borders and jumps of time fall, nothing is lost and windows lie side by side.
RC_GTEST_PROP(LinkWindowsLaw, every_flit_counts_once, ()) {
  Counters c(2);
  LinkWindows windows(2, *rc::gen::inRange(1, 20), c.reader());
  std::map<Cycle, std::uint64_t> sent;
  Cycle now = 0;
  for (int i = 0; i < 200; ++i) {
    const auto flits = *rc::gen::inRange<std::uint64_t>(0, 4);
    c.flits[1] += flits;
    sent[now] += flits;
    const Cycle next = now + *rc::gen::element<Cycle>(1, 1, 2, 17, 900);
    windows.close_until(next);
    now = next;
  }
  const LinkWindowTable table = windows.finish(now + 1);
  Cycle begin = 0;
  for (std::size_t w = 0; w < table.ends.size(); ++w) {
    std::uint64_t expected = 0;
    for (auto it = sent.lower_bound(begin); it != sent.end() && it->first < table.ends[w]; ++it) expected += it->second;
    RC_ASSERT(table.at(1, w) == expected);
    RC_ASSERT(table.at(0, w) == 0U);
    RC_ASSERT(table.ends[w] > begin);
    begin = table.ends[w];
  }
}

/// Counts flits by cycle.
class CountingProbe final : public FabricProbe {
 public:
  void flit_sent(Cycle now, LinkId /*link*/, VcId /*vc*/, PacketIdentity /*packet*/, bool /*head*/, bool /*tail*/,
                 int /*credits*/) override {
    ++sent[now];
  }
  void credit_returned(Cycle /*now*/, LinkId /*link*/, VcId /*vc*/, int /*credits*/) override {}
  void node_activity(Cycle /*now*/, NodeId /*node*/, const NodeActivity& /*activity*/) override {}
  std::map<Cycle, std::uint64_t> sent;
};

struct WindowCase {
  const char* name;
  FabricForm form;
  int threads;
  bool sleep;
};
std::ostream& operator<<(std::ostream& out, const WindowCase& c) { return out << c.name; }

class WindowsOfRuns : public testing::TestWithParam<WindowCase> {};

// Packets that come far apart, so that time jumps over borders of windows, too.
Config sparse_traffic(const WindowCase& c) {
  Config config;
  config.fabric.form = c.form;
  config.threads = c.threads;
  config.fabric.size_x = 4;
  config.fabric.size_y = 3;
  config.fabric.link.latency_cycles = 3;
  config.log.windows = 10;
  TrafficWorkload traffic;
  traffic.rate = 0.002;
  traffic.packet_flits = 5;
  traffic.warmup_cycles = 100;
  traffic.measure_cycles = 4000;
  config.workload = traffic;
  return config;
}

TEST_P(WindowsOfRuns, agree_with_a_probe_cycle_by_cycle) {
  const Config config = sparse_traffic(GetParam());
  CountingProbe probe;
  TestKnobs knobs;
  knobs.sleep = GetParam().sleep;
  const auto system = std::make_shared<System>("system", config, &probe, knobs);
  const auto workload = make_traffic_workload(*system);
  RunControl control;
  Supervisor supervisor(*system, *workload, control);
  workload->start();
  do {
    sc_core::sc_start();
  } while (supervisor.continue_at_rest());
  const LinkWindowTable table = supervisor.take_windows(supervisor.cycles());
  ASSERT_GE(table.ends.size(), 5U);
  ASSERT_LE(table.ends.size(), 10U);
  EXPECT_EQ(table.ends.back(), supervisor.cycles());
  Cycle begin = 0;
  std::uint64_t all = 0;
  for (std::size_t w = 0; w < table.ends.size(); ++w) {
    const Cycle end = w + 1 == table.ends.size() ? kNever : table.ends[w];
    std::uint64_t expected = 0;
    for (auto it = probe.sent.lower_bound(begin); it != probe.sent.end() && it->first < end; ++it)
      expected += it->second;
    const auto first = table.flits.begin() + static_cast<std::ptrdiff_t>(w * table.links);
    const auto counted = std::accumulate(first, first + static_cast<std::ptrdiff_t>(table.links), std::uint64_t{0});
    EXPECT_EQ(counted, expected) << "window " << w << " from " << begin;
    all += counted;
    begin = end;
  }
  EXPECT_GT(all, 300U);
  for (std::size_t i = 0; i < table.links; ++i) {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < table.ends.size(); ++w) sum += table.at(i, w);
    EXPECT_EQ(sum, system->link(i, supervisor.cycles()).flits) << system->link(i, 1).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, WindowsOfRuns,
                         testing::Values(WindowCase{"region", FabricForm::kRegion, 1, true},
                                         WindowCase{"no_sleep", FabricForm::kRegion, 1, false},
                                         WindowCase{"threads", FabricForm::kRegion, 2, true},
                                         WindowCase{"modules", FabricForm::kModules, 1, true}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace weft::sc_models
