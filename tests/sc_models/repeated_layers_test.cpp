// SPDX-License-Identifier: Apache-2.0
// Layers of a trace that are left out as copies of layers before them, against runs of every cycle: all bytes are the
// same. Each run is a process of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "tests/sc_models/support/both_ways.h"
#include "tests/sc_models/support/layers.h"
#include "tests/sc_models/support/random_traces.h"

namespace weft::sc_models {
namespace {

using weft::test::EnoughSkip;
using weft::test::expect_skipped;
using weft::test::Graphs;
using weft::test::kLayerBytes;
using weft::test::kLayerCompute;
using weft::test::Layers;
using weft::test::Words;
using Ids = Graphs::Ids;

Layers layers_of(std::uint32_t ranks, int count, std::uint64_t bytes = kLayerBytes) {
  Layers layers(ranks);
  for (int layer = 0; layer < count; ++layer) layers.add(bytes);
  return layers;
}

// Three layers show that they are alike, and the last one ends with the run.
TEST(RepeatedLayers, layers_that_are_alike_are_left_out) { expect_skipped(layers_of(16, 20).graphs, 0.75); }

TEST(RepeatedLayers, a_layer_with_other_bytes_is_simulated) {
  Layers layers(16);
  for (int layer = 0; layer < 21; ++layer) layers.add(layer == 10 ? 2 * kLayerBytes : kLayerBytes);
  expect_skipped(layers.graphs, 0.5);
}

// A copy that took the straggler's layer for one of the others would end 7 cycles early.
TEST(RepeatedLayers, a_layer_in_which_a_rank_computes_a_little_longer_is_simulated) {
  Layers layers(16);
  for (int layer = 0; layer < 21; ++layer) layers.add(kLayerBytes, layer == 10 ? 7 : 0);
  expect_skipped(layers.graphs, 0.25);
}

TEST(RepeatedLayers, layers_that_take_turns_are_left_out_in_pairs) {
  Layers layers(16);
  for (int layer = 0; layer < 24; ++layer)
    layers.add(layer % 2 == 0 ? kLayerBytes : kLayerBytes / 2, layer % 2 == 0 ? 0 : 7'000);
  expect_skipped(layers.graphs, 0.6);
}

TEST(RepeatedLayers, messages_between_ranks_come_again) {
  Layers layers(16);
  for (int layer = 0; layer < 40; ++layer) layers.add_messages();
  expect_skipped(layers.graphs, 0.4, {"fabric.kind=ring", "fabric.size=16"});
}

TEST(RepeatedLayers, messages_over_switches_come_again) {
  Layers layers(8);
  for (int layer = 0; layer < 40; ++layer) layers.add_messages();
  expect_skipped(layers.graphs, 0.6, {}, weft::test::kForwardingSwitches);
}

// Operands begin in plane after plane, so that what repeats itself are two layers, and nothing does so before the
// seventh one.
TEST(RepeatedLayers, collectives_that_switches_add_begin_in_the_same_planes_again) {
  for (const char* chunks : {"workload.trace.chunks=1", "workload.trace.chunks=3"}) {
    const Words in_switch{"workload.trace.algorithm=in_switch", "fabric.in_switch=true", chunks};
    expect_skipped(layers_of(8, 60).graphs, 0.6, in_switch, weft::test::kForwardingSwitches);
  }
}

// One packet more than a layer fills both planes with: where it goes first decides how long its layer takes.
TEST(RepeatedLayers, layers_of_an_odd_number_of_packets_are_told_apart_by_their_planes) {
  const Words in_switch{"workload.trace.algorithm=in_switch", "fabric.in_switch=true"};
  expect_skipped(layers_of(8, 60, kLayerBytes + 256).graphs, 0.6, in_switch, weft::test::kForwardingSwitches);
}

TEST(RepeatedLayers, loads_and_stores_come_again) {
  Layers layers(8);
  for (int layer = 0; layer < 60; ++layer) layers.add_access(layer >= 30);
  expect_skipped(layers.graphs, 0.5, {}, weft::test::kAddingSwitches);
}

TEST(RepeatedLayers, loads_over_the_edge_of_a_mesh_come_again) {
  Layers layers(16);
  for (int layer = 0; layer < 40; ++layer) layers.add_access(false);
  expect_skipped(layers.graphs, 0.3,
                 {"memory.tensors=io", "memory.piece=4 KiB", "io.controllers=1", "io.routing=xy",
                  "fabric.router.multicast=true", "npu.message_classes=2", "npu.injection_vcs=any"});
}

// The computation goes on while layers pass, and ends in one of them.
TEST(RepeatedLayers, a_computation_beside_many_layers_ends_in_its_cycle) {
  Layers layers = layers_of(16, 30);
  layers.graphs.host(3, 2'345'678);
  expect_skipped(layers.graphs, 0.3);
}

// What a layer sends is long enough to repeat itself within the layer, and windows end within these stretches.
TEST(RepeatedLayers, layers_with_long_messages_are_left_out_as_a_whole) {
  for (const char* windows : {"log.windows=0", "log.windows=64", "log.windows=1000"})
    expect_skipped(layers_of(16, 12, 1 << 20).graphs, 0.45, {windows});
}

// Trains of flits pass links in cycles that are not executed, and both kinds of periods note them.
TEST(RepeatedLayers, windows_of_long_messages_over_switches_have_the_flits_of_all_cycles) {
  for (const char* header : {"fabric.header=0 B", "fabric.header=8 B"}) {
    for (const char* windows : {"log.windows=64", "log.windows=1000"})
      expect_skipped(layers_of(8, 24, 1 << 20).graphs, 0.3, {header, windows}, weft::test::kForwardingSwitches);
  }
}

// Behind equal layers rank 0, which is told first, sends to a rank that there is not: both runs end in the same cycle
// with the same words.
TEST(RepeatedLayers, what_is_wrong_with_a_trace_is_met_in_its_cycle) {
  Layers layers = layers_of(16, 20);
  layers.graphs[0].send("to_nobody", RankId{99}, 4096, 7, layers.last[0]);
  const weft::test::Both both = weft::test::play(layers.graphs, {});
  ASSERT_TRUE(both.all.ran && both.skipping.ran);
  EXPECT_NE(both.all.tables.find("to_nobody"), std::string::npos);
  EXPECT_GT(both.share(), 0.5);
  EXPECT_TRUE(both.skipping.tables == both.all.tables);
}

/// Each of four ranks sends two messages at once, to the next two ranks. More would fill what a stopped run says.
Layers layers_of_pairs(int count) {
  Layers layers(4);
  for (int layer = 0; layer < count; ++layer) {
    std::vector<Ids> next(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const Ids computed = layers.graphs.compute(rank, kLayerCompute, layers.last[rank]);
      for (const std::uint32_t distance : {1U, 2U}) {
        const std::uint32_t to = (rank + distance) % 4;
        next[to].push_back(layers.graphs.message(rank, to, kLayerBytes, computed).second.front());
      }
    }
    layers.last = next;
  }
  return layers;
}

// The message that ends first leaves its place to the other one in the next layer. The limits lie shortly before the
// ends of layers, where messages are under way, behind different numbers of copies.
TEST(RepeatedLayers, messages_that_have_not_left_are_named_in_the_same_order) {
  const Cycle layer =
      weft::test::play(layers_of_pairs(30).graphs, {"npu.count=4"}, weft::test::kForwardingSwitches).all.cycles / 30;
  int named = 0;
  for (const Cycle number : {20, 21, 22}) {
    const Words limit{"npu.count=4", fmt::format("limits.cycles={}", number * layer - 2000)};
    const weft::test::Both both = weft::test::play(layers_of_pairs(30).graphs, limit, weft::test::kForwardingSwitches);
    if (both.all.tables.find("waits for its send") != std::string::npos) ++named;
    EXPECT_GT(both.share(), 0.2);
    EXPECT_TRUE(both.skipping.tables == both.all.tables);
  }
  EXPECT_GT(named, 0);
}

TEST(RepeatedLayers, a_limit_ends_the_run_in_its_cycle) {
  for (const char* limit : {"limits.cycles=1234567", "limits.cycles=2000003"})
    expect_skipped(layers_of(16, 20).graphs, 0.4, {limit});
}

// What one layer adds waits for another computation than in the others, so that players ask for the same things later.
TEST(RepeatedLayers, a_layer_that_asks_later_for_the_same_is_simulated) {
  Layers layers(16);
  for (int layer = 0; layer < 14; ++layer) {
    std::vector<Ids> shorter(16);
    std::vector<Ids> longer(16);
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      shorter[rank] = layers.graphs.compute(rank, kLayerCompute, layers.last[rank]);
      longer[rank] = layers.graphs.host(rank, kLayerCompute + 9, layers.last[rank]);
    }
    const std::vector<Ids> added =
        layers.graphs.collective("g", CollectiveKind::kAllReduce, kLayerBytes, layer == 9 ? longer : shorter);
    for (std::uint32_t rank = 0; rank < 16; ++rank)
      layers.last[rank] = layers.graphs.compute(rank, kLayerCompute / 2, {added[rank].front(), longer[rank].front()});
  }
  expect_skipped(layers.graphs, 0.3);
}

TEST(RepeatedLayers, a_run_without_a_log_of_ranks_leaves_layers_out) {
  expect_skipped(layers_of(16, 20).graphs, 0.75, {"log.level=off"});
}

// ---- random layers

/// Any number of the range is as likely as another one, in the first cases, too.
int any(int low, int high) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1)); }

/// What all layers of a kind do.
struct Kind {
  int what = 0;  ///< 0 and 1: a collective; 2: messages to the next rank; 3: a load or a store
  CollectiveKind collective = CollectiveKind::kAllReduce;
  std::uint64_t bytes = 0;
  Cycle compute = 0;
  Cycle late = 0;  ///< of one rank
  bool store = false;
};

Kind random_kind(bool accesses) {
  Kind kind;
  kind.what = any(0, accesses ? 3 : 2);
  kind.collective =
      *rc::gen::element(CollectiveKind::kAllReduce, CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                        CollectiveKind::kReduceScatter, CollectiveKind::kAllToAll, CollectiveKind::kBroadcast);
  kind.bytes = 4 * static_cast<std::uint64_t>(any(100, 1500));
  kind.compute = static_cast<Cycle>(*rc::gen::element(any(1, 3000), 20'000));
  kind.late = static_cast<Cycle>(*rc::gen::element(0, 0, any(1, 900), 30'000));
  kind.store = *rc::gen::arbitrary<bool>();
  return kind;
}

void add_layer(Layers* layers, const Kind& kind) {
  const auto ranks = static_cast<std::uint32_t>(layers->last.size());
  std::vector<Ids> computed(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    computed[rank] = layers->graphs.compute(rank, kind.compute + (rank == 1 ? kind.late : 0), layers->last[rank]);
  std::vector<Ids> next = computed;
  if (kind.what <= 1) next = layers->graphs.collective("g", kind.collective, kind.bytes, computed);
  for (std::uint32_t rank = 0; rank < ranks && kind.what == 2; ++rank) {
    const std::uint32_t to = (rank + 1) % ranks;
    next[to].push_back(layers->graphs.message(rank, to, kind.bytes, computed[rank]).second.front());
  }
  for (std::uint32_t rank = 0; rank < ranks && kind.what == 3; ++rank)
    next[rank].push_back(layers->graphs.access(rank, kind.store, kind.bytes, "g", layers->last[rank]).front());
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    layers->last[rank] = layers->graphs.compute(rank, kind.compute, next[rank]);
}

Layers random_layers(std::uint32_t ranks, bool accesses = false) {
  Layers layers(ranks);
  const int rows = any(1, 2);
  for (int row = 0; row < rows; ++row) {
    std::vector<Kind> kinds;
    const int in_turn = any(1, 2);
    for (int kind = 0; kind < in_turn; ++kind) kinds.push_back(random_kind(accesses));
    const int times = any(4, 26);
    for (int time = 0; time < times; ++time) {
      for (const Kind& kind : kinds) add_layer(&layers, kind);
    }
  }
  return layers;
}

RC_GTEST_PROP(RepeatedLayers, random_layers_give_the_same_bytes, ()) {
  static EnoughSkip enough(4);
  std::uint32_t nodes = 0;
  const Words sets = weft::test::random_trace_fabric(&nodes);
  weft::test::expect_the_same_bytes(random_layers(nodes).graphs, sets, weft::test::kMesh, &enough);
}

RC_GTEST_PROP(RepeatedLayers, random_layers_over_fred_switches_give_the_same_bytes, ()) {
  static EnoughSkip enough(7);
  std::uint32_t nodes = 0;
  const Words sets = weft::test::random_trace_switches(&nodes);
  weft::test::expect_the_same_bytes(random_layers(nodes).graphs, sets, weft::test::kForwardingSwitches, &enough);
}

RC_GTEST_PROP(RepeatedLayers, random_layers_that_load_and_store_give_the_same_bytes, ()) {
  static EnoughSkip enough(12);
  std::uint32_t nodes = 0;
  const bool switches = *rc::gen::arbitrary<bool>();
  const Words sets = weft::test::random_loading_system(switches, &nodes);
  weft::test::expect_the_same_bytes(random_layers(nodes, true).graphs, sets,
                                    switches ? weft::test::kForwardingSwitches : weft::test::kMesh, &enough);
}

}  // namespace
}  // namespace weft::sc_models
