// SPDX-License-Identifier: Apache-2.0
// Claims of directories by several at the same time. Locks belong to open files, so threads stand for processes here.
#include "cli/directory_claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "tests/support/temp_dir.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::TempDir;
using weft::test::write_text;

namespace fs = std::filesystem;

/// A test in an empty folder, which is the current one.
class DirectoryClaims : public testing::Test {
 protected:
  void SetUp() override { fs::current_path(dir_.path()); }
  void TearDown() override { fs::current_path("/"); }
  TempDir dir_;
};

TEST_F(DirectoryClaims, claims_at_the_same_time_get_directories_of_their_own) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 100;
  std::atomic<int> ready{0};
  std::mutex mutex;
  std::set<fs::path> claimed;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 1; round <= kRounds; ++round) {
        ++ready;
        while (ready < round * kThreads) std::this_thread::yield();
        const DirectoryClaim claim = DirectoryClaim::of("", "demo" + std::to_string(round));
        const std::lock_guard<std::mutex> lock(mutex);
        claimed.insert(claim.path());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(claimed.size(), static_cast<std::size_t>(kThreads) * kRounds);
  EXPECT_EQ(claimed.count("results/demo1-1"), 1U);
  EXPECT_EQ(claimed.count("results/demo100-4"), 1U);
}

TEST_F(DirectoryClaims, names_become_one_directory) {
  EXPECT_EQ(DirectoryClaim::of("", "a/../b\xff").path(), "results/a_.._b\\xff-1");
  EXPECT_EQ(DirectoryClaim::of("o/p/", "x").path(), "o/p");
}

TEST_F(DirectoryClaims, a_claimed_directory_bad) {
  {
    const DirectoryClaim claim("o");
    try {
      const DirectoryClaim second("o");
      FAIL() << "two have claimed it";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("--out o: another run or sweep (process " + std::to_string(getpid()) + ")"));
    }
  }
  EXPECT_FALSE(fs::exists("o/.lock"));
  const DirectoryClaim again("o");
}

// What a killed process leaves is a file without a lock.
TEST_F(DirectoryClaims, the_file_of_a_killed_process_claims_nothing) {
  fs::create_directory("o");
  write_text("o/.lock", "4711");
  const DirectoryClaim claim("o");
  EXPECT_TRUE(fs::exists("o/.lock"));
}

TEST_F(DirectoryClaims, a_link_in_the_place_of_the_lock_bad) {
  fs::create_directory("o");
  write_text("victim", "mine");
  fs::create_symlink("../victim", "o/.lock");
  EXPECT_THROW(DirectoryClaim("o"), InputError);
  EXPECT_EQ(weft::test::read_text("victim"), "mine");
}

TEST_F(DirectoryClaims, a_file_in_the_place_of_the_directory_bad) {
  write_text("f", "");
  EXPECT_THROW(DirectoryClaim("f"), InputError);
  EXPECT_THROW(DirectoryClaim("f/o"), InputError);
}

TEST_F(DirectoryClaims, only_what_the_claim_has_made_is_given_up) {
  DirectoryClaim claim = DirectoryClaim::of("", "demo");
  write_text(claim.path() / "x", "");
  fs::create_directory("results/other");  // another run's, which came later
  claim.abandon();
  EXPECT_FALSE(fs::exists("results/demo-1"));
  EXPECT_TRUE(fs::exists("results/other"));
  fs::remove_all("results");
  DirectoryClaim last = DirectoryClaim::of("", "demo");
  last.abandon();
  EXPECT_FALSE(fs::exists("results"));
  fs::create_directory("there");
  write_text("there/mine", "");
  DirectoryClaim there("there");
  there.abandon();
  EXPECT_TRUE(fs::exists("there/mine"));
}

}  // namespace
}  // namespace weft::cli
