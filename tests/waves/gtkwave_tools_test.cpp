// SPDX-License-Identifier: Apache-2.0
// GTKWave's own converters read the file: vcd2fst and back with fst2vcd gives every value that was written.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

using test::read_vcd;
using test::TempDir;
using test::VcdFile;

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// The file as GTKWave's tools understand it.
VcdFile through_gtkwave(const TempDir& folder, const std::string& name) {
  const std::string vcd = (folder / name).string();
  const std::string fst = vcd + ".fst";
  const std::string back = vcd + ".back.vcd";
  EXPECT_TRUE(runs("vcd2fst '" + vcd + "' '" + fst + "'"));
  EXPECT_TRUE(runs("fst2vcd '" + fst + "' -o '" + back + "'"));
  return read_vcd(back);
}

class GtkwaveTools : public testing::Test {
 protected:
  void SetUp() override {
    if (!runs("command -v vcd2fst && command -v fst2vcd")) {
      GTEST_SKIP() << "vcd2fst and fst2vcd are not installed (package gtkwave)";
    }
  }
  TempDir folder_;
};

/// Plays some thousand pseudo-random cycles on the two routers.
void play(Recorder& recorder, Cycle cycles) {
  std::uint64_t state = 12345;
  const auto draw = [&state](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  for (Cycle now = 0; now < cycles; now += 1 + draw(3)) {
    const auto link = static_cast<LinkId>(draw(2));
    const auto vc = static_cast<VcId>(draw(2));
    const auto sequence = static_cast<std::uint32_t>(draw(100'000));
    recorder.flit_sent(now, link, vc, {NodeId{3}, sequence}, draw(2) == 0, draw(2) == 0, static_cast<int>(draw(3)));
    recorder.credit_returned(now, link, vc, static_cast<int>(draw(3)));
    if (draw(4) == 0) {
      recorder.node_activity(now, static_cast<NodeId>(draw(2)),
                             {"all_reduce_" + std::to_string(draw(9)) + " chunk 1 step 2"});
    }
  }
  recorder.finish(cycles);
}

void expect_same(const VcdFile& written, const VcdFile& read) {
  EXPECT_EQ(read.timescale, written.timescale);
  ASSERT_EQ(read.signals.size(), written.signals.size());
  for (const auto& [name, signal] : written.signals) {
    const test::VcdSignal& other = read[name];
    ASSERT_EQ(other.changes.size(), signal.changes.size()) << name;
    for (std::size_t i = 0; i < signal.changes.size(); ++i) {
      ASSERT_EQ(other.changes[i].first, signal.changes[i].first) << name << ", change " << i;
      const std::string& value = other.changes[i].second;
      // fst2vcd writes an unknown vector with all its digits.
      const std::string expected =
          signal.changes[i].second == "x" ? std::string(value.size(), 'x') : signal.digits(signal.changes[i].second);
      ASSERT_EQ(value, expected) << name << " at " << signal.changes[i].first;
    }
  }
}

TEST_F(GtkwaveTools, every_value_comes_back) {
  {
    Recorder recorder(test::scope({}), folder_ / "a.vcd", test::two_routers());
    play(recorder, 20'000);
  }
  const VcdFile written = read_vcd(folder_ / "a.vcd");
  EXPECT_GT(written["fabric.router[0,0].east.packet"].changes.size(), 5'000u);
  expect_same(written, through_gtkwave(folder_, "a.vcd"));
}

TEST_F(GtkwaveTools, femtoseconds_and_many_variables_come_back) {
  RecorderSetup setup = test::two_routers();
  setup.clocks[0].clock.hertz = make_rational(3'000'000'000, 1);
  setup.nodes = 9'500;  // identifiers of one, two and three characters
  {
    Recorder recorder(test::scope({}), folder_ / "a.vcd", std::move(setup));
    play(recorder, 500);
  }
  const VcdFile back = through_gtkwave(folder_, "a.vcd");
  EXPECT_EQ(back.timescale, "1fs");
  expect_same(read_vcd(folder_ / "a.vcd"), back);
}

TEST_F(GtkwaveTools, any_text_comes_back) {
  const std::vector<std::string> texts = {"two words",      " blank at both ends ",
                                          "tab\tand\nline", "back\\slash \\x41",
                                          "#5 $end",        std::string("Gr\xc3\xb6\xc3\x9f") + "e",
                                          "\x01\x7f\xff"};
  {
    Recorder recorder(test::scope({"npu[0]"}), folder_ / "a.vcd", test::two_routers());
    for (std::size_t i = 0; i < texts.size(); ++i) recorder.node_activity(i + 1, NodeId{0}, {texts[i]});
    recorder.finish(texts.size() + 2);
  }
  const VcdFile back = through_gtkwave(folder_, "a.vcd");
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(back["npu[0].running"].at(i + 1), texts[i]);
}

}  // namespace
}  // namespace weft::waves
