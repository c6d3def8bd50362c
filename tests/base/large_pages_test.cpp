// SPDX-License-Identifier: Apache-2.0
// Whether what is allocated behind grow_heap_on_large_pages() lies where large pages are asked for, by what the kernel
// says.
#include "base/large_pages.h"

#include <gtest/gtest.h>

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

/// Returns whether the kernel has large pages. Sanitizers have a heap of their own, which stays as it is.
bool has_large_pages() {
#ifdef WEFT_SANITIZED
  return false;
#else
  return std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled");
#endif
}

/// Returns how many pages of this process are in memory, from proc_pid_statm(5).
long resident_pages() {
  std::ifstream numbers("/proc/self/statm");
  long size = 0;
  long resident = 0;
  numbers >> size >> resident;
  return resident;
}

TEST(LargePages, small_blocks_lie_on_them_and_the_heap_does_not_shrink_again) {
  const std::unique_ptr<char[]> before(new char[1000]);
  ASSERT_FALSE(asks_for_large_pages(before.get()));
  constexpr long kPages = 16'384;  // 64 MiB in small pages
  const long resident = resident_pages();
  grow_heap_on_large_pages(std::size_t{64} << 20);
  EXPECT_LT(resident_pages(), resident + kPages / 2) << "address space takes no memory until it is written";
  // The heap may have free places from before, and the first large page begins up to 2 MiB behind its old end.
  constexpr std::size_t kBlocks = 40'000;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) blocks.emplace_back(new char[1000]);
  EXPECT_EQ(asks_for_large_pages(blocks.back().get()), has_large_pages());
  EXPECT_EQ(asks_for_large_pages(blocks[kBlocks / 2].get()), has_large_pages());
}

TEST(LargePages, a_heap_that_cannot_grow_so_far_stays_of_use) {
  grow_heap_on_large_pages(0);
  grow_heap_on_large_pages(SIZE_MAX);
  const std::vector<int> some(100'000, 7);
  EXPECT_EQ(some.back(), 7);
}

}  // namespace
}  // namespace weft
