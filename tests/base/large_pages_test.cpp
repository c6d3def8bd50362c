// SPDX-License-Identifier: Apache-2.0
// Whether what is allocated behind grow_heap_on_large_pages() lies where large pages are asked for, by what the kernel
// says.
#include "base/large_pages.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace weft {
namespace {

/// Returns whether large pages are asked for at an address: flag "hg" of its mapping in proc_pid_smaps(5).
bool asks_for_large_pages(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    char dash = 0;
    std::istringstream head(line);
    if (head >> std::hex >> first >> dash >> last && dash == '-') inside = first <= wanted && wanted < last;
    if (inside && line.rfind("VmFlags:", 0) == 0) return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST(LargePages, small_pieces_lie_on_them_and_the_heap_does_not_shrink_again) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer has a heap of its own";
#endif
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "the kernel has none";
  const std::unique_ptr<char[]> before(new char[1000]);
  ASSERT_FALSE(asks_for_large_pages(before.get()));
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  grow_heap_on_large_pages(kBytes);
  // The heap may have free places from before, and the first large page begins up to 2 MiB behind its old end.
  constexpr std::size_t kPieces = 40'000;
  std::vector<std::unique_ptr<char[]>> pieces;
  for (std::size_t i = 0; i < kPieces; ++i) pieces.emplace_back(new char[1000]);
  EXPECT_TRUE(asks_for_large_pages(pieces.back().get()));
  EXPECT_TRUE(asks_for_large_pages(pieces[kPieces / 2].get()));
  // Not yet written, so not yet there.
  EXPECT_LT(mallinfo2().uordblks, kBytes);
}

TEST(LargePages, a_heap_that_cannot_grow_so_far_stays_of_use) {
  grow_heap_on_large_pages(0);
  grow_heap_on_large_pages(SIZE_MAX);
  const std::vector<int> some(100'000, 7);
  EXPECT_EQ(some.back(), 7);
}

}  // namespace
}  // namespace weft
