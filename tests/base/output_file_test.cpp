// SPDX-License-Identifier: Apache-2.0
// What becomes of files, links, devices and pipes under the name of an output.
#include "base/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <future>

#include "tests/support/temp_dir.h"

namespace weft {
namespace {

using testing::HasSubstr;
using weft::test::read_text;
using weft::test::TempDir;
using weft::test::write_text;

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFile, a_regular_file_is_replaced_when_its_successor_is_complete) {
  const TempDir dir;
  write_text(dir / "f", "old");
  {
    OutputFile output(dir / "f");
    write_text(output.path(), "new");
    EXPECT_EQ(read_text(dir / "f"), "old");
    output.complete();
  }
  EXPECT_EQ(read_text(dir / "f"), "new");
  EXPECT_EQ(files_in(dir.path()), 1U);
}

TEST(OutputFile, what_is_not_complete_is_removed) {
  const TempDir dir;
  write_text(dir / "f", "old");
  {
    const OutputFile output(dir / "f");
    write_text(output.path(), "half");
  }
  EXPECT_EQ(read_text(dir / "f"), "old");
  EXPECT_EQ(files_in(dir.path()), 1U);
}

TEST(OutputFile, two_writers_of_one_file_do_not_mix) {
  const TempDir dir;
  OutputFile first(dir / "f");
  OutputFile second(dir / "f");
  EXPECT_NE(first.path(), second.path());
  write_text(first.path(), "first");
  write_text(second.path(), "second");
  first.complete();
  EXPECT_EQ(read_text(dir / "f"), "first");
  second.complete();
  EXPECT_EQ(read_text(dir / "f"), "second");
}

TEST(OutputFile, a_link_is_followed_where_the_user_has_named_it) {
  const TempDir dir;
  write_text(dir / "real", "old");
  fs::create_symlink("real", dir / "link");
  fs::create_symlink("fresh", dir / "dangling");
  write_output(dir / "link", "new");
  write_output(dir / "dangling", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_TRUE(fs::is_symlink(dir / "dangling"));
  EXPECT_EQ(read_text(dir / "real"), "new");
  EXPECT_EQ(read_text(dir / "fresh"), "new");
}

TEST(OutputFile, a_link_among_results_is_replaced) {
  const TempDir dir;
  write_text(dir / "real", "old");
  fs::create_symlink("real", dir / "link");
  write_output(dir / "link", "new", OutputLinks::kReplace);
  EXPECT_FALSE(fs::is_symlink(fs::symlink_status(dir / "link")));
  EXPECT_EQ(read_text(dir / "real"), "old");
  EXPECT_EQ(read_text(dir / "link"), "new");
}

// Links under all names that the partial file could have are passed by.
TEST(OutputFile, links_under_the_partial_name_are_not_followed) {
  const TempDir dir;
  write_text(dir / "victim", "mine");
  for (int number = 0; number < 3; ++number) {
    fs::create_symlink("victim", dir / ("f." + std::to_string(getpid()) + "-" + std::to_string(number) + ".part"));
  }
  fs::create_symlink("victim", dir / "f.part");
  write_output(dir / "f", "new");
  EXPECT_EQ(read_text(dir / "victim"), "mine");
  EXPECT_EQ(read_text(dir / "f"), "new");
}

TEST(OutputFile, a_pipe_is_written_into) {
  const TempDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return read_text(dir / "pipe"); });
  write_output(dir / "pipe", "text");
  EXPECT_EQ(reader.get(), "text");
  EXPECT_TRUE(fs::is_fifo(dir / "pipe"));
}

// Copies of /dev/null and /dev/full in the test's own folder.
TEST(OutputFile, a_device_is_written_into) {
  const TempDir dir;
  if (mknod((dir / "null").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) GTEST_SKIP() << "devices cannot be made";
  ASSERT_EQ(mknod((dir / "full").c_str(), S_IFCHR | 0600, makedev(1, 7)), 0);
  try {
    write_output(dir / "null", "text");
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << "devices cannot be opened here: " << error.what();
  }
  EXPECT_TRUE(fs::is_character_file(dir / "null"));
  EXPECT_THROW(write_output(dir / "full", "text"), std::runtime_error);
  EXPECT_TRUE(fs::is_character_file(dir / "full"));
}

TEST(OutputFile, devices_pipes_and_directories_among_results_bad) {
  const TempDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  fs::create_directory(dir / "folder");
  for (const char* name : {"pipe", "folder"}) {
    EXPECT_THROW(write_output(dir / name, "x", OutputLinks::kReplace), std::runtime_error) << name;
  }
  EXPECT_TRUE(fs::is_fifo(dir / "pipe"));
  try {
    write_output(dir / "folder", "x");
    FAIL() << "a directory was written";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("folder: cannot be written: it is a directory"));
  }
  EXPECT_THROW(write_output(dir / "none/f", "x"), std::runtime_error);
}

TEST(OutputFile, only_leftovers_of_ours_are_removed) {
  const TempDir dir;
  for (const char* name : {"a.csv.12-0.part", "b.1-23.part", "mine.part", "mine.1-x.part", "1-2.part", "c.csv"}) {
    write_text(dir / name, "");
  }
  remove_partial_outputs(dir.path());
  EXPECT_EQ(files_in(dir.path()), 4U);
  EXPECT_FALSE(fs::exists(dir / "a.csv.12-0.part"));
  EXPECT_FALSE(fs::exists(dir / "b.1-23.part"));
}

}  // namespace
}  // namespace weft
