// SPDX-License-Identifier: Apache-2.0
// Insides of switches: which patterns choose them, and how their wires look in a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/error.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "tests/waves/support/wave_text.h"
#include "waves/fst/fst_format.h"
#include "waves/recorder.h"
#include "waves/repair.h"

namespace weft::waves {
namespace {

using test::changes_of;
using test::read_vcd;
using test::TempDir;
using test::VcdFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr int kDataBits = 76;  // more than a number has, and no whole bytes

/// Two planes of a switch of one uSwitch with two ports, in lockstep; and of each a link.
RecorderSetup two_planes() {
  RecorderSetup setup = test::two_routers();
  setup.links = 2;
  setup.link = [](LinkId id) {
    LinkWave wave;
    wave.name = "fabric.l1[0].plane[" + std::to_string(index(id)) + "].port[0]";
    return wave;
  };
  setup.switches = 2;
  setup.fabric_switch = [](std::size_t number) {
    SwitchWave wave;
    wave.name = "fabric.l1[0].plane[" + std::to_string(number) + "]";
    wave.wires = {"uswitch.port[0]", "uswitch.port[1]", "uswitch.rd.out[0]", "uswitch.rd.out[1]"};
    wave.ports = 2;
    wave.elements = {{"uswitch.rd", true, 2, 2}};
    wave.vc_names = {"mp", "pp"};
    wave.data_bits = kDataBits;
    wave.shadow = true;
    return wave;
  };
  return setup;
}

class RecorderWires : public testing::Test {
 protected:
  std::vector<std::string> names(const std::vector<std::string>& patterns) {
    { Recorder recorder(test::scope(patterns), folder_ / "n.vcd", two_planes()); }
    std::vector<std::string> result;
    for (const auto& [name, signal] : read_vcd(folder_ / "n.vcd").signals) {
      if (name != "clock.cycle") result.push_back(name);
    }
    return result;
  }
  std::size_t count(const std::vector<std::string>& patterns) { return names(patterns).size(); }
  TempDir folder_;
};

// A branch has 4 wires of 7 signals and a setting; a shadow also valid and packet of 2 ports.
constexpr std::size_t kBranch = 4 * 7 + 1;
constexpr std::size_t kPorts = 2 * 2;
constexpr std::size_t kWireLinks = 2 * 5;
constexpr std::size_t kNpus = 2 * 8;

TEST_F(RecorderWires, are_recorded_only_where_a_pattern_names_them) {
  EXPECT_EQ(count({}), kWireLinks + kNpus);
  EXPECT_EQ(count({"**"}), kWireLinks + kNpus);
  EXPECT_EQ(count({"fabric.**"}), kWireLinks);
  EXPECT_EQ(count({"**.valid"}), 2U);
  EXPECT_EQ(count({"collective"}), 2 * 3 + kNpus);
  EXPECT_EQ(count({"fabric.l1[0].plane[0].uswitch.**"}), 2 * kBranch);  // and those of the model beside them
  EXPECT_EQ(count({"fabric.l1[0].plane[0].uswitch"}), 2 * kBranch);
  EXPECT_EQ(count({"fabric.l1[0].plane[1].model.**"}), kBranch + kPorts);
  EXPECT_EQ(count({"**.uswitch.rd.setting"}), 4U);
  EXPECT_EQ(count({"**", "**.uswitch.rd.setting"}), kWireLinks + kNpus + 4);
  EXPECT_THAT(names({"*.*.plane[0].uswitch.rd.out[1].valid", "npu[0].step"}),
              ElementsAre("fabric.l1[0].plane[0].model.uswitch.rd.out[1].valid",
                          "fabric.l1[0].plane[0].uswitch.rd.out[1].valid", "npu[0].step"));
  EXPECT_THAT(names({"fabric.l1[0].model.port[1]"}),
              ElementsAre("fabric.l1[0].plane[0].model.port[1].packet", "fabric.l1[0].plane[0].model.port[1].valid",
                          "fabric.l1[0].plane[1].model.port[1].packet", "fabric.l1[0].plane[1].model.port[1].valid"));
}

TEST_F(RecorderWires, planes_may_be_left_out) {
  EXPECT_EQ(count({"*.l1[0].uswitch*"}), 4 * kBranch);
  EXPECT_EQ(count({"*.l1[0].uswitch.port[*].valid"}), 8U);
  EXPECT_EQ(count({"fabric.l1[0].port[0]"}), kWireLinks);
  EXPECT_EQ(count({"fabric.l1[0].port[0].vc"}), 2U);
}

TEST_F(RecorderWires, nearest_names_are_told_bad) {
  const auto error = [this](const std::string& pattern) {
    try {
      names({pattern});
    } catch (const InputError& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_THAT(error("*.l1[0].uswich*"), HasSubstr("'*.l1[0]' holds no 'uswich*'; nearest: uswitch"));
  EXPECT_THAT(error("*.l1[0].uswitch.dr"), HasSubstr("'*.l1[0].uswitch' holds no 'dr'; nearest: rd"));
  EXPECT_THAT(error("*.l1[0].plane[2].uswitch"),
              HasSubstr("'*.l1[0]' holds no 'plane[2]'; nearest: plane[0] to plane[1]"));
}

/// Data of the declared width: `low` in its lowest bits, bit 75 set.
std::array<std::uint8_t, 10> data(std::uint8_t low) { return {low, 0, 0, 0, 0, 0, 0, 0, 0, 0x08}; }

WireValue beat(std::uint32_t sequence, const std::uint8_t* data) {
  WireValue value;
  value.valid = value.named = value.head = true;
  value.packet = {NodeId{7}, sequence};
  value.vc = 1;
  value.data = data;
  return value;
}

/// Cycle 3: a beat that waits, a unicast; 4: the beat is taken; 5: not told; 9: a beat of a packet that nobody knows.
void play(Recorder& recorder) {
  const auto first = data(0x81);
  WireBank* bank = recorder.touch_wires(3, 1, false);
  ASSERT_NE(bank, nullptr);
  WireBank::set(bank->wires[0], beat(2, first.data()));
  WireBank::set(bank->wires[1], beat(4, nullptr));
  bank->elements[0].action = 3;
  bank = recorder.touch_wires(4, 1, false);
  WireValue taken = beat(2, first.data());
  taken.ready = taken.tail = true;
  WireBank::set(bank->wires[0], taken);
  WireBank::set(bank->wires[1], WireValue());
  bank->elements[0].action = 1;
  const auto last = data(0x02);
  bank = recorder.touch_wires(9, 1, false);
  WireValue unknown = beat(0, last.data());
  unknown.named = false;
  WireBank::set(bank->wires[0], unknown);
}

/// 76 bits: bit 75, then zeros, then eight bits.
std::string digits(const std::string& low) { return "1" + std::string(67, '0') + low; }

TEST_F(RecorderWires, show_a_beat_for_a_cycle) {
  {
    Recorder recorder(test::scope({"fabric.l1[0].plane[1].uswitch"}), folder_ / "a.vcd", two_planes());
    EXPECT_EQ(recorder.touch_wires(0, 0, false), nullptr);  // the other plane
    play(recorder);
    recorder.finish(12);
  }
  const VcdFile file = read_vcd(folder_ / "a.vcd");
  const std::string wire = "fabric.l1[0].plane[1].uswitch.port[0].";
  const auto changes = [&](const std::string& name) { return file[wire + name].changes; };
  EXPECT_THAT(changes("valid"), ElementsAre(Pair(0, "0"), Pair(3, "1"), Pair(5, "0"), Pair(9, "1"), Pair(10, "0")));
  EXPECT_THAT(changes("ready"), ElementsAre(Pair(0, "0"), Pair(4, "1"), Pair(5, "0")));
  EXPECT_THAT(changes("packet"), ElementsAre(Pair(0, ""), Pair(3, "7.2"), Pair(5, ""), Pair(9, "?"), Pair(10, "")));
  EXPECT_THAT(changes("tail"), ElementsAre(Pair(0, "0"), Pair(4, "1"), Pair(5, "0")));
  EXPECT_THAT(changes("vc"), ElementsAre(Pair(0, "x"), Pair(3, "pp")));
  EXPECT_THAT(changes("data[75:0]"), ElementsAre(Pair(0, "x"), Pair(3, digits("10000001")), Pair(5, "x"),
                                                 Pair(9, digits("00000010")), Pair(10, "x")));
  EXPECT_EQ(file[wire + "data[75:0]"].bits, kDataBits);
  EXPECT_THAT(file["fabric.l1[0].plane[1].uswitch.port[1].data[75:0]"].changes, ElementsAre(Pair(0, "x")));
  EXPECT_THAT(file["fabric.l1[0].plane[1].uswitch.rd.setting[2:0]"].changes,
              ElementsAre(Pair(0, "none"), Pair(3, "add"), Pair(4, "pass"), Pair(5, "none"), Pair(9, "pass"),
                          Pair(10, "none")));
  EXPECT_THAT(file["fabric.l1[0].plane[1].model.uswitch.port[0].valid"].changes, ElementsAre(Pair(0, "0")));
}

TEST_F(RecorderWires, wide_data_is_the_same_in_every_format) {
  if (!has_fst()) GTEST_SKIP() << "built without FST";
  for (const char* name : {"a.vcd", "a.fst", "ring.vcd"}) {
    WavesSpec spec = test::scope({"**.plane[1].uswitch"});
    spec.last_cycles = name[0] == 'r' ? 100 : 0;
    Recorder recorder(spec, folder_ / name, two_planes());
    play(recorder);
    recorder.finish(12);
  }
  const auto vcd = changes_of(folder_ / "a.vcd");
  EXPECT_EQ(vcd, changes_of(folder_ / "ring.vcd"));
  EXPECT_EQ(vcd.at("fabric.l1[0].plane[1].uswitch.port[0].data[75:0]"),
            changes_of(folder_ / "a.fst").at("fabric.l1[0].plane[1].uswitch.port[0].data[75:0]"));
  EXPECT_THAT(vcd.at("fabric.l1[0].plane[1].uswitch.port[0].data[75:0]"), testing::Contains("9 0x8000000000000000002"));
  // GTKWave's own converter finds the same.
  const std::string back = folder_ / "back.vcd";
  const std::string command = "fst2vcd '" + std::string(folder_ / "a.fst") + "' -o '" + back + "' >/dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(vcd.at("fabric.l1[0].plane[1].uswitch.port[0].data[75:0]"),
            changes_of(back).at("fabric.l1[0].plane[1].uswitch.port[0].data[75:0]"));
}

TEST_F(RecorderWires, a_killed_fst_file_with_wide_data_is_repaired) {
  if (!has_fst()) GTEST_SKIP() << "built without FST";
  const pid_t child = fork();
  if (child == 0) {
    Recorder recorder(test::scope({"**.plane[1].uswitch"}), folder_ / "a.fst", two_planes());
    play(recorder);
    recorder.touch_wires(20, 1, false);
    recorder.touch_wires(21, 1, false);
    recorder.flush();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const std::string name = "fabric.l1[0].plane[1].uswitch.port[0].data[75:0]";
  const auto before = changes_of(folder_ / "a.fst").at(name);
  EXPECT_THAT(before, testing::Contains("9 0x8000000000000000002"));
  repair_wave_file(folder_ / "a.fst");
  EXPECT_EQ(changes_of(folder_ / "a.fst").at(name), before);
  EXPECT_TRUE(open_wave_file(folder_ / "a.fst")->complete());
}

}  // namespace
}  // namespace weft::waves
