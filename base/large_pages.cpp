// SPDX-License-Identifier: Apache-2.0
#include "base/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kMost = std::size_t{1536} << 20;  ///< mallopt takes an int
constexpr int kDefaultPad = 128 << 10;
/// Smaller blocks come from the heap; larger ones get a mapping of their own. The C library takes no larger bound.
constexpr int kFromHeap = 32 << 20;
constexpr std::size_t kBlock = std::size_t{64} << 10;
/// A heap that has not grown behind so many blocks is taken not to grow.
constexpr std::size_t kMostBlocks = 1024;

std::uintptr_t end_of_heap() { return reinterpret_cast<std::uintptr_t>(sbrk(0)); }

std::size_t half_of_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 2;
}

bool unbounded(decltype(RLIMIT_AS) resource) {
  rlimit bound{};
  return getrlimit(resource, &bound) == 0 && bound.rlim_cur == RLIM_INFINITY;
}

}  // namespace

void grow_heap_on_large_pages(std::size_t bytes) {
  const std::size_t pad = std::min({bytes, kMost, half_of_memory()});
  if (!unbounded(RLIMIT_AS) || !unbounded(RLIMIT_DATA)) return;
  std::vector<void*> blocks;
  blocks.reserve(kMostBlocks);
  if (pad < kLargePage || mallopt(M_TOP_PAD, static_cast<int>(pad)) == 0) return;
  mallopt(M_MMAP_THRESHOLD, kFromHeap);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);  // Else the heap shrinks again when the blocks below are freed.
  const std::uintptr_t before = end_of_heap();
  while (end_of_heap() == before && blocks.size() < kMostBlocks) {
    blocks.push_back(std::malloc(kBlock));
    if (blocks.back() == nullptr) break;
  }
  mallopt(M_TOP_PAD, kDefaultPad);
  const std::uintptr_t first = (before + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = end_of_heap() / kLargePage * kLargePage;
  if (last > first) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the border of a page is computed
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
  for (void* block : blocks) std::free(block);
}

}  // namespace weft
