// SPDX-License-Identifier: Apache-2.0
// Pool files: what they say in cycles and flits, and every class of error with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "mem/pool/pool_file.h"
#include "tests/support/source.h"

namespace weft::mem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Rational kGigahertz{1'000'000'000, 1};

const std::string kSmall = R"(size: 1 GiB
flit: 64 B
controllers: {bandwidth: 128 GB/s}
modules: 4
links:
  controller: {bandwidth: 128 GB/s, latency: 40 ns, buffer: 16 KiB}
  group: {bandwidth: 512 GB/s, latency: 30 cycles}
  module: {bandwidth: 96 GB/s, latency: 10 ns}
module: {latency: 100 ns, bandwidth: 64 GB/s}
)";

std::string error_of(const std::string& text) {
  try {
    parse_pool(text, "p.yaml", kGigahertz);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PoolFile, rates_are_flits_per_cycle_and_times_cycles) {
  const PoolFile pool = parse_pool(kSmall, "p.yaml", kGigahertz);
  EXPECT_EQ(pool.size, std::uint64_t{1} << 30);
  EXPECT_FALSE(pool.has_controllers);
  EXPECT_EQ(pool.spec.controller_flits_per_cycle, (Rational{2, 1}));
  EXPECT_EQ(pool.spec.controller_link.latency, 40U);
  EXPECT_EQ(pool.spec.controller_link.buffer_flits, 256U);
  EXPECT_EQ(pool.spec.group_link.flits_per_cycle, (Rational{8, 1}));
  EXPECT_EQ(pool.spec.group_link.latency, 30U);
  EXPECT_EQ(pool.spec.module_link.flits_per_cycle, (Rational{3, 2}));
  EXPECT_EQ(pool.spec.module.latency, 100U);
  EXPECT_EQ(pool.spec.module.flits_per_cycle, (Rational{1, 1}));
  EXPECT_EQ(pool.spec.all_modules(), 4U);
  EXPECT_FALSE(pool.access.has_value());
}

TEST(PoolFile, times_follow_the_clock_and_are_rounded_up) {
  const PoolFile pool = parse_pool(kSmall, "p.yaml", {1'500'000'000, 1});
  EXPECT_EQ(pool.spec.module.latency, 150U);
  EXPECT_EQ(pool.spec.group_link.latency, 30U);                                         // given in cycles
  EXPECT_EQ(parse_pool(kSmall, "p.yaml", {999'000'000, 1}).spec.module.latency, 100U);  // 99.9
}

TEST(PoolFile, access_and_grants) {
  const PoolFile pool = parse_pool(kSmall + R"(access:
  page: 64 KiB
  check: 2 ns
  miss: 40 cycles
  walkers: 3
  cache: {entries: 64, ways: 2, replacement: fifo}
  line: 128 B
  encryption: 20 ns
  integrity: 10 ns
  tag: 16 B
  engine: 256 GB/s
  oblivious: {block: 512 B, stash: 256, shuffle: 512 GB/s, passes: 2, key: 9}
  on_refused: continue
  log: 7
grants:
  - {tensor: "w*", of: 0-3, owner: 1, readers: all, writers: [2, 4-5]}
  - {group: dp, owner: 0, readers: none}
)",
                                   "p.yaml", kGigahertz);
  ASSERT_TRUE(pool.access.has_value());
  const ValidationSpec& access = *pool.access;
  EXPECT_EQ(pool.page_bytes, 65536U);
  EXPECT_EQ(access.check_cycles, 2U);
  EXPECT_EQ(access.miss_cycles, 40U);
  EXPECT_EQ(access.walkers, 3U);
  EXPECT_EQ(access.cache.entries, 64U);
  EXPECT_EQ(access.cache.replacement, "fifo");
  EXPECT_EQ(access.protection.line_bytes, 128U);
  EXPECT_EQ(access.protection.encryption_cycles, 20U);
  EXPECT_EQ(access.protection.tag_bytes, 16U);
  EXPECT_EQ(access.protection.lines_per_cycle, (Rational{2, 1}));
  EXPECT_TRUE(access.oblivious.is_on());
  EXPECT_EQ(access.oblivious.stash_blocks, 256U);
  EXPECT_EQ(access.oblivious.bytes_per_cycle, 512U);
  EXPECT_EQ(access.oblivious.shuffle_passes, 2U);
  EXPECT_EQ(access.log_entries, 7U);
  EXPECT_EQ(pool.on_refused, OnRefused::kContinue);
  ASSERT_EQ(pool.grants.size(), 2U);
  const PoolGrant& grant = pool.grants[0];
  EXPECT_EQ(grant.owner, 1U);
  EXPECT_TRUE(contains(*grant.of, 3));
  EXPECT_FALSE(contains(*grant.of, 4));
  EXPECT_TRUE(contains(grant.readers, 1000));
  EXPECT_TRUE(contains(grant.writers, 2));
  EXPECT_FALSE(contains(grant.writers, 3));
  EXPECT_TRUE(contains(grant.writers, 5));
  EXPECT_EQ(pool.grants[1].group, "dp");
  EXPECT_TRUE(pool.grants[1].readers.empty());
}

TEST(PoolFile, all_errors_come_at_once_with_their_places) {
  std::string text = replaced(kSmall, "latency: 40 ns", "latency: 40");
  text = replaced(text, "modules: 4", "modles: 4");
  text = replaced(text, "module: {latency: 100 ns", "module: {latency: 100 ns, service: serail, recovery: x");
  EXPECT_EQ(
      error_of(text),
      "p.yaml:1:1: modules: is missing; legal: a whole number from 1 to 1048576\n"
      "p.yaml:4:1: unknown key 'modles'; known: name, size, flit, packet, interleave, mapping, controllers, switches, "
      "groups, modules, links, module, access, grants; did you mean 'modules'?\n"
      "p.yaml:6:46: links.controller.latency: '40' has no unit; legal units: s, ms, us, ns, ps, fs, or whole "
      "cycles ('12 cycles')\n"
      "p.yaml:9:36: module.service: unknown word 'serail'; legal: pipelined, serial; did you mean 'serial'?\n"
      "p.yaml:9:54: module.recovery: 'x' is not a duration such as '20 ns', or whole cycles ('12 cycles')");
}

TEST(PoolFile, what_is_missing_is_named) {
  const std::string text = error_of("size: 1 GiB\nmodules: 1\n");
  for (const char* key : {"controllers.bandwidth", "links.controller.bandwidth", "links.controller.latency",
                          "links.group.bandwidth", "links.module.latency", "module.latency", "module.bandwidth"})
    EXPECT_THAT(text, HasSubstr(std::string(key) + ": is missing")) << key;
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("p.yaml:1:1: a list where keys are expected"));
}

TEST(PoolFile, contradictions) {
  EXPECT_THAT(error_of(kSmall + "packet: 500 B\n"),
              HasSubstr("p.yaml:10:9: packet: 500 bytes are no whole flits of 64; legal: 448 or 512"));
  EXPECT_THAT(error_of(kSmall + "packet: 32 B\n"),
              HasSubstr("p.yaml:10:9: packet: 32 bytes are less than a flit of 64"));
  EXPECT_THAT(error_of(kSmall + "mapping: own\ninterleave: 4 KiB\n"), HasSubstr("interleave: has no effect"));
  EXPECT_THAT(error_of(kSmall + "interleave: 1 GiB\n"), HasSubstr("size: 1073741824 bytes do not reach all 4 modules"));
  EXPECT_THAT(error_of(replaced(kSmall, "module: {latency: 100", "module: {recovery: 4 ns, latency: 100")),
              HasSubstr("module.recovery: has no effect with service pipelined"));
  EXPECT_THAT(error_of(kSmall + "grants: []\n"), HasSubstr("grants: have no effect without access"));
  EXPECT_THAT(error_of(kSmall + "access: {page: 3000 B}\n"), HasSubstr("3000 bytes are no power of two"));
  EXPECT_THAT(error_of(kSmall + "access: {page: 2 GiB}\n"), HasSubstr("larger than the pool"));
  EXPECT_THAT(error_of(kSmall + "access: {tag: 65 B}\n"), HasSubstr("access.tag: 65 bytes are more than a line of 64"));
  EXPECT_THAT(error_of(kSmall + "access: {page: 64 B, line: 128 B, encryption: 1 ns}\n"),
              HasSubstr("more than a page"));
  EXPECT_THAT(error_of(kSmall + "access: {engine: 1 GB/s}\n"), HasSubstr("access.engine: has no effect"));
  EXPECT_THAT(error_of(kSmall + "access: {cache: {entries: 12, ways: 4}}\n"), HasSubstr("no power of two of sets"));
  EXPECT_THAT(error_of(kSmall + "access: {oblivious: {shuffle: 1 GB/s}}\n"),
              HasSubstr("access.oblivious.stash: is missing"));
}

TEST(PoolFile, what_is_no_pool_is_one_error) {
  EXPECT_EQ(error_of("name: [a\n"), "p.yaml:2:1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(error_of("name: hbm\nclock: 1 GHz\ntiming: {tRCD: 1 ns}\n"),
            "p.yaml:1:1: this is the timing of a DRAM (memory.timing), where a pool is expected");
}

TEST(PoolFile, grants_are_checked) {
  const std::string access = kSmall + "access: {}\ngrants:\n";
  EXPECT_THAT(error_of(access + "  - {tensor: a}\n"), HasSubstr("p.yaml:12:5: grants[0].owner: is missing"));
  EXPECT_THAT(error_of(access + "  - {owner: 0, reader: 1}\n"), HasSubstr("did you mean 'readers'?"));
  EXPECT_THAT(error_of(access + "  - {owner: 0, readers: 3-1}\n"),
              HasSubstr("p.yaml:12:25: grants[0].readers: '3-1' runs backwards; legal: 1-3"));
  EXPECT_THAT(
      error_of(access + "  - {owner: 0, readers: [0, x-1]}\n"),
      HasSubstr("p.yaml:12:29: grants[0].readers[1]: 'x-1' cannot be used; legal: a rank, a range such as 0-3"));
  EXPECT_THAT(error_of(access + "  - {owner: 0, writers: {a: 1}}\n"), HasSubstr("grants[0].writers: a map"));
  EXPECT_THAT(error_of(access + "  - {owner: 0, of: 1, group: a}\n"), HasSubstr("grants[0].of: has no effect beside"));
  EXPECT_THAT(error_of(kSmall + "access: {}\ngrants: all\n"), HasSubstr("grants: 'all' cannot be used; legal: a list"));
}

TEST(PoolFile, the_shipped_pools_can_be_read) {
  const PoolFile pool = read_pool_file(weft::test::source("configs/memory/pool.yaml"), kGigahertz);
  EXPECT_EQ(pool.spec.controllers, 18U);
  EXPECT_EQ(pool.spec.all_modules(), 24U);
  // To the first byte: what memory.latency says in pool-moe.yaml without the pool.
  EXPECT_EQ(pool.spec.path_cycles() + pool.spec.module.latency, 300U);
  EXPECT_THROW(read_pool_file("/no/such/file.yaml", kGigahertz), InputError);
}

}  // namespace
}  // namespace weft::mem
