// SPDX-License-Identifier: Apache-2.0
// `weft waves`, and recordings of runs of the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

class WavesCommand : public ProgramCase {
 protected:
  /// An all-reduce over four NPUs, recorded into `o/<file>`.
  ChildResult run(const std::string& out, const std::string& file, const std::vector<std::string>& settings = {}) {
    write_text(dir_ / "c.yaml",
               "fabric: {size: [2, 2]}\nworkload: {collective: {kind: all_reduce, size: 4 KiB, algorithm: ring}}\n");
    std::vector<std::string> words = {"run", "c.yaml", "--quiet", "--out", out, "--set", "waves.file=" + file};
    for (const std::string& setting : settings) {
      words.emplace_back("--set");
      words.push_back(setting);
    }
    return weft(words);
  }
};

TEST_F(WavesCommand, list_names_signals_and_what_values_mean) {
  ASSERT_EQ(run("o", "run.vcd").status, kExitOk);
  const ChildResult all = weft({"waves", "list", "o/run.vcd"});
  EXPECT_EQ(all.status, kExitOk) << all.err;
  EXPECT_THAT(all.out, HasSubstr("npu[3].collective                                    text\n"));
  const ChildResult some = weft({"waves", "list", "o/run.vcd", "fabric.router[0,0].east.stall"});
  EXPECT_EQ(some.out,
            "# fabric.router[0,0].east: router[0,0] to router[1,0], 4 VCs, 8 credits each\n"
            "fabric.router[0,0].east.stall[1:0]                   one of none no_credit lost_arbitration "
            "waiting_operand\n");
  const ChildResult none = weft({"waves", "list", "o/run.vcd", "npv[0]"});
  EXPECT_EQ(none.status, kExitBadInput);
  EXPECT_THAT(weft({"waves", "list", "o/run.vcd", "*.l1[0].uswitch*"}).err,
              HasSubstr("PATTERN '*.l1[0].uswitch*' matches nothing: no wires inside of FRED switches"));
  const ChildResult inside = run("p", "run.vcd", {"waves.scope=[\"*.l1[0].uswitch*\"]"});
  EXPECT_EQ(inside.status, kExitBadInput);
  EXPECT_THAT(inside.err, HasSubstr("'*.l1[0].uswitch*' matches nothing: this fabric has no FRED switches"));
  EXPECT_THAT(weft({"waves", "list", "nowhere"}).err, HasSubstr("'nowhere': there is no such file or folder"));
  EXPECT_THAT(none.err, HasSubstr("'npv[0]' matches nothing: there is no 'npv[0]'; nearest: npu[0] to npu[3]"));
}

TEST_F(WavesCommand, takes_a_folder_for_the_only_file_in_it) {
  ASSERT_EQ(run("o", "run.vcd").status, kExitOk);
  const ChildResult r = weft({"waves", "list", "o"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  EXPECT_EQ(r.out, weft({"waves", "list", "o/run.vcd"}).out);
  EXPECT_EQ(weft({"waves", "diff", "o", "o/run.vcd"}).status, 0);
  EXPECT_EQ(weft({"waves", "layout", "o"}).out, "o/run.collective.gtkw\n");
  write_text(dir_ / "o/a.fst", "");
  const ChildResult two = weft({"waves", "list", "o"});
  EXPECT_EQ(two.status, kExitBadInput);
  EXPECT_THAT(two.err, HasSubstr("o: holds 2 wave files; legal: one of a.fst, run.vcd"));
  std::filesystem::create_directory(dir_ / "empty");
  EXPECT_THAT(weft({"waves", "list", "empty"}).err, HasSubstr("empty: holds no wave file (.vcd, .fst); a run with"));
}

TEST_F(WavesCommand, errors_of_patterns_name_the_argument) {
  ASSERT_EQ(run("o", "run.vcd").status, kExitOk);
  for (const char* command : {"list", "diff"}) {
    std::vector<std::string> words = {"waves", command, "o/run.vcd"};
    if (command == std::string("diff")) words.emplace_back("o/run.vcd");
    for (const char* pattern : {"npv[0]", "npu[0"}) {
      std::vector<std::string> call = words;
      call.emplace_back(pattern);
      const ChildResult r = weft(call);
      EXPECT_EQ(r.status, kExitBadInput);
      EXPECT_THAT(r.err, HasSubstr(std::string("PATTERN '") + pattern + "'")) << command;
      EXPECT_THAT(r.err, Not(HasSubstr("waves.scope"))) << command;
    }
  }
}

TEST_F(WavesCommand, helps_with_examples_of_its_own) {
  for (const char* command : {"list", "diff", "layout", "open", "repair"}) {
    const std::string text = weft({"waves", command, "--help"}).out;
    EXPECT_THAT(text, HasSubstr(std::string("\n  weft waves ") + command + " ")) << text;
    EXPECT_THAT(text, Not(HasSubstr("weft run"))) << text;
  }
}

TEST_F(WavesCommand, diff_says_the_first_difference_in_words) {
  ASSERT_EQ(run("a", "run.vcd").status, kExitOk);
  ASSERT_EQ(run("b", "run.fst").status, kExitOk);
  const ChildResult same = weft({"waves", "diff", "a/run.vcd", "b/run.fst"});
  EXPECT_EQ(same.status, kExitOk) << same.out;
  EXPECT_THAT(same.out, StartsWith("the same up to "));
  ASSERT_EQ(run("c", "run.fst", {"npu.endpoint_delay=7 ns"}).status, kExitOk);
  const ChildResult other = weft({"waves", "diff", "a/run.vcd", "c/run.fst", "npu[*].step"});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, StartsWith("first difference at "));
  EXPECT_THAT(other.out, HasSubstr("npu[0].step: "));
}

TEST_F(WavesCommand, layout_and_open_make_what_gtkwave_needs) {
  ASSERT_EQ(run("o", "run.vcd", {"waves.layout=npu"}).status, kExitOk);
  EXPECT_THAT(read_text(dir_ / "o/run.gtkw"), HasSubstr("npu[2].instance"));
  EXPECT_THAT(read_text(dir_ / "o/run.gtkw"), Not(HasSubstr("fabric.router[0,0].east.packet")));
  const ChildResult made = weft({"waves", "layout", "o/run.vcd", "--layout", "router"});
  EXPECT_EQ(made.out, "o/run.router.gtkw\n") << made.err;
  EXPECT_THAT(read_text(dir_ / "o/run.router.gtkw"), HasSubstr("fabric.router[0,0].east.packet"));
  EXPECT_EQ(weft({"waves", "open", "o/run.vcd", "--show-command"}).out, "gtkwave o/run.vcd o/run.gtkw\n");
  EXPECT_EQ(weft({"waves", "open", "o/run.vcd", "--layout", "npu", "--show-command"}).out,
            "gtkwave o/run.vcd o/run.npu.gtkw\n");
  ::unsetenv("DISPLAY");
  ::unsetenv("WAYLAND_DISPLAY");
  const ChildResult hidden = weft({"waves", "open", "o/run.vcd"});
  EXPECT_EQ(hidden.status, kExitBadInput);
  EXPECT_THAT(hidden.err, HasSubstr("there is no display to open GTKWave on; the layout is o/run.gtkw\n"));
  for (const char* command : {"layout", "open"}) {
    const ChildResult none = weft({"waves", command, "o/run.vcd", "--layout", "switch"});
    EXPECT_EQ(none.status, kExitBadInput) << command;
    EXPECT_THAT(none.err, HasSubstr("--layout switch: o/run.vcd has no signals for it; layouts that it has signals "
                                    "for: collective, router, npu\n"));
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "o/run.switch.gtkw"));
  const ChildResult bad = weft({"waves", "layout", "o/run.vcd", "--layout", "rooter"});
  EXPECT_EQ(bad.status, kExitBadInput);
  EXPECT_THAT(bad.err, HasSubstr("there is no layout 'rooter'; legal: collective, router"));
}

TEST_F(WavesCommand, repair_says_when_there_is_nothing_to_do) {
  ASSERT_EQ(run("o", "run.vcd").status, kExitOk);
  EXPECT_EQ(weft({"waves", "repair", "o/run.vcd"}).out, "o/run.vcd is complete; nothing was changed\n");
  EXPECT_EQ(weft({"waves", "repair", "o/summary.json"}).status, kExitBadInput);
}

// Rank 1 waits for a message that nobody sends: the file holds the 50 cycles before that is noticed, at 1000.
TEST_F(WavesCommand, the_last_cycles_before_a_deadlock_are_kept) {
  write_text(dir_ / "x.0.json", R"({"workload_graph": [{"Id": 1, "Name": "c", "NodeType": 4, "runtime": 1}]})");
  write_text(dir_ / "x.1.json",
             R"({"workload_graph": [{"Id": 7, "NodeType": 6, "comm_size": 64, "comm_src": 0, "comm_tag": 3}]})");
  write_text(dir_ / "d.yaml",
             "fabric: {size: [2, 1]}\nworkload: {trace: {chakra: x}}\n"
             "waves: {file: run.vcd, last_cycles: 50}\n");
  EXPECT_EQ(weft({"run", "d.yaml", "--quiet", "--out", "o"}).status, kExitViolation);
  const std::string text = read_text(dir_ / "o/run.vcd");
  EXPECT_THAT(text, HasSubstr("\n#951\n$dumpvars\n"));
  EXPECT_THAT(text, EndsWith("\n#1001\nb1111101001 !\n$comment complete $end\n"));
  // The error is marked.
  EXPECT_THAT(read_text(dir_ / "o/run.gtkw"), HasSubstr(" 1000 -1 -1"));
}

TEST_F(WavesCommand, a_trigger_that_never_comes_is_a_warning) {
  const ChildResult r = run("o", "run.vcd", {"waves.trigger=collective sync"});
  EXPECT_EQ(r.status, kExitOk);
  EXPECT_THAT(r.err, HasSubstr("weft: warning: waves: no collective 'sync' began until the end at "));
  const ChildResult bad = run("p", "run.vcd", {"waves.trigger=queue fabric.router[0,0].eats full"});
  EXPECT_EQ(bad.status, kExitBadInput);
  EXPECT_THAT(bad.err, HasSubstr("waves.trigger: 'fabric.router[0,0].eats' matches nothing"));
}

// In the log these begin at 11,731 and 9,343 while others run; the second has 9,301 in group 14.
TEST_F(WavesCommand, a_trigger_sees_collectives_that_begin_behind_others) {
  const std::string demo = test::source("configs/demo.yaml");
  for (const auto& [name, cycle] : std::vector<std::pair<std::string, std::string>>{
           {"grad_embedding_all_reduce of group 11", "11731"}, {"grad_l2_all_reduce of group 13", "9343"}}) {
    const ChildResult r =
        weft({"run", demo, "--quiet", "--out", "o", "--set", "waves.file=run.vcd", "--set", "waves.scope=[collective]",
              "--set", "waves.trigger=collective " + name, "--set", "waves.to=12 us", "--set", "limits.cycles=12100"});
    EXPECT_THAT(r.err, Not(HasSubstr("waves: no collective"))) << name;
    EXPECT_THAT(read_text(dir_ / "o/run.vcd"), HasSubstr("\n#" + cycle + "\n$dumpvars\n")) << name;
  }
}

// /dev/full takes nothing. A name that the user gives is written through its link.
TEST_F(WavesCommand, a_full_disk_ends_the_run_or_the_recording) {
  std::filesystem::create_symlink("/dev/full", dir_ / "full.vcd");
  const std::string full = (dir_ / "full.vcd").string();
  const ChildResult stop = run("o", full, {"limits.cycles=100000"});
  EXPECT_EQ(stop.status, kExitInternal) << stop.err;
  EXPECT_THAT(stop.err, HasSubstr("weft: error: waves: cannot write '"));
  EXPECT_THAT(stop.err, HasSubstr("No space left on device"));
  EXPECT_EQ(nlohmann::json::parse(read_text(dir_ / "o/summary.json"))["stop"], "full disk");
  const ChildResult go_on = run("p", full, {"waves.on_full=go_on"});
  EXPECT_EQ(go_on.status, kExitOk) << go_on.err;
  EXPECT_THAT(go_on.err, HasSubstr("weft: warning: waves: cannot write '"));
}

// Files of at most 20 KiB: neither the waves nor the log find room, all else does.
TEST_F(WavesCommand, a_disk_that_is_full_for_results_too_loses_no_word) {
  ASSERT_EQ(run("o", "run.vcd").status, kExitOk);  // writes c.yaml
  ASSERT_GT(std::filesystem::file_size(dir_ / "o/run.vcd"), 20'480u);
  ASSERT_GT(std::filesystem::file_size(dir_ / "o/log.sqlite"), 20'480u);
  ASSERT_LT(std::filesystem::file_size(dir_ / "o/summary.json"), 20'480u);
  const auto limited = [&](const std::string& out, const std::string& on_full) {
    const std::string call = std::string(WEFT_PROGRAM) + " run c.yaml --quiet --out " + out +
                             " --set waves.file=run.vcd --set waves.on_full=" + on_full;
    return test::run_child({"/bin/bash", "-c", "trap '' XFSZ; ulimit -f 20; exec " + call}, dir_.path().string());
  };
  const ChildResult stop = limited("stop", "stop");
  EXPECT_EQ(stop.status, kExitInternal);
  EXPECT_THAT(stop.err, HasSubstr("weft: error: waves: cannot write '"));
  const ChildResult go_on = limited("go_on", "go_on");
  EXPECT_EQ(go_on.status, kExitInternal);
  EXPECT_THAT(go_on.err, HasSubstr("weft: warning: waves: cannot write '"));
  EXPECT_THAT(go_on.err, HasSubstr("weft: error: results are lost:\n"));
  const std::size_t named = go_on.err.find("log.sqlite");
  ASSERT_NE(named, std::string::npos) << go_on.err;
  EXPECT_EQ(go_on.err.find("log.sqlite", named + 1), std::string::npos) << go_on.err;
  EXPECT_EQ(summary("go_on")["stop"], "finished");
  EXPECT_EQ(summary("stop")["stop"], "full disk");
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "go_on")) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
}

}  // namespace
}  // namespace weft::cli
