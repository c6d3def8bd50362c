// SPDX-License-Identifier: Apache-2.0
// Folders for files that nobody keeps: gone at the end, and those of killed processes at the next one.
#include "base/scratch_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ScratchFolder, goes_with_its_files) {
  const test::TempDir cache;
  {
    const ScratchFolder one(cache.path());
    const ScratchFolder two(cache.path());
    std::ofstream(one.path() / "file") << "x";
    EXPECT_EQ(entries(cache.path()), 2U);  // the folder of a living process stays
    EXPECT_TRUE(fs::exists(one.path() / "file"));
  }
  EXPECT_EQ(entries(cache.path()), 0U);
}

TEST(ScratchFolder, takes_away_what_a_killed_process_left) {
  const test::TempDir cache;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const ScratchFolder mine(cache.path());
    std::ofstream(mine.path() / "file") << "x";
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(entries(cache.path()), 1U);
  fs::create_directory(cache / "weft-scratch-somewhere-else");  // a folder of another machine, or of nobody known
  fs::create_directory(cache / "rtl-0123");
  { const ScratchFolder next(cache.path()); }
  EXPECT_EQ(entries(cache.path()), 2U);
  EXPECT_TRUE(fs::exists(cache / "weft-scratch-somewhere-else"));
}

}  // namespace
}  // namespace weft
