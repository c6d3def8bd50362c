// SPDX-License-Identifier: Apache-2.0
// `weft run --checkpoint` and `weft resume`, with processes that are killed wherever they are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::Child;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

/// What the run cost is no result, and when a process was stopped decides which cycles it leaves out.
std::string without_cost(const std::filesystem::path& summary) {
  auto json = nlohmann::ordered_json::parse(read_text(summary));
  for (const char* key : {"cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes", "skipped_cycles"}) {
    json.erase(key);
  }
  return json.dump();
}

class Resume : public ProgramCase {
 protected:
  Resume() {
    write_text(dir_ / "c.yaml", R"(clock: 1 GHz
fabric: {kind: mesh, size: [6, 6], flit_bytes: 64 B, routing: o1turn, router: {vcs: 4, buffer_flits: 8}}
npu: {packet_bytes: 512 B}
workload: {collective: {kind: all_reduce, algorithm: direct, size: 2 MiB}}
)");
  }
  ChildResult run(const std::string& out, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "c.yaml", "--no-report", "--out", out});
    return weft(more);
  }
  void wait_for(const std::string& file) {
    for (int i = 0; i < 3000 && !std::filesystem::exists(dir_ / file); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  /// Every file of a results directory, but for what the run cost.
  std::string bytes_of(const std::string& folder) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(dir_ / folder)) files.insert(entry.path());
    std::string text;
    for (const std::filesystem::path& file : files) {
      const std::string name = file.filename().string();
      if (name == ".lock") continue;
      text += name + "\n" + (name == "summary.json" ? without_cost(file) : read_text(file)) + "\n";
    }
    return text;
  }
};

TEST_F(Resume, a_signal_leaves_a_checkpoint_that_a_run_goes_on_from) {
  ASSERT_EQ(run("whole").status, kExitOk);
  Child child({WEFT_PROGRAM, "run", "c.yaml", "--no-report", "--checkpoint", "every", "1h", "--out", "cut"},
              dir_.path().string());
  wait_for("cut/checkpoint.weft");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(child.pid(), SIGTERM);
  const ChildResult stopped = child.wait();
  ASSERT_EQ(stopped.status, 128 + SIGTERM) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("`weft resume cut` goes on with it"));
  EXPECT_EQ(summary("cut")["stop"], "interrupted");
  EXPECT_GT(summary("cut")["cycles"], 0);
  const ChildResult resumed = weft({"resume", "cut", "--no-report"});
  ASSERT_EQ(resumed.status, kExitOk) << resumed.err;
  EXPECT_EQ(bytes_of("cut"), bytes_of("whole"));
  const ChildResult again = weft({"resume", "cut"});
  EXPECT_EQ(again.status, kExitBadInput);
  EXPECT_THAT(again.err, HasSubstr("cut: holds no checkpoint.weft: its run has ended"));
}

// Names in a configuration are those of the folder in which the run began.
TEST_F(Resume, a_trace_goes_on_from_another_folder_unless_it_has_changed) {
  std::filesystem::create_directory(dir_ / "there");
  const auto there = [this](std::vector<std::string> words) {
    words.insert(words.begin(), WEFT_PROGRAM);
    return weft::test::run_child(words, (dir_ / "there").string());
  };
  ASSERT_EQ(there({"trace", "gen", "collective", "--kind", "all_reduce", "--ranks", "16", "--size", "512 KiB", "--out",
                   "t/a"})
                .status,
            kExitOk);
  write_text(dir_ / "there/c.yaml", R"(clock: 1 GHz
fabric: {kind: mesh, size: [4, 4], routing: o1turn}
workload: {trace: {chakra: t/a, algorithm: direct}}
)");
  ASSERT_EQ(there({"run", "c.yaml", "--no-report", "--out", "../whole"}).status, kExitOk);
  const std::vector<std::string> cut = {"run", "c.yaml", "--no-report", "--checkpoint",
                                        "at",  "1000",   "--out",       "../cut"};
  // It is killed before it has ended, since its checkpoint goes then.
  std::vector<std::string> words = cut;
  words.insert(words.begin(), WEFT_PROGRAM);
  Child child(words, (dir_ / "there").string());
  wait_for("cut/checkpoint.weft");
  kill(child.pid(), SIGKILL);
  child.wait();
  ASSERT_TRUE(std::filesystem::exists(dir_ / "cut/checkpoint.weft"));
  const std::string left = read_text(dir_ / "cut/checkpoint.weft");
  const ChildResult resumed = weft({"resume", "cut", "--no-report"});
  ASSERT_EQ(resumed.status, kExitOk) << resumed.err;
  EXPECT_EQ(bytes_of("cut"), bytes_of("whole"));
  write_text(dir_ / "cut/checkpoint.weft", left);
  std::filesystem::resize_file(dir_ / "there/t/a.3.et", 10);
  const ChildResult changed = weft({"resume", "cut"});
  EXPECT_EQ(changed.status, kExitBadInput);
  EXPECT_THAT(changed.err, HasSubstr("have changed since it began:\nt/a.3.et has changed\n"));
  std::filesystem::remove(dir_ / "there/t/a.3.et");
  write_text(dir_ / "there/t/a.4 b.et", "");
  EXPECT_THAT(weft({"resume", "cut"}).err, HasSubstr("began:\nt/a.3.et is gone\nt/a.4 b.et is new\n"));
}

// Phases decide on which traffic classes the flows are that are in the checkpoint.
TEST_F(Resume, a_file_of_phases_that_has_changed_is_refused_bad) {
  ASSERT_EQ(weft({"trace", "gen", "transformer", "--npus", "4", "--mp", "2", "--out", "t/a"}).status, kExitOk);
  write_text(dir_ / "c.yaml", R"(clock: 1 GHz
fabric: {kind: fred, levels: [{groups: 1, ports: 4}]}
npu: {count: 4, peak_flops: 1 TFLOP/s}
workload: {trace: {chakra: t/a, groups: t/comm_group.json, phases: t/group_phases.json}}
)");
  EXPECT_EQ(run("cut", {"--checkpoint", "at", "1000", "--set", "limits.cycles=2000"}).status, kExitLimit);
  write_text(dir_ / "t/group_phases.json", R"({"dp": ["*"]})");
  const ChildResult changed = weft({"resume", "cut", "--set", "limits.cycles=0"});
  EXPECT_EQ(changed.status, kExitBadInput);
  EXPECT_THAT(changed.err, HasSubstr("have changed since it began:\nt/group_phases.json has changed\n"));
}

TEST_F(Resume, a_checkpoint_that_comes_after_the_end_is_named) {
  write_text(dir_ / "c.yaml", R"(clock: 1 GHz
fabric: {size: [2, 2]}
workload: {collective: {kind: all_reduce, algorithm: ring, size: 4 KiB}}
)");
  const ChildResult late = run("late", {"--checkpoint", "at", "10", "at", "1000000"});
  EXPECT_EQ(late.status, kExitOk);
  EXPECT_THAT(late.err, HasSubstr("--checkpoint at 1000000: the run has ended before, at cycle "));
  EXPECT_THAT(run("early", {"--checkpoint", "at", "10"}).err, testing::Not(HasSubstr("has ended before")));
}

TEST_F(Resume, a_wish_for_checkpoints_without_a_time_is_refused_bad) {
  for (const std::string word : {"every", "at"}) {
    const ChildResult missing = run("cut", {"--checkpoint", word});
    EXPECT_EQ(missing.status, kExitBadInput);
    EXPECT_THAT(missing.err, HasSubstr("--checkpoint " + word + ": the time is missing"));
  }
  EXPECT_THAT(run("cut", {"--checkpoint", "often", "10min"}).err,
              HasSubstr("--checkpoint often: `every TIME` and `at TIME` are legal"));
}

// The process is killed wherever it is: before the first cycle, between checkpoints, in one, among its results.
TEST_F(Resume, fifty_kills_at_any_time_change_no_byte) {
  ASSERT_EQ(run("whole").status, kExitOk);
  std::mt19937 random(7);
  int kills = 0;
  for (int number = 0; kills < 50; ++number) {
    const std::string out = "cut" + std::to_string(number);
    std::vector<std::string> words = {WEFT_PROGRAM, "run",   "c.yaml", "--no-report", "--checkpoint", "every",
                                      "20ms",       "--out", out};
    for (bool ended = false; !ended;) {
      Child child(words, dir_.path().string());
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
      const bool killed = kills < 50;
      if (killed) kill(child.pid(), SIGKILL);
      const ChildResult result = child.wait();
      ended = result.status == kExitOk;
      if (ended) break;
      ASSERT_TRUE(killed && result.status == 128 + SIGKILL) << result.err;
      ++kills;
      // A process that was killed before it had said what run it is leaves nothing to go on with.
      if (std::filesystem::exists(dir_ / out / "checkpoint.weft")) {
        words = {WEFT_PROGRAM, "resume", out, "--no-report"};
      } else if (std::filesystem::exists(dir_ / out / "summary.json")) {
        ended = true;  // it was killed after its results were there
      }
    }
    EXPECT_EQ(bytes_of(out), bytes_of("whole")) << out;
  }
}

TEST_F(Resume, a_limit_leaves_a_checkpoint_that_goes_on_with_a_later_limit) {
  ASSERT_EQ(run("whole").status, kExitOk);
  const ChildResult limited = run("cut", {"--checkpoint", "at", "3us", "--set", "limits.cycles=5000"});
  EXPECT_EQ(limited.status, kExitLimit);
  EXPECT_THAT(limited.err, HasSubstr("`weft resume cut --set limits.cycles=N` goes on with it"));
  const ChildResult early = weft({"resume", "cut", "--set", "limits.cycles=2000"});
  EXPECT_EQ(early.status, kExitBadInput);
  EXPECT_THAT(early.err, HasSubstr("limits.cycles = 2000: the run has come to cycle 3000"));
  EXPECT_EQ(weft({"resume", "cut", "--set", "seed=2"}).status, kExitBadInput);
  const ChildResult resumed = weft({"resume", "cut", "--no-report", "--set", "limits.cycles=0"});
  EXPECT_EQ(resumed.status, kExitOk) << resumed.err;
  EXPECT_EQ(bytes_of("cut"), bytes_of("whole"));
}

TEST_F(Resume, any_number_of_threads_goes_on) {
  for (const auto& [begun, resumed] : {std::pair(3, 2), std::pair(1, 4)}) {
    SCOPED_TRACE(fmt::format("{} threads, then {}", begun, resumed));
    const std::string threads = fmt::format("threads={}", begun);
    const std::string whole = fmt::format("whole{}{}", begun, resumed);
    const std::string cut = fmt::format("cut{}{}", begun, resumed);
    ASSERT_EQ(run(whole, {"--set", threads}).status, kExitOk);
    EXPECT_EQ(run(cut, {"--checkpoint", "at", "3us", "--set", "limits.cycles=5000", "--set", threads}).status,
              kExitLimit);
    const ChildResult on =
        weft({"resume", cut, "--no-report", "--threads", std::to_string(resumed), "--set", "limits.cycles=0"});
    EXPECT_EQ(on.status, kExitOk) << on.err;
    EXPECT_EQ(bytes_of(cut), bytes_of(whole));
    const std::string said = fmt::format("--threads {}: the run was begun with threads = {}", resumed, begun);
    EXPECT_EQ(on.err.find(said) != std::string::npos, resumed > begun) << on.err;
  }
}

TEST_F(Resume, what_cannot_go_on_says_so) {
  const ChildResult waves = run("w", {"--checkpoint", "at", "100", "--set", "waves.file=w.fst"});
  EXPECT_EQ(waves.status, kExitBadInput);
  EXPECT_THAT(waves.err, HasSubstr("waves.file: a recording of waves cannot be gone on with"));
  const std::string with_rtl = test::source("configs/fred-d-rtl.yaml");
  const ChildResult rtl = weft({"run", with_rtl, "--checkpoint", "at", "9"});
  EXPECT_EQ(rtl.status, kExitBadInput);
  EXPECT_THAT(rtl.err, HasSubstr("the state of RTL is not kept"));
  const ChildResult values = run("v", {"--checkpoint", "at", "100", "--set", "workload.collective.data=values"});
  EXPECT_EQ(values.status, kExitBadInput);
  EXPECT_THAT(values.err, HasSubstr("no checkpoint: "));
  const ChildResult word = run("x", {"--checkpoint", "evry", "10min"});
  EXPECT_EQ(word.status, kExitBadInput);
  EXPECT_THAT(word.err, HasSubstr("nearest: every"));
  const ChildResult unit = run("x", {"--checkpoint", "every", "10 parsecs"});
  EXPECT_EQ(unit.status, kExitBadInput);
  EXPECT_THAT(unit.err, HasSubstr("--checkpoint every 10 parsecs: a time such as 500ms, 30s, 10min or 2h is legal"));
  EXPECT_EQ(run("x", {"--checkpoint", "every", "nans"}).status, kExitBadInput);
  for (const char* folder : {"w", "v", "x"}) EXPECT_FALSE(std::filesystem::exists(dir_ / folder)) << folder;
}

TEST_F(Resume, a_damaged_checkpoint_and_one_of_an_earlier_run_are_refused) {
  Child child({WEFT_PROGRAM, "run", "c.yaml", "--quiet", "--checkpoint", "every", "20ms", "--out", "cut"},
              dir_.path().string());
  wait_for("cut/checkpoint.weft");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child.pid(), SIGKILL);
  child.wait();
  const ChildResult anew = run("cut", {"--checkpoint", "every", "1min"});
  EXPECT_EQ(anew.status, kExitBadInput);
  EXPECT_THAT(anew.err, HasSubstr("`weft resume cut` goes on with it; to begin anew, remove cut/checkpoint.weft"));
  EXPECT_EQ(run("cut").status, kExitBadInput);
  const std::string whole = read_text(dir_ / "cut/checkpoint.weft");
  std::string other = whole;
  other[other.size() / 2 + other.size() / 4] ^= 1;
  write_text(dir_ / "cut/checkpoint.weft", other);
  EXPECT_THAT(weft({"resume", "cut"}).err, HasSubstr("its check sum is wrong"));
  write_text(dir_ / "cut/checkpoint.weft", whole.substr(0, whole.size() - 1));
  EXPECT_THAT(weft({"resume", "cut"}).err, HasSubstr("its check sum is wrong"));
  std::string head = whole;
  char& digit = head[head.find("\"cycle\":") + 8];
  digit = digit == '9' ? '8' : '9';
  write_text(dir_ / "cut/checkpoint.weft", head);
  EXPECT_THAT(weft({"resume", "cut"}).err, HasSubstr("its check sum is wrong"));
  write_text(dir_ / "cut/checkpoint.weft", "{}");
  EXPECT_THAT(weft({"resume", "cut"}).err, HasSubstr("does not begin as one"));
  EXPECT_EQ(weft({"resume", "cut"}).status, kExitBadInput);
}

}  // namespace
}  // namespace weft::cli
