// SPDX-License-Identifier: Apache-2.0
// uSwitches of the model in a wave file: cycles and sums by hand, names of chiplets in levels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "runs/recording.h"
#include "runs/run.h"
#include "switch/network/uswitch_probe.h"
#include "tests/waves/support/vcd_reader.h"
#include "waves/recorder.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using testing::HasSubstr;
using waves::test::read_vcd;
using waves::test::TempDir;
using waves::test::VcdFile;
using waves::test::VcdSignal;

/// Two NPUs at a switch of a single RD-uSwitch: one packet of two flits each, sums of 32-bit integers.
constexpr const char* kPair = R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 8
  in_switch: true
  local: {bandwidth: 8 GB/s, latency: 3}
  control_buffer: 16 B
  levels: [{groups: 1, buffer: 64 B, reconfig_cycles: 4}]
npu: {count: 2, packet_bytes: 16 B}
workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 16 B, data: values, dtype: int32}}
)";

/// First time at which a signal is 1.
std::uint64_t rises(const VcdSignal& signal) {
  for (const auto& [time, value] : signal.changes) {
    if (value == "1") return time;
  }
  ADD_FAILURE() << "never";
  return 0;
}

VcdFile record(const TempDir& folder, const std::vector<std::string>& settings) {
  std::vector<std::string> all = settings;
  all.push_back("waves.file=" + std::string(folder / "run.vcd"));
  RunControl control;
  const RunResult result = run(load_config_text(kPair, "pair.yaml", all), control);
  EXPECT_TRUE(result.finished) << result.stop_text;
  return read_vcd(folder / "run.vcd");
}

const char* const kInside = "waves.scope=['**', '*.l1[0].uswitch*']";
const std::string kSwitch = "fabric.l1[0].";

/// Both flits leave the NPUs in cycles t and t + 1, are on the link for 1 + 3 cycles, are seen by the control unit one
/// later and wait `reconfig_cycles` for their setting.
TEST(FredUswitchWaves, a_sum_passes_a_uswitch_in_the_cycles_that_are_due) {
  const TempDir folder;
  const VcdFile file = record(folder, {kInside});
  const std::uint64_t sent = rises(file["npu[0].out.plane[0].valid"]);
  EXPECT_EQ(rises(file["npu[1].out.plane[0].valid"]), sent);
  const std::uint64_t entry = sent + 4 + 1 + 4;
  for (const std::uint64_t flit : {0, 1}) {
    for (const std::string port : {"0", "1"}) {
      const std::string wire = kSwitch + "uswitch.port[" + port + "].";
      EXPECT_EQ(file[wire + "valid"].at(entry + flit), "1");
      EXPECT_EQ(file[wire + "ready"].at(entry + flit), "1");
      EXPECT_EQ(file[wire + "packet"].at(entry + flit), port + ".0");
      EXPECT_EQ(file[wire + "head"].at(entry + flit), flit == 0 ? "1" : "0");
      EXPECT_EQ(file[wire + "tail"].at(entry + flit), flit == 1 ? "1" : "0");
      const std::string out = kSwitch + "uswitch.rd.out[" + port + "].";
      EXPECT_EQ(file[out + "valid"].at(entry + flit + 1), "1");
      EXPECT_EQ(file[out + "packet"].at(entry + flit + 1), "0.0");  // the first operand's
      // Nothing else holds it up: it is on the link in the same cycle.
      EXPECT_EQ(file[kSwitch + "port[" + port + "].packet"].at(entry + flit + 1), "0.0");
    }
    EXPECT_EQ(file[kSwitch + "uswitch.rd.setting[2:0]"].at(entry + flit), "add_copy");
  }
  EXPECT_EQ(rises(file[kSwitch + "uswitch.port[0].valid"]), entry);
  EXPECT_EQ(rises(file[kSwitch + "uswitch.rd.out[0].valid"]), entry + 1);
  EXPECT_EQ(file[kSwitch + "uswitch.port[0].valid"].at(entry + 2), "0");
  EXPECT_EQ(file[kSwitch + "uswitch.rd.out[1].valid"].at(entry + 3), "0");
  EXPECT_EQ(file[kSwitch + "uswitch.rd.setting[2:0]"].at(entry + 2), "none");
}

TEST(FredUswitchWaves, data_is_what_the_operands_add_up_to) {
  const TempDir folder;
  const VcdFile file = record(folder, {kInside});
  const std::uint64_t entry = rises(file[kSwitch + "uswitch.port[0].valid"]);
  const auto words = [&](const std::string& wire, std::uint64_t time) {
    const std::uint64_t both = file[kSwitch + "uswitch." + wire + ".data[63:0]"].number_at(time);
    return std::pair(static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32));
  };
  for (const std::uint64_t flit : {0, 1}) {
    const auto a = words("port[0]", entry + flit);
    const auto b = words("port[1]", entry + flit);
    EXPECT_NE(a.first, b.first);
    for (const char* out : {"rd.out[0]", "rd.out[1]"}) {
      const auto sum = words(out, entry + flit + 1);
      EXPECT_EQ(sum.first, a.first + b.first);
      EXPECT_EQ(sum.second, a.second + b.second);
    }
  }
}

TEST(FredUswitchWaves, unicasts_cross_and_show_no_data) {
  const TempDir folder;
  const VcdFile file = record(folder, {kInside, "workload.collective.algorithm=ring"});
  const std::uint64_t entry = rises(file[kSwitch + "uswitch.port[0].valid"]);
  EXPECT_EQ(file[kSwitch + "uswitch.rd.setting[2:0]"].at(entry), "cross");  // each NPU sends to the other
  EXPECT_EQ(file[kSwitch + "uswitch.rd.out[1].packet"].at(entry + 1), "0.0");
  EXPECT_EQ(file[kSwitch + "uswitch.rd.out[0].packet"].at(entry + 1), "1.0");
  EXPECT_EQ(file[kSwitch + "uswitch.rd.out[0].data[63:0]"].changes.size(), 1U);  // x from the beginning
}

/// The last beats of an operand are still inside when its sender's name is given anew.
TEST(FredUswitchWaves, a_name_belongs_to_its_old_packet_until_the_new_one_enters) {
  fred::PacketNames names;
  EXPECT_EQ(names.find(5), nullptr);
  names.arrive(5, {NodeId{1}, 7});
  EXPECT_EQ(names.find(5), nullptr);
  names.enter(5);
  names.arrive(5, {NodeId{2}, 0});
  ASSERT_NE(names.find(5), nullptr);
  EXPECT_EQ(names.find(5)->src, NodeId{1});
  EXPECT_EQ(names.find(5)->sequence, 7U);
  names.enter(5);
  EXPECT_EQ(names.find(5)->src, NodeId{2});
  names.enter(6);  // a name that nobody has given
  EXPECT_EQ(names.find(6), nullptr);
}

/// Names of a fabric of two levels, two planes, L2 of two slices.
std::size_t count(const std::vector<std::string>& patterns) {
  constexpr const char* kLevels = R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 64
  in_switch: true
  local: {bandwidth: 64 GB/s, latency: 5}
  levels:
    - {groups: 2, planes: 2, uplinks: 2, bandwidth: 128 GB/s, latency: 7, buffer: 8 KiB}
    - {groups: 1, ports: 2, buffer: 12 KiB}
npu: {count: 4, packet_bytes: 512 B}
workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 64 KiB}}
)";
  const TempDir folder;
  const Config config = load_config_text(kLevels, "levels.yaml", {});
  WavesSpec spec;
  spec.scope = patterns;
  { waves::Recorder recorder(spec, folder / "n.vcd", recorder_setup(config)); }
  return read_vcd(folder / "n.vcd").signals.size() - 1;
}

TEST(FredUswitchWaves, patterns_leave_out_planes_and_slices) {
  EXPECT_EQ(count({"*.l1[*].uswitch.port[0].valid"}), 2U * 2);           // groups, planes
  EXPECT_EQ(count({"*.l2[0].uswitch.port[*].valid"}), 2U * 2 * 2);       // slices, planes, ports
  EXPECT_EQ(count({"*.l2[0].slice[1].uswitch.port[*].valid"}), 2U * 2);  // planes, ports
  EXPECT_EQ(count({"*.l2[0].plane[1].uswitch.port[*].valid"}), 2U * 2);  // slices, ports
  EXPECT_EQ(count({"*.l2[0].uswitch*"}), 2U * 2 * (4 * 6 + 1));          // 2 ports, 2 pins, a setting; no data
  EXPECT_EQ(count({"fabric.l2[0].slice[0].plane[0].uswitch.rd.setting"}), 1U);
}

}  // namespace
}  // namespace weft::sc_models
