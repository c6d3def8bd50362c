// SPDX-License-Identifier: Apache-2.0
// The first difference between two recordings, and files that were not ended.
#include "waves/wave_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "tests/waves/support/wave_text.h"
#include "waves/fst/fst_format.h"
#include "waves/recorder.h"
#include "waves/repair.h"

namespace weft::waves {
namespace {

using test::changes_of;
using test::kEast;
using test::read_text;
using test::scope;
using test::TempDir;
using test::two_routers;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

/// A flit in every third cycle; that of cycle `odd` has another number.
void record(const std::filesystem::path& file, Cycle odd, Cycle end = 1000, std::uint64_t hertz = 1'000'000'000) {
  RecorderSetup setup = two_routers();
  setup.clocks[0].clock.hertz = make_rational(hertz, 1);
  Recorder recorder(scope({}), file, std::move(setup));
  for (Cycle now = 0; now < end; now += 3) {
    const auto number = static_cast<std::uint32_t>(now == odd ? 7777 : now);
    recorder.flit_sent(now, kEast, VcId{0}, {NodeId{0}, number}, true, true, 1);
    if (now == 300) recorder.node_activity(now, NodeId{1}, {now == odd ? "late" : "early"});
  }
  recorder.finish(end);
}

WaveDifference difference_of(const std::filesystem::path& a, const std::filesystem::path& b,
                             const std::vector<std::string>& patterns = {}) {
  std::vector<ScopePattern> wanted;
  for (const std::string& text : patterns) wanted.emplace_back(text);
  return first_difference(*open_wave_file(a), *open_wave_file(b), wanted);
}

constexpr Cycle kNowhere = 1;  // no flit goes in it

TEST(WaveDiff, finds_the_instant_and_the_signals) {
  const TempDir folder;
  record(folder / "a.vcd", kNowhere);
  record(folder / "b.vcd", 300);
  const WaveDifference found = difference_of(folder / "a.vcd", folder / "b.vcd");
  EXPECT_TRUE(found.differ);
  EXPECT_EQ(found.time_ns, 300.0);
  ASSERT_EQ(found.signals.size(), 2u);
  EXPECT_EQ(found.signals[0].signal, "npu[1].running");
  EXPECT_EQ(found.signals[0].first, "'early'");
  EXPECT_EQ(found.signals[0].second, "'late'");
  EXPECT_EQ(found.signals[1].signal, "fabric.router[0,0].east.packet");
  EXPECT_EQ(found.signals[1].first, "'0.300'");
  EXPECT_EQ(found.signals[1].second, "'0.7777'");
}

TEST(WaveDiff, a_pattern_leaves_the_rest_out) {
  const TempDir folder;
  record(folder / "a.vcd", kNowhere);
  record(folder / "b.vcd", 300);
  EXPECT_FALSE(difference_of(folder / "a.vcd", folder / "b.vcd", {"**.valid"}).differ);
  const WaveDifference found = difference_of(folder / "a.vcd", folder / "b.vcd", {"npu[*]"});
  ASSERT_EQ(found.signals.size(), 1u);
  EXPECT_EQ(found.compared, 16u);
}

TEST(WaveDiff, formats_do_not_matter) {
  if (!has_fst()) GTEST_SKIP() << "built without FST";
  const TempDir folder;
  record(folder / "a.vcd", kNowhere);
  record(folder / "a.fst", kNowhere);
  record(folder / "b.fst", 600);
  const WaveDifference same = difference_of(folder / "a.vcd", folder / "a.fst");
  EXPECT_FALSE(same.differ);
  EXPECT_GT(same.compared, 20u);
  const WaveDifference other = difference_of(folder / "a.vcd", folder / "b.fst");
  EXPECT_EQ(other.time_ns, 600.0);
}

TEST(WaveDiff, units_do_not_matter) {
  const TempDir folder;
  record(folder / "ns.vcd", kNowhere, 100);
  record(folder / "ps.vcd", kNowhere, 100, 800'000'000);  // the unit is the picosecond, and all edges come later
  const WaveDifference found = difference_of(folder / "ns.vcd", folder / "ps.vcd", {"**.packet"});
  EXPECT_TRUE(found.differ);
  EXPECT_EQ(found.time_ns, 1.0);  // the flit of cycle 0 ends at 1 ns and at 1.25 ns
}

TEST(WaveDiff, an_earlier_end_and_missing_signals_are_told) {
  const TempDir folder;
  record(folder / "a.vcd", kNowhere, 90);
  record(folder / "b.vcd", kNowhere, 180);
  const WaveDifference found = difference_of(folder / "a.vcd", folder / "b.vcd", {"npu[*]"});
  EXPECT_FALSE(found.differ);
  EXPECT_EQ(found.first_end_ns, 90.0);
  EXPECT_EQ(found.second_end_ns, 180.0);
  {
    Recorder recorder(scope({"npu[0]", "**.valid"}), folder / "c.vcd", two_routers());
    recorder.finish(90);
  }
  const WaveDifference less = difference_of(folder / "a.vcd", folder / "c.vcd");
  EXPECT_EQ(less.compared, 8u + 2);
  EXPECT_TRUE(less.only_second.empty());
  EXPECT_EQ(less.only_first.front(), "npu[1].running");
}

// The flit of cycle 300 differs, and the shorter file ends before it.
TEST(WaveDiff, what_only_one_file_has_the_time_of_is_no_difference) {
  const TempDir folder;
  record(folder / "a.vcd", kNowhere, 299);
  record(folder / "b.vcd", 300);
  record(folder / "c.vcd", kNowhere, 300);
  const WaveDifference found = difference_of(folder / "b.vcd", folder / "a.vcd");
  EXPECT_FALSE(found.differ);
  EXPECT_EQ(found.time_ns, 299.0);
  EXPECT_EQ(found.second_end_ns, 299.0);
  // The file's last instant counts.
  EXPECT_TRUE(difference_of(folder / "b.vcd", folder / "c.vcd").differ);
}

// With the east link the clock ticks at 100; without it, it is in a pause.
TEST(WaveDiff, the_number_of_an_edge_counts_where_a_pattern_names_it) {
  const TempDir folder;
  for (const char* name : {"a.vcd", "b.vcd"}) {
    Recorder recorder(scope({"npu[0]", name == std::string("a.vcd") ? "fabric.router[0,0].east" : "npu[1]"}),
                      folder / name, two_routers());
    recorder.flit_sent(100, kEast, VcId{0}, {NodeId{0}, 1}, true, true, 1);
    recorder.finish(200);
  }
  EXPECT_FALSE(difference_of(folder / "a.vcd", folder / "b.vcd").differ);
  EXPECT_FALSE(difference_of(folder / "a.vcd", folder / "b.vcd", {"**"}).differ);
  const std::string clock = two_routers().clocks[0].name;
  for (const std::string& pattern : {clock + ".cycle", clock, std::string("**.cycle")}) {
    const WaveDifference found = difference_of(folder / "a.vcd", folder / "b.vcd", {pattern});
    EXPECT_TRUE(found.differ) << pattern;
    EXPECT_EQ(found.time_ns, 100.0) << pattern;
  }
}

TEST(WaveDiff, files_with_nothing_in_common_are_refused_bad) {
  const TempDir folder;
  record(folder / "a.vcd", kNowhere, 30);
  EXPECT_THROW(difference_of(folder / "a.vcd", folder / "a.vcd", {"nothing"}), InputError);
}

// ---- repair

/// A child that writes until it is killed.
void record_and_die(const std::filesystem::path& file) {
  const pid_t child = fork();
  if (child == 0) {
    Recorder recorder(scope({}), file, two_routers());
    for (Cycle now = 0; now < 5000; ++now) {
      recorder.flit_sent(now, kEast, VcId{0}, {NodeId{0}, static_cast<std::uint32_t>(now)}, true, true, 1);
      if (now == 4000) recorder.flush();
    }
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

/// Without values that another one of the same instant replaces.
std::map<std::string, std::vector<std::string>> settled(std::map<std::string, std::vector<std::string>> changes) {
  for (auto& entry : changes) {
    std::vector<std::string>& list = entry.second;
    for (std::size_t i = 0; i + 1 < list.size();) {
      const auto time = [&](std::size_t n) { return list[n].substr(0, list[n].find(' ')); };
      if (time(i) == time(i + 1)) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }
  return changes;
}

TEST(Repair, an_fst_file_becomes_whole) {
  if (!has_fst()) GTEST_SKIP() << "built without FST";
  const TempDir folder;
  record_and_die(folder / "a.fst");
  const auto before = changes_of(folder / "a.fst");
  const std::string said = repair_wave_file(folder / "a.fst");
  EXPECT_THAT(said, EndsWith("It now holds everything up to the last change that was written, at 3999 ns; what came "
                             "later is lost"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.fst.hier"));
  EXPECT_TRUE(open_wave_file(folder / "a.fst")->complete());
  EXPECT_EQ(settled(changes_of(folder / "a.fst")), settled(before));
  EXPECT_EQ(before.at("fabric.router[0,0].east.packet").back(), "3999 '0.3999'");
  EXPECT_THAT(repair_wave_file(folder / "a.fst"), EndsWith("is complete; nothing was changed"));
}

/// A child that records into a file of at most `bytes`.
void record_on_full_disk(const std::filesystem::path& file, rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      record(file, kNowhere);
    } catch (const WaveFileFull&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << bytes;
}

// Times in the head alone do not make it whole.
TEST(Repair, an_fst_file_without_names_is_not_taken_for_whole) {
  if (!has_fst()) GTEST_SKIP() << "built without FST";
  const TempDir folder;
  record_and_die(folder / "a.fst");
  constexpr std::streamoff kEndTime = 17;  // eight bytes, the highest first
  {
    std::fstream head(folder / "a.fst", std::ios::binary | std::ios::in | std::ios::out);
    head.seekp(kEndTime);
    head.write("\0\0\0\0\0\0\x0f\x9f", 8);
  }
  EXPECT_FALSE(open_wave_file(folder / "a.fst")->complete());
  EXPECT_THAT(repair_wave_file(folder / "a.fst"), HasSubstr("at 3999 ns; what came later is lost"));
  EXPECT_TRUE(open_wave_file(folder / "a.fst")->complete());
  EXPECT_FALSE(std::filesystem::exists(folder / "a.fst.hier"));
}

// The names of signals come last: all values are there.
TEST(Repair, an_fst_file_whose_names_found_no_room_becomes_whole) {
  if (!has_fst()) GTEST_SKIP() << "built without FST";
  const TempDir folder;
  record(folder / "whole.fst", kNowhere);
  const rlim_t bytes = std::filesystem::file_size(folder / "whole.fst");
  for (const rlim_t missing : {rlim_t{1}, rlim_t{40}, rlim_t{200}}) {
    const std::filesystem::path file = folder / (std::to_string(missing) + ".fst");
    record_on_full_disk(file, bytes - missing);
    ASSERT_TRUE(std::filesystem::exists(file.string() + ".hier")) << missing;
    EXPECT_FALSE(open_wave_file(file)->complete()) << missing;
    EXPECT_THAT(repair_wave_file(file), HasSubstr("at 1000 ns; what came later is lost")) << missing;
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".hier")) << missing;
    EXPECT_TRUE(open_wave_file(file)->complete()) << missing;
    EXPECT_EQ(settled(changes_of(file)), settled(changes_of(folder / "whole.fst"))) << missing;
  }
}

TEST(Repair, a_vcd_file_loses_what_is_not_whole) {
  const TempDir folder;
  record_and_die(folder / "a.vcd");
  std::ofstream(folder / "a.vcd", std::ios::app) << "#4001\n1\"\ns0.40";  // as if the kill came while it wrote
  const std::string said = repair_wave_file(folder / "a.vcd");
  EXPECT_THAT(said, HasSubstr("The file now ends with the changes of 3999 ns"));
  const auto changes = changes_of(folder / "a.vcd");
  EXPECT_EQ(changes.at("fabric.router[0,0].east.packet").back(), "3999 '0.3999'");
  EXPECT_THAT(read_text(folder / "a.vcd"), EndsWith("$comment complete $end\n"));
  EXPECT_THAT(repair_wave_file(folder / "a.vcd"), EndsWith("is complete; nothing was changed"));
}

// 1003 ps times 0.001 is not 1.003 in binary.
TEST(Repair, says_times_without_noise) {
  const TempDir folder;
  std::ofstream(folder / "a.vcd") << "$timescale 1ps $end\n$scope module m $end\n$var wire 1 ! a $end\n"
                                     "$upscope $end\n$enddefinitions $end\n#1003\n1!\n#1005\n0!\n#10";
  EXPECT_THAT(repair_wave_file(folder / "a.vcd"), HasSubstr("ends with the changes of 1.003 ns;"));
}

TEST(Repair, what_nothing_can_be_read_of_is_refused_bad) {
  const TempDir folder;
  std::ofstream(folder / "a.vcd") << "$version Weft $end\n$scope module a $end\n";
  EXPECT_THROW(repair_wave_file(folder / "a.vcd"), InputError);
  EXPECT_THROW(repair_wave_file(folder / "b.vcd"), InputError);
  if (has_fst()) {
    std::ofstream(folder / "a.fst") << "no wave file";
    EXPECT_THROW(repair_wave_file(folder / "a.fst"), InputError);
  }
}

}  // namespace
}  // namespace weft::waves
