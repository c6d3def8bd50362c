// SPDX-License-Identifier: Apache-2.0
// FST files: GTKWave's fst2vcd and our reader find in them every value that the VCD file of the same calls has, also
// after a kill and on a full disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <set>

#include "base/error.h"
#include "tests/waves/support/gtkwave_programs.h"
#include "tests/waves/support/random_play.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "tests/waves/support/wave_text.h"
#include "waves/fst/fst_format.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

using test::changes_of;
using test::read_text;
using test::read_vcd;
using test::TempDir;
using test::VcdFile;
using testing::ElementsAre;
using testing::HasSubstr;

const test::RandomPlay kOddPlay{4711, 14, " \x01 chunk"};

VcdFile through_fst2vcd(const std::filesystem::path& fst) {
  const std::string back = fst.string() + ".back.vcd";
  EXPECT_TRUE(test::succeeds("fst2vcd '" + fst.string() + "' -o '" + back + "'"));
  return read_vcd(back);
}

/// Two routers whose VCs have names.
RecorderSetup named_routers() {
  RecorderSetup setup = test::two_routers();
  const auto link = setup.link;
  setup.link = [link](LinkId id) {
    LinkWave wave = link(id);
    wave.vc_names = {"request", "reply"};
    return wave;
  };
  return setup;
}

class Fst : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_fst()) GTEST_SKIP() << "built without FST (package verilator)";
    if (!test::succeeds("command -v fst2vcd")) GTEST_SKIP() << "fst2vcd is not installed (package gtkwave)";
  }
  /// Plays the same into `a.vcd` and `a.fst`.
  void record_both(const WavesSpec& spec, Cycle cycles) {
    for (const char* name : {"a.vcd", "a.fst"}) {
      Recorder recorder(spec, folder_ / name, named_routers());
      test::play_at_random(recorder, cycles, kOddPlay);
    }
  }
  TempDir folder_;
};

void expect_same(const VcdFile& vcd, const VcdFile& fst) {
  EXPECT_EQ(fst.begin, vcd.begin);
  EXPECT_EQ(fst.end, vcd.end);
  test::expect_same_changes(vcd, fst);
}

TEST_F(Fst, holds_what_the_vcd_file_of_the_same_run_holds) {
  record_both(test::scope({}), 20'000);
  const VcdFile vcd = read_vcd(folder_ / "a.vcd");
  EXPECT_GT(vcd["fabric.router[0,0].east.packet"].changes.size(), 1'000u);
  expect_same(vcd, through_fst2vcd(folder_ / "a.fst"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.fst.hier"));
}

TEST_F(Fst, begins_and_ends_with_the_window) {
  record_both(test::scope({}, 700, 1900), 5'000);
  const VcdFile vcd = read_vcd(folder_ / "a.vcd");
  EXPECT_EQ(vcd.begin, 700u);
  EXPECT_EQ(vcd.end, 1900u);
  expect_same(vcd, through_fst2vcd(folder_ / "a.fst"));
}

TEST_F(Fst, our_reader_finds_the_same_in_both) {
  record_both(test::scope({}), 20'000);
  const auto vcd = changes_of(folder_ / "a.vcd");
  const auto fst = changes_of(folder_ / "a.fst");
  EXPECT_EQ(vcd, fst);
  // By hand: the first values of a named VC and a text.
  const auto& vc = fst.at("fabric.router[0,0].east.vc");
  ASSERT_GT(vc.size(), 100u);
  EXPECT_EQ(vc.front(), "0 x");
  EXPECT_THAT(vc[1], testing::AnyOf(HasSubstr(" request"), HasSubstr(" reply")));
  EXPECT_EQ(fst.at("npu[0].running").front(), "0 ''");
  const auto reader = open_wave_file(folder_ / "a.fst");
  EXPECT_EQ(reader->header().unit, "1ns");
  EXPECT_TRUE(reader->complete());
  EXPECT_EQ(reader->header().remarks.at("fabric.router[0,0].east"),
            "router[0,0] to router[1,0], 2 VCs, 2 credits each");
}

// A block begins with its kind and its length in 8 bytes; the next 8 bytes of the blocks of signals and names are a
// length, too, which the reader asks memory for.
TEST_F(Fst, a_damaged_length_is_said_so) {
  record_both(test::scope({}), 1'000);
  const std::string whole = read_text(folder_ / "a.fst");
  int damaged = 0;
  for (std::size_t at = 0; at + 17 <= whole.size();) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 1; i <= 8; ++i) bytes = bytes << 8 | static_cast<unsigned char>(whole[at + i]);
    const std::set<char> kinds_with_length = {3, 4, 6, 7};  // signals, and three forms of names
    if (kinds_with_length.count(whole[at]) > 0) {
      std::string text = whole;
      text.replace(at + 9, 8, std::string(1, '\x6e') + std::string(7, '\x01'));
      std::ofstream(folder_ / "b.fst", std::ios::binary) << text;
      EXPECT_THROW(changes_of(folder_ / "b.fst"), InputError) << "at byte " << at;
      ++damaged;
    }
    at += 1 + bytes;
  }
  EXPECT_GE(damaged, 2);
}

// What a sanitizer or a crash would end is a child of this process, so that this one can go on.
TEST_F(Fst, random_damage_costs_a_sentence_at_most) {
  record_both(test::scope({}), 1'000);
  const std::string whole = read_text(folder_ / "a.fst");
  std::mt19937 random(4711);
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    std::string text = whole;
    for (int bytes = 1 << (round % 6); bytes > 0; --bytes) text[random() % text.size()] = static_cast<char>(random());
    if (round % 5 == 0) text.resize(random() % text.size());
    std::ofstream(folder_ / "b.fst", std::ios::binary) << text;
    try {
      changes_of(folder_ / "b.fst");
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr((folder_ / "b.fst").string())) << "round " << round;
      ++refused;
    }
  }
  EXPECT_GE(refused, 20);
}

TEST_F(Fst, same_calls_give_the_same_bytes) {
  for (const char* name : {"a.fst", "b.fst"}) {
    Recorder recorder(test::scope({}), folder_ / name, named_routers());
    test::play_at_random(recorder, 3'000, kOddPlay);
  }
  EXPECT_EQ(read_text(folder_ / "a.fst"), read_text(folder_ / "b.fst"));
}

TEST_F(Fst, many_changes_are_many_sections) {
  for (const char* name : {"a.vcd", "a.fst"}) {
    const auto writer = make_wave_writer(folder_ / name, TimeUnit::kNanosecond);
    const WaveVar number = writer->add_wire("number", 20);
    const WaveVar text = writer->add_string("text");
    writer->begin(0);
    for (std::uint64_t time = 1; time <= 600'000; ++time) {
      writer->set_time(time);
      writer->set(number, time);
      if (time % 100'000 == 0) writer->set(text, "at " + std::to_string(time));
    }
    writer->close(600'001);
  }
  expect_same(read_vcd(folder_ / "a.vcd"), through_fst2vcd(folder_ / "a.fst"));
}

TEST_F(Fst, a_killed_program_leaves_what_was_flushed) {
  const pid_t child = fork();
  if (child == 0) {
    Recorder recorder(test::scope({}), folder_ / "a.fst", test::two_routers());
    recorder.flit_sent(5, test::kEast, VcId{1}, {NodeId{7}, 3}, true, false, 1);
    recorder.flit_sent(9, test::kEast, VcId{0}, {NodeId{7}, 4}, true, false, 1);
    recorder.node_activity(9, NodeId{0}, {"asleep"});
    recorder.node_activity(11, NodeId{0}, {"awake"});
    recorder.flush();
    recorder.flit_sent(400, test::kEast, VcId{0}, {NodeId{7}, 5}, true, false, 1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const VcdFile file = through_fst2vcd(folder_ / "a.fst");
  EXPECT_EQ(file["fabric.router[0,0].east.packet"].at(5), "7.3");
  EXPECT_EQ(file["fabric.router[0,0].east.packet"].at(9), "7.4");
  EXPECT_EQ(file["npu[0].running"].at(9), "asleep");
  EXPECT_EQ(changes_of(folder_ / "a.fst").at("fabric.router[0,0].east.valid"),
            (std::vector<std::string>{"0 0", "5 1", "6 0", "9 1", "10 0"}));
  EXPECT_FALSE(open_wave_file(folder_ / "a.fst")->complete());
}

/// A child that writes into a file of at most `bytes`, `together` values per flush, and is told that it is full.
bool fill(const std::filesystem::path& path, rlim_t bytes, std::uint64_t together) {
  signal(SIGXFSZ, SIG_IGN);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto writer = make_wave_writer(path, TimeUnit::kNanosecond);
    const WaveVar number = writer->add_wire("number", 64);
    writer->begin(0);
    int result = 1;
    try {
      for (std::uint64_t time = 1; time < 10'000'000; ++time) {
        writer->set_time(time);
        writer->set(number, time * 6364136223846793005ULL);
        if (time % together == 0) writer->flush();
      }
    } catch (const WaveFileFull& full) {
      const std::string text = full.what();
      const std::size_t until = text.find("File too large; it is readable up to ");
      if (until != std::string::npos && text.find("000 ns as long as", until) != std::string::npos) result = 0;
    }
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(Fst, a_full_disk_leaves_what_was_written_before) {
  // Small blocks fail where buffers are written out, large ones where they are written.
  for (const auto& [together, bytes] :
       std::vector<std::pair<std::uint64_t, rlim_t>>{{1000, 40'000}, {20'000, 500'000}}) {
    const std::filesystem::path path = folder_ / (std::to_string(together) + ".fst");
    EXPECT_TRUE(fill(path, bytes, together));
    EXPECT_FALSE(open_wave_file(path)->complete());
    const VcdFile file = through_fst2vcd(path);
    const test::VcdSignal& number = file["number[63:0]"];
    ASSERT_GT(number.changes.size(), 2 * together);
    EXPECT_EQ(number.changes.size() % together, 1u);  // whole flushes and the first value
    for (const std::uint64_t time : {std::uint64_t{1}, together - 1, 2 * together}) {
      EXPECT_EQ(number.number_at(time), time * 6364136223846793005ULL);
    }
  }
}

// On a disk in memory, too, nothing is written behind the error, neither times in the head nor a block.
TEST_F(Fst, a_full_disk_in_memory_leaves_the_same) {
  const std::filesystem::path disk = "/dev/shm";
  if (access(disk.c_str(), W_OK) != 0) GTEST_SKIP() << "there is no /dev/shm to write to";
  const std::filesystem::path path = disk / ("weft-fst-" + std::to_string(getpid()) + ".fst");
  EXPECT_TRUE(fill(path, 40'000, 1000));
  EXPECT_TRUE(fill(folder_ / "a.fst", 40'000, 1000));
  EXPECT_EQ(test::read_text(path), test::read_text(folder_ / "a.fst"));
  std::filesystem::remove(path);
  std::filesystem::remove(path.string() + ".hier");
}

TEST_F(Fst, a_file_that_cannot_be_created_is_said_so) {
  try {
    make_wave_writer("/nowhere/a.fst", TimeUnit::kNanosecond);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "waves.file: cannot create '/nowhere/a.fst': No such file or directory");
  }
}

}  // namespace
}  // namespace weft::waves
