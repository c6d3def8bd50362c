// SPDX-License-Identifier: Apache-2.0
// Accesses that meet no other, by hand, and the pool of a remote-memory file against its formula.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mem/pool/remote_pool.h"
#include "tests/mem/pool/pool_bench.h"

namespace weft::mem {
namespace {

using test::PoolRun;
using test::small_pool;
using testing::ElementsAre;
using testing::Pair;

constexpr Rational kTimingHertz{1'000'000'000, 1};

Cycle time_of(const PoolSpec& spec, Command command, std::uint64_t bytes, std::uint64_t address = 0) {
  PoolRun run(spec);
  run.ask(0, command, address, bytes, 7);
  run.run();
  return run.last() - 7;
}

TEST(PoolTiming, a_read_goes_there_waits_and_comes_back) {
  EXPECT_EQ(time_of(small_pool(), Command::kRead, 64), 6 + 50 + 1 + 6U);
  EXPECT_EQ(time_of(small_pool(), Command::kRead, 1), 6 + 50 + 1 + 6U);      // a part of a cycle counts as one
  EXPECT_EQ(time_of(small_pool(), Command::kRead, 1024), 6 + 50 + 16 + 6U);  // 16 flits, one per cycle
}

TEST(PoolTiming, a_write_brings_its_data_along) {
  // The last of 16 flits leaves 15 cycles after the first; 16 cycles for the data; an acknowledgement.
  EXPECT_EQ(time_of(small_pool(), Command::kWrite, 1024), 15 + 6 + 50 + 16 + 6U);
}

TEST(PoolTiming, the_slowest_link_decides) {
  PoolSpec spec = small_pool();
  spec.group_link.flits_per_cycle = {1, 4};
  EXPECT_EQ(time_of(spec, Command::kRead, 1024), 6 + 50 + 1 + 15 * 4 + 6U);
  spec.module.flits_per_cycle = {1, 5};
  EXPECT_EQ(time_of(spec, Command::kRead, 1024), 6 + 50 + 16 * 5 + 6U);
  spec.controller_flits_per_cycle = {1, 7};
  EXPECT_EQ(time_of(spec, Command::kRead, 1024), 6 + 50 + 5 + 15 * 7 + 6U);
}

TEST(PoolTiming, a_single_buffer_waits_for_its_credit) {
  PoolSpec spec = small_pool();
  spec.module_link.buffer_flits = 1;
  // One flit per round trip of 2 x 3 cycles.
  EXPECT_EQ(time_of(spec, Command::kRead, 1024), 6 + 50 + 1 + 15 * 6 + 6U);
}

TEST(PoolTiming, long_accesses_stream_through_one_module_and_spread_over_several) {
  PoolSpec spec = small_pool();
  spec.interleave_bytes = 1024;
  spec.controller_flits_per_cycle = {1, 1};
  EXPECT_EQ(time_of(spec, Command::kRead, 64 * 1024), 6 + 50 + 1024 + 6U);
  // Modules of a quarter of the rate: one alone, four at a time.
  spec.module.flits_per_cycle = {1, 4};
  EXPECT_EQ(time_of(spec, Command::kRead, 64 * 1024), 6 + 50 + 4 * 1024 + 6U);
  spec.groups = 2;
  spec.modules = 2;
  const Cycle spread = time_of(spec, Command::kRead, 64 * 1024);
  // The last module starts three requests after the first and has 16 packets of 64 cycles; packets wait for each other
  // on shared links for at most their length.
  EXPECT_GE(spread, 3 + 6 + 50 + 1024 + 6U);
  EXPECT_LE(spread, 3 + 6 + 50 + 1024 + 3 * 64 + 6U);
}

TEST(PoolTiming, fractions_of_a_flit_per_cycle_do_not_drift) {
  PoolSpec spec = small_pool();
  spec.module.flits_per_cycle = {3, 7};
  // 3000 flits of 7/3 cycles; packets of 4096 bytes follow each other without a gap.
  EXPECT_EQ(time_of(spec, Command::kRead, 3000 * 64), 6 + 50 + 7000 + 6U);
}

TEST(PoolTiming, an_io_controller_carries_128_gigabytes_per_second) {
  PoolSpec spec = small_pool();
  spec.controller_flits_per_cycle = spec.controller_link.flits_per_cycle = {2, 1};  // 128 bytes per ns
  spec.group_link.flits_per_cycle = spec.module_link.flits_per_cycle = {4, 1};
  spec.module.flits_per_cycle = {4, 1};
  spec.interleave_bytes = spec.packet_bytes = 1 << 20;
  // 4 flits are there after the first cycle, 2 per cycle get through.
  EXPECT_EQ(time_of(spec, Command::kRead, 1 << 20), 6 + 50 + 1 + 8191 + 6U);
}

TEST(PoolTiming, waiting_for_a_memory_costs_nothing) {
  PoolSpec spec = small_pool();
  spec.module.latency = 1'000'000;
  PoolRun run(spec);
  run.ask(0, Command::kRead, 0, 64);
  run.run();
  EXPECT_EQ(run.last(), 1'000'013U);
  EXPECT_LT(run.edges, 20U);
}

RemoteMemory example(RemoteMemoryKind kind) {
  RemoteMemory memory;
  memory.kind = kind;
  memory.latency_ns = 100;
  memory.gigabytes_per_second = 1;
  memory.nodes = memory.npus_per_node = 2;
  return memory;
}

TEST(RemotePool, four_ranks_take_as_long_as_by_the_formula) {
  const auto times = [](RemoteMemoryKind kind) {
    PoolRun run(remote_pool(example(kind), 4, kTimingHertz));
    for (std::uint32_t rank = 0; rank < 4; ++rank) run.ask(rank, Command::kRead, 0, 1024);
    run.run();
    return run.done;
  };
  EXPECT_THAT(times(RemoteMemoryKind::kPerNpu),
              ElementsAre(Pair(0, 1124), Pair(1, 1124), Pair(2, 1124), Pair(3, 1124)));
  EXPECT_THAT(times(RemoteMemoryKind::kPool), ElementsAre(Pair(0, 1124), Pair(1, 2248), Pair(2, 3372), Pair(3, 4496)));
  EXPECT_THAT(times(RemoteMemoryKind::kPerNode),
              ElementsAre(Pair(0, 1124), Pair(1, 2248), Pair(2, 1124), Pair(3, 2248)));
}

TEST(RemotePool, accesses_at_different_times_agree_with_the_formula) {
  const RemoteMemory memory = example(RemoteMemoryKind::kPool);
  RemoteMemoryFormula formula(memory, 4);
  PoolRun run(remote_pool(memory, 4, kTimingHertz));
  struct Ask {
    std::uint32_t rank;
    std::uint64_t bytes;
    Cycle at;
  };
  std::vector<std::uint64_t> expected;
  for (const Ask& ask : {Ask{2, 5000, 10}, Ask{0, 64, 900}, Ask{3, 1, 5000}, Ask{1, 777, 5300}, Ask{1, 4096, 20000}}) {
    run.ask(ask.rank, Command::kRead, 0, ask.bytes, ask.at);
    expected.push_back(formula.access(ask.rank, ask.bytes, ask.at));
  }
  run.run();
  for (std::uint64_t id = 0; id < expected.size(); ++id) EXPECT_EQ(run.done.at(id), expected[id]) << id;
}

TEST(RemotePool, own_memories_are_shared_by_accesses_of_one_npu) {
  PoolRun run(remote_pool(example(RemoteMemoryKind::kPerNpu), 2, kTimingHertz));
  run.ask(0, Command::kRead, 0, 1024);
  run.ask(0, Command::kRead, 0, 1024);
  run.ask(1, Command::kRead, 0, 1024);
  run.run();
  EXPECT_THAT(run.done, ElementsAre(Pair(0, 1124), Pair(1, 2148), Pair(2, 1124)));
}

TEST(RemotePool, impossible_pools_bad) {
  EXPECT_THROW(remote_pool(example(RemoteMemoryKind::kNone), 4, kTimingHertz), InputError);
  EXPECT_THROW(remote_pool(example(RemoteMemoryKind::kPerNode), 5, kTimingHertz), InputError);
  RemoteMemory quick = example(RemoteMemoryKind::kPool);
  quick.latency_ns = 5;
  EXPECT_THROW(remote_pool(quick, 4, kTimingHertz), InputError);
  quick.latency_ns = 6;
  EXPECT_EQ(remote_pool(quick, 4, kTimingHertz).module.latency, 0U);
}

}  // namespace
}  // namespace weft::mem
