// SPDX-License-Identifier: Apache-2.0
// Laws of the pool: one access alone takes the closed form's time; order of evaluation and sleeping change nothing;
// whatever is asked is answered once and the pool comes to rest.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "tests/mem/pool/pool_bench.h"

namespace weft::mem {
namespace {

using test::PoolRun;

PoolLinkSpec draw_link(std::uint64_t slowest, std::uint32_t buffer_flits) {
  PoolLinkSpec link;
  link.flits_per_cycle = {1, *rc::gen::inRange<std::uint64_t>(1, slowest + 1)};
  link.latency = *rc::gen::inRange<Cycle>(1, 12);
  link.buffer_flits = buffer_flits;
  return link;
}

PoolSpec draw_spec(bool whole_cycles) {
  PoolSpec spec;
  spec.controllers = *rc::gen::inRange<std::uint32_t>(1, 5);
  spec.switches = *rc::gen::inRange<std::uint32_t>(1, 4);
  spec.groups = *rc::gen::inRange<std::uint32_t>(1, 4);
  spec.modules = *rc::gen::inRange<std::uint32_t>(1, 4);
  spec.mapping = *rc::gen::element<std::string>("interleaved", "own");
  spec.flit_bytes = 64;
  const auto buffer = *rc::gen::inRange<std::uint32_t>(1, 20);
  for (PoolLinkSpec* link : {&spec.controller_link, &spec.group_link, &spec.module_link})
    *link = draw_link(4, whole_cycles ? 256 : buffer);
  spec.controller_flits_per_cycle = {1, *rc::gen::inRange<std::uint64_t>(1, 4)};
  spec.module.flits_per_cycle = {1, *rc::gen::inRange<std::uint64_t>(1, 6)};
  spec.module.latency = *rc::gen::inRange<Cycle>(0, 100);
  spec.module.service = *rc::gen::element<std::string>("pipelined", "serial");
  if (whole_cycles) {
    spec.packet_bytes = spec.interleave_bytes = 4096;
    return spec;
  }
  spec.group_link.flits_per_cycle.num = *rc::gen::inRange<std::uint64_t>(1, 8);
  spec.controller_link.flits_per_cycle.num = *rc::gen::inRange<std::uint64_t>(1, 8);
  spec.module.flits_per_cycle.num = *rc::gen::inRange<std::uint64_t>(1, 8);
  spec.module.queue = *rc::gen::inRange<std::uint32_t>(1, 6);
  spec.module.recovery = *rc::gen::inRange<Cycle>(0, 20);
  spec.packet_bytes = *rc::gen::element<std::uint64_t>(64, 256, 4096);
  spec.interleave_bytes = *rc::gen::element<std::uint64_t>(128, 1000, 4096);
  spec.outstanding = *rc::gen::inRange<std::uint32_t>(1, 20);
  return spec;
}

RC_GTEST_PROP(PoolLaws, one_access_alone_takes_the_closed_form, ()) {
  const PoolSpec spec = draw_spec(true);
  const Cycle way = spec.controller_link.latency + spec.group_link.latency + spec.module_link.latency;
  const Cycle memory = spec.module.flits_per_cycle.den;
  const Cycle links = std::max({spec.controller_link.flits_per_cycle.den, spec.group_link.flits_per_cycle.den,
                                spec.module_link.flits_per_cycle.den, spec.controller_flits_per_cycle.den});
  const auto flits = *rc::gen::inRange<std::uint64_t>(1, 64);
  for (const Command command : {Command::kRead, Command::kWrite}) {
    PoolRun run(spec);
    run.ask(*rc::gen::inRange<std::uint32_t>(0, spec.controllers), command, 4096 * *rc::gen::inRange(0, 50),
            64 * flits);
    run.run();
    // Data flow through a chain of servers: the first of them, the others at the pace of the slowest.
    const Cycle expected = command == Command::kRead
                               ? way + spec.module.latency + memory + (flits - 1) * std::max(memory, links) + way
                               : (flits - 1) * links + way + spec.module.latency + flits * memory + way;
    RC_ASSERT(run.last() == expected);
  }
}

struct Ask {
  std::uint32_t controller;
  Command command;
  std::uint64_t address;
  std::uint64_t bytes;
  Cycle at;
};

std::vector<Ask> draw_asks(const PoolSpec& spec) {
  std::vector<Ask> asks;
  const std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    RandomStream random(seed, NodeId{static_cast<std::uint32_t>(i)});
    asks.push_back({static_cast<std::uint32_t>(random.below(spec.controllers)),
                    random.below(2) == 0 ? Command::kRead : Command::kWrite, random.below(100'000),
                    1 + random.below(random.below(4) == 0 ? 9000 : 200), random.below(400)});
  }
  std::stable_sort(asks.begin(), asks.end(), [](const Ask& a, const Ask& b) { return a.at < b.at; });
  return asks;
}

void ask_all(PoolRun& run, const std::vector<Ask>& asks) {
  for (const Ask& ask : asks) run.ask(ask.controller, ask.command, ask.address, ask.bytes, ask.at);
}

RC_GTEST_PROP(PoolLaws, order_and_sleeping_change_nothing, ()) {
  const PoolSpec spec = draw_spec(false);
  const std::vector<Ask> asks = draw_asks(spec);
  PoolRun plain(spec);
  ask_all(plain, asks);
  plain.run();
  PoolRun awake(spec);
  ask_all(awake, asks);
  awake.run(false);
  RC_ASSERT(awake.done == plain.done);
  RC_ASSERT(awake.edges >= plain.edges);
  PoolRun shuffled(spec);
  std::vector<std::uint32_t> order(shuffled.fabric.nodes());
  std::iota(order.begin(), order.end(), 0U);
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), NodeId{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  shuffled.fabric.set_order(order);
  ask_all(shuffled, asks);
  shuffled.run();
  RC_ASSERT(shuffled.done == plain.done);
}

RC_GTEST_PROP(PoolLaws, every_byte_is_served_once_and_the_pool_comes_to_rest, ()) {
  const PoolSpec spec = draw_spec(false);
  const std::vector<Ask> asks = draw_asks(spec);
  PoolRun run(spec);
  ask_all(run, asks);
  run.run();
  std::uint64_t bytes = 0;
  for (const Ask& ask : asks) bytes += ask.bytes;
  std::uint64_t served = 0;
  std::uint64_t crossed = 0;
  for (std::uint32_t m = 0; m < spec.all_modules(); ++m) served += run.fabric.module(m).bytes;
  for (std::uint32_t c = 0; c < spec.controllers; ++c)
    crossed += run.fabric.controller(c).read_bytes + run.fabric.controller(c).written_bytes;
  RC_ASSERT(served == bytes);
  RC_ASSERT(crossed == bytes);
  RC_ASSERT(run.fabric.at_rest());
  for (std::size_t id = 0; id < asks.size(); ++id) {
    RC_ASSERT(run.done.at(id) >= asks[id].at + spec.path_cycles() + spec.module.latency);
  }
}

// ---- state is relative to now

/// Hashes after each of `cycles` cycles from `start` on, in which `asks` come.
std::vector<std::uint64_t> hashes(const PoolSpec& spec, const std::vector<Ask>& asks, Cycle start, Cycle cycles,
                                  std::uint64_t first_id, const std::vector<std::uint32_t>& order = {}) {
  PoolFabric fabric(spec);
  if (!order.empty()) fabric.set_order(order);
  std::vector<std::uint64_t> all;
  for (Cycle now = start; now < start + cycles; ++now) {
    for (const Ask& ask : asks) {
      if (start + ask.at == now)
        fabric.submit(ask.controller, {first_id++, ask.command, ask.address, ask.bytes}, now + 2);
    }
    fabric.step(now);
    all.push_back(fabric.state_hash(now));
  }
  return all;
}

RC_GTEST_PROP(PoolState, hash_is_relative_to_now_and_knows_no_order, ()) {
  const PoolSpec spec = draw_spec(false);
  const std::vector<Ask> asks = draw_asks(spec);
  const auto expected = hashes(spec, asks, 10, 600, 0);
  RC_ASSERT(hashes(spec, asks, 123'456, 600, 777) == expected);
  std::vector<std::uint32_t> order(PoolFabric(spec).nodes());
  std::iota(order.rbegin(), order.rend(), 0U);
  RC_ASSERT(hashes(spec, asks, 10, 600, 0, order) == expected);
}

// One difference each: who asks, what, where, how much, when, and which of two accesses a packet belongs to.
TEST(PoolState, hash_tells_states_apart) {
  PoolSpec spec = test::small_pool();
  spec.controllers = 2;
  spec.groups = 2;
  const std::vector<std::vector<Ask>> works{{{0, Command::kRead, 0, 64, 0}},
                                            {{1, Command::kRead, 0, 64, 0}},
                                            {{0, Command::kWrite, 0, 64, 0}},
                                            {{0, Command::kRead, 4096, 64, 0}},
                                            {{0, Command::kRead, 0, 65, 0}},
                                            {{0, Command::kRead, 0, 64, 1}},
                                            {{0, Command::kRead, 0, 64, 0}, {0, Command::kRead, 0, 64, 0}},
                                            {{0, Command::kRead, 0, 4096, 0}, {0, Command::kRead, 0, 8192, 0}},
                                            {{0, Command::kRead, 0, 8192, 0}, {0, Command::kRead, 0, 4096, 0}}};
  // In the access as it waits, on links, in switches, in the module, and on the way back.
  for (const Cycle after : {1, 3, 4, 6, 8, 20, 55, 61, 63}) {
    std::set<std::uint64_t> seen;
    for (const auto& work : works) seen.insert(hashes(spec, work, 0, after, 0).back());
    EXPECT_EQ(seen.size(), works.size()) << after;
  }
  const auto times = hashes(spec, works[0], 0, 60, 0);
  EXPECT_EQ(std::set<std::uint64_t>(times.begin(), times.end()).size(), times.size());
}

// Both are in modules, each in its own; which of them is the older access is all that differs.
TEST(PoolState, hash_knows_which_access_a_packet_belongs_to) {
  PoolSpec spec = test::small_pool();
  spec.groups = 2;
  spec.controller_flits_per_cycle = spec.controller_link.flits_per_cycle = {2, 1};
  const Ask low{0, Command::kRead, 0, 64, 0};
  const Ask high{0, Command::kRead, 4096, 64, 0};
  EXPECT_EQ(hashes(spec, {low, high}, 0, 20, 0).back(), hashes(spec, {low, high}, 0, 20, 5).back());
  EXPECT_NE(hashes(spec, {low, high}, 0, 20, 0).back(), hashes(spec, {high, low}, 0, 20, 0).back());
}

// The second and third wait in the switch for a slow link.
TEST(PoolState, hash_knows_what_waits_in_switches) {
  PoolSpec spec = test::small_pool();
  spec.group_link.flits_per_cycle = {1, 50};
  const auto third = [&spec](std::uint64_t bytes) {
    const std::vector<Ask> asks{
        {0, Command::kRead, 0, 64, 0}, {0, Command::kRead, 0, 64, 0}, {0, Command::kRead, 0, bytes, 0}};
    return hashes(spec, asks, 0, 12, 0).back();
  };
  EXPECT_EQ(third(64), third(64));
  EXPECT_NE(third(64), third(128));
}

}  // namespace
}  // namespace weft::mem
