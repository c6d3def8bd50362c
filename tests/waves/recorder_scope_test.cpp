// SPDX-License-Identifier: Apache-2.0
// What of a run a recording holds: windows of time and scopes.
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

using test::kEast;
using test::kVc0;
using test::kVc1;
using test::kWest;
using test::packet;
using test::read_vcd;
using test::scope;
using test::TempDir;
using test::two_routers;

/// The message of the InputError that making a recorder throws.
std::string refusal(const WavesSpec& spec) {
  const TempDir folder;
  try {
    const Recorder recorder(spec, folder / "a.vcd", two_routers());
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Recorder, the_window_holds_its_edges_and_the_state_at_its_start) {
  const TempDir folder;
  Recorder recorder(scope({}, 4, 6), folder / "a.vcd", two_routers());
  recorder.node_activity(1, NodeId{1}, {"broadcast_2 chunk 0 step 1"});
  recorder.flit_sent(3, kEast, kVc0, packet(0, 0), true, true, 1);
  recorder.flit_sent(4, kWest, kVc0, packet(1, 0), true, true, 1);
  recorder.flit_sent(6, kWest, kVc1, packet(1, 1), true, true, 1);
  EXPECT_FALSE(recorder.done());
  recorder.flit_sent(7, kWest, kVc0, packet(1, 2), true, true, 0);
  recorder.flit_sent(8, kWest, kVc0, packet(1, 3), true, true, 0);
  EXPECT_TRUE(recorder.done());
  recorder.finish(100);
  EXPECT_EQ(recorder.warning(), "");
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file.begin, 4u);
  EXPECT_EQ(file.end, 6u);
  EXPECT_EQ(file["npu[1].running"].at(4), "broadcast_2 chunk 0 step 1");
  EXPECT_EQ(file["fabric.router[0,0].east.valid"].at(4), "0");
  EXPECT_EQ(file["fabric.router[0,0].east.credits_vc0[1:0]"].number_at(4), 1u);
  EXPECT_EQ(file["fabric.router[1,0].west.packet"].at(4), "1.0");
  EXPECT_EQ(file["fabric.router[1,0].west.packet"].at(5), "");
  EXPECT_EQ(file["fabric.router[1,0].west.packet"].at(6), "1.1");
}

TEST(Recorder, a_window_may_begin_between_edges) {
  const TempDir folder;
  Recorder recorder(scope({"fabric"}, 3.5, 5.5), folder / "a.vcd", two_routers());
  for (Cycle now = 0; now < 10; ++now) {
    recorder.flit_sent(now, kEast, kVc0, packet(0, static_cast<std::uint32_t>(now)), true, true, 1);
  }
  recorder.finish(10);
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file.begin, 4u);
  EXPECT_EQ(file.end, 5u);
  EXPECT_EQ(file["fabric.router[0,0].east.packet"].at(4), "0.4");
  EXPECT_EQ(file["fabric.router[0,0].east.packet"].at(5), "0.5");
}

TEST(Recorder, a_run_that_ends_before_the_window_is_said) {
  const TempDir folder;
  Recorder recorder(scope({"npu[0]"}, 50), folder / "a.vcd", two_routers());
  recorder.node_activity(3, NodeId{0}, {"here"});
  recorder.finish(20);
  EXPECT_EQ(recorder.warning(),
            "waves: the window begins at 50 ns but the run ended at 19 ns; the file holds no change");
  EXPECT_EQ(read_vcd(folder / "a.vcd")["npu[0].running"].at(20), "here");
}

TEST(Recorder, an_empty_window_is_refused_bad) {
  EXPECT_EQ(refusal(scope({}, 8, 5)), "waves.to: 5 ns is before waves.from, 8 ns; the window is empty");
  EXPECT_EQ(refusal(scope({}, -1)), "waves.from: -1 ns is before the run; it must be 0 or later");
  EXPECT_EQ(refusal(scope({}, 5, 5)), "taken");
}

TEST(Recorder, single_signals_can_be_chosen) {
  const TempDir folder;
  { Recorder recorder(scope({"**.packet", "fabric.router[1,0].west.credits_vc1"}), folder / "a.vcd", two_routers()); }
  std::vector<std::string> names;
  for (const auto& [name, signal] : read_vcd(folder / "a.vcd").signals) names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"clock.cycle", "fabric.router[0,0].east.packet",
                                      "fabric.router[1,0].west.credits_vc1[1:0]", "fabric.router[1,0].west.packet"}));
}

TEST(Recorder, a_pattern_inside_another_counts_as_found) {
  EXPECT_EQ(refusal(scope({"fabric", "**.packet", "fabric.router[0,0].east.vc"})), "taken");
}

TEST(Recorder, numbers_without_a_link_are_left_out) {
  const TempDir folder;
  RecorderSetup setup = two_routers();
  setup.link = [plain = setup.link](LinkId id) { return id == kEast ? LinkWave{} : plain(id); };
  const Recorder recorder(scope({"fabric"}), folder / "a.vcd", std::move(setup));
  EXPECT_FALSE(recorder.records(kEast));
  EXPECT_TRUE(recorder.records(kWest));
}

TEST(Recorder, it_says_what_it_records) {
  const TempDir folder;
  const Recorder recorder(scope({"npu[1]", "**.west"}), folder / "a.vcd", two_routers());
  EXPECT_FALSE(recorder.records(kEast));
  EXPECT_TRUE(recorder.records(kWest));
  EXPECT_FALSE(recorder.records(NodeId{0}));
  EXPECT_TRUE(recorder.records(NodeId{1}));
}

TEST(Recorder, the_collective_scope_is_what_tells_of_collectives) {
  const TempDir folder;
  { Recorder recorder(scope({"collective"}), folder / "a.vcd", two_routers()); }
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file.signals.size(), 1u + 2 * 8 + 2 * 3);
  EXPECT_EQ(file.signals.count("fabric.router[0,0].east.vc"), 1u);
  EXPECT_EQ(file.signals.count("fabric.router[0,0].east.head"), 0u);
}

TEST(Recorder, a_scope_that_matches_nothing_is_said_bad) {
  EXPECT_EQ(refusal(scope({"npu[0]", "fabric.router[0,0].eats", "npv[0]"})),
            "waves.scope: 'fabric.router[0,0].eats' matches nothing: 'fabric.router[0,0]' holds no 'eats'; nearest: "
            "east\n"
            "waves.scope: 'npv[0]' matches nothing: there is no 'npv[0]'; nearest: npu[0] to npu[1], fabric");
}

}  // namespace
}  // namespace weft::waves
