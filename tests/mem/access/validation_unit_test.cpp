// SPDX-License-Identifier: Apache-2.0
// The validation unit by hand: times, refusals in the log, ends of grants, debug accesses and pointers.
#include "mem/access/validation_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/mem/access/pages.h"
#include "tests/mem/support/chi_square.h"

namespace weft::mem {
namespace {

using test::kPage;
using test::pages;
using testing::HasSubstr;

constexpr Initiator kAnn = 0;
constexpr Initiator kBob = 1;

ValidationSpec plain() {
  ValidationSpec spec;
  spec.check_cycles = 2;
  spec.miss_cycles = 30;
  return spec;
}

/// 64 pages, all Ann's.
ValidationUnit anns(const ValidationSpec& spec) {
  ValidationUnit unit(spec, GrantTable(kPage, {{"pool", pages(0, 64)}}));
  unit.claim(kAnn, pages(0, 64));
  return unit;
}

Request request(Initiator who, Command command, std::uint64_t address, std::uint64_t bytes) {
  Request made;
  made.initiator = who;
  made.command = command;
  made.address = address;
  made.bytes = bytes;
  return made;
}

Request read(Initiator who, std::uint64_t address, std::uint64_t bytes = 64) {
  return request(who, Command::kRead, address, bytes);
}

/// An access that finishes at once.
Verdict quick(ValidationUnit& unit, const Request& access, Cycle now) {
  const Verdict verdict = unit.judge(access, now);
  if (verdict.allowed) unit.finished(access, now);
  return verdict;
}

TEST(ValidationUnit, a_miss_costs_a_walk_and_a_hit_only_the_check) {
  ValidationUnit unit = anns(plain());
  EXPECT_EQ(quick(unit, read(kAnn, 0), 100).latency, 2 + 30U);
  EXPECT_EQ(quick(unit, read(kAnn, 64), 200).latency, 2U);
  EXPECT_EQ(quick(unit, read(kAnn, kPage - 1), 300).latency, 2 + 30U);      // page 1 is new
  EXPECT_EQ(quick(unit, read(kAnn, 4 * kPage - 1), 400).latency, 2 + 60U);  // pages 3 and 4 are
  EXPECT_EQ(unit.cache().hits(), 2U);
  EXPECT_EQ(unit.cache().misses(), 4U);
}

TEST(ValidationUnit, walks_wait_for_one_another) {
  ValidationSpec spec = plain();
  spec.walkers = 2;
  ValidationUnit unit = anns(spec);
  EXPECT_EQ(quick(unit, read(kAnn, 0), 100).latency, 32U);
  EXPECT_EQ(quick(unit, read(kAnn, kPage), 110).latency, 32U);
  EXPECT_EQ(quick(unit, read(kAnn, 2 * kPage), 110).latency, 22 + 30U);  // the first walker is free at 132
  EXPECT_EQ(quick(unit, read(kAnn, 3 * kPage), 110).latency, 32 + 30U);  // the second at 142
}

TEST(ValidationUnit, refusals_are_counted_and_logged_and_cost_their_check) {
  ValidationUnit unit = anns(plain());
  const Verdict first = unit.judge(request(kBob, Command::kWrite, 0x2010, 16), 77);
  EXPECT_FALSE(first.allowed);
  EXPECT_EQ(first.reason, Reason::kNotGranted);
  EXPECT_EQ(first.text, "initiator 1 may not write 16 bytes at 0x2010: no grant for the page");
  EXPECT_EQ(first.latency, 32U);
  unit.judge(read(kBob, 64 * kPage - 1, 2), 90);
  ASSERT_EQ(unit.log().size(), 2U);
  EXPECT_EQ(unit.log()[0].at, 77U);
  EXPECT_EQ(unit.log()[0].initiator, kBob);
  EXPECT_EQ(unit.log()[0].command, Command::kWrite);
  EXPECT_EQ(unit.log()[0].address, 0x2010U);
  EXPECT_EQ(unit.log()[0].denial, Denial::kNoGrant);
  EXPECT_EQ(unit.log()[1].denial, Denial::kOutside);
  EXPECT_EQ(unit.refused(kBob, Denial::kNoGrant), 1U);
  EXPECT_EQ(unit.refused(kAnn, Denial::kNoGrant), 0U);
  EXPECT_EQ(unit.counters().refused, 2U);
  EXPECT_EQ(unit.in_flight(), 0U);
}

TEST(ValidationUnit, the_log_ends_but_counting_does_not) {
  ValidationSpec spec = plain();
  spec.log_entries = 3;
  ValidationUnit unit = anns(spec);
  for (Cycle now = 0; now < 10; ++now) unit.judge(read(kBob, 0), now);
  EXPECT_EQ(unit.log().size(), 3U);
  EXPECT_EQ(unit.refused(kBob, Denial::kNoGrant), 10U);
}

TEST(ValidationUnit, cached_answers_end_with_the_grant) {
  ValidationUnit unit = anns(plain());
  unit.grant(kAnn, kBob, pages(3, 1), kMayReadAndWrite);
  EXPECT_TRUE(quick(unit, read(kBob, 3 * kPage), 0).allowed);
  ASSERT_EQ(unit.revoke(kAnn, kBob, pages(3, 1), kMayReadAndWrite, nullptr), Denial::kNone);
  const Verdict after = unit.judge(read(kBob, 3 * kPage), 10);
  EXPECT_FALSE(after.allowed);
  EXPECT_THAT(after.text, HasSubstr("was revoked"));
  unit.grant(kAnn, kBob, pages(3, 1), kMayRead);
  EXPECT_TRUE(quick(unit, read(kBob, 3 * kPage), 20).allowed);
}

TEST(ValidationUnit, revoke_is_done_when_earlier_accesses_have_finished) {
  ValidationUnit unit = anns(plain());
  unit.grant(kAnn, kBob, pages(0, 4), kMayRead);
  const Request first = read(kBob, 0);
  const Request second = read(kBob, kPage);
  const Request elsewhere = read(kBob, 3 * kPage);
  const Request anns_own = read(kAnn, 0);
  for (const Request* access : {&first, &second, &elsewhere, &anns_own}) ASSERT_TRUE(unit.judge(*access, 5).allowed);
  std::vector<AddressRange> invalidated;
  unit.on_dmi_invalidation([&](AddressRange range) { invalidated.push_back(range); });
  bool done = false;
  ASSERT_EQ(unit.revoke(kAnn, kBob, pages(0, 2), kMayRead, [&] { done = true; }), Denial::kNone);
  ASSERT_EQ(invalidated.size(), 1U);
  EXPECT_EQ(invalidated[0].first, 0U);
  EXPECT_EQ(invalidated[0].bytes, 2 * kPage);
  unit.finished(elsewhere, 6);
  unit.finished(second, 7);
  EXPECT_FALSE(done);
  // Granted again in between: what is accepted now is not waited for.
  unit.grant(kAnn, kBob, pages(0, 2), kMayRead);
  const Request later = read(kBob, 0);
  ASSERT_TRUE(unit.judge(later, 8).allowed);
  unit.finished(first, 9);
  EXPECT_TRUE(done);
  EXPECT_EQ(unit.in_flight(), 2U);
}

TEST(ValidationUnit, revoke_without_accesses_under_way_is_done_at_once) {
  ValidationUnit unit = anns(plain());
  unit.grant(kAnn, kBob, pages(0, 4), kMayRead);
  bool done = false;
  unit.revoke(kAnn, kBob, pages(0, 2), kMayRead, [&] { done = true; });
  EXPECT_TRUE(done);
  done = false;
  EXPECT_EQ(unit.revoke(kBob, kAnn, pages(0, 2), kMayRead, [&] { done = true; }), Denial::kNotOwner);
  EXPECT_FALSE(done);
}

TEST(ValidationUnit, releasing_waits_for_everybody) {
  ValidationUnit unit = anns(plain());
  unit.share(kAnn, pages(0, 1), kMayRead);
  const Request bobs = read(kBob, 0);
  const Request anns_own = read(kAnn, 0);
  unit.judge(bobs, 0);
  unit.judge(anns_own, 0);
  bool done = false;
  unit.release(kAnn, pages(0, 1), [&] { done = true; });
  unit.finished(bobs, 1);
  EXPECT_FALSE(done);
  unit.finished(anns_own, 1);
  EXPECT_TRUE(done);
}

TEST(ValidationUnit, protection_delays_writes_before_and_reads_after_the_memory) {
  ValidationSpec spec = plain();
  spec.miss_cycles = 0;
  spec.protection.encryption_cycles = 20;
  spec.protection.integrity_cycles = 10;
  spec.protection.tag_bytes = 8;
  ValidationUnit unit = anns(spec);
  const Verdict reading = quick(unit, read(kAnn, 0, 128), 100);
  EXPECT_EQ(reading.latency, 2U);
  EXPECT_EQ(reading.return_latency, 31U);  // two lines
  EXPECT_EQ(reading.moved_from, 0U);
  EXPECT_EQ(reading.moved_bytes, 128 + 16U);
  const Verdict at_the_end = quick(unit, read(kAnn, 64 * kPage - 64), 150);
  EXPECT_EQ(at_the_end.moved_from, 64 * kPage - 72);
  const Verdict writing = quick(unit, request(kAnn, Command::kWrite, 0, 64), 200);
  EXPECT_EQ(writing.latency, 32U);
  EXPECT_EQ(writing.return_latency, 0U);
  EXPECT_EQ(unit.counters().asked_bytes, 256U);
  EXPECT_EQ(unit.counters().moved_bytes, 128 + 16 + 2 * (64 + 8U));
}

TEST(ValidationUnit, debug_accesses_obey_grants_unless_all_are_allowed) {
  ValidationSpec spec = plain();
  ValidationUnit strict = anns(spec);
  EXPECT_TRUE(strict.judge_debug(read(kAnn, 0)).allowed);
  EXPECT_FALSE(strict.judge_debug(read(kBob, 0)).allowed);
  EXPECT_EQ(strict.counters().refused, 0U);
  spec.debug_all = true;
  ValidationUnit open = anns(spec);
  EXPECT_TRUE(open.judge_debug(read(kBob, kPage)).allowed);
  EXPECT_EQ(open.judge_debug(read(kBob, kPage)).physical, kPage);
  EXPECT_FALSE(open.judge_debug(read(kBob, 64 * kPage)).allowed);
}

TEST(ValidationUnit, pointers_cover_granted_pages_only_and_need_all_protection_off) {
  ValidationSpec spec = plain();
  spec.dmi = true;
  ValidationUnit unit = anns(spec);
  unit.grant(kAnn, kBob, pages(3, 2), kMayReadAndWrite);
  unit.grant(kAnn, kBob, pages(5, 1), kMayRead);
  const DmiRange both = unit.dmi_range(read(kBob, 3 * kPage + 8));
  EXPECT_TRUE(both.can_read && both.can_write);
  EXPECT_EQ(both.first, 3 * kPage);
  EXPECT_EQ(both.last, 5 * kPage - 1);
  EXPECT_EQ(both.physical, 3 * kPage);
  const DmiRange reading = unit.dmi_range(read(kBob, 5 * kPage));
  EXPECT_TRUE(reading.can_read && !reading.can_write);
  EXPECT_EQ(reading.last, 6 * kPage - 1);
  const auto gives_none = [](ValidationUnit& access_check, std::uint64_t address) {
    const DmiRange range = access_check.dmi_range(read(kBob, address));
    return !range.can_read && !range.can_write;
  };
  EXPECT_TRUE(gives_none(unit, 2 * kPage));
  EXPECT_TRUE(gives_none(unit, 64 * kPage));
  ValidationSpec off = spec;
  off.dmi = false;
  ValidationSpec encrypted = spec;
  encrypted.protection.encryption_cycles = 1;
  ValidationSpec hidden = spec;
  hidden.oblivious.blocks = 1;
  for (const ValidationSpec& other : {off, encrypted, hidden}) {
    ValidationUnit none = anns(other);
    none.share(kAnn, pages(0, 64), kMayReadAndWrite);
    EXPECT_TRUE(gives_none(none, 0));
  }
}

ValidationSpec oblivious(std::uint64_t block_bytes, std::uint64_t stash) {
  ValidationSpec spec = plain();
  spec.miss_cycles = 0;
  spec.check_cycles = 0;
  spec.oblivious.blocks = 1;  // on; computed
  spec.oblivious.block_bytes = block_bytes;
  spec.oblivious.stash_blocks = stash;
  spec.oblivious.bytes_per_cycle = 32;
  return spec;
}

TEST(ValidationUnit, oblivious_accesses_are_padded_and_pay_for_their_shuffle) {
  ValidationUnit unit = anns(oblivious(1024, 4));  // 256 blocks, 260 slots
  EXPECT_EQ(unit.physical_size(), 260 * 1024U);
  std::vector<std::uint64_t> seen;
  unit.on_seen([&](std::uint64_t address) { seen.push_back(address); });
  const Verdict small = quick(unit, read(kAnn, 1024 + 100, 8), 0);
  EXPECT_EQ(small.physical, 1024 + 100U);
  EXPECT_EQ(small.moved_from, seen[0]);
  EXPECT_EQ(small.moved_from % 1024, 0U);
  EXPECT_EQ(small.moved_bytes, 1024U);
  EXPECT_EQ(unit.counters().moved_bytes, 1024U);
  const Verdict two = quick(unit, read(kAnn, 1000, 100), 0);  // blocks 0 and 1
  EXPECT_EQ(two.latency, 0U);
  EXPECT_EQ(two.moved_bytes, 2048U);
  EXPECT_EQ(unit.counters().moved_bytes, 3 * 1024U);
  EXPECT_EQ(seen.size(), 3U);
  quick(unit, read(kAnn, 0, 8), 0);
  // Four accesses are over: 2 x 260 blocks of 1024 bytes at 32 bytes per cycle.
  EXPECT_EQ(quick(unit, read(kAnn, 0, 8), 0).latency, 2 * 260 * 1024 / 32U);
  // What comes meanwhile waits for the end of the shuffle, what comes later does not.
  EXPECT_EQ(quick(unit, read(kAnn, 0, 8), 10).latency, 2 * 260 * 1024 / 32 - 10U);
  EXPECT_EQ(quick(unit, read(kAnn, 0, 8), 20000).latency, 0U);
  EXPECT_EQ(unit.counters().shuffles, 1U);
  EXPECT_EQ(unit.counters().moved_bytes, (7 + 2 * 260) * 1024U);
}

std::vector<std::uint64_t> bins_seen(ValidationUnit& unit, const std::function<std::uint64_t(std::uint64_t)>& address) {
  std::vector<std::uint64_t> bins(64, 0);
  unit.on_seen([&](std::uint64_t seen) { ++bins[seen * 64 / unit.physical_size()]; });
  for (std::uint64_t i = 0; i < 50000; ++i) quick(unit, read(kAnn, address(i), 32), i);
  return bins;
}

TEST(ValidationUnit, addresses_at_the_memory_pass_chi_square_in_oblivious_mode_only) {
  const auto constant = [](std::uint64_t) { return std::uint64_t{0x5120}; };
  const auto strided = [](std::uint64_t i) { return i * 2048 % (16 * kPage); };
  for (const std::function<std::uint64_t(std::uint64_t)>& address :
       {std::function<std::uint64_t(std::uint64_t)>(constant), std::function<std::uint64_t(std::uint64_t)>(strided)}) {
    ValidationUnit hidden = anns(oblivious(64, 64));  // 4096 blocks
    EXPECT_GT(test::uniform_p_value(bins_seen(hidden, address)), 0.001);
    ValidationUnit open = anns(plain());
    EXPECT_LT(test::uniform_p_value(bins_seen(open, address)), 1e-9);
  }
}

void expect_refused(const ValidationSpec& spec, const std::string& word) {
  try {
    anns(spec);
    FAIL() << "accepted; expected an error with " << word;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

TEST(ValidationUnit, impossible_units_bad) {
  ValidationSpec spec = plain();
  spec.protection.encryption_cycles = 1;
  spec.protection.line_bytes = 8192;
  expect_refused(spec, "larger than pages");
  spec = plain();
  spec.walkers = 0;
  expect_refused(spec, "0 walkers");
  spec = oblivious(512 * 1024, 4);
  expect_refused(spec, "do not divide a memory of 262144 bytes");
}

}  // namespace
}  // namespace weft::mem
