// SPDX-License-Identifier: Apache-2.0
// Where tensors lie in a pool, and how large it has to be, by hand.
#include "mem/io/tensor_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mem/io/tensor_need.h"
#include "tests/support/refusal.h"

namespace weft::mem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using weft::test::refusal;

/// Two slices of 512 KiB, 6 arenas of 21 pages of 4 KiB in each: 4 ranks and 2 groups.
PoolFile pool_of_a_mebibyte() {
  PoolFile pool;
  pool.source = "pool.yaml";
  pool.size = 1 << 20;
  pool.spec.controllers = 2;
  return pool;
}
constexpr std::uint64_t kArena = 21 * 4096;

TEST(PoolLayout, slices_are_arenas_of_ranks_and_then_of_groups) {
  const PoolLayout layout(pool_of_a_mebibyte(), 4, 2);
  EXPECT_EQ(layout.slice_bytes(), 512U << 10);
  EXPECT_EQ(layout.arena_bytes(), kArena);
  EXPECT_EQ(layout.arena({false, 3}), 3 * kArena);
  EXPECT_EQ(layout.arena({true, 1}), 5 * kArena);
  EXPECT_EQ(layout.whole_pages(4097), 8192U);
  EXPECT_EQ(layout.size_for(8192), 2U * 6 * 8192);
}

TEST(PoolLayout, slices_are_whole_blocks_of_the_oblivious_mode) {
  PoolFile pool = pool_of_a_mebibyte();
  pool.size = (1 << 20) + 70'000;
  pool.access.emplace();
  pool.access->oblivious.block_bytes = 64 << 10;
  pool.access->oblivious.blocks = 16;
  ASSERT_TRUE(pool.access->oblivious.is_on());
  EXPECT_EQ(PoolLayout(pool, 4, 2).slice_bytes(), 512U << 10);  // 35000 bytes are no block of 64 KiB
}

TEST(PoolLayout, a_pool_without_a_page_for_each_bad) {
  PoolFile pool = pool_of_a_mebibyte();
  pool.size = 40'960;
  EXPECT_THAT(refusal([&pool] { PoolLayout(pool, 4, 2); }),
              HasSubstr("pool.yaml: size: 40960 bytes have no page of 4096 for each of 6 ranks and process groups at 2 "
                        "controllers; legal: 49152 bytes and more"));
}

TEST(TensorAllocator, tensors_of_one_name_and_size_lie_in_one_place) {
  const PoolLayout layout(pool_of_a_mebibyte(), 4, 2);
  TensorAllocator allocator(layout);
  allocator.open({false, false, 1, 0, 0, 0}, {false, 1}, "w", 10'000, 5'000);
  allocator.open({true, false, 1, 0, 0, 0}, {false, 1}, "v", 10'000, 5'000);
  allocator.open({false, false, 1, 1, 0, 0}, {false, 1}, "w", 10'000, 5'000);
  allocator.open({false, false, 1, 2, 0, 0}, {false, 1}, "w", 9'999, 5'000);
  allocator.open({false, true, 1, 0, 0, 0}, {true, 1}, "w", 10'000, 5'000);
  std::vector<std::uint64_t> offsets;
  for (const PoolOpening& opening : allocator.take_opened()) {
    offsets.push_back(opening.offset);
    EXPECT_EQ(opening.bytes, 8192U);
  }
  EXPECT_THAT(offsets, ElementsAre(kArena, kArena + 8192, kArena, kArena + 16'384, 5 * kArena));
  EXPECT_THAT(allocator.take_opened(), IsEmpty());
}

TEST(TensorAllocator, a_full_arena_bad) {
  const PoolLayout layout(pool_of_a_mebibyte(), 4, 2);
  TensorAllocator allocator(layout);
  allocator.open({}, {false, 1}, "w", 1, kArena - 4096);
  allocator.open({}, {false, 1}, "v", 1, 4096);
  EXPECT_THAT(refusal([&allocator] {
                allocator.open({}, {false, 1}, "u", 1, 1);
              }),
              HasSubstr("'u' needs 4096 bytes of the pool at each I/O controller, and of its rank's 86016 there are 0 "
                        "left"));
}

// 25 packets of 100000 bytes go round two controllers: the first has 13 of them, 13 pages.
TEST(TensorNeed, two_tensors_do_not_fit_where_one_does_bad) {
  TensorNeed need(pool_of_a_mebibyte(), 4, {"a", "b"}, {2, 65'536, 4096});
  need.add({false, 3}, "m", 100'000);
  need.add({false, 3}, "m", 100'000);
  need.add({true, 0}, "m", 100'000);
  EXPECT_EQ(refusal([&need] { need.check(); }), "nothing was refused");
  need.add({false, 3}, "n", 100'000);
  static_assert(2 * 6 * 26 * 4096 == 1248 * 1024);
  EXPECT_THAT(refusal([&need] { need.check(); }),
              AllOf(HasSubstr("1 MiB give each rank and process group 84 KiB at each I/O controller"),
                    HasSubstr("rank 3 needs 104 KiB for the tensors of the trace; legal: 1248 KiB and more")));
}

TEST(TensorNeed, grants_that_decide_nothing_are_told) {
  PoolFile pool = pool_of_a_mebibyte();
  pool.grants.resize(3);
  pool.grants[0].tensor = "n0";
  pool.grants[1].group = "b";
  pool.grants[2].group = "b";
  TensorNeed need(pool, 4, {"a", "b"}, {2, 65'536, 4096});
  need.add({true, 1}, "m0", 64);
  EXPECT_THAT(need.warnings(),
              ElementsAre(HasSubstr("grants[0] means no load or store of the trace; there are 'm0'"),
                          HasSubstr("grants[2] decides nothing: grants before it mean all that it means")));
}

}  // namespace
}  // namespace weft::mem
