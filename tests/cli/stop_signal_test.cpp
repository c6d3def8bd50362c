// SPDX-License-Identifier: Apache-2.0
// Signals with which shells and batch systems end a job, sent to the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <string.h>

#include <chrono>
#include <thread>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::Child;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::run_child;
using weft::test::write_text;

class StopSignals : public ProgramCase {
 protected:
  StopSignals() {
    write_text(dir_ / "c.yaml",
               "fabric: {size: [4, 4]}\nworkload: {traffic: {rate: 0.2, measure_cycles: 100000000}}\n");
  }
  void wait_for(const std::string& file) {
    for (int i = 0; i < 3000 && !std::filesystem::exists(dir_ / file); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
};

TEST_F(StopSignals, each_of_them_writes_what_there_is) {
  for (const int number : {SIGTERM, SIGHUP, SIGUSR1, SIGXCPU}) {
    const std::string out = sigabbrev_np(number);
    Child child({WEFT_PROGRAM, "run", "c.yaml", "--quiet", "--out", out}, dir_.path().string());
    wait_for(out + "/config.resolved.yaml");
    kill(child.pid(), number);
    kill(child.pid(), number);  // as timeout(1) does, to the process and to its group
    const ChildResult r = child.wait();
    EXPECT_EQ(r.status, 128 + number) << out;
    EXPECT_THAT(r.err, HasSubstr(" by SIG" + out + "; what there is lies in " + out));
    EXPECT_EQ(summary(out)["stop"], "interrupted") << out;
    EXPECT_TRUE(std::filesystem::exists(dir_ / out / "links.csv")) << out;
  }
}

TEST_F(StopSignals, a_signal_that_was_ignored_stays_ignored) {
  Child child({"/usr/bin/nohup", WEFT_PROGRAM, "run", "c.yaml", "--quiet", "--out", "o"}, dir_.path().string());
  wait_for("o/config.resolved.yaml");
  kill(child.pid(), SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child.pid(), SIGTERM);
  const ChildResult r = child.wait();
  EXPECT_EQ(r.status, 128 + SIGTERM);
  EXPECT_THAT(r.err, HasSubstr("by SIGTERM"));
}

TEST_F(StopSignals, a_sweep_says_how_to_go_on) {
  Child child({WEFT_PROGRAM, "sweep", "c.yaml", "--set", "seed=[1, 2]", "--jobs", "1", "--quiet", "--out", "s"},
              dir_.path().string());
  wait_for("s/points");
  kill(child.pid(), SIGTERM);
  const ChildResult r = child.wait();
  EXPECT_EQ(r.status, 128 + SIGTERM);
  EXPECT_THAT(r.err, HasSubstr("the same command continues"));
}

// Eight kibibytes for each file: the configuration fits, the table of links does not, and the run says so.
TEST_F(StopSignals, files_that_may_not_grow_are_lost_with_a_word) {
  write_text(dir_ / "s.yaml", "fabric: {size: [8, 8]}\nworkload: {traffic: {rate: 0.1, measure_cycles: 300}}\n");
  const ChildResult r = run_child({"/bin/bash", "-c", "ulimit -f 8; exec " WEFT_PROGRAM " run s.yaml --quiet --out o"},
                                  dir_.path().string());
  EXPECT_EQ(r.status, kExitInternal);
  EXPECT_THAT(r.err, HasSubstr("weft: error: results are lost:\no/links.csv: cannot be written: File too large"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "o/links.csv"));
}

}  // namespace
}  // namespace weft::cli
