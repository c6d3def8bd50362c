// SPDX-License-Identifier: Apache-2.0
// The recorder: what a flit, a credit and an NPU look like in the file, clock domains, calls that cannot be.
#include "waves/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"

namespace weft::waves {
namespace {

using test::kEast;
using test::kVc0;
using test::kVc1;
using test::kWest;
using test::packet;
using test::read_text;
using test::read_vcd;
using test::scope;
using test::TempDir;
using test::two_routers;
using testing::HasSubstr;

TEST(Recorder, three_cycles_by_hand) {
  const TempDir folder;
  Recorder recorder(scope({"fabric.router[0,0].*", "npu[0].running"}), folder / "a.vcd", two_routers());
  recorder.node_activity(1, NodeId{0}, {"all_reduce_0 chunk 1 step 0"});
  recorder.flit_sent(1, kEast, kVc1, packet(0, 7), true, false, 1);
  recorder.flit_sent(1, kWest, kVc0, packet(1, 0), true, true, 1);  // out of scope
  recorder.flit_sent(2, kEast, kVc1, packet(0, 7), false, true, 0);
  recorder.credit_returned(3, kEast, kVc1, 1);
  recorder.node_activity(3, NodeId{0}, {""});
  recorder.node_activity(3, NodeId{1}, {"out of scope"});
  recorder.finish(5);
  EXPECT_EQ(recorder.warning(), "");
  EXPECT_EQ(read_text(folder / "a.vcd"), R"($version Weft $end
$timescale 1 ns $end
$scope module clock $end
$var integer 64 ! cycle $end
$upscope $end
$scope module npu[0] $end
$var string 1 " running $end
$upscope $end
$scope module fabric $end
$scope module router[0,0] $end
$scope module east $end
$comment fabric.router[0,0].east: router[0,0] to router[1,0], 2 VCs, 2 credits each $end
$var wire 1 # valid $end
$var string 1 $ packet $end
$var wire 1 % vc $end
$var wire 1 & head $end
$var wire 1 ' tail $end
$var wire 3 ( occupancy [2:0] $end
$var wire 2 ) credits_vc0 [1:0] $end
$var wire 2 * credits_vc1 [1:0] $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
bx !
s "
0#
s $
0%
0&
0'
b0 (
b10 )
b10 *
$end
#1
b1 !
1#
s0.7 $
1%
1&
b1 (
b1 *
sall_reduce_0\040chunk\0401\040step\0400 "
#2
b10 !
0&
1'
b10 (
b0 *
#3
b11 !
0#
s $
0'
b1 (
b1 *
s "
#4
b100 !
#5
b101 !
$comment complete $end
)");
}

TEST(Recorder, a_flit_lasts_one_cycle) {
  const TempDir folder;
  Recorder recorder(scope({"fabric"}), folder / "a.vcd", two_routers());
  recorder.flit_sent(4, kEast, kVc0, packet(0, 1), true, true, 1);
  recorder.flit_sent(6, kEast, kVc0, packet(0, 2), true, true, 0);
  recorder.flit_sent(9, kWest, kVc0, packet(1, 0), true, true, 1);
  recorder.finish(20);
  const auto file = read_vcd(folder / "a.vcd");
  const auto& valid = file["fabric.router[0,0].east.valid"];
  const auto& name = file["fabric.router[0,0].east.packet"];
  const std::vector<std::pair<int, std::string>> expected = {{3, ""},    {4, "0.1"}, {5, ""},
                                                             {6, "0.2"}, {7, ""},    {8, ""}};
  for (const auto& [time, text] : expected) {
    EXPECT_EQ(name.at(time), text) << time;
    EXPECT_EQ(valid.at(time), text.empty() ? "0" : "1") << time;
  }
  EXPECT_EQ(file.end, 20u);
}

TEST(Recorder, a_wide_link_counts_its_flits_and_names_the_last) {
  const TempDir folder;
  RecorderSetup setup = two_routers();
  setup.link = [plain = setup.link](LinkId id) {
    LinkWave wave = plain(id);
    wave.several = id == kEast;
    return wave;
  };
  Recorder recorder(scope({"fabric"}), folder / "a.vcd", std::move(setup));
  recorder.flit_sent(2, kEast, kVc0, packet(3, 1), false, true, 1);
  recorder.flit_sent(2, kEast, kVc1, packet(3, 2), true, false, 1);
  recorder.flit_sent(2, kEast, kVc1, packet(3, 2), false, false, 0);
  recorder.finish(4);
  const auto file = read_vcd(folder / "a.vcd");
  const std::string link = "fabric.router[0,0].east.";
  EXPECT_EQ(file[link + "flits"].number_at(2), 3u);
  EXPECT_EQ(file[link + "flits"].number_at(3), 0u);
  EXPECT_EQ(file[link + "packet"].at(2), "3.2");
  EXPECT_EQ(file[link + "vc"].at(2), "1");
  EXPECT_EQ(file[link + "head"].at(2), "1");
  EXPECT_EQ(file[link + "tail"].at(2), "1");
  EXPECT_EQ(file[link + "credits_vc0[1:0]"].number_at(2), 1u);
  EXPECT_EQ(file[link + "credits_vc1[1:0]"].number_at(2), 0u);
  EXPECT_EQ(file.signals.count("fabric.router[1,0].west.flits"), 0u);
}

TEST(Recorder, a_link_without_credits_shows_none) {
  const TempDir folder;
  RecorderSetup setup = two_routers();
  setup.link = [plain = setup.link](LinkId id) {
    LinkWave wave = plain(id);
    wave.credits = 0;
    wave.vcs = 1;
    return wave;
  };
  Recorder recorder(scope({"fabric"}), folder / "a.vcd", std::move(setup));
  recorder.flit_sent(1, kEast, kVc0, packet(0, 0), true, true, -1);
  recorder.credit_returned(1, kEast, kVc0, -1);
  recorder.finish(2);
  EXPECT_EQ(read_vcd(folder / "a.vcd").signals.size(), 1u + 2 * 5);
}

TEST(Recorder, cycle_counts_on_and_becomes_unknown_in_a_long_pause) {
  const TempDir folder;
  Recorder recorder(scope({"fabric"}), folder / "a.vcd", two_routers());
  recorder.flit_sent(10, kEast, kVc0, packet(0, 0), true, true, 1);
  recorder.flit_sent(15, kEast, kVc0, packet(0, 1), true, true, 0);
  recorder.flit_sent(1'000'000, kEast, kVc0, packet(0, 2), true, true, 0);
  recorder.finish(1'000'001);
  const auto file = read_vcd(folder / "a.vcd");
  const auto& cycle = file["clock.cycle"];
  EXPECT_EQ(cycle.at(9), "x");
  for (std::uint64_t time = 10; time <= 23; ++time) EXPECT_EQ(cycle.number_at(time), time);
  EXPECT_EQ(cycle.at(24), "x");  // the flit falls at 16, the eighth edge without a change is 24
  EXPECT_EQ(cycle.number_at(1'000'000), 1'000'000u);
  EXPECT_LT(std::filesystem::file_size(folder / "a.vcd"), 3000u);  // the pause costs nothing
}

TEST(Recorder, two_clocks_share_one_exact_axis) {
  const TempDir folder;
  RecorderSetup setup = two_routers();
  setup.clocks = {{"clock", {make_rational(1'000'000'000, 1)}}, {"npu_clock", {make_rational(800'000'000, 1)}}};
  setup.npu = [](NodeId id) { return NpuWave{"npu[" + std::to_string(index(id)) + "]", 1}; };
  Recorder recorder(scope({}), folder / "a.vcd", std::move(setup));
  recorder.flit_sent(1, kEast, kVc0, packet(0, 0), true, true, 1);  // 1000 ps
  recorder.node_activity(1, NodeId{0}, {"a"});                      // 1250 ps
  recorder.node_activity(4, NodeId{0}, {"b"});                      // 5000 ps
  recorder.flit_sent(5, kEast, kVc0, packet(0, 1), true, true, 0);  // 5000 ps
  recorder.finish(7);
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file.timescale, "1ps");
  EXPECT_EQ(file["npu[0].running"].at(1249), "");
  EXPECT_EQ(file["npu[0].running"].at(1250), "a");
  EXPECT_EQ(file["npu[0].running"].at(5000), "b");
  const auto& valid = file["fabric.router[0,0].east.valid"];
  EXPECT_EQ(valid.at(1999), "1");
  EXPECT_EQ(valid.at(2000), "0");
  EXPECT_EQ(valid.at(5000), "1");
  EXPECT_EQ(file["clock.cycle"].number_at(5000), 5u);
  EXPECT_EQ(file["npu_clock.cycle"].number_at(5000), 4u);
  EXPECT_EQ(file["npu_clock.cycle"].number_at(3749), 2u);
  EXPECT_EQ(file["npu_clock.cycle"].number_at(3750), 3u);
  EXPECT_EQ(file.end, 7000u);
}

TEST(Recorder, a_call_from_the_past_is_a_violation_bad) {
  const TempDir folder;
  Recorder recorder(scope({}), folder / "a.vcd", two_routers());
  recorder.flit_sent(5, kEast, kVc0, packet(0, 0), true, true, 1);
  EXPECT_THROW(recorder.flit_sent(4, kWest, kVc0, packet(0, 1), true, true, 1), ViolationError);
}

TEST(Recorder, credits_of_no_vc_are_a_violation_bad) {
  const TempDir folder;
  Recorder recorder(scope({}), folder / "a.vcd", two_routers());
  EXPECT_THROW(recorder.credit_returned(1, kEast, VcId{2}, 1), ViolationError);
  EXPECT_THROW(recorder.credit_returned(1, kEast, kVc0, -1), ViolationError);
}

TEST(Recorder, an_exception_leaves_a_readable_file) {
  const TempDir folder;
  try {
    Recorder recorder(scope({}), folder / "a.vcd", two_routers());
    recorder.flit_sent(5, kEast, kVc0, packet(0, 3), true, true, 1);
    throw ViolationError("the run broke");
  } catch (const ViolationError&) {
  }
  EXPECT_EQ(read_vcd(folder / "a.vcd")["fabric.router[0,0].east.packet"].at(5), "0.3");
}

TEST(Recorder, an_npu_shows_its_activity_in_parts) {
  const TempDir folder;
  Recorder recorder(scope({"npu[1]"}), folder / "a.vcd", two_routers());
  NodeActivity activity("all_reduce_4 chunk 2 step 7");
  activity.collective = "all_reduce_4";
  activity.group = "dp_0";
  activity.instance = 3;
  activity.chunk = 2;
  activity.step = 7;
  activity.flow = "5";
  activity.phase = "dp";
  recorder.node_activity(4, NodeId{1}, activity);
  recorder.node_activity(9, NodeId{1}, {""});
  recorder.finish(12);
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file["npu[1].collective"].at(4), "all_reduce_4");
  EXPECT_EQ(file["npu[1].group"].at(4), "dp_0");
  EXPECT_EQ(file["npu[1].instance"].number_at(4), 3u);
  EXPECT_EQ(file["npu[1].chunk"].number_at(4), 2u);
  EXPECT_EQ(file["npu[1].step"].number_at(4), 7u);
  EXPECT_EQ(file["npu[1].flow"].at(4), "5");
  EXPECT_EQ(file["npu[1].phase[2:0]"].at(3), "none");
  EXPECT_EQ(file["npu[1].phase[2:0]"].at(4), "dp");
  EXPECT_EQ(file["npu[1].chunk"].at(3), "x");
  EXPECT_EQ(file["npu[1].chunk"].at(9), "x");
  EXPECT_EQ(file["npu[1].collective"].at(9), "");
}

TEST(Recorder, a_stall_shows_in_cycles_in_which_the_link_carries_nothing) {
  const TempDir folder;
  RecorderSetup setup = two_routers();
  setup.link = [plain = setup.link](LinkId id) {
    LinkWave wave = plain(id);
    wave.stalls = id == kEast;
    return wave;
  };
  Recorder recorder(scope({}), folder / "a.vcd", std::move(setup));
  EXPECT_TRUE(recorder.wants_stalls(kEast));
  EXPECT_FALSE(recorder.wants_stalls(kWest));
  recorder.link_stalled(2, kEast, StallReason::kNoCredit);
  recorder.flit_sent(5, kEast, kVc0, packet(0, 1), true, true, 1);
  recorder.flit_sent(8, kEast, kVc0, packet(0, 2), true, true, 1);
  recorder.link_stalled(8, kEast, StallReason::kLostArbitration);
  recorder.link_stalled(10, kEast, StallReason::kNone);
  recorder.finish(12);
  const auto file = read_vcd(folder / "a.vcd");
  const auto& stall = file["fabric.router[0,0].east.stall[1:0]"];
  const std::vector<std::pair<std::uint64_t, std::string>> expected = {
      {0, "none"}, {2, "no_credit"}, {5, "none"}, {6, "no_credit"}, {8, "none"}, {9, "lost_arbitration"}, {10, "none"}};
  EXPECT_EQ(stall.changes, expected);
}

TEST(Recorder, occupancy_counts_the_places_that_are_taken) {
  const TempDir folder;
  Recorder recorder(scope({"**.occupancy"}), folder / "a.vcd", two_routers());
  recorder.flit_sent(1, kEast, kVc0, packet(0, 1), true, true, 1);
  recorder.flit_sent(2, kEast, kVc1, packet(0, 1), true, true, 1);
  recorder.flit_sent(3, kEast, kVc1, packet(0, 1), true, true, 0);
  recorder.credit_returned(6, kEast, kVc1, 1);
  recorder.finish(9);
  const auto file = read_vcd(folder / "a.vcd");
  const auto& occupancy = file["fabric.router[0,0].east.occupancy[2:0]"];
  EXPECT_EQ(occupancy.number_at(0), 0u);
  EXPECT_EQ(occupancy.number_at(1), 1u);
  EXPECT_EQ(occupancy.number_at(2), 2u);
  EXPECT_EQ(occupancy.number_at(5), 3u);
  EXPECT_EQ(occupancy.number_at(6), 2u);
}

}  // namespace
}  // namespace weft::waves
