// SPDX-License-Identifier: Apache-2.0
// Grants page by page: who may do what, and every reason of a refusal.
#include "mem/access/grant_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <limits>

#include "base/error.h"
#include "tests/mem/access/pages.h"
#include "tests/mem/access/plain_grants.h"

namespace weft::mem {
namespace {

using test::kPage;
using test::pages;
using testing::HasSubstr;

constexpr Initiator kAnn = 3;
constexpr Initiator kBob = 5;
constexpr Initiator kEve = 9;

GrantTable sixteen_pages() { return {kPage, {{"pool", pages(0, 16)}}}; }

TEST(GrantTable, nobody_may_do_anything_at_first) {
  const GrantTable table = sixteen_pages();
  EXPECT_EQ(table.judge(kAnn, false, 0, 1), Denial::kNoGrant);
  EXPECT_EQ(table.judge(kAnn, true, 5 * kPage, kPage), Denial::kNoGrant);
  EXPECT_FALSE(table.owner(0));
}

TEST(GrantTable, owner_readers_and_writers) {
  GrantTable table = sixteen_pages();
  ASSERT_EQ(table.claim(kAnn, pages(2, 4)), Denial::kNone);
  EXPECT_EQ(table.owner(5 * kPage), kAnn);
  EXPECT_EQ(table.judge(kAnn, true, 2 * kPage, 4 * kPage), Denial::kNone);
  ASSERT_EQ(table.grant(kAnn, kBob, pages(3, 1), kMayRead), Denial::kNone);
  EXPECT_EQ(table.judge(kBob, false, 3 * kPage + 7, 100), Denial::kNone);
  EXPECT_EQ(table.judge(kBob, true, 3 * kPage + 7, 100), Denial::kReadOnly);
  ASSERT_EQ(table.grant(kAnn, kEve, pages(3, 1), Rights{false, true}), Denial::kNone);
  EXPECT_EQ(table.judge(kEve, true, 3 * kPage, 8), Denial::kNone);
  EXPECT_EQ(table.judge(kEve, false, 3 * kPage, 8), Denial::kWriteOnly);
}

TEST(GrantTable, an_access_needs_every_page_that_it_touches) {
  GrantTable table = sixteen_pages();
  table.claim(kAnn, pages(0, 16));
  table.grant(kAnn, kBob, pages(4, 2), kMayRead);
  EXPECT_EQ(table.judge(kBob, false, 4 * kPage, 2 * kPage), Denial::kNone);
  EXPECT_EQ(table.judge(kBob, false, 4 * kPage, 2 * kPage + 1), Denial::kStraddles);
  EXPECT_EQ(table.judge(kBob, false, 4 * kPage - 1, 2), Denial::kStraddles);
  EXPECT_EQ(table.judge(kBob, false, 3 * kPage, 4 * kPage), Denial::kStraddles);
  EXPECT_EQ(table.judge(kBob, true, 4 * kPage, 2 * kPage), Denial::kReadOnly);
  EXPECT_EQ(table.judge(kBob, false, 7 * kPage, 2 * kPage), Denial::kNoGrant);
}

TEST(GrantTable, what_is_outside_or_wraps_around_is_refused) {
  GrantTable table(kPage, {{"low", pages(1, 2)}, {"high", {~std::uint64_t{0} - kPage + 1, kPage}}});
  table.claim(kAnn, pages(1, 2));
  ASSERT_EQ(table.claim(kAnn, {~std::uint64_t{0} - kPage + 1, kPage}), Denial::kNone);
  EXPECT_EQ(table.judge(kAnn, false, 0, 1), Denial::kOutside);
  EXPECT_EQ(table.judge(kAnn, false, kPage - 1, 2), Denial::kOutside);
  EXPECT_EQ(table.judge(kAnn, false, 3 * kPage - 1, 1), Denial::kNone);
  EXPECT_EQ(table.judge(kAnn, false, 3 * kPage - 1, 2), Denial::kOutside);
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(table.judge(kAnn, true, top, 1), Denial::kNone);
  EXPECT_EQ(table.judge(kAnn, true, top, 2), Denial::kWrapsAround);
  EXPECT_EQ(table.judge(kAnn, true, kPage, top), Denial::kWrapsAround);
  EXPECT_EQ(table.granted_around(kAnn, top - 5, kMayReadAndWrite).first, top - kPage + 1);
  EXPECT_EQ(table.granted_around(kAnn, top - 5, kMayReadAndWrite).bytes, kPage);
}

TEST(GrantTable, use_after_revoke_says_so) {
  GrantTable table = sixteen_pages();
  table.claim(kAnn, pages(0, 8));
  table.grant(kAnn, kBob, pages(0, 8), kMayReadAndWrite);
  ASSERT_EQ(table.revoke(kAnn, kBob, pages(2, 1), Rights{false, true}), Denial::kNone);
  EXPECT_EQ(table.judge(kBob, true, 2 * kPage, 8), Denial::kReadOnly);
  ASSERT_EQ(table.revoke(kAnn, kBob, pages(2, 1), kMayRead), Denial::kNone);
  EXPECT_EQ(table.judge(kBob, false, 2 * kPage, 8), Denial::kRevoked);
  EXPECT_EQ(table.judge(kBob, false, kPage, 8), Denial::kNone);
  EXPECT_EQ(table.judge(kEve, false, 2 * kPage, 8), Denial::kNoGrant);
  table.grant(kAnn, kBob, pages(2, 1), kMayRead);
  EXPECT_EQ(table.judge(kBob, false, 2 * kPage, 8), Denial::kNone);
}

TEST(GrantTable, shares_hold_for_everybody_until_they_end) {
  GrantTable table = sixteen_pages();
  table.claim(kAnn, pages(0, 2));
  ASSERT_EQ(table.share(kAnn, pages(0, 2), kMayRead), Denial::kNone);
  EXPECT_EQ(table.judge(kEve, false, 0, 2 * kPage), Denial::kNone);
  EXPECT_EQ(table.judge(kEve, true, 0, 1), Denial::kReadOnly);
  table.grant(kAnn, kBob, pages(0, 1), kMayRead);
  ASSERT_EQ(table.unshare(kAnn, pages(0, 2), kMayRead), Denial::kNone);
  EXPECT_EQ(table.judge(kEve, false, 0, 1), Denial::kRevoked);
  EXPECT_EQ(table.judge(kBob, false, 0, 1), Denial::kNone);
}

TEST(GrantTable, releasing_ends_all_rights) {
  GrantTable table = sixteen_pages();
  table.claim(kAnn, pages(0, 2));
  table.grant(kAnn, kBob, pages(0, 2), kMayReadAndWrite);
  ASSERT_EQ(table.release(kAnn, pages(0, 1)), Denial::kNone);
  EXPECT_EQ(table.judge(kAnn, false, 0, 1), Denial::kRevoked);
  EXPECT_EQ(table.judge(kBob, true, 0, 1), Denial::kRevoked);
  EXPECT_EQ(table.judge(kBob, true, kPage, 1), Denial::kNone);
  EXPECT_EQ(table.claim(kEve, pages(0, 1)), Denial::kNone);
}

TEST(GrantTable, refused_changes_change_nothing) {
  GrantTable table = sixteen_pages();
  table.claim(kAnn, pages(0, 4));
  EXPECT_EQ(table.claim(kBob, pages(3, 2)), Denial::kOwned);
  EXPECT_FALSE(table.owner(4 * kPage));
  EXPECT_EQ(table.grant(kBob, kBob, pages(0, 1), kMayRead), Denial::kNotOwner);
  EXPECT_EQ(table.grant(kAnn, kBob, pages(3, 2), kMayRead), Denial::kNotOwner);
  EXPECT_EQ(table.judge(kBob, false, 3 * kPage, 1), Denial::kNoGrant);
  EXPECT_EQ(table.revoke(kManager, kAnn, pages(0, 1), kMayRead), Denial::kOwned);
  EXPECT_EQ(table.grant(kAnn, kBob, {1, kPage}, kMayRead), Denial::kUnaligned);
  EXPECT_EQ(table.grant(kAnn, kBob, {0, kPage + 1}, kMayRead), Denial::kUnaligned);
  EXPECT_EQ(table.grant(kAnn, kBob, pages(15, 2), kMayRead), Denial::kOutside);
  EXPECT_EQ(table.grant(kAnn, kBob, {0, 0}, kMayRead), Denial::kWrapsAround);
  EXPECT_EQ(table.grant(kManager, kBob, pages(0, 1), kMayRead), Denial::kNone);
}

TEST(GrantTable, equal_neighbours_are_one_run) {
  GrantTable table = sixteen_pages();
  table.claim(kAnn, pages(0, 16));
  const std::size_t plain = table.runs();
  for (std::uint64_t page = 0; page < 16; ++page) table.grant(kAnn, kBob, pages(page, 1), kMayRead);
  EXPECT_EQ(table.runs(), plain);
  table.revoke(kAnn, kBob, pages(7, 1), kMayRead);
  EXPECT_EQ(table.runs(), plain + 2);
}

TEST(GrantTable, regions_lie_one_after_the_other_in_the_memory) {
  const GrantTable table(kPage, {{"high", pages(100, 4)}, {"low", pages(10, 2)}});
  EXPECT_EQ(table.physical(10 * kPage), 0U);
  EXPECT_EQ(table.physical(11 * kPage + 5), kPage + 5);
  EXPECT_EQ(table.physical(100 * kPage), 2 * kPage);
  EXPECT_EQ(table.size(), 6 * kPage);
}

TEST(GrantTable, granted_range_ends_at_the_first_page_without_the_right_and_at_the_region) {
  GrantTable table(kPage, {{"a", pages(0, 8)}, {"b", pages(8, 8)}});
  table.claim(kAnn, pages(0, 8));
  table.claim(kAnn, pages(8, 8));
  table.grant(kAnn, kBob, pages(2, 3), kMayReadAndWrite);
  table.grant(kAnn, kBob, pages(5, 3), kMayRead);
  table.grant(kAnn, kBob, pages(8, 1), kMayRead);
  const AddressRange both = table.granted_around(kBob, 3 * kPage + 9, kMayReadAndWrite);
  EXPECT_EQ(both.first, 2 * kPage);
  EXPECT_EQ(both.bytes, 3 * kPage);
  const AddressRange reading = table.granted_around(kBob, 3 * kPage + 9, kMayRead);
  EXPECT_EQ(reading.first, 2 * kPage);
  EXPECT_EQ(reading.bytes, 6 * kPage);
  // Pages with grants of others are as good.
  const AddressRange from_above = table.granted_around(kBob, 7 * kPage, kMayRead);
  EXPECT_EQ(from_above.first, 2 * kPage);
  EXPECT_EQ(from_above.bytes, 6 * kPage);
  EXPECT_EQ(table.granted_around(kBob, kPage, kMayRead).bytes, 0U);
  EXPECT_EQ(table.granted_around(kAnn, 0, kMayReadAndWrite).bytes, 8 * kPage);
}

void expect_refused(std::uint64_t page_bytes, std::vector<Region> regions, const std::string& word) {
  try {
    const GrantTable table(page_bytes, std::move(regions));
    FAIL() << "accepted; expected an error with " << word;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

TEST(GrantTable, impossible_regions_bad) {
  expect_refused(3000, {{"pool", {0, 6000}}}, "power of two");
  expect_refused(32, {{"pool", {0, 64}}}, "power of two from 64");
  expect_refused(kPage, {}, "at least one");
  expect_refused(kPage, {{"pool", {0, kPage + 1}}}, "whole pages of 4096 bytes");
  expect_refused(kPage, {{"pool", {100, kPage}}}, "whole pages");
  expect_refused(kPage, {{"pool", {0, 0}}}, "empty");
  expect_refused(kPage, {{"pool", {~std::uint64_t{0} - kPage + 1, 2 * kPage}}}, "end of the address space");
  expect_refused(kPage, {{"left", pages(0, 4)}, {"right", pages(3, 2)}}, "left (0x0 to 0x3fff) and region right");
}

struct Draw {
  std::size_t first;
  std::size_t count;
  Rights rights;
  Initiator by;
  Initiator who;
};

Draw draw(std::size_t pages_of_memory) {
  Draw made{};
  made.first = *rc::gen::inRange<std::size_t>(0, pages_of_memory);
  made.count = *rc::gen::inRange<std::size_t>(1, pages_of_memory - made.first + 1);
  made.rights = {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  if (!made.rights.read && !made.rights.write) made.rights.read = true;
  made.by = *rc::gen::element<Initiator>(0, 1, 2, 3, kManager);
  made.who = *rc::gen::inRange<Initiator>(0, 4);
  return made;
}

/// Does the same change to both; returns both answers.
std::pair<Denial, Denial> change_both(int kind, const Draw& at, GrantTable& table, test::PlainGrants& plain) {
  const AddressRange range = pages(at.first, at.count);
  switch (kind) {
    case 0:
      return {table.claim(at.who, range), plain.claim(at.who, at.first, at.count)};
    case 1:
      return {table.release(at.by, range), plain.release(at.by, at.first, at.count)};
    case 2:
      return {table.revoke(at.by, at.who, range, at.rights),
              plain.revoke(at.by, at.who, at.first, at.count, at.rights)};
    case 3:
      return {table.share(at.by, range, at.rights), plain.share(at.by, at.first, at.count, at.rights)};
    case 4:
      return {table.unshare(at.by, range, at.rights), plain.unshare(at.by, at.first, at.count, at.rights)};
    default:
      return {table.grant(at.by, at.who, range, at.rights), plain.grant(at.by, at.who, at.first, at.count, at.rights)};
  }
}

RC_GTEST_PROP(GrantTableLaws, agrees_with_a_list_of_pages, ()) {
  constexpr std::size_t kPages = 12;
  GrantTable table(kPage, {{"pool", pages(0, kPages)}});
  test::PlainGrants plain(kPage, kPages);
  for (int i = 0; i < 40; ++i) {
    const auto [found, expected] = change_both(*rc::gen::inRange(0, 9), draw(kPages), table, plain);
    RC_ASSERT(found == expected);
    const auto address = *rc::gen::inRange<std::uint64_t>(0, (kPages + 1) * kPage);
    const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 3 * kPage);
    for (Initiator who = 0; who < 4; ++who) {
      for (const bool is_write : {false, true})
        RC_ASSERT(table.judge(who, is_write, address, bytes) == plain.judge(who, is_write, address, bytes));
    }
  }
  RC_ASSERT(table.runs() <= kPages + 2);
}

}  // namespace
}  // namespace weft::mem
