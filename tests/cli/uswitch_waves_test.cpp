// SPDX-License-Identifier: Apache-2.0
// The same fabric with model, RTL and both: its wave files say the same, uSwitches, stalls and credits included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/support/run_child.h"
#include "tests/waves/support/vcd_reader.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::run_child;
using weft::test::TempDir;
using weft::test::write_text;

/// One Fred_3(4) per plane: an all-reduce over four NPUs, with numbers.
constexpr const char* kConfig = R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 8
  in_switch: true
  matching: greedy
  local: {bandwidth: 8 GB/s, latency: 3}
  control_buffer: 64 B
  setting_memory: 32 B
  levels: [{groups: 1, planes: 2, buffer: 128 B}]
npu: {count: 4, packet_bytes: 64 B}
workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 2 KiB, chunks: 2, data: values}}
)";

class UswitchRuns : public testing::Test {
 protected:
  UswitchRuns() {
    setenv("WEFT_RTL_DIR", WEFT_TEST_MODELS, 1);
    write_text(dir_ / "c.yaml", kConfig);
  }
  ChildResult weft(std::vector<std::string> words, const char* program = WEFT_PROGRAM) {
    words.insert(words.begin(), program);
    return run_child(words, dir_.path().string());
  }
  ChildResult run(const std::string& out, const std::string& model, const std::vector<std::string>& settings) {
    std::vector<std::string> words = {
        "run", "c.yaml", "--quiet", "--out", out, "--set", "fabric.model=" + model, "--set", "waves.file=run.vcd"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    const ChildResult result = weft(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }
  TempDir dir_;
};

const char* const kAll = "waves.scope=['**', '*.l1[0].uswitch*', '*.l1[0].model.**']";
const char* const kPlain = "waves.scope=['**', '*.l1[0].uswitch*']";
const char* const kUnicasts = "workload.collective.algorithm=ring";

TEST_F(UswitchRuns, model_and_rtl_write_the_same_file) {
  run("tlm", "tlm", {kPlain});
  run("rtl", "rtl", {kPlain});
  const ChildResult same = weft({"waves", "diff", "tlm/run.vcd", "rtl/run.vcd"});
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_EQ(read_text(dir_ / "tlm/run.vcd"), read_text(dir_ / "rtl/run.vcd"));
  const std::string listed = weft({"waves", "list", "rtl/run.vcd", "**.uswitch.in[1].out[2]"}).out;
  EXPECT_THAT(listed, HasSubstr("fabric.l1[0].plane[1].uswitch.in[1].out[2].data[63:0]"));
  EXPECT_THAT(listed, HasSubstr("fabric.l1[0].plane[0].uswitch.in[1].out[2].ready"));
}

TEST_F(UswitchRuns, so_they_do_for_unicasts) {
  run("tlm", "tlm", {kPlain, kUnicasts});
  run("rtl", "rtl", {kPlain, kUnicasts});
  EXPECT_EQ(read_text(dir_ / "tlm/run.vcd"), read_text(dir_ / "rtl/run.vcd"));
}

TEST_F(UswitchRuns, lockstep_shows_both_beside_each_other) {
  run("tlm", "tlm", {kPlain});
  run("both", "lockstep", {kAll});
  const ChildResult same = weft({"waves", "diff", "tlm/run.vcd", "both/run.vcd"});
  EXPECT_THAT(same.out, HasSubstr("the first fabric.l1[0].plane[0].model.port[0].valid\nthe same up to "));
}

/// WEFT_FAULTY has seeded fault 1: the adder rounds towards zero. Over two NPUs the switch is one uSwitch.
TEST_F(UswitchRuns, a_difference_is_in_the_file_and_has_a_layout) {
  const ChildResult stopped = weft({"run", "c.yaml", "--quiet", "--out", "o", "--set", "fabric.model=lockstep", "--set",
                                    "npu.count=2", "--set", "waves.file=run.vcd", "--set", kAll},
                                   WEFT_FAULTY);
  EXPECT_NE(stopped.status, 0);
  EXPECT_THAT(stopped.err, HasSubstr("lockstep: fabric.l1[0].plane["));
  const std::size_t at = stopped.err.find("plane[");
  const std::string chiplet = "fabric.l1[0]." + stopped.err.substr(at, 8);
  const std::string layout = read_text(dir_ / "o/run.lockstep.gtkw");
  EXPECT_THAT(layout, HasSubstr("\n" + chiplet + ".uswitch.rd.out[0].data[63:0]\n"));
  EXPECT_THAT(layout, HasSubstr("\n" + chiplet + ".model.uswitch.rd.out[0].data[63:0]\n"));
  // The flit that differs is in the file, and what it should be.
  const waves::test::VcdFile file = waves::test::read_vcd(dir_ / "o/run.vcd");
  const std::uint64_t cycle = std::stoull(stopped.err.substr(stopped.err.find(" in cycle ") + 10));
  const std::string rtl = file[chiplet + ".uswitch.rd.out[0].data[63:0]"].at(cycle);
  const std::string model = file[chiplet + ".model.uswitch.rd.out[0].data[63:0]"].at(cycle);
  EXPECT_NE(rtl, "x");
  EXPECT_NE(model, "x");
  EXPECT_NE(rtl, model);
  for (const char* port : {".port[0].valid", ".model.port[0].valid"}) {
    EXPECT_EQ(file[chiplet + port].at(cycle), "1") << port;
  }
  EXPECT_EQ(file[chiplet + ".port[0].packet"].at(cycle), file[chiplet + ".model.port[0].packet"].at(cycle));
}

TEST_F(UswitchRuns, names_that_are_not_there_are_found_before_the_run_bad) {
  const ChildResult refused =
      weft({"check", "c.yaml", "--set", "waves.file=a.vcd", "--set", "waves.scope=['*.l1[0].uswitch.in[2]']"});
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr("'*.l1[0].uswitch' holds no 'in[2]'; nearest: in[0] to in[1]"));
  const ChildResult model =
      weft({"check", "c.yaml", "--set", "waves.file=a.vcd", "--set", "waves.scope=['*.l1[0].model.**']"});
  EXPECT_THAT(model.err, HasSubstr("holds no 'model'"));
}

}  // namespace
}  // namespace weft::cli
