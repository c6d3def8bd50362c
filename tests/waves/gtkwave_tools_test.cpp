// SPDX-License-Identifier: Apache-2.0
// GTKWave's own converters read the file: vcd2fst and back with fst2vcd gives every value that was written.
#include <gtest/gtest.h>

#include "tests/waves/support/gtkwave_programs.h"
#include "tests/waves/support/random_play.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

using test::read_vcd;
using test::TempDir;
using test::VcdFile;

const test::RandomPlay kPlay{12345, 3, " chunk 1 step 2"};

/// The file as GTKWave's tools understand it.
VcdFile through_gtkwave(const TempDir& folder, const std::string& name) {
  const std::string vcd = (folder / name).string();
  const std::string fst = vcd + ".fst";
  const std::string back = vcd + ".back.vcd";
  EXPECT_TRUE(test::succeeds("vcd2fst '" + vcd + "' '" + fst + "'"));
  EXPECT_TRUE(test::succeeds("fst2vcd '" + fst + "' -o '" + back + "'"));
  return read_vcd(back);
}

class GtkwaveTools : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::succeeds("command -v vcd2fst && command -v fst2vcd")) {
      GTEST_SKIP() << "vcd2fst and fst2vcd are not installed (package gtkwave)";
    }
  }
  TempDir folder_;
};

TEST_F(GtkwaveTools, every_value_comes_back) {
  {
    Recorder recorder(test::scope({}), folder_ / "a.vcd", test::two_routers());
    test::play_at_random(recorder, 20'000, kPlay);
  }
  const VcdFile written = read_vcd(folder_ / "a.vcd");
  EXPECT_GT(written["fabric.router[0,0].east.packet"].changes.size(), 5'000u);
  test::expect_same_changes(written, through_gtkwave(folder_, "a.vcd"));
}

TEST_F(GtkwaveTools, femtoseconds_and_many_variables_come_back) {
  RecorderSetup setup = test::two_routers();
  setup.clocks[0].clock.hertz = make_rational(3'000'000'000, 1);
  setup.nodes = 9'500;  // identifiers of one, two and three characters
  {
    Recorder recorder(test::scope({}), folder_ / "a.vcd", std::move(setup));
    test::play_at_random(recorder, 500, kPlay);
  }
  const VcdFile back = through_gtkwave(folder_, "a.vcd");
  EXPECT_EQ(back.timescale, "1fs");
  test::expect_same_changes(read_vcd(folder_ / "a.vcd"), back);
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
