// SPDX-License-Identifier: Apache-2.0
// `weft run --watch` on a terminal and in a log, and the page that a run leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

constexpr const char* kWatchConfig = R"(name: small
fabric: {kind: mesh, size: [4, 4]}
workload:
  collective: {kind: all_reduce, algorithm: ring, size: 256 KiB}
)";

class WatchProgram : public ProgramCase {
 protected:
  WatchProgram() { write_text(dir_ / "c.yaml", kWatchConfig); }
  /// What a terminal of so many lines with 60 characters gets.
  std::string on_terminal(const std::string& out, unsigned short rows = 24, const char* kind = "xterm") {
    winsize size{rows, 60, 0, 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      setenv("TERM", kind, 1);
      if (chdir(dir_.path().c_str()) != 0) _exit(1);
      execl(WEFT_PROGRAM, WEFT_PROGRAM, "run", "c.yaml", "--watch", "--quiet", "--out", out.c_str(), nullptr);
      _exit(1);
    }
    std::string text;
    char piece[4096];
    for (ssize_t n = 0; (n = read(terminal, piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(n));
    close(terminal);
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << text;
    return text;
  }
};

TEST_F(WatchProgram, writes_lines_into_a_log) {
  const ChildResult r = weft({"run", "c.yaml", "--watch", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  EXPECT_THAT(r.err, AllOf(HasSubstr("small: "), HasSubstr("% done"), HasSubstr("% busy; all_reduce_0 under way\n")));
  EXPECT_EQ(r.err.find('\x1b'), std::string::npos);
}

/// How much of the bar in each headline is full, of 24 cells.
std::vector<int> bars(const std::string& text) {
  std::vector<int> found;
  const std::string mark = "small [";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(at + mark.size());
    found.push_back(static_cast<int>(std::count(first, first + 24, '#')));
  }
  return found;
}

TEST_F(WatchProgram, shows_progress_within_one_collective) {
  std::string config = kWatchConfig;
  write_text(dir_ / "c.yaml", config.replace(config.find("256 KiB"), 7, "8 MiB"));  // long enough for several looks
  const std::vector<int> seen = bars(on_terminal("o"));
  ASSERT_GE(seen.size(), 2U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end())) << testing::PrintToString(seen);
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [](int cells) { return cells > 0 && cells < 24; }))
      << testing::PrintToString(seen);
}

TEST_F(WatchProgram, redraws_in_place_and_leaves_nothing_on_a_terminal) {
  const std::string text = on_terminal("o");
  EXPECT_THAT(text,
              AllOf(HasSubstr("small ["), HasSubstr("busiest links just now"), HasSubstr("collectives under way: 1")));
  // Two of the head, "busiest", six links, "collectives", one collective: eleven lines up, and all below is erased.
  EXPECT_EQ(text.substr(text.size() - std::string("\x1b[11F\x1b[J").size()), "\x1b[11F\x1b[J");
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find("\x1b[K", begin)) != std::string::npos; begin = end + 5) {
    const std::size_t escape = text.rfind('F', end);
    const std::size_t from = escape != std::string::npos && escape > begin ? escape + 1 : begin;
    EXPECT_LT(end - from, 60U) << text.substr(from, end - from);
  }
}

TEST_F(WatchProgram, never_scrolls_a_low_terminal) {
  const std::string text = on_terminal("o", 8);
  EXPECT_EQ(text.substr(text.size() - std::string("\x1b[7F\x1b[J").size()), "\x1b[7F\x1b[J");
}

TEST_F(WatchProgram, a_dumb_terminal_gets_no_escapes) {
  const std::string text = on_terminal("o", 24, "dumb");
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("% done"));
}

TEST_F(WatchProgram, changes_no_result) {
  ASSERT_EQ(weft({"run", "c.yaml", "--watch", "--quiet", "--out", "a"}).status, kExitOk);
  const ChildResult plain = weft({"run", "c.yaml", "--quiet", "--out", "b"});
  ASSERT_EQ(plain.status, kExitOk);
  EXPECT_EQ(plain.err, "");
  for (const char* file : {"links.csv", "link_windows.csv", "latency.csv", "collectives.csv"}) {
    EXPECT_EQ(read_text(dir_ / "a" / file), read_text(dir_ / "b" / file)) << file;
  }
}

TEST_F(WatchProgram, a_run_leaves_its_page) {
  const ChildResult r = weft({"run", "c.yaml", "--out", "o"});
  EXPECT_THAT(r.out, HasSubstr("  report           o/report.html\n"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "o/report.html"));
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "o", "--no-report"}).status, kExitOk);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "o/report.html")) << "a page of an earlier run";
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "o", "--quiet"}).status, kExitOk);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "o/report.html"));
}

}  // namespace
}  // namespace weft::cli
