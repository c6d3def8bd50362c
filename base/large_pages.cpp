// SPDX-License-Identifier: Apache-2.0
#include "base/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
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
/// Smaller pieces come from the heap; larger ones get a mapping of their own. The C library takes no larger bound.
constexpr int kFromHeap = 32 << 20;
constexpr std::size_t kPiece = std::size_t{64} << 10;
/// So many pieces fit at most into what the heap has free before it grows.
constexpr std::size_t kMostPieces = 1024;

std::uintptr_t end_of_heap() { return reinterpret_cast<std::uintptr_t>(sbrk(0)); }

std::size_t half_of_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 2;
}

}  // namespace

void grow_heap_on_large_pages(std::size_t bytes) {
  const std::size_t pad = std::min({bytes, kMost, half_of_memory()});
  if (pad < kLargePage || mallopt(M_TOP_PAD, static_cast<int>(pad)) == 0) return;
  mallopt(M_MMAP_THRESHOLD, kFromHeap);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);  // Else the heap shrinks again when the pieces below are freed.
  const std::uintptr_t before = end_of_heap();
  std::vector<void*> pieces;
  while (end_of_heap() == before && pieces.size() < kMostPieces) {
    pieces.push_back(std::malloc(kPiece));
    if (pieces.back() == nullptr) break;
  }
  mallopt(M_TOP_PAD, kDefaultPad);
  const std::uintptr_t first = (before + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = end_of_heap() / kLargePage * kLargePage;
  if (last > first) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the border of a page is computed
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
  for (void* piece : pieces) std::free(piece);
}

}  // namespace weft
