// SPDX-License-Identifier: Apache-2.0
// Who writes where: runs that start together, links and devices in results directories, leftovers of killed runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <chrono>
#include <fstream>
#include <list>
#include <set>
#include <thread>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::Child;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

namespace fs = std::filesystem;

/// A short run, and one that nobody waits for.
constexpr const char* kShort =
    "name: cc\nfabric: {size: [2, 2]}\nworkload: {traffic: {rate: 0.1, warmup_cycles: 10, measure_cycles: 100}}\n";
constexpr const char* kLong =
    "name: cc\nfabric: {size: [4, 4]}\nworkload: {traffic: {rate: 0.2, measure_cycles: 100000000}}\n";

class ResultsDirectory : public ProgramCase {
 protected:
  ResultsDirectory() {
    write_text(dir_ / "c.yaml", kShort);
    write_text(dir_ / "long.yaml", kLong);
  }

  static void wait_for(const fs::path& path) {
    for (int i = 0; i < 3000 && !fs::exists(path); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(fs::exists(path)) << path;
  }
};

// As many as a loop in a shell starts at once; each has a seed of its own, and none may be missing at the end.
TEST_F(ResultsDirectory, runs_that_start_together_keep_all_their_results) {
  constexpr int kTrials = 4;
  constexpr int kRuns = 8;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::list<Child> children;
    for (int seed = 1; seed <= kRuns; ++seed) {
      children.emplace_back(std::vector<std::string>{WEFT_PROGRAM, "run", "c.yaml", "--quiet", "--set",
                                                     "seed=" + std::to_string(trial * kRuns + seed)},
                            dir_.path().string());
    }
    for (Child& child : children) {
      const ChildResult r = child.wait();
      EXPECT_EQ(r.status, kExitOk) << r.err;
    }
  }
  std::set<int> seeds;
  for (const auto& entry : fs::directory_iterator(dir_ / "results")) {
    seeds.insert(nlohmann::json::parse(read_text(entry.path() / "summary.json"))["seed"].get<int>());
    EXPECT_FALSE(fs::exists(entry.path() / ".lock"));
  }
  EXPECT_EQ(seeds.size(), static_cast<std::size_t>(kTrials) * kRuns);
}

TEST_F(ResultsDirectory, a_second_run_into_the_same_directory_bad) {
  Child first({WEFT_PROGRAM, "run", "long.yaml", "--quiet", "--out", "o"}, dir_.path().string());
  wait_for(dir_ / "o/config.resolved.yaml");
  const std::string config = read_text(dir_ / "o/config.resolved.yaml");
  for (const char* command : {"run", "sweep"}) {
    const ChildResult second = weft({command, "c.yaml", "--quiet", "--out", "o"});
    EXPECT_EQ(second.status, kExitBadInput);
    EXPECT_THAT(second.err, HasSubstr("--out o: another run or sweep (process " + std::to_string(first.pid()) +
                                      ") is writing there"));
  }
  EXPECT_EQ(read_text(dir_ / "o/config.resolved.yaml"), config);
  // A killed run holds nothing.
  kill(first.pid(), SIGKILL);
  first.wait();
  const ChildResult third = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(third.status, kExitOk) << third.err;
  EXPECT_EQ(summary("o")["finished"], true);
  EXPECT_FALSE(fs::exists(dir_ / "o/.lock"));
}

TEST_F(ResultsDirectory, a_killed_run_leaves_the_results_of_the_one_before) {
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  const std::string before = read_text(dir_ / "o/summary.json");
  const std::string config = read_text(dir_ / "o/config.resolved.yaml");
  Child second({WEFT_PROGRAM, "run", "long.yaml", "--quiet", "--out", "o"}, dir_.path().string());
  wait_for(dir_ / "o/.lock");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(second.pid(), SIGKILL);
  second.wait();
  EXPECT_EQ(read_text(dir_ / "o/summary.json"), before);
  EXPECT_EQ(read_text(dir_ / "o/config.resolved.yaml"), config);
  EXPECT_TRUE(fs::exists(dir_ / "o/links.csv"));
}

// A trace without files is found when the run begins; the results of others beside it are not its own.
TEST_F(ResultsDirectory, a_refused_run_removes_no_results_of_others) {
  write_text(dir_ / "x.0.json", R"({"workload_graph": [{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 64}]})");
  write_text(dir_ / "x.1.json", "{");
  write_text(dir_ / "bad.yaml", "name: bad\nfabric: {size: [2, 1]}\nworkload: {trace: {chakra: x}}\n");
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet"}).status, kExitOk);
  EXPECT_EQ(weft({"run", "bad.yaml", "--quiet"}).status, kExitBadInput);
  EXPECT_TRUE(fs::exists(dir_ / "results/cc-1/summary.json"));
  EXPECT_FALSE(fs::exists(dir_ / "results/bad-1"));
}

TEST_F(ResultsDirectory, links_in_it_are_not_followed) {
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  const std::vector<std::string> names{
      "links.csv", "config.resolved.yaml", "report.html", "summary.json.part", "run.vcd",
      "run.gtkw",  "report.html.part"};
  fs::create_directory(dir_ / "other");
  for (const std::string& name : names) {
    write_text(dir_ / "other" / name, "mine");
    fs::remove(dir_ / "o" / name);
    fs::create_symlink(dir_ / "other" / name, dir_ / "o" / name);
  }
  const ChildResult r = weft({"run", "c.yaml", "--out", "o", "--set", "waves.file=run.vcd"});
  ASSERT_EQ(r.status, kExitOk) << r.err;
  for (const std::string& name : names) EXPECT_EQ(read_text(dir_ / "other" / name), "mine") << name;
  EXPECT_THAT(read_text(dir_ / "o/run.vcd"), HasSubstr("$enddefinitions"));
  EXPECT_EQ(summary("o")["finished"], true);
}

TEST_F(ResultsDirectory, a_report_goes_into_what_a_link_or_a_device_points_to) {
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  write_text(dir_ / "real", "");
  fs::create_symlink("real", dir_ / "link");
  EXPECT_EQ(weft({"report", "o", "--quiet", "--out", "link"}).status, kExitOk);
  EXPECT_TRUE(fs::is_symlink(dir_ / "link"));
  EXPECT_THAT(read_text(dir_ / "real"), testing::StartsWith("<!doctype html>"));
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  Child writer({WEFT_PROGRAM, "report", "o", "--quiet", "--out", "pipe"}, dir_.path().string());
  EXPECT_THAT(read_text(dir_ / "pipe"), testing::StartsWith("<!doctype html>"));
  EXPECT_EQ(writer.wait().status, kExitOk);
  EXPECT_TRUE(fs::is_fifo(dir_ / "pipe"));
  if (mknod((dir_ / "null").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) return;  // devices cannot be made here
  weft({"report", "o", "--quiet", "--out", "null"});
  EXPECT_TRUE(fs::is_character_file(dir_ / "null"));
}

TEST_F(ResultsDirectory, a_device_in_the_place_of_a_result_bad) {
  fs::create_directory(dir_ / "o");
  ASSERT_EQ(mkfifo((dir_ / "o/links.csv").c_str(), 0600), 0);
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("o/links.csv: cannot be written: a pipe stands there"));
  EXPECT_TRUE(fs::is_fifo(dir_ / "o/links.csv"));
}

TEST_F(ResultsDirectory, a_folder_in_the_place_of_a_report_bad) {
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  fs::create_directory(dir_ / "o/report.html");
  const ChildResult r = weft({"report", "o", "--quiet"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("o/report.html: cannot be written: a directory stands there"));
}

TEST_F(ResultsDirectory, a_sweep_runs_points_again_whose_summary_lacks_figures) {
  const std::vector<std::string> sweep{"sweep", "c.yaml", "--set", "seed=[1, 2]", "--quiet", "--out", "s"};
  ASSERT_EQ(weft(sweep).status, kExitOk);
  const std::string table = read_text(dir_ / "s/sweep.csv");
  const auto points = [&] {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(dir_ / "s/points")) found.insert(entry.path() / "summary.json");
    return found;
  }();
  ASSERT_EQ(points.size(), 2U);
  nlohmann::json odd = nlohmann::json::parse(read_text(*points.begin()));
  odd["cycles"] = "many";
  write_text(*points.begin(), odd.dump());
  write_text(*points.rbegin(), R"({"finished": true})");
  ASSERT_EQ(weft(sweep).status, kExitOk);
  for (const fs::path& file : points) {
    EXPECT_TRUE(nlohmann::json::parse(read_text(file))["cycles"].is_number()) << file;
  }
}

}  // namespace
}  // namespace weft::cli
