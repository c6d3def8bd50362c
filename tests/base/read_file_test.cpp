// SPDX-License-Identifier: Apache-2.0
// Whole files with a limit: what is read, and what would never end or is no file.
#include "base/read_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "base/error.h"
#include "tests/support/temp_dir.h"

namespace weft {
namespace {

using testing::EndsWith;

/// The error of reading `path` with a limit of 100,000 bytes.
std::string error_of(const std::string& path) {
  try {
    read_file(path, 100000);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadFile, gives_all_bytes_up_to_the_limit) {
  const test::TempDir folder;
  std::string bytes(100000, 'x');
  bytes[70000] = '\0';
  test::write_text(folder / "f", bytes);
  EXPECT_EQ(read_file(folder / "f", bytes.size()), bytes);
  test::write_text(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty", 0), "");
  EXPECT_NE(read_file("/proc/self/status", 100000).find("Name:"), std::string::npos);  // its size is said to be 0
}

TEST(ReadFile, a_file_above_the_limit_bad) {
  const test::TempDir folder;
  test::write_text(folder / "f", std::string(100001, 'x'));
  EXPECT_EQ(error_of(folder / "f"),
            "cannot read '" + (folder / "f").string() + "': it is larger than such a file may be, 100000 bytes");
}

TEST(ReadFile, what_is_no_file_bad) {
  const test::TempDir folder;
  EXPECT_THAT(error_of(folder / "none"), EndsWith("none': no such file"));
  EXPECT_THAT(error_of(folder.path()), EndsWith("': it is a directory"));
  EXPECT_EQ(error_of("/dev/zero"), "cannot read '/dev/zero': it is a device, not a file");
  std::filesystem::create_symlink("/dev/zero", folder / "link");
  EXPECT_THAT(error_of(folder / "link"), EndsWith("link': it is a device, not a file"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of(folder / "pipe"), EndsWith("pipe': it is a pipe that nobody writes into"));
}

/// The writer waits before it writes: a reader must wait for it, and stop at the limit where it never ends.
TEST(ReadFile, pipes) {
  const test::TempDir folder;
  const auto from_pipe = [&](std::size_t count) {
    const std::string pipe = folder / ("pipe" + std::to_string(count));
    EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int writer = open(pipe.c_str(), O_RDWR);
    std::thread thread([writer, count] {
      usleep(50000);
      const std::string text(count, 'y');
      (void)!write(writer, text.data(), count);
      close(writer);
    });
    std::string said;
    try {
      said = read_file(pipe, 1000);
    } catch (const InputError& error) {
      said = error.what();
    }
    thread.join();
    return said;
  };
  EXPECT_EQ(from_pipe(500), std::string(500, 'y'));
  EXPECT_THAT(from_pipe(1001), EndsWith("it is larger than such a file may be, 1000 bytes"));
}

}  // namespace
}  // namespace weft
