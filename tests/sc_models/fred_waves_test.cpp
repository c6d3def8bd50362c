// SPDX-License-Identifier: Apache-2.0
// Waves of whole runs over FRED switches: what the file says is what the run's tables say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "config/load.h"
#include "runs/recording.h"
#include "runs/run.h"
#include "tests/waves/support/vcd_reader.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using testing::HasSubstr;
using waves::test::read_text;
using waves::test::read_vcd;
using waves::test::TempDir;
using waves::test::VcdFile;
using waves::test::VcdSignal;

/// Two L1 switches of two NPUs and an I/O controller, two planes, an L2 switch; 16 flits behind every port.
constexpr const char* kTwoLevels = R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 512
  in_switch: true
  local: {bandwidth: 1024 GB/s, latency: 5}
  control_buffer: 1 KiB
  levels:
    - {groups: 2, planes: 2, uplinks: 1, bandwidth: 1024 GB/s, latency: 7, buffer: 8 KiB}
    - {groups: 1, buffer: 12 KiB}
io: {controllers: 2, bandwidth: 128 GB/s}
npu: {count: 4, packet_bytes: 4 KiB}
workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 64 KiB, chunks: 2}}
)";

Config two_levels(const std::vector<std::string>& overrides, const std::string& file) {
  std::vector<std::string> all = overrides;
  all.push_back("waves.file=" + file);
  return load_config_text(kTwoLevels, "two.yaml", all);
}

RunResult run_quietly(const Config& config) {
  RunControl control;
  RunResult result = run(config, control);
  EXPECT_TRUE(result.finished) << result.stop_text;
  return result;
}

/// Cycles of a 1 GHz run in which a signal is at 1.
std::uint64_t cycles_high(const VcdSignal& signal, std::uint64_t end) {
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < signal.changes.size(); ++i) {
    const std::uint64_t until = i + 1 < signal.changes.size() ? signal.changes[i + 1].first : end;
    if (signal.changes[i].second == "1") cycles += until - signal.changes[i].first;
  }
  return cycles;
}

/// A link's flits in the file; those of a network interface over its two planes.
std::uint64_t flits_in(const VcdFile& file, const std::string& link) {
  if (link.rfind("fabric.", 0) == 0) return cycles_high(file[link + ".valid"], file.end);
  return cycles_high(file[link + ".plane[0].valid"], file.end) + cycles_high(file[link + ".plane[1].valid"], file.end);
}

void expect_links_agree(const VcdFile& file, const RunResult& result) {
  std::uint64_t moved = 0;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    EXPECT_EQ(flits_in(file, link.name), link.flits) << link.name;
    moved += link.flits;
  }
  EXPECT_GT(moved, 1000U);
}

/// Credits of a VC begin and end with the places behind the link and never exceed them.
void expect_credits(const VcdFile& file, const std::string& link, std::uint64_t data, std::uint64_t control) {
  for (const char* traffic_class : {"mp", "pp", "dp", "control"}) {
    const std::string name = link + ".credits_" + traffic_class + "[4:0]";  // 16 and 24 need five bits
    const std::uint64_t all = std::string(traffic_class) == "control" ? control : data;
    const VcdSignal& signal = file[name];
    ASSERT_FALSE(signal.changes.empty()) << name;
    EXPECT_EQ(std::stoul(signal.changes.front().second, nullptr, 2), all) << name;  // before anything happens
    EXPECT_EQ(signal.number_at(file.end), all) << name;
    for (const auto& [time, value] : signal.changes) EXPECT_LE(signal.number_at(time), all) << name;
  }
}

void expect_all_credits(const VcdFile& file) {
  expect_credits(file, "npu[0].out.plane[1]", 16, 2);  // buffer of an L1 switch: 8 KiB
  expect_credits(file, "io[1].out.plane[0]", 16, 2);
  expect_credits(file, "fabric.l1[1].plane[0].port[0]", 16, 2);  // buffer of an NPU
  expect_credits(file, "fabric.l1[1].plane[0].port[2]", 24, 2);  // buffer of the L2 switch: 12 KiB
  expect_credits(file, "fabric.l2[0].plane[1].port[1]", 16, 2);
}

/// Smallest number of credits that a signal shows.
std::uint64_t lowest(const VcdSignal& signal) {
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& [time, value] : signal.changes) least = std::min(least, signal.number_at(time));
  return least;
}

class FredWaves : public testing::Test {
 protected:
  VcdFile record(const std::vector<std::string>& overrides) {
    result_ = run_quietly(two_levels(overrides, folder_ / "run.vcd"));
    return read_vcd(folder_ / "run.vcd");
  }
  TempDir folder_;
  RunResult result_;
};

TEST_F(FredWaves, a_flit_shows_for_each_flit_of_a_flow_and_credits_come_home) {
  const VcdFile file = record({});
  expect_links_agree(file, result_);
  expect_all_credits(file);
  // 64 KiB in 16 packets, in turn over the planes: 8 x 8 flits through each port.
  EXPECT_EQ(cycles_high(file["fabric.l1[0].plane[1].port[2].valid"], file.end), 64U);
  EXPECT_EQ(cycles_high(file["fabric.l1[0].plane[1].port[2].head"], file.end), 8U);
  EXPECT_EQ(cycles_high(file["fabric.l1[0].plane[1].port[2].tail"], file.end), 8U);
  // Both L1 switches are one group: its flows have traffic class DP. The credits of a whole packet go when it starts;
  // the first ones come back 7 (there) + 7 (back) cycles and more later, when the second packet has started, too.
  EXPECT_LE(lowest(file["fabric.l1[0].plane[1].port[2].credits_dp[4:0]"]), 24U - 16);
  EXPECT_EQ(lowest(file["fabric.l1[0].plane[1].port[2].credits_mp[4:0]"]), 24U);
}

TEST_F(FredWaves, unicasts_of_a_ring) {
  const VcdFile file = record({"fabric.in_switch=false", "workload.collective.algorithm=ring"});
  expect_links_agree(file, result_);
  expect_all_credits(file);
  const VcdSignal& running = file["fabric.l1[0].plane[0].running"];
  EXPECT_EQ(running.at(0), "");
  EXPECT_EQ(running.at(file.end), "unicasts");
  std::set<std::string> traffic_classes;
  for (const auto& [time, name] : file["npu[1].out.plane[0].vc[1:0]"].changes) traffic_classes.insert(name);
  traffic_classes.erase("x");
  for (const std::string& name : traffic_classes)
    EXPECT_THAT((std::set<std::string>{"mp", "pp", "dp", "control"}), testing::Contains(name));
  EXPECT_FALSE(traffic_classes.empty());
}

/// Cycles in which an enum has this value, of a 1 GHz run.
std::uint64_t cycles_at(const VcdSignal& signal, const std::string& value, std::uint64_t end) {
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < signal.changes.size() && signal.changes[i].first < end; ++i) {
    const std::uint64_t until = i + 1 < signal.changes.size() ? std::min(end, signal.changes[i + 1].first) : end;
    if (signal.changes[i].second == value) cycles += until - signal.changes[i].first;
  }
  return cycles;
}

/// The counts of the tables are the cycles of the signal, link by link; their sums.
LinkValues expect_stalls_agree(const VcdFile& file, const RunResult& result) {
  LinkValues sum;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    EXPECT_TRUE(link.values.known()) << link.name;
    if (!link.values.known()) continue;
    const auto cycles = [&](const char* reason) {
      const auto of = [&](const std::string& name) {
        return cycles_at(file[name + ".stall[1:0]"], reason, result.cycles);
      };
      if (link.name.rfind("fabric.", 0) == 0) return of(link.name);
      return of(link.name + ".plane[0]") + of(link.name + ".plane[1]");
    };
    EXPECT_EQ(cycles("no_credit"), link.values.count(LinkQuantity::kNoCredit)) << link.name;
    EXPECT_EQ(cycles("lost_arbitration"), link.values.count(LinkQuantity::kLostArbitration)) << link.name;
    EXPECT_EQ(cycles("waiting_operand"), link.values.count(LinkQuantity::kWaitingOperand)) << link.name;
    sum += link.values;
  }
  return sum;
}

TEST_F(FredWaves, stalls_of_flows_are_those_of_the_tables) {
  const VcdFile file = record({"waves.scope=['**.stall']", "fabric.local.latency=20"});
  const LinkValues sum = expect_stalls_agree(file, result_);
  EXPECT_GT(sum.count(LinkQuantity::kLostArbitration), 10U);
  EXPECT_EQ(sum.count(LinkQuantity::kWaitingOperand), 0U);  // equal ranks begin together
}

TEST_F(FredWaves, stalls_of_unicasts_are_those_of_the_tables) {
  const VcdFile file =
      record({"waves.scope=['**.stall']", "fabric.in_switch=false", "workload.collective.kind=all_to_all",
              "workload.collective.algorithm=direct", "fabric.conflict=serialize"});
  const LinkValues sum = expect_stalls_agree(file, result_);
  EXPECT_GT(sum.count(LinkQuantity::kLostArbitration), 10U);
  EXPECT_GT(sum.count(LinkQuantity::kNoCredit), 10U);
}

TEST_F(FredWaves, stalls_of_one_phase_after_the_other_are_those_of_the_tables) {
  const VcdFile file =
      record({"waves.scope=['**.stall']", "workload.collective.kind=reduce_scatter", "workload.collective.chunks=1"});
  expect_stalls_agree(file, result_);
}

// Trunks of a quarter of a flit per cycle are the bottleneck, never idle for long: the three cycles in which a flit is
// still on its way onto the link are no stalls.
TEST_F(FredWaves, a_slow_link_that_is_in_use_does_not_wait) {
  const Config config =
      load_config_text(kTwoLevels, "slow.yaml",
                       {"fabric.in_switch=false", "workload.collective.algorithm=direct",
                        "workload.collective.kind=all_to_all", "fabric.levels[0].bandwidth=256 GB/s"});
  const RunResult result = run_quietly(config);
  const auto cycles = static_cast<double>(result.cycles);
  double busiest = 0;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    const LinkValues stalls = link.values;
    if (link.name.rfind("fabric.", 0) != 0) continue;
    const auto waited =
        static_cast<double>(stalls.count(LinkQuantity::kNoCredit) + stalls.count(LinkQuantity::kLostArbitration) +
                            stalls.count(LinkQuantity::kWaitingOperand));
    EXPECT_LE(link.utilisation * cycles + waited, cycles + 4) << link.name;
    busiest = std::max(busiest, link.utilisation);
  }
  EXPECT_GT(busiest, 0.7);
}

// A network interface gives the credits of a whole packet back in one cycle.
TEST_F(FredWaves, links_that_repair_losses) {
  const VcdFile file = record({"fabric.link_layer=gbn"});
  expect_links_agree(file, result_);
  expect_all_credits(file);
}

TEST_F(FredWaves, switches_and_npus_say_what_they_run) {
  const VcdFile file = record({"waves.scope=['npu[*].running', 'fabric.*.*.running']"});
  EXPECT_EQ(file.signals.size(), 1U + 4 + 6);
  for (const char* chiplet : {"l1[0].plane[0]", "l1[1].plane[1]", "l2[0].plane[0]"}) {
    const VcdSignal& running = file[std::string("fabric.") + chiplet + ".running"];
    EXPECT_THAT(running.at(file.end), HasSubstr("stored setting 1: ")) << chiplet;
  }
  EXPECT_EQ(file["npu[3].running"].at(file.end), "");
}

TEST_F(FredWaves, a_scope_chooses_a_chiplet) {
  const VcdFile file = record({"waves.scope=['fabric.l2[0].plane[1]']"});
  for (const auto& [name, signal] : file.signals) {
    EXPECT_TRUE(name == "clock.cycle" || name.rfind("fabric.l2[0].plane[1].", 0) == 0) << name;
  }
  EXPECT_EQ(file.signals.count("fabric.l2[0].plane[1].port[0].packet"), 1U);
  EXPECT_THAT(read_text(folder_ / "run.gtkw"), HasSubstr("fabric.l2[0].plane[1].port[1].packet"));
}

// One flit from NPU 0 to NPU 1 over one Fred_3(2): on the wire in cycle t, it has 1 cycle of its own length and 5 of
// latency; the step after its arrival loads the setting of unicasts (1 cycle), the next one starts it, then one
// uSwitch and the output port.
TEST_F(FredWaves, one_flit_by_hand) {
  Config config = load_config_text(R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 512
  header: 0 B
  local: {bandwidth: 512 GB/s, latency: 5}
  levels: [{groups: 1, ports: 2, buffer: 8 KiB, reconfig_cycles: 1}]
npu: {count: 2, packet_bytes: 4 KiB}
workload: {collective: {kind: broadcast, algorithm: ring, size: 512 B}}
)",
                                   "one.yaml", {"waves.file=" + (folder_ / "one.vcd").string()});
  run_quietly(config);
  const VcdFile file = read_vcd(folder_ / "one.vcd");
  const auto rise = [&](const std::string& name) {
    for (const auto& [time, value] : file[name].changes) {
      if (value == "1") return time;
    }
    return ~std::uint64_t{0};
  };
  const std::uint64_t sent = rise("npu[0].out.plane[0].valid");
  const std::string traffic_class = file["npu[0].out.plane[0].vc[1:0]"].at(sent);
  EXPECT_EQ(file["npu[0].out.plane[0].credits_" + traffic_class + "[4:0]"].number_at(sent), 15U);
  EXPECT_EQ(rise("fabric.l1[0].port[1].valid"), sent + 6 + 1 + 1 + 1);
  EXPECT_EQ(file["fabric.l1[0].port[1].packet"].at(sent + 9), "0.0");
  EXPECT_EQ(cycles_high(file["fabric.l1[0].port[1].valid"], file.end), 1U);
}

TEST(FredWavesForms, a_module_per_chiplet_and_node_changes_no_byte) {
  const TempDir folder;
  for (const char* form : {"region", "modules"}) {
    const Config config = two_levels({std::string("fabric.form=") + form}, folder / (std::string(form) + ".vcd"));
    const pid_t child = fork();
    if (child == 0) _exit(run_quietly(config).finished ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << form;
  }
  const std::string expected = read_text(folder / "region.vcd");
  EXPECT_GT(expected.size(), 30'000U);
  EXPECT_TRUE(read_text(folder / "modules.vcd") == expected);
}

TEST(FredWavesCheck, a_scope_that_names_nothing_bad) {
  Config config = two_levels({"waves.scope=['fabric.l1[7].plane[0]']"}, "run.vcd");
  const auto problems = check_waves(config);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems.front().sentence, HasSubstr("fabric.l1[7].plane[0]"));
}

}  // namespace
}  // namespace weft::sc_models
