// SPDX-License-Identifier: Apache-2.0
// Layouts: every line of every question's layout names a signal of the file, and what is shown is what was asked.
#include "waves/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/error.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "waves/fst/fst_format.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

using test::read_text;
using test::TempDir;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Two routers, or two chiplets of a switch, each with an NPU.
RecorderSetup fabric(bool switches) {
  RecorderSetup setup = test::two_routers();
  const auto plain = setup.link;
  setup.link = [plain, switches](LinkId id) {
    LinkWave wave = plain(id);
    wave.stalls = true;
    if (!switches) return wave;
    wave.name = id == test::kEast ? "fabric.l1[0].plane[0].port[1]" : "fabric.l1[1].plane[0].port[0]";
    wave.vc_names = {"mp", "pp"};
    return wave;
  };
  if (switches) {
    setup.nodes = 4;
    setup.npu = [](NodeId id) {
      const std::uint32_t n = index(id);
      return n < 2 ? NpuWave{"npu[" + std::to_string(n) + "]", 0}
                   : NpuWave{"fabric.l1[" + std::to_string(n - 2) + "].plane[0]", 0, true};
    };
  }
  return setup;
}

/// Names of the signal lines of a layout: all that follow a flag line and are neither titles nor settings.
std::vector<std::string> layout_signals(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && std::string("@[*-^").find(line[0]) == std::string::npos) names.push_back(line);
  }
  return names;
}

std::set<std::string> signals_of(const std::filesystem::path& file) {
  std::set<std::string> names;
  const auto reader = open_wave_file(file);
  for (const WaveSignal& signal : reader->header().signals) names.insert(signal.viewer_name());
  return names;
}

TEST(Layout, every_line_of_every_question_names_a_signal_of_the_file) {
  for (const char* name : {"a.vcd", "a.fst"}) {
    if (!has_fst() && std::string(name) == "a.fst") continue;
    for (const bool switches : {false, true}) {
      const TempDir folder;
      {
        Recorder recorder(test::scope({}), folder / name, fabric(switches));
        recorder.finish(10);
      }
      const std::set<std::string> signals = signals_of(folder / name);
      ASSERT_GT(signals.size(), 20u);
      for (const std::string& question : layout_names()) {
        const std::filesystem::path layout = folder / (question + ".gtkw");
        write_layout(layout, folder / name, question, open_wave_file(folder / name)->header(), {});
        const std::vector<std::string> lines = layout_signals(read_text(layout));
        EXPECT_GT(lines.size(), 5u) << question;
        for (const std::string& line : lines) EXPECT_THAT(signals, Contains(line)) << question;
      }
      for (const std::string& line : layout_signals(read_text(folder / "a.gtkw"))) {
        EXPECT_THAT(signals, Contains(line));
      }
    }
  }
}

std::set<std::string> lines_for(const std::string& question, bool switches) {
  const TempDir folder;
  {
    Recorder recorder(test::scope({}), folder / "a.vcd", fabric(switches));
    recorder.finish(10);
  }
  write_layout(folder / "b.gtkw", folder / "a.vcd", question, open_wave_file(folder / "a.vcd")->header(), {});
  const std::vector<std::string> lines = layout_signals(read_text(folder / "b.gtkw"));
  return {lines.begin(), lines.end()};
}

TEST(Layout, a_question_chooses_its_signals) {
  const auto collective = lines_for("collective", false);
  EXPECT_THAT(collective, Contains("npu[1].collective"));
  EXPECT_THAT(collective, Contains("fabric.router[0,0].east.packet"));
  EXPECT_THAT(collective, Not(Contains("fabric.router[0,0].east.credits_vc0[1:0]")));
  const auto router = lines_for("router", false);
  EXPECT_THAT(router, Contains("fabric.router[0,0].east.credits_vc0[1:0]"));
  EXPECT_THAT(router, Contains("fabric.router[0,0].east.stall[1:0]"));
  EXPECT_THAT(router, Not(Contains("npu[1].collective")));
  const auto npu = lines_for("npu", false);
  EXPECT_THAT(npu, Contains("npu[1].instance"));
  EXPECT_THAT(npu, Not(Contains("fabric.router[0,0].east.packet")));
  const auto fred = lines_for("switch", true);
  EXPECT_THAT(fred, Contains("fabric.l1[1].plane[0].stored_setting"));
  EXPECT_THAT(fred, Contains("fabric.l1[1].plane[0].port[0].vc"));
  EXPECT_THAT(fred, Not(Contains("npu[1].collective")));
  for (const auto& lines : {collective, router, npu, fred}) EXPECT_THAT(lines, Contains("clock.cycle"));
}

/// The two chiplets, in lockstep, with the inside of the first one.
RecorderSetup lockstep_fabric() {
  RecorderSetup setup = fabric(true);
  setup.switches = 2;
  setup.fabric_switch = [](std::size_t number) {
    SwitchWave wave;
    wave.name = "fabric.l1[" + std::to_string(number) + "].plane[0]";
    wave.wires = {"uswitch.port[0]", "uswitch.port[1]", "uswitch.rd.out[0]", "uswitch.rd.out[1]"};
    wave.ports = 2;
    wave.elements = {{"uswitch.rd", true, 2, 2}};
    wave.vc_names = {"mp", "pp"};
    wave.shadow = true;
    return wave;
  };
  return setup;
}

TEST(Layout, insides_of_switches_are_in_those_that_ask_for_them) {
  const TempDir folder;
  {
    Recorder recorder(test::scope({"**", "*.l1[0].uswitch*", "*.l1[0].model.**"}), folder / "a.vcd", lockstep_fabric());
  }
  const auto lines = [&](const char* question) {
    write_layout(folder / "b.gtkw", folder / "a.vcd", question, open_wave_file(folder / "a.vcd")->header(), {});
    return layout_signals(read_text(folder / "b.gtkw"));
  };
  const std::string wire = "fabric.l1[0].plane[0].uswitch.rd.out[1].valid";
  EXPECT_THAT(lines("switch"), Contains(wire));
  EXPECT_THAT(lines("switch"), Contains("fabric.l1[0].plane[0].uswitch.rd.setting[2:0]"));
  EXPECT_THAT(lines("collective"), Not(Contains(HasSubstr("uswitch"))));
  EXPECT_THAT(lines("collective"), Not(Contains(HasSubstr("model"))));
  // RTL and model, one below the other, and nothing that only one of them has.
  const std::vector<std::string> pairs = lines("lockstep");
  const auto at = std::find(pairs.begin(), pairs.end(), wire);
  ASSERT_NE(at, pairs.end());
  EXPECT_EQ(*(at + 1), "fabric.l1[0].plane[0].model.uswitch.rd.out[1].valid");
  EXPECT_THAT(pairs, Contains("fabric.l1[0].plane[0].port[1].packet"));
  EXPECT_THAT(pairs, Not(Contains("fabric.l1[0].plane[0].port[1].head")));
  EXPECT_THAT(pairs, Not(Contains(HasSubstr("l1[1]"))));
}

TEST(Layout, a_difference_in_lockstep_shows_the_switch_that_differs) {
  const TempDir folder;
  {
    Recorder recorder(test::scope({"*.l1[*].uswitch*"}), folder / "a.vcd", lockstep_fabric());
    recorder.touch_wires(70, 1, false)->wires[0].value.valid = true;
    recorder.mark_difference(70, "fabric.l1[1].plane[0]");
    recorder.finish(71);
  }
  const std::string text = read_text(folder / "a.lockstep.gtkw");
  EXPECT_THAT(text, HasSubstr("\nfabric.l1[1].plane[0].uswitch.port[0].valid\n"));
  EXPECT_THAT(text, HasSubstr("\nfabric.l1[1].plane[0].model.uswitch.port[0].valid\n"));
  EXPECT_THAT(text, Not(HasSubstr("l1[0]")));
  EXPECT_THAT(text, HasSubstr(" 70 "));  // the marker
  for (const std::string& line : layout_signals(text)) EXPECT_THAT(signals_of(folder / "a.vcd"), Contains(line));
  EXPECT_THAT(read_text(folder / "a.gtkw"), HasSubstr("l1[0]"));
}

TEST(Layout, a_file_answers_what_it_has_signals_for) {
  const TempDir folder;
  const auto answered = [&](const char* name, const std::vector<std::string>& patterns, RecorderSetup setup) {
    { Recorder recorder(test::scope(patterns), folder / name, std::move(setup)); }
    std::vector<std::string> list;
    for (const std::string& question : layout_names()) {
      if (answers(question, open_wave_file(folder / name)->header())) list.push_back(question);
    }
    return list;
  };
  EXPECT_THAT(answered("a.vcd", {}, test::two_routers()), ElementsAre("collective", "router", "npu"));
  EXPECT_THAT(answered("b.vcd", {"*.l1[0].uswitch*"}, lockstep_fabric()), ElementsAre("switch", "lockstep"));
}

TEST(Layout, a_question_that_no_signal_answers_shows_everything) {
  EXPECT_THAT(lines_for("switch", false), Contains("fabric.router[1,0].west.tail"));
  EXPECT_THAT(lines_for("switch", false), Contains("npu[0].running"));
}

TEST(Layout, names_of_values_come_from_the_fst_file_or_from_a_filter) {
  const TempDir folder;
  { Recorder recorder(test::scope({"**.stall"}), folder / "a.vcd", fabric(true)); }
  const std::string filter = (folder / "a.stall.txt").string();
  EXPECT_THAT(read_text(folder / "a.gtkw"),
              HasSubstr("[color] 1\n@2022\n^1 " + filter + "\nfabric.l1[0].plane[0].port[1].stall[1:0]\n"));
  EXPECT_EQ(read_text(filter), "0 none\n1 no_credit\n2 lost_arbitration\n3 waiting_operand\n");
  if (!has_fst()) return;
  { Recorder recorder(test::scope({"**.stall"}), folder / "b.fst", fabric(true)); }
  EXPECT_THAT(read_text(folder / "b.gtkw"),
              HasSubstr("[color] 1\n@100000028\nfabric.l1[0].plane[0].port[1].stall[1:0]\n"));
}

TEST(Layout, texts_are_shown_as_text_and_groups_are_closed) {
  const TempDir folder;
  {
    Recorder recorder(test::scope({"fabric.router[0,0].east.packet", "npu[1].running"}), folder / "a.vcd",
                      test::two_routers());
    recorder.finish(1000);
  }
  // 1000 ns over 1000 pixels of 1/200 frame: minus the logarithm of 200.
  EXPECT_EQ(read_text(folder / "a.gtkw"), R"([dumpfile] "a.vcd"
[savefile] "a.gtkw"
[timestart] 0
[size] 1400 800
[pos] -1 -1
*-7.643856 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
[sst_width] 200
[signals_width] 330
[sst_expanded] 1
@800200
-clock
@200
-1000 MHz
@24
clock.cycle
@1000200
-clock
@800200
-npu[1]
[color] 3
@820
npu[1].running
@1000200
-npu[1]
@800200
-fabric.router[0,0].east
@200
-router[0,0] to router[1,0]
[color] 2
@820
fabric.router[0,0].east.packet
@1000200
-fabric.router[0,0].east
)");
}

TEST(Layout, a_marked_cycle_is_in_sight) {
  const TempDir folder;
  Recorder recorder(test::scope({}), folder / "a.vcd", test::two_routers());
  recorder.mark(500);
  recorder.finish(510);
  const std::string text = read_text(folder / "a.gtkw");
  EXPECT_THAT(text, HasSubstr("[timestart] 488\n"));
  EXPECT_THAT(text, HasSubstr(" 500 -1 -1"));
}

TEST(Layout, an_unknown_question_is_refused_bad) {
  try {
    make_layout("rooter", WaveHeader{});
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "there is no layout 'rooter'; legal: collective, router, switch, npu, lockstep; did you mean 'router'?");
  }
}

}  // namespace
}  // namespace weft::waves
