// SPDX-License-Identifier: Apache-2.0
// Traces with every cycle and with cycles left out give the same bytes. Each run is a process of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "tests/sc_models/support/both_ways.h"
#include "tests/sc_models/support/graphs.h"
#include "tests/sc_models/support/random_traces.h"

namespace weft::sc_models {
namespace {

using weft::test::between;
using weft::test::Both;
using weft::test::EnoughSkip;
using weft::test::expect_skipped;
using weft::test::Graphs;
using weft::test::play;
using weft::test::Words;
using Ids = Graphs::Ids;

std::vector<std::uint32_t> all_of(std::uint32_t ranks) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) list.push_back(rank);
  return list;
}

TEST(FastForwardTrace, a_long_message_is_skipped) {
  Graphs graphs(16);
  graphs.message(0, 3, 1 << 20);
  expect_skipped(graphs, 0.8);
}

TEST(FastForwardTrace, a_large_collective_is_skipped) {
  Graphs graphs(16);
  graphs.add_group("g", all_of(16));
  graphs.collective("g", CollectiveKind::kAllReduce, 4 << 20);
  expect_skipped(graphs, 0.5);
}

// The message takes 32768 cycles and more; the computations end far from its ends. What is skipped without one of the
// stretches between them would be less.
TEST(FastForwardTrace, computations_that_end_in_a_long_message_are_simulated_and_no_more) {
  Graphs graphs(16);
  graphs.message(0, 3, 2 << 20);
  graphs.compute(9, 16001, graphs.compute(9, 9001));
  graphs.compute(10, 13007);
  expect_skipped(graphs, 0.8);
}

// What begins behind the computation shares a link with the message.
TEST(FastForwardTrace, a_message_that_a_computation_lets_go_meets_another_one) {
  Graphs graphs(16);
  graphs.message(0, 3, 2 << 20);
  graphs.message(1, 3, 1 << 20, graphs.compute(1, 10001));
  expect_skipped(graphs, 0.5);
}

// Rows and columns at the same time, so that two collectives are under way at each NPU.
TEST(FastForwardTrace, two_collectives_at_once_are_skipped) {
  Graphs graphs(16);
  for (std::uint32_t i = 0; i < 4; ++i) {
    graphs.add_group(fmt::format("row{}", i), {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
    graphs.add_group(fmt::format("column{}", i), {i, i + 4, i + 8, i + 12});
  }
  for (std::uint32_t i = 0; i < 4; ++i) {
    graphs.collective(fmt::format("row{}", i), CollectiveKind::kAllReduce, 2 << 20);
    graphs.collective(fmt::format("column{}", i), CollectiveKind::kAllReduce, 1 << 20);
  }
  expect_skipped(graphs, 0.2);
}

TEST(FastForwardTrace, a_ring_is_skipped_across_its_steps_while_others_compute) {
  Graphs graphs(16);
  graphs.add_group("g", all_of(16));
  graphs.collective("g", CollectiveKind::kAllReduce, 1 << 20);
  graphs.compute(12, 15001);
  expect_skipped(graphs, 0.15, {"fabric.kind=fully_connected", "fabric.size=16"});
}

// Switches and interfaces that have nothing to decide sleep for some cycles while a packet passes. What ends in the
// first of these behind the last period that is left out, such as an addition, has to wake them.
TEST(FastForwardTrace, what_ends_right_behind_cycles_that_are_left_out_ends_in_time) {
  constexpr const char* kLevels =
      "fabric.levels=[{groups: 3, planes: 1, uplinks: 2, bandwidth: 64 GB/s, latency: 7, buffer: 448 B, "
      "reconfig_cycles: 0}, {groups: 1}]";
  Graphs graphs(12);
  graphs.add_group("g", {6, 8, 10});
  graphs.collective("g", CollectiveKind::kReduceScatter, 809'384);
  graphs.message(4, 8, 212'992);
  graphs.message(0, 10, 540'388);
  expect_skipped(graphs, 0.2,
                 {"npu.count=12", kLevels, "workload.trace.algorithm=ring", "workload.trace.chunks=3",
                  "npu.endpoint_delay=40", "npu.reduce_bandwidth=100 GB/s", "npu.max_collectives=1",
                  "fabric.header=6 B", "fabric.local.latency=5", "fabric.control=several_phases",
                  "fabric.stay_packets=0", "fabric.in_switch=true", "log.windows=1000", "log.level=off"},
                 weft::test::kForwardingSwitches);
}

// Gradients of all, summed in the switches, while others compute; a message beside them.
TEST(FastForwardTrace, collectives_and_messages_over_fred_switches_are_skipped) {
  Graphs graphs(8);
  graphs.add_group("g", all_of(8));
  graphs.compute(2, 9001);
  graphs.collective("g", CollectiveKind::kAllReduce, 2 << 20);
  graphs.message(1, 6, 1 << 20, graphs.compute(1, 5003));
  expect_skipped(graphs, 0.3, {"workload.trace.algorithm=in_switch"}, weft::test::kForwardingSwitches);
}

// All NPUs load the same, which switches copy.
TEST(FastForwardTrace, a_load_over_fred_switches_is_skipped_across_its_pieces) {
  Graphs graphs(8);
  graphs.add_group("g", all_of(8));
  for (std::uint32_t rank = 0; rank < 8; ++rank) graphs.access(rank, false, 8 << 20, "g");
  expect_skipped(graphs, 0.3, {"memory.tensors=io", "memory.piece=4 KiB", "io.controllers=1"},
                 weft::test::kForwardingSwitches);
}

TEST(FastForwardTrace, a_load_over_the_edge_of_a_mesh_is_skipped_across_its_pieces) {
  Graphs graphs(16);
  graphs.access(5, false, 4 << 20);
  expect_skipped(graphs, 0.3, {"memory.tensors=io", "memory.piece=4 KiB", "io.controllers=2", "io.routing=xy"});
}

// All NPUs load the same, which routers copy.
TEST(FastForwardTrace, a_load_that_routers_copy_is_skipped_across_its_pieces) {
  Graphs graphs(16);
  graphs.add_group("g", all_of(16));
  for (std::uint32_t rank = 0; rank < 16; ++rank) graphs.access(rank, false, 4 << 20, "g");
  expect_skipped(graphs, 0.3,
                 {"memory.tensors=io", "memory.piece=4 KiB", "io.controllers=1", "io.routing=xy",
                  "fabric.router.multicast=true", "npu.message_classes=2", "npu.injection_vcs=any"});
}

TEST(FastForwardTrace, what_cannot_take_part_says_so) {
  const std::pair<Words, const char*> cases[] = {
      {{"npu.clock=500 MHz"}, "NPUs have a clock of their own"},
      {{"threads=2"}, "only a fabric that one thread steps as a whole takes part"},
      {{"fabric.routing=o1turn"}, "by chance"}};
  for (const auto& [sets, reason] : cases) {
    Graphs graphs(16);
    graphs.message(0, 3, 1 << 16);
    const Both both = play(graphs, sets);
    ASSERT_TRUE(both.all.ran && both.skipping.ran) << reason;
    EXPECT_EQ(both.skipping.skipped, 0u);
    EXPECT_NE(both.skipping.refusal.find(reason), std::string::npos) << reason << ": " << both.skipping.refusal;
    EXPECT_TRUE(both.skipping.tables == both.all.tables);
  }
}

// ---- random traces

std::uint32_t some_rank(std::uint32_t ranks) {
  return static_cast<std::uint32_t>(between(0, static_cast<int>(ranks) - 1));
}

/// A few bytes, or many: long stretches of the same are what is left out.
std::uint64_t some_bytes() {
  return 4 * static_cast<std::uint64_t>(*rc::gen::element(0, 1, 1, 1) == 0 ? between(1, 500) : between(5000, 300000));
}

/// The last nodes of each rank, of which each new one waits for some, or for none.
Ids some_of(const Ids& last) {
  if (last.empty() || between(0, 2) == 0) return {};
  return {last[static_cast<std::size_t>(between(0, static_cast<int>(last.size()) - 1))]};
}

void add_random_collective(Graphs* graphs, int number, std::vector<Ids>* last) {
  const std::uint32_t ranks = graphs->ranks();
  std::vector<std::uint32_t> members;
  const int stride = between(1, 3);
  for (std::uint32_t rank = some_rank(ranks); rank < ranks; rank += static_cast<std::uint32_t>(stride)) {
    members.push_back(rank);
  }
  if (members.size() < 2) return;
  const std::string group = fmt::format("g{}", number);
  graphs->add_group(group, members);
  std::vector<Ids> deps;
  for (const std::uint32_t rank : members) deps.push_back(some_of((*last)[rank]));
  const CollectiveKind kind =
      *rc::gen::element(CollectiveKind::kAllReduce, CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                        CollectiveKind::kReduceScatter, CollectiveKind::kAllToAll);
  const std::vector<Ids> nodes = graphs->collective(group, kind, some_bytes(), deps);
  for (std::size_t i = 0; i < members.size(); ++i) (*last)[members[i]].push_back(nodes[i].front());
}

void add_random_message(Graphs* graphs, std::vector<Ids>* last) {
  const std::uint32_t from = some_rank(graphs->ranks());
  const std::uint32_t to = some_rank(graphs->ranks());
  if (from == to) return;
  const auto [sent, received] = graphs->message(from, to, some_bytes(), some_of((*last)[from]), some_of((*last)[to]));
  (*last)[from].push_back(sent.front());
  (*last)[to].push_back(received.front());
}

// All members of a group, in the order of their programs, or one rank alone.
void add_random_access(Graphs* graphs, int number, std::vector<Ids>* last) {
  const bool store = between(0, 2) == 0;
  const std::uint64_t bytes = some_bytes();
  if (between(0, 1) == 0) {
    const std::uint32_t rank = some_rank(graphs->ranks());
    (*last)[rank].push_back(graphs->access(rank, store, bytes, "", some_of((*last)[rank])).front());
    return;
  }
  const std::string group = fmt::format("a{}", number);
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = some_rank(graphs->ranks()); rank < graphs->ranks(); ++rank) members.push_back(rank);
  graphs->add_group(group, members);
  for (const std::uint32_t rank : members) {
    (*last)[rank].push_back(graphs->access(rank, store, bytes, group, some_of((*last)[rank])).front());
  }
}

std::unique_ptr<Graphs> random_graphs(std::uint32_t ranks, bool accesses = false) {
  auto graphs = std::make_unique<Graphs>(ranks);
  std::vector<Ids> last(ranks);
  const int steps = between(1, 8);
  for (int step = 0; step < steps; ++step) {
    if (accesses && between(0, 1) == 0) {
      add_random_access(graphs.get(), step, &last);
      continue;
    }
    const int what = between(0, 5);
    if (what <= 1) add_random_collective(graphs.get(), step, &last);
    if (what == 2 || what == 3) add_random_message(graphs.get(), &last);
    if (what >= 4) {
      const std::uint32_t rank = some_rank(ranks);
      last[rank].push_back(graphs->compute(rank, static_cast<Cycle>(between(1, 30000)), some_of(last[rank])).front());
    }
  }
  return graphs;
}

RC_GTEST_PROP(FastForwardTrace, random_traces_give_the_same_bytes, ()) {
  static EnoughSkip enough(4);
  std::uint32_t nodes = 0;
  const Words sets = weft::test::random_trace_fabric(&nodes);
  weft::test::expect_the_same_bytes(*random_graphs(nodes), sets, weft::test::kMesh, &enough);
}

RC_GTEST_PROP(FastForwardTrace, random_traces_over_fred_switches_give_the_same_bytes, ()) {
  static EnoughSkip enough(4);
  std::uint32_t nodes = 0;
  const Words sets = weft::test::random_trace_switches(&nodes);
  weft::test::expect_the_same_bytes(*random_graphs(nodes), sets, weft::test::kForwardingSwitches, &enough);
}

RC_GTEST_PROP(FastForwardTrace, random_loads_and_stores_give_the_same_bytes, ()) {
  static EnoughSkip enough(6);
  std::uint32_t nodes = 0;
  const bool switches = *rc::gen::arbitrary<bool>();
  const Words sets = weft::test::random_loading_system(switches, &nodes);
  const std::unique_ptr<Graphs> graphs = random_graphs(nodes, true);
  weft::test::expect_the_same_bytes(*graphs, sets, switches ? weft::test::kForwardingSwitches : weft::test::kMesh,
                                    &enough);
}

}  // namespace
}  // namespace weft::sc_models
