// SPDX-License-Identifier: Apache-2.0
// The cache of grants: what stays, what goes, and that nothing is kept beyond a change.
#include "mem/access/permission_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::mem {
namespace {

constexpr PageAnswer kYes{Denial::kNone, Denial::kNone};

/// One set of two ways.
PermissionCache pair_of(const std::string& replacement) { return PermissionCache({2, 2, replacement}); }

bool has(PermissionCache& cache, Initiator who, std::uint64_t page) { return cache.find(who, page) != nullptr; }

TEST(PermissionCache, keeps_answers_by_initiator_and_page) {
  PermissionCache cache({16, 4, "lru"});
  EXPECT_EQ(cache.find(1, 7), nullptr);
  cache.fill(1, 7, {Denial::kNone, Denial::kReadOnly});
  ASSERT_NE(cache.find(1, 7), nullptr);
  EXPECT_EQ(cache.find(1, 7)->write, Denial::kReadOnly);
  EXPECT_EQ(cache.find(2, 7), nullptr);
  EXPECT_EQ(cache.find(1, 8), nullptr);
  EXPECT_EQ(cache.hits(), 2U);
  EXPECT_EQ(cache.misses(), 3U);
}

TEST(PermissionCache, lru_gives_up_what_was_used_least_recently) {
  PermissionCache cache = pair_of("lru");
  cache.fill(0, 1, kYes);
  cache.fill(0, 2, kYes);
  EXPECT_TRUE(has(cache, 0, 1));
  cache.fill(0, 3, kYes);
  EXPECT_TRUE(has(cache, 0, 1));
  EXPECT_FALSE(has(cache, 0, 2));
  EXPECT_TRUE(has(cache, 0, 3));
  cache.fill(0, 4, kYes);
  EXPECT_TRUE(has(cache, 0, 3));
  EXPECT_FALSE(has(cache, 0, 1));
}

TEST(PermissionCache, fifo_gives_up_what_came_first) {
  PermissionCache cache = pair_of("fifo");
  cache.fill(0, 1, kYes);
  cache.fill(0, 2, kYes);
  EXPECT_TRUE(has(cache, 0, 1));
  cache.fill(0, 3, kYes);
  EXPECT_FALSE(has(cache, 0, 1));
  EXPECT_TRUE(has(cache, 0, 2));
}

TEST(PermissionCache, forgets_the_pages_that_changed_for_everybody) {
  PermissionCache cache({64, 4, "lru"});
  for (Initiator who = 0; who < 3; ++who) {
    for (std::uint64_t page = 0; page < 4; ++page) cache.fill(who, page, kYes);
  }
  cache.invalidate(1, 2);
  for (Initiator who = 0; who < 3; ++who) {
    EXPECT_TRUE(has(cache, who, 0));
    EXPECT_FALSE(has(cache, who, 1));
    EXPECT_FALSE(has(cache, who, 2));
    EXPECT_TRUE(has(cache, who, 3));
  }
}

TEST(PermissionCache, a_set_with_room_gives_up_nothing) {
  PermissionCache cache = pair_of("lru");
  cache.fill(0, 1, kYes);
  cache.fill(0, 2, kYes);
  cache.invalidate(2, 2);
  cache.fill(0, 3, kYes);
  EXPECT_TRUE(has(cache, 0, 1));
  EXPECT_TRUE(has(cache, 0, 3));
}

void expect_refused(const PermissionCacheSpec& spec, const std::string& word) {
  try {
    const PermissionCache cache(spec);
    FAIL() << "accepted; expected an error with " << word;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(word));
  }
}

TEST(PermissionCache, impossible_sizes_and_names_bad) {
  expect_refused({0, 4, "lru"}, "multiple of ways");
  expect_refused({6, 4, "lru"}, "multiple of ways");
  expect_refused({12, 4, "lru"}, "3 sets; legal: a power of two");
  expect_refused({8, 4, "lur"}, "known: lru, fifo; did you mean 'lru'?");
}

}  // namespace
}  // namespace weft::mem
