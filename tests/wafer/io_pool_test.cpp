// SPDX-License-Identifier: Apache-2.0
// The contended pool behind the I/O controllers of whole wafers: times by hand, contention, access control and what it
// costs, the laws of time. Each run is a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernel/config_load.h"
#include "kernel/error.h"
#include "tests/support/csv_table.h"
#include "tests/wafer/support/pool_text.h"
#include "tests/wafer/support/trace_text.h"
#include "wafer/memory/memory_check.h"
#include "wafer/memory/pool_config.h"
#include "wafer/memory/pool_guard.h"

namespace weft::wafer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using weft::test::CsvTable;
using Words = std::vector<std::string>;

const Words kMesh{"fabric.router.multicast=true", "fabric.router.vcs=4", "npu.injection_vcs=any",
                  "npu.message_classes=2", "npu.message_turns=round_robin"};

Config config_of(const std::string& name, const Traces& trace, Words more) {
  if (name == "mesh-wafer") more.insert(more.begin(), kMesh.begin(), kMesh.end());
  more.insert(more.begin(), {"clock=1 GHz", "memory.place=io", "workload.trace.chakra=" + (trace / "t").string()});
  return load_config(WEFT_SOURCE_DIR "/configs/" + name + ".yaml", more);
}

/// Cycles of a run with a pool; 0 if it fails.
std::uint64_t with_pool(const std::string& name, const Traces& trace, const PoolText& pool, Words more = {}) {
  const TempDir folder;
  more.push_back(pool.in(folder.path()));
  const std::string error = run_into(folder, config_of(name, trace, more));
  EXPECT_EQ(error, "") << name;
  return error.empty() ? cycles(folder) : 0;
}

std::uint64_t without_pool(const std::string& name, const Traces& trace, Words more = {}) {
  const TempDir folder;
  EXPECT_EQ(run_into(folder, config_of(name, trace, std::move(more))), "") << name;
  return cycles(folder);
}

/// Rank 0 alone does something.
template <typename Make>
Traces of_one(const Make& make) {
  return {20, [&make](TraceText& text, int rank) {
            if (rank == 0) {
              make(text);
            } else {
              text.compute(0);
            }
          }};
}

std::uint64_t sum(const TempDir& folder, const std::string& memory, const std::string& column) {
  const CsvTable table(folder / "memory.csv");
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "memory") == memory) all += std::stoull(table.at(i, column));
  }
  return all;
}

// A cycle to the pool, 2 x (10 + 20 + 30) on links, 100 in the module, 64 bytes of 1024 per cycle, a cycle back.
constexpr std::uint64_t kDoors = 2;
constexpr std::uint64_t kPath = 120;
constexpr std::uint64_t kModule = 100;

// ---- times

TEST(IoPool, one_small_load_takes_links_and_module) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  for (const std::string name : {"fred-d", "mesh-wafer"})
    EXPECT_EQ(with_pool(name, trace, PoolText()) - without_pool(name, trace), kDoors + kPath + kModule + 1) << name;
}

// Half as many cycles of the NPUs' clock for links and module, of two cycles of the fabric's each.
TEST(IoPool, the_pool_runs_on_the_clock_of_the_npus) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  const Words slow{"npu.clock=500 MHz"};
  EXPECT_EQ(with_pool("mesh-wafer", trace, PoolText(), slow) - without_pool("mesh-wafer", trace, slow),
            2 * (kDoors + kPath / 2 + kModule / 2 + 1));
}

TEST(IoPool, one_store_is_confirmed_when_the_module_has_it) {
  const Traces trace = of_one([](TraceText& text) { text.store(512, ""); });
  PoolText pool;
  pool.module = "{latency: 100 ns, bandwidth: 64 GB/s}";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    // 8 flits go down in one cycle (16 per cycle), and the module takes 8 cycles for them.
    EXPECT_EQ(with_pool(name, trace, pool) - without_pool(name, trace), kDoors + kPath + kModule + 8) << name;
  }
}

TEST(IoPool, slow_modules_bound_the_rate) {
  constexpr std::uint64_t kBytes = 400'000;
  const Traces trace = of_one([](TraceText& text) { text.load(kBytes, ""); });
  PoolText pool;
  pool.module = "{latency: 100 ns, bandwidth: 4 GB/s}";
  for (const int modules : {1, 2, 4}) {
    pool.modules = modules;
    for (const std::string name : {"fred-d", "mesh-wafer"}) {
      const double bound = static_cast<double>(kBytes) / (4.0 * modules);
      const auto took = static_cast<double>(with_pool(name, trace, pool));
      EXPECT_GE(took, bound) << name << " " << modules;
      // Beside the bytes: the way there and back, and pieces that do not fill all modules alike.
      EXPECT_LE(took, bound * 1.1 + 1000) << name << " " << modules;
    }
  }
}

TEST(IoPool, two_that_share_a_module_take_twice_as_long) {
  const auto make = [](int ranks) {
    return Traces(20, [ranks](TraceText& text, int rank) {
      if (rank < ranks) {
        text.load(200'000, "");
      } else {
        text.compute(1);
      }
    });
  };
  PoolText pool;
  pool.module = "{latency: 100 ns, bandwidth: 4 GB/s}";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const auto one = static_cast<double>(with_pool(name, make(1), pool));
    const auto two = static_cast<double>(with_pool(name, make(2), pool));
    EXPECT_NEAR(two / one, 2.0, 0.02) << name;
  }
}

// What a pool adds whose links and modules are much faster than all lines is its latency.
TEST(IoPool, a_fast_pool_is_a_fixed_latency) {
  const Traces trace = of_one([](TraceText& text) { text.load(6'000'000, ""); });
  PoolText pool;
  pool.groups = 18;
  pool.line = pool.link = "65536 GB/s";
  pool.module = "{latency: 100 ns, bandwidth: 65536 GB/s, queue: 4096}";
  const std::string latency = fmt::format("memory.latency={}", kDoors + kPath + kModule + 1);
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const std::uint64_t fixed = without_pool(name, trace, {latency});
    EXPECT_NEAR(static_cast<double>(with_pool(name, trace, pool)), static_cast<double>(fixed), 4) << name;
  }
}

TEST(IoPool, all_bytes_pass_the_modules_and_all_modules_have_some) {
  const Traces trace(20, [](TraceText& text, int) {
    text.store(300'000, "0", text.load(400'000, "0"));
    text.load(10'000, "");
  });
  PoolText pool;
  pool.groups = 3;
  pool.modules = 2;
  for (const std::string name : {"fred-d", "fred-c", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of(name, trace, {pool.in(folder.path())})), "") << name;
    EXPECT_EQ(sum(folder, "pool.module", "bytes"), 400'000U + 300'000 + 20 * 10'000) << name;
    EXPECT_EQ(sum(folder, "pool.io", "bytes"), 400'000U + 300'000 + 20 * 10'000) << name;
    const CsvTable table(folder / "memory.csv");
    ASSERT_EQ(table.rows(), 18U + 6) << name;
    for (std::size_t i = 18; i < table.rows(); ++i) EXPECT_GT(std::stoull(table.at(i, "bytes")), 50'000U) << name;
  }
}

// ---- the laws of time

std::string refused_of(const TempDir& folder) {
  return std::filesystem::exists(folder / "refused.csv") ? read_text(folder / "refused.csv") : "";
}

std::string tables(const TempDir& folder) {
  return read_text(folder / "io_controllers.csv") + read_text(folder / "links.csv") + read_text(folder / "memory.csv") +
         refused_of(folder) + std::to_string(cycles(folder));
}

TEST(IoPool, threads_and_form_change_nothing) {
  const Traces trace(20, [](TraceText& text, int rank) {
    text.store(60'000, "0", text.compute(1 + rank % 3, text.load(400'000, "0")));
    text.store(5'000, "", text.load(10'000, ""));
  });
  PoolText pool;
  pool.line = "128 GB/s";
  pool.modules = 3;
  pool.module = "{latency: 100 ns, bandwidth: 50 GB/s, service: serial, recovery: 3 ns}";
  pool.more =
      "access: {check: 2 ns, miss: 40 ns, walkers: 2, cache: {entries: 16, ways: 2}, encryption: 20 ns, tag: 8 B, "
      "on_refused: continue}\n"
      "grants: [{tensor: m*, of: 4-9, owner: 0, readers: 4-7}]\n";
  for (const auto& [name, forms] :
       {std::pair<std::string, std::vector<Words>>("mesh-wafer",
                                                   {{}, {"threads=2"}, {"threads=3"}, {"fabric.form=modules"}}),
        std::pair<std::string, std::vector<Words>>("fred-d", {{}, {"fabric.form=modules"}})}) {
    std::string first;
    for (const Words& more : forms) {
      const TempDir folder;
      Words all = more;
      all.push_back(pool.in(folder.path()));
      ASSERT_EQ(run_into(folder, config_of(name, trace, all)), "") << name;
      if (first.empty()) first = tables(folder);
      EXPECT_EQ(tables(folder), first) << name;
    }
    EXPECT_THAT(first, HasSubstr("read_only")) << name;
  }
}

// ---- access control

TEST(IoPool, by_default_everybody_has_its_own_and_groups_share) {
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

TEST(IoPool, a_refused_store_ends_the_run_with_its_reason) {
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

TEST(IoPool, worker_threads_hear_of_refusals) {
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

TEST(IoPool, a_run_can_go_on_after_refusals) {
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

// What switches have summed is allowed when all members may write; what they copy, when all may read.
TEST(IoPool, a_group_may_do_what_all_its_members_may) {
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
TEST(IoPool, packets_of_a_tensor_lie_one_behind_the_other_in_their_slices) {
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
TEST(IoPool, a_slice_is_where_its_addresses_say) {
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

TEST(IoPool, grants_of_ranks_are_not_those_of_groups) {
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

// A node that is no member does not become one by naming the group.
TEST(IoPool, identity_is_the_source_of_the_flits) {
  mem::PoolFile pool;
  pool.size = 1 << 20;
  pool.access.emplace();
  const PoolLayout layout(pool, 4, 2);
  PoolGuard guard(pool, layout, {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}}, 5);
  guard.use_groups({std::make_shared<npu::CommGroup>(npu::CommGroup{0, "a", {NodeId{0}, NodeId{1}}}),
                    std::make_shared<npu::CommGroup>(npu::CommGroup{1, "b", {NodeId{2}, NodeId{3}}})});
  EXPECT_EQ(guard.initiator(NodeId{1}, false, 1), 1U);
  EXPECT_EQ(guard.initiator(NodeId{1}, true, 0), 5U + 0);
  EXPECT_EQ(guard.initiator(NodeId{2}, true, 1), 5U + 1);
  EXPECT_EQ(guard.initiator(NodeId{1}, true, 1), 1U);
  EXPECT_EQ(guard.initiator(NodeId{1}, true, 9), 1U);
  EXPECT_EQ(guard.initiator(npu::kFlowSource, true, 1), 5U + 1);
}

// ---- what it costs

TEST(IoPool, checks_misses_and_engines_add_their_time) {
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
TEST(IoPool, tags_take_bandwidth) {
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
TEST(IoPool, oblivious_accesses_are_blocks_and_wait_for_shuffles) {
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

// ---- bad input

std::string problem(const Config& config) {
  std::string text;
  for (const ConfigProblem& each : check_memory(config)) text += each.path + ": " + each.sentence;
  return text;
}

TEST(IoPoolBad, files_are_checked_before_a_run) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  const TempDir folder;
  PoolText pool;
  const auto checked = [&](const std::string& more) {
    pool.more = more;
    return problem(config_of("fred-d", trace, {pool.in(folder.path())}));
  };
  EXPECT_EQ(checked(""), "");
  EXPECT_THAT(checked("acces: {}\n"),
              AllOf(HasSubstr("memory.pool: "), HasSubstr("pool.yaml:13:1: unknown key 'acces'")));
  EXPECT_THAT(checked("access: {}\ngrants: [{owner: 20}]\n"),
              HasSubstr("pool.yaml:14:10: owner: rank 20 of 20; legal: 0 to 19"));
  EXPECT_THAT(checked("access: {}\ngrants: [{owner: 1, readers: 3-20}]\n"), HasSubstr("readers: rank 20 of 20"));
  PoolText other;
  other.line = "1 GB/s, count: 17";
  EXPECT_THAT(problem(config_of("fred-d", trace, {other.in(folder.path())})),
              HasSubstr("controllers.count: 17, but the wafer has 18 I/O controllers"));
}

TEST(IoPoolBad, a_pool_that_is_too_small_and_a_group_that_does_not_exist) {
  const Traces trace = of_one([](TraceText& text) { text.load(200'000, ""); });
  PoolText pool;
  pool.size = "1 MiB";
  const TempDir folder;
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})),
              HasSubstr("size: 1048576 bytes have no page of 4096 for each of 21 ranks and process groups at 18"));
  pool.size = "2 MiB";
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})),
              HasSubstr("node 0 'm0': 'm0' needs 12288 bytes of the pool at each I/O controller"));
  pool.size = "1 TiB";
  pool.more = "access: {}\ngrants: [{group: x, owner: 0}]\n";
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})),
              HasSubstr("group: there is no process group 'x'"));
}

TEST(IoPoolBad, keys_that_contradict) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  const TempDir folder;
  const std::string pool = PoolText().in(folder.path());
  const auto error = [&](Words more) -> std::string {
    more.push_back(pool);
    try {
      config_of("fred-d", trace, more);
    } catch (const InputError& bad) {
      return bad.what();
    }
    return "";
  };
  EXPECT_THAT(error({"memory.place=local"}), HasSubstr("memory.pool: has no effect; legal: with memory.place io"));
  EXPECT_THAT(error({"memory.latency=5"}), HasSubstr("memory.latency: has no effect beside memory.pool"));
  EXPECT_EQ(error({}), "");
}

TEST(IoPoolBad, a_check_says_what_a_pool_is_made_of) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  const TempDir folder;
  PoolText pool;
  pool.groups = 3;
  pool.modules = 2;
  pool.module = "{latency: 200 ns, bandwidth: 256 GB/s, queue: 64}";
  pool.more = "access: {page: 64 KiB}\ngrants: [{owner: 1}]\n";
  EXPECT_THAT(
      describe_pool(config_of("fred-d", trace, {pool.in(folder.path())})),
      testing::ElementsAre("pool       switches 1, groups 3, modules 2 in each group, 320 cycles to the first byte",
                           "           modules 1536 GB/s together, controllers 1.843e+04 GB/s",
                           "           access control: pages of 65536 B, grants 1, a refusal ends the run",
                           // 64 x 512 bytes in 200 + 2 cycles
                           "warning: a module's queue of 64 accesses of 512 B lets it serve 162.2 GB/s, less "
                           "than its 256 GB/s"));
}

}  // namespace
}  // namespace weft::wafer
