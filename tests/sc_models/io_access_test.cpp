// SPDX-License-Identifier: Apache-2.0
// Access control of the pool behind a wafer: who may do what, what a run does when an access is refused, and what it
// costs, by hand. Each run is a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/sc_models/support/io_pool_run.h"

namespace weft::sc_models {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// ---- access control

TEST(IoAccess, by_default_everybody_has_its_own_and_groups_share) {
  const Traces trace(20, [](TraceText& text, int) {
    text.store(60'000, "0", text.load(400'000, "0"));
    text.store(5'000, "", text.load(10'000, ""));
  });
  PoolText pool;
  pool.more = "access: {}\n";
  for (const std::string name : {"fred-d", "fred-c", "mesh-wafer"}) {
    const TempDir folder;
    EXPECT_EQ(run_into(folder, config_of(name, trace, {pool.in(folder.path())})), "") << name;
    EXPECT_THAT(read_text(folder / "summary.json"), HasSubstr("\"refused\": 0")) << name;
  }
}

TEST(IoAccess, a_refused_store_ends_the_run_with_its_reason) {
  const Traces trace = of_one([](TraceText& text) { text.store(5'000, "", text.load(5'000, "")); });
  PoolText pool;
  pool.more = "access: {}\ngrants: [{of: 0, owner: 3, readers: 0}]\n";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const TempDir folder;
    EXPECT_THAT(run_into(folder, config_of(name, trace, {pool.in(folder.path())})),
                AllOf(HasSubstr("rank 0: node 1 'm1', a store: "), HasSubstr(" has refused to write "),
                      HasSubstr("of the pool: read_only")))
        << name;
    // The load was allowed; of the store nothing has reached a module.
    EXPECT_EQ(sum(folder, "pool.module", "reads"), 10U) << name;  // packets of 512: 8 of the one, 2 of the other
    EXPECT_EQ(sum(folder, "pool.module", "writes"), 0U) << name;
  }
}

TEST(IoAccess, worker_threads_hear_of_refusals) {
  const Traces trace(20, [](TraceText& text, int) { text.load(50'000, ""); });
  PoolText pool;
  pool.more = "access: {}\ngrants: [{of: 17, owner: 3}]\n";
  std::string first;
  for (const std::string threads : {"1", "2", "3"}) {
    const TempDir folder;
    const std::string error =
        run_into(folder, config_of("mesh-wafer", trace, {pool.in(folder.path()), "threads=" + threads}));
    EXPECT_THAT(error, HasSubstr("rank 17: node 0 'm0', a load: ")) << threads;
    const std::string cycle = std::to_string(cycles(folder));
    if (first.empty()) first = cycle;
    EXPECT_EQ(cycle, first) << threads;
  }
}

TEST(IoAccess, a_run_can_go_on_after_refusals) {
  const Traces trace(20, [](TraceText& text, int) { text.load(9'000, "", text.load(5'000, "")); });
  PoolText pool;
  pool.more = "access: {on_refused: continue}\ngrants: [{tensor: m1, of: 2-4, owner: 0, readers: [3]}]\n";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of(name, trace, {pool.in(folder.path())})), "") << name;
    const CsvTable table(folder / "refused.csv");
    ASSERT_EQ(table.rows(), 6U) << name;  // 9000 bytes are packets at three controllers, of ranks 2 and 4
    for (std::size_t i = 0; i < table.rows(); ++i) {
      EXPECT_THAT(table.at(i, "initiator"), testing::AnyOf("rank 2", "rank 4"));
      EXPECT_EQ(table.at(i, "owner"), table.at(i, "initiator"));
      EXPECT_EQ(table.at(i, "tensor"), "m1");
      EXPECT_EQ(table.at(i, "command"), "read");
      EXPECT_EQ(table.at(i, "reason"), "not_granted");
    }
    EXPECT_THAT(read_text(folder / "summary.json"), HasSubstr("\"refused\": 6")) << name;
    EXPECT_EQ(sum(folder, "pool.module", "bytes"), 20U * 14'000 - 2 * 9'000) << name;
    EXPECT_EQ(sum(folder, "pool.io", "refused"), 6U) << name;
  }
}

// Of the packets above those of ranks 2 and 4 meet at controller 4, which logs one of them.
TEST(IoAccess, a_log_that_is_cut_is_said) {
  const Traces trace(20, [](TraceText& text, int) { text.load(9'000, "", text.load(5'000, "")); });
  PoolText pool;
  pool.more = "access: {on_refused: continue, log: 1}\ngrants: [{tensor: m1, of: 2-4, owner: 0, readers: [3]}]\n";
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})), "");
  EXPECT_EQ(CsvTable(folder / "refused.csv").rows(), 5U);
  EXPECT_THAT(
      read_text(folder / "summary.json"),
      HasSubstr("refused.csv has 5 of 6 refused packets: the first ones at each I/O controller (access.log: 1)"));
}

// What switches have summed is allowed when all members may write; what they copy, when all may read.
TEST(IoAccess, a_group_may_do_what_all_its_members_may) {
  const Traces trace(20, [](TraceText& text, int) { text.store(4'000, "0", text.load(4'000, "0")); });
  const auto refusals = [&trace](const std::string& name, const std::string& grants) {
    const TempDir folder;
    PoolText pool;
    pool.more = "access: {on_refused: continue}\ngrants: [" + grants + "]\n";
    EXPECT_EQ(run_into(folder, config_of(name, trace, {pool.in(folder.path())})), "");
    return refused_of(folder);
  };
  EXPECT_EQ(refusals("fred-d", "{owner: 0, readers: all, writers: all}"), "");
  EXPECT_THAT(refusals("fred-d", "{owner: 0, readers: all, writers: 0-18}"),
              AllOf(HasSubstr(",group all,m1,group all,write,"), HasSubstr(",read_only\n")));
  EXPECT_THAT(refusals("fred-d", "{owner: 0, readers: 1-18, writers: all}"),
              AllOf(HasSubstr(",group all,m0,group all,read,"), HasSubstr(",write_only\n")));
  // On a mesh the members have summed before: each stores its own part.
  EXPECT_THAT(refusals("mesh-wafer", "{tensor: m1, of: 7, owner: 0}"),
              AllOf(HasSubstr(",rank 7,m1,rank 7,write,"), HasSubstr(",not_granted\n")));
}

// 25 packets go round 18 controllers; pieces of one packet of each: 7 controllers have a second one, a piece further
// on. All are refused, so that the log has every address.
TEST(IoAccess, packets_of_a_tensor_lie_one_behind_the_other_in_their_slices) {
  const Traces trace = of_one([](TraceText& text) { text.load(100'000, "", text.load(8'000, "")); });
  PoolText pool;
  pool.size = "18 GiB";
  pool.more = "access: {page: 4 KiB, on_refused: continue}\ngrants: [{owner: 1}]\n";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of(name, trace, {pool.in(folder.path()), "memory.piece=4 KiB"})), "") << name;
    const CsvTable table(folder / "refused.csv");
    std::set<std::uint64_t> expected;
    for (std::uint64_t packet = 0; packet < 25; ++packet)
      expected.insert((packet % 18 << 30) + 4096 * (packet / 18) + 4096);  // a page behind the first tensor
    std::set<std::uint64_t> seen;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.at(i, "tensor") != "m1") continue;
      seen.insert(std::stoull(table.at(i, "address"), nullptr, 16));
      bytes += std::stoull(table.at(i, "bytes"));
    }
    EXPECT_EQ(seen, expected) << name;
    EXPECT_EQ(bytes, 100'000U) << name;
  }
}

// Slices of 1 GiB, and as much in each module before the next one follows.
TEST(IoAccess, a_slice_is_where_its_addresses_say) {
  const Traces trace = of_one([](TraceText& text) { text.load(100'000, "", text.store(300'000, "")); });
  PoolText pool;
  pool.size = "18 GiB";
  pool.interleave = "1 GiB";
  pool.groups = 9;
  pool.modules = 2;
  for (const char* more : {"", "access: {}\n"}) {
    pool.more = more;
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})), "");
    const CsvTable table(folder / "memory.csv");
    for (std::size_t slice = 0; slice < 18; ++slice) {
      // The groups' first modules come first.
      const std::size_t module = slice % 9 * 2 + slice / 9;
      EXPECT_EQ(table.at(slice, "bytes"), table.at(18 + module, "bytes")) << more << slice;
    }
    EXPECT_NE(table.at(0, "bytes"), table.at(17, "bytes"));
  }
}

TEST(IoAccess, grants_of_ranks_are_not_those_of_groups) {
  const Traces trace(20, [](TraceText& text, int) { text.load(4'000, "", text.load(4'000, "0")); });
  const TempDir folder;
  PoolText pool;
  pool.more = "access: {on_refused: continue}\ngrants: [{of: 0, owner: 3}]\n";
  ASSERT_EQ(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})), "");
  const CsvTable table(folder / "refused.csv");
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.at(0, "tensor"), "m1");
  EXPECT_EQ(table.at(0, "initiator"), "rank 0");
}

// ---- what it costs

TEST(IoAccess, checks_misses_and_engines_add_their_time) {
  const Traces load = of_one([](TraceText& text) { text.load(64, ""); });
  const Traces store = of_one([](TraceText& text) { text.store(64, ""); });
  const auto extra = [](const Traces& trace, const std::string& access) {
    PoolText plain;
    PoolText guarded;
    guarded.more = "access: {" + access + "}\n";
    return with_pool("fred-d", trace, guarded) - with_pool("fred-d", trace, plain);
  };
  for (const Traces* trace : {&load, &store}) {
    EXPECT_EQ(extra(*trace, "check: 0 ns, miss: 0 ns"), 0U);
    EXPECT_EQ(extra(*trace, "check: 3 ns, miss: 0 ns"), 3U);
    EXPECT_EQ(extra(*trace, "check: 3 ns, miss: 41 ns"), 44U);  // the first access to its page
    // One line: nothing waits for the engine.
    EXPECT_EQ(extra(*trace, "check: 0 ns, miss: 0 ns, encryption: 20 ns, engine: 64 GB/s"), 20U);
  }
}

// Integrity of a whole line: its tag makes 65 to 72 bytes, a flit more on lines that carry one in 4 cycles.
TEST(IoAccess, tags_take_bandwidth) {
  const Traces load = of_one([](TraceText& text) { text.load(64, ""); });
  PoolText plain;
  plain.line = "16 GB/s";
  PoolText tagged = plain;
  tagged.more = "access: {check: 0 ns, miss: 0 ns, integrity: 10 ns, tag: 8 B, engine: 64 GB/s}\n";
  EXPECT_EQ(with_pool("fred-d", load, tagged) - with_pool("fred-d", load, plain), 4U + 10);
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-d", load, {tagged.in(folder.path())})), "");
  EXPECT_EQ(sum(folder, "pool.module", "bytes"), 72U);
}

// An access reads a whole block: 4096 bytes for 64. A shuffle comes after `stash` of them: it moves 2 (N + S) blocks,
// N = 16 MiB / 18 controllers, in whole blocks: 227.
TEST(IoAccess, oblivious_accesses_are_blocks_and_wait_for_shuffles) {
  const auto loads = [](int count) {
    return of_one([count](TraceText& text) {
      int last = -1;
      for (int i = 0; i < count; ++i) last = text.load(64, "", last);
    });
  };
  PoolText pool;
  pool.size = "16 MiB";
  pool.module = "{latency: 100 ns, bandwidth: 64 GB/s}";
  PoolText hidden = pool;
  hidden.more = "access: {check: 0 ns, miss: 0 ns, oblivious: {block: 4 KiB, stash: 2, shuffle: 64 GB/s}}\n";
  const Traces one = loads(1);
  const std::uint64_t plain = with_pool("fred-d", one, pool);
  // 4096 bytes at 64 per cycle instead of 64 of them; they come packet by packet.
  EXPECT_EQ(with_pool("fred-d", one, hidden) - plain, 63U);
  const Traces two = loads(2);
  const Traces three = loads(3);
  const std::uint64_t step = with_pool("fred-d", three, pool) - with_pool("fred-d", two, pool);
  const std::uint64_t third = with_pool("fred-d", three, hidden) - with_pool("fred-d", two, hidden);
  EXPECT_EQ(third - step - 63, 2U * (227 + 2) * 4096 / 64);
}

}  // namespace
}  // namespace weft::sc_models
