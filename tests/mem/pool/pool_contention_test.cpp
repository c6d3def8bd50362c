// SPDX-License-Identifier: Apache-2.0
// Several controllers at one module, one link, one buffer: who waits, how long, and that all get their share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mem/pool/pool_bench.h"

namespace weft::mem {
namespace {

using test::PoolRun;
using test::small_pool;

constexpr std::uint64_t kMega = 1 << 20;

TEST(PoolContention, a_module_serves_all_at_its_rate) {
  PoolSpec spec = small_pool();
  spec.controllers = 4;
  spec.module.flits_per_cycle = {1, 2};
  PoolRun run(spec);
  for (std::uint32_t c = 0; c < 4; ++c) run.ask(c, Command::kRead, c * kMega, 256 * 1024);
  run.run();
  // 4 x 4096 flits at half a flit per cycle, without a gap.
  EXPECT_EQ(run.last(), 6 + 50 + 2 * 4 * 4096 + 6U);
  // Round robin by packets of 64 flits: the first is done three packets before the last.
  for (std::uint64_t id = 0; id < 4; ++id) EXPECT_EQ(run.done.at(id), run.last() - (3 - id) * 128);
  EXPECT_EQ(run.fabric.module(0).reads, 4 * 64U);
  EXPECT_EQ(run.fabric.module(0).bytes, kMega);
}

TEST(PoolContention, a_group_link_is_shared_and_a_second_group_has_its_own) {
  const auto time_with = [](std::uint32_t groups, std::uint32_t modules) {
    PoolSpec spec = small_pool();
    spec.controllers = 2;
    spec.groups = groups;
    spec.modules = modules;
    spec.mapping = "own";
    spec.group_link.flits_per_cycle = {1, 4};
    spec.packet_bytes = 4096;
    PoolRun run(spec);
    for (std::uint32_t c = 0; c < 2; ++c) run.ask(c, Command::kRead, 0, 64 * 1024);
    run.run();
    return run.last();
  };
  // 1024 flits of four cycles each, or both after each other; the first flit of the link is the first of a module.
  EXPECT_EQ(time_with(2, 1), 6 + 50 + 1 + 1023 * 4 + 6U);
  EXPECT_EQ(time_with(1, 2), 6 + 50 + 1 + 2047 * 4 + 6U);
}

TEST(PoolContention, a_full_module_holds_up_what_is_behind_it_but_nothing_is_lost) {
  PoolSpec spec = small_pool();
  spec.controllers = 3;
  spec.modules = 2;
  spec.module.queue = 1;
  spec.module_link.buffer_flits = 2;
  spec.group_link.buffer_flits = 2;
  spec.interleave_bytes = spec.packet_bytes = 256;
  PoolRun run(spec);
  for (std::uint32_t c = 0; c < 3; ++c) {
    for (std::uint64_t i = 0; i < 20; ++i)
      run.ask(c, i % 3 == 0 ? Command::kWrite : Command::kRead, i * 256, 256 + i % 2 * 512);
  }
  run.run();
  EXPECT_EQ(run.fabric.module(0).queue.longest(), 1U);
  EXPECT_EQ(run.fabric.group_link(0, 0, false).queue_max, 2U);
  EXPECT_TRUE(run.fabric.at_rest());
}

TEST(PoolContention, outstanding_packets_bound_what_one_controller_gets) {
  PoolSpec spec = small_pool();
  spec.outstanding = 1;
  spec.packet_bytes = spec.interleave_bytes = 1024;
  PoolRun run(spec);
  run.ask(0, Command::kRead, 0, 4096);
  run.run();
  // Four packets one after the other; the next one leaves at the edge at which the one before is complete.
  EXPECT_EQ(run.last(), 4 * (6 + 50 + 16 + 6U));
}

TEST(PoolContention, a_controller_takes_from_its_links_in_turn) {
  PoolSpec spec = small_pool();
  spec.switches = 2;
  spec.groups = 2;
  PoolRun run(spec);
  run.ask(0, Command::kRead, 0, 4096);         // group 0 by switch 0
  run.ask(0, Command::kRead, 3 * 4096, 4096);  // group 1 by switch 1
  run.run();
  // The first flit comes after 6 + 50 + 1 + 6 cycles, then 128 in turn.
  EXPECT_EQ(run.last(), 63 + 127U);
  EXPECT_GE(run.done.at(0), run.last() - 2);
}

TEST(PoolContention, pool_switches_share_the_load) {
  const auto time_with = [](std::uint32_t switches) {
    PoolSpec spec;
    spec.controllers = 4;
    spec.groups = 4;
    spec.modules = 4;
    spec.switches = switches;
    spec.group_link.flits_per_cycle = {1, 8};
    PoolRun run(spec);
    for (std::uint32_t c = 0; c < 4; ++c) run.ask(c, Command::kRead, c * kMega, kMega);
    run.run();
    return run.last();
  };
  // Each group sends a quarter of 4 MiB, 16384 flits of 8 cycles; with two switches over two links.
  const Cycle one = time_with(1);
  const Cycle two = time_with(2);
  EXPECT_GE(one, 16384 * 8U);
  EXPECT_LE(one, 16384 * 8U * 101 / 100);
  EXPECT_GE(two, 16384 * 4U);
  EXPECT_LE(two, 16384 * 4U * 101 / 100);
}

TEST(PoolContention, eighteen_controllers_get_their_rate_from_a_pool_that_has_it) {
  PoolSpec spec;
  spec.controllers = 18;
  spec.switches = 4;
  spec.groups = 8;
  spec.modules = 4;
  spec.controller_flits_per_cycle = spec.controller_link.flits_per_cycle = {2, 1};  // 128 GB/s at 1 GHz
  spec.group_link.flits_per_cycle = {4, 1};
  spec.module_link.flits_per_cycle = {4, 1};
  spec.module.flits_per_cycle = {4, 1};
  PoolRun run(spec);
  for (std::uint32_t c = 0; c < 18; ++c) run.ask(c, Command::kRead, c * kMega, kMega);
  run.run();
  // 16384 flits each, two per cycle.
  EXPECT_GE(run.last(), 8192U);
  EXPECT_LE(run.last(), 8192U * 105 / 100);
  for (std::uint32_t c = 0; c < 18; ++c) EXPECT_EQ(run.fabric.controller(c).read_bytes, kMega);
}

}  // namespace
}  // namespace weft::mem
