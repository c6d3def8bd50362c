// SPDX-License-Identifier: Apache-2.0
// The VCD writer: its text, its escapes, and that a file is whole lines whatever happens.
#include "waves/vcd_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <set>

#include "base/error.h"
#include "tests/waves/support/vcd_reader.h"

namespace weft::waves {
namespace {

using test::read_text;
using test::read_vcd;
using test::TempDir;
using testing::HasSubstr;

TEST(VcdWriter, writes_what_the_standard_says) {
  const TempDir folder;
  VcdWriter writer(folder / "a.vcd", TimeUnit::kPicosecond);
  writer.open_scope("top");
  const WaveVar wire = writer.add_wire("wire", 1);
  writer.open_scope("in[0]");
  writer.comment("a remark");
  const WaveVar bus = writer.add_wire("bus", 4);
  const WaveVar number = writer.add_integer("number");
  writer.close_scope();
  const WaveVar text = writer.add_string("text");
  writer.set(bus, std::uint64_t{5});
  writer.set_unknown(number);
  writer.begin(10);
  writer.set_time(10);
  writer.set(wire, std::uint64_t{1});
  writer.set_time(12);
  writer.set(bus, std::uint64_t{5});  // no change: no line
  writer.set_time(15);
  writer.set(bus, std::uint64_t{8});
  writer.set(number, std::uint64_t{3});
  writer.set(text, "two words");
  writer.set_time(20);
  writer.set(wire, std::uint64_t{0});
  writer.set(text, "");
  writer.close(30);
  EXPECT_EQ(read_text(folder / "a.vcd"), R"($version Weft $end
$timescale 1 ps $end
$scope module top $end
$var wire 1 ! wire $end
$scope module in[0] $end
$comment a remark $end
$var wire 4 " bus [3:0] $end
$var integer 64 # number $end
$upscope $end
$var string 1 $ text $end
$upscope $end
$enddefinitions $end
#10
$dumpvars
0!
b101 "
bx #
s $
$end
1!
#15
b1000 "
b11 #
stwo\040words $
#20
0!
s $
#30
$comment complete $end
)");
}

TEST(VcdWriter, identifiers_are_short_and_all_different) {
  EXPECT_EQ(vcd_identifier(0), "!");
  EXPECT_EQ(vcd_identifier(93), "~");
  EXPECT_EQ(vcd_identifier(94), "!!");
  EXPECT_EQ(vcd_identifier(95), "\"!");
  EXPECT_EQ(vcd_identifier(94 + 94 * 94 - 1), "~~");
  EXPECT_EQ(vcd_identifier(94 + 94 * 94), "!!!");
  std::set<std::string> seen;
  for (std::uint32_t n = 0; n < 20'000; ++n) seen.insert(vcd_identifier(n));
  EXPECT_EQ(seen.size(), 20'000u);
}

TEST(VcdWriter, text_holds_no_blank_whatever_it_says) {
  EXPECT_EQ(vcd_escaped("all_reduce_0"), "all_reduce_0");
  EXPECT_EQ(vcd_escaped("a b"), "a\\040b");
  EXPECT_EQ(vcd_escaped("tab\tnew\nline"), "tab\\011new\\012line");
  EXPECT_EQ(vcd_escaped("back\\slash"), "back\\134slash");
  EXPECT_EQ(vcd_escaped("\xc3\xbc"), "\\303\\274");
}

TEST(VcdWriter, the_widest_values_survive) {
  const TempDir folder;
  VcdWriter writer(folder / "a.vcd", TimeUnit::kNanosecond);
  writer.open_scope("top");
  const WaveVar bus = writer.add_wire("bus", 64);
  writer.begin(0);
  writer.set_time(1);
  writer.set(bus, ~std::uint64_t{0});
  writer.set_time(2);
  writer.set(bus, std::uint64_t{1} << 63);
  writer.close(3);
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file["top.bus[63:0]"].number_at(1), ~std::uint64_t{0});
  EXPECT_EQ(file["top.bus[63:0]"].number_at(2), std::uint64_t{1} << 63);
}

TEST(VcdWriter, flush_and_a_missing_close_leave_whole_lines) {
  const TempDir folder;
  {
    VcdWriter writer(folder / "a.vcd", TimeUnit::kNanosecond);
    writer.open_scope("top");
    const WaveVar wire = writer.add_wire("wire", 1);
    writer.begin(0);
    writer.set_time(7);
    writer.set(wire, std::uint64_t{1});
    EXPECT_EQ(read_text(folder / "a.vcd"), "");  // still buffered
    writer.flush();
    EXPECT_EQ(read_vcd(folder / "a.vcd")["top.wire"].at(7), "1");
    writer.set_time(8);
    writer.set(wire, std::uint64_t{0});
  }
  EXPECT_EQ(read_vcd(folder / "a.vcd")["top.wire"].at(8), "0");
}

TEST(VcdWriter, misuse_is_a_violation_bad) {
  const TempDir folder;
  VcdWriter writer(folder / "a.vcd", TimeUnit::kNanosecond);
  EXPECT_THROW(writer.open_scope("two words"), ViolationError);
  EXPECT_THROW(writer.add_wire("", 1), ViolationError);
  EXPECT_THROW(writer.add_wire("wide", kMostWireBits + 1), ViolationError);
  EXPECT_THROW(writer.close_scope(), ViolationError);
  writer.begin(5);
  EXPECT_THROW(writer.add_wire("late", 1), ViolationError);
  EXPECT_THROW(writer.set_time(4), ViolationError);
}

TEST(VcdWriter, a_file_that_cannot_be_created_is_said_bad) {
  try {
    const VcdWriter writer("/nowhere/at/all.vcd", TimeUnit::kNanosecond);
    FAIL() << "a file in no folder was created";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "waves.file: cannot create '/nowhere/at/all.vcd': No such file or directory");
  }
}

/// Limits the size of files for one scope, as a full disk would.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    previous_handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &previous_);
    const rlimit limit{bytes, previous_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &previous_);
    signal(SIGXFSZ, previous_handler_);
  }

 private:
  rlimit previous_{};
  void (*previous_handler_)(int) = nullptr;
};

TEST(VcdWriter, a_full_disk_leaves_what_was_written_readable_bad) {
  const TempDir folder;
  constexpr rlim_t kDiskBytes = 1'000'003;
  std::string message;
  std::uint64_t reached = 0;
  {
    const SmallDisk disk(kDiskBytes);
    VcdWriter writer(folder / "a.vcd", TimeUnit::kNanosecond);
    writer.open_scope("top");
    const WaveVar bus = writer.add_wire("bus", 32);
    writer.begin(0);
    try {
      for (std::uint64_t time = 1; time < 1'000'000; ++time) {
        writer.set_time(time);
        writer.set(bus, time);
        reached = time;
      }
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_NO_THROW(writer.close(2'000'000));  // said once is enough
  }
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_THAT(message, HasSubstr("complete and readable"));
  const auto file = read_vcd(folder / "a.vcd");  // refuses half a line
  EXPECT_GT(std::filesystem::file_size(folder / "a.vcd"), kDiskBytes / 2);
  EXPECT_LE(file.end, reached);
  EXPECT_EQ(file["top.bus[31:0]"].number_at(file.end), file.end);  // the last instant is complete
}

TEST(MakeWaveWriter, the_ending_chooses_the_format) {
  const TempDir folder;
  EXPECT_NE(dynamic_cast<VcdWriter*>(make_wave_writer(folder / "a.VCD", TimeUnit::kNanosecond).get()), nullptr);
  try {
    make_wave_writer("run.wave", TimeUnit::kNanosecond);
    FAIL() << "an unknown ending was taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "waves.file: 'run.wave' has the ending '.wave', which chooses the format; known: .vcd, .fst");
  }
}

}  // namespace
}  // namespace weft::waves
