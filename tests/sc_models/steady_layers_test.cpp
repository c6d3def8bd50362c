// SPDX-License-Identifier: Apache-2.0
// Layers of a trace that are alike, played again with run.fast_forward: steady, against runs of every cycle. Each run
// is a process of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "tests/sc_models/support/layers.h"
#include "tests/sc_models/support/skipping.h"
#include "tests/sc_models/support/steady_figures.h"

namespace weft::sc_models {
namespace {

using weft::test::EnoughSkip;
using weft::test::expect_alike;
using weft::test::Figures;
using weft::test::figures_of;
using weft::test::Graphs;
using weft::test::Layers;
using weft::test::TempDir;
using weft::test::twelve_layers;
using weft::test::Words;
using Ids = Graphs::Ids;

constexpr Cycle kCompute = weft::test::kLayerCompute;
constexpr std::uint64_t kBytes = weft::test::kLayerBytes;

// The first two layers show what the others do.
TEST(SteadyLayers, layers_that_are_alike_are_played_again) {
  const TempDir folder;
  EXPECT_GT(expect_alike(twelve_layers().config(folder), 0.001, 0, 0.001), 0.7);
}

// The packets would be fewer if the layer that has twice the bytes were taken for a copy of another one.
TEST(SteadyLayers, a_layer_with_other_bytes_is_simulated) {
  Layers layers(16);
  for (int layer = 0; layer < 13; ++layer) layers.add(layer == 6 ? 2 * kBytes : kBytes);
  const TempDir folder;
  EXPECT_GT(expect_alike(layers.config(folder), 0.001, 0, 0.001), 0.5);
}

// The straggler makes the run 60,000 cycles longer, 3 % of its time.
TEST(SteadyLayers, a_layer_in_which_a_rank_computes_longer_is_simulated) {
  Layers layers(16);
  for (int layer = 0; layer < 13; ++layer) layers.add(kBytes, layer == 6 ? 60'000 : 0);
  const TempDir folder;
  EXPECT_GT(expect_alike(layers.config(folder), 0.001, 0, 0.001), 0.25);
}

// Where a rank is late in every layer, each layer waits for it.
TEST(SteadyLayers, a_rank_that_is_late_in_every_layer_is_late_in_those_that_are_played_again) {
  Layers layers(16);
  for (int layer = 0; layer < 12; ++layer) layers.add(kBytes, 10'000);
  const TempDir folder;
  EXPECT_GT(expect_alike(layers.config(folder), 0.001, 0, 0.001), 0.6);
}

// The first collective, which goes on beside computations as all of them do, waits for a message of 512 flits. So the
// second moment comes some thousand cycles earlier in its layer than the first one: a period that forgot them would
// make computations in these layers shorter, and the one behind them longer.
TEST(SteadyLayers, communication_that_ends_sooner_than_before_does_not_make_layers_shorter) {
  Layers layers(16);
  for (int layer = 0; layer < 24; ++layer) {
    std::vector<Ids> before = layers.last;
    if (layer == 0) before[5] = layers.graphs.message(0, 5, 32 << 10).second;
    layers.graphs.collective("g", CollectiveKind::kAllReduce, kBytes, before);
    for (std::uint32_t rank = 0; rank < 16; ++rank)
      layers.last[rank] = layers.graphs.compute(rank, 10 * kCompute, layers.last[rank]);
  }
  const TempDir folder;
  const Figures steady = weft::test::expect_figures_alike(layers.config(folder), 0.001, 0, 0.001);
  EXPECT_GT(steady.estimated, 0.9 * steady.cycles);
  EXPECT_EQ(steady.longest_compute, 10 * kCompute);
}

// Two kinds of layers take turns, so that what happens again is two layers long.
TEST(SteadyLayers, layers_that_take_turns_are_played_again_in_pairs) {
  Layers layers(16);
  for (int layer = 0; layer < 14; ++layer) layers.add(layer % 2 == 0 ? kBytes : kBytes / 2, layer % 2 == 0 ? 0 : 7'000);
  const TempDir folder;
  EXPECT_GT(expect_alike(layers.config(folder), 0.001, 0, 0.001), 0.5);
}

TEST(SteadyLayers, messages_between_ranks_come_again) {
  Layers layers(16);
  for (int layer = 0; layer < 12; ++layer) layers.add_messages();
  const TempDir folder;
  EXPECT_GT(expect_alike(layers.config(folder), 0.001, 0, 0.001), 0.7);
}

// The first member of a group announces to the others what it starts.
TEST(SteadyLayers, collectives_that_switches_add_are_announced_again) {
  Layers layers(8);
  for (int layer = 0; layer < 12; ++layer) layers.add();
  const TempDir folder;
  const Words in_switch{"workload.trace.algorithm=in_switch", "memory.tensors=local", "io.controllers=0"};
  EXPECT_GT(expect_alike(layers.config(folder, in_switch, weft::test::kAddingSwitches), 0.005, 0), 0.7);
}

TEST(SteadyLayers, messages_over_switches_come_again) {
  Layers layers(8);
  for (int layer = 0; layer < 12; ++layer) layers.add_messages();
  const TempDir folder;
  EXPECT_GT(expect_alike(layers.config(folder, {}, weft::test::kForwardingSwitches), 0.005), 0.7);
}

// Layers are loaded, and in the second half stored.
TEST(SteadyLayers, loads_and_stores_come_again) {
  Layers layers(8);
  for (int layer = 0; layer < 24; ++layer) layers.add_access(layer >= 12);
  const TempDir folder;
  EXPECT_GT(expect_alike(layers.config(folder, {}, weft::test::kAddingSwitches), 0.005, 0.005), 0.6);
}

// What ranks have done is logged as if all of it had been simulated: the log of each rank has as many activities.
TEST(SteadyLayers, a_log_has_what_ranks_did_in_all_layers) {
  const Layers layers = twelve_layers();
  const TempDir folder;
  const Config config = layers.config(folder);
  const Figures all = figures_of(config, FastForwardMode::kOff);
  const Figures steady = figures_of(config, FastForwardMode::kSteady);
  EXPECT_GT(steady.estimated, 0);
  EXPECT_EQ(all.computes, 12u * 16 * 2);
  EXPECT_EQ(steady.computes, all.computes);
  EXPECT_EQ(all.chunks, 12u * 16);
  EXPECT_EQ(steady.chunks, all.chunks);
}

// Links carry nothing while all ranks compute, in layers that are played again, too.
TEST(SteadyLayers, links_are_busy_when_they_would_have_been) {
  const TempDir folder;
  const Config config = twelve_layers().config(folder);
  const Figures all = figures_of(config, FastForwardMode::kOff);
  const Figures steady = figures_of(config, FastForwardMode::kSteady);
  ASSERT_EQ(steady.by_window.size(), all.by_window.size());
  const double most = *std::max_element(all.by_window.begin(), all.by_window.end());
  std::size_t silent = 0;
  for (std::size_t window = 0; window < all.by_window.size(); ++window) {
    EXPECT_NEAR(steady.by_window[window], all.by_window[window], 0.1 * most) << "window " << window;
    if (all.by_window[window] == 0) ++silent;
  }
  EXPECT_GT(silent, all.by_window.size() / 2);
}

TEST(SteadyLayers, a_limit_ends_the_run_in_its_cycle) {
  const TempDir folder;
  const Config config = twelve_layers().config(folder, {"limits.cycles=1234567"});
  const Figures all = figures_of(config, FastForwardMode::kOff);
  const Figures steady = figures_of(config, FastForwardMode::kSteady);
  EXPECT_EQ(steady.cycles, 1234567);
  EXPECT_EQ(steady.packets, all.packets);
  EXPECT_GT(steady.estimated, 0);
}

/// What a layer adds waits for a short computation and a long one, or for one of them, and so does what follows.
struct Waits {
  bool added_for_long = false;  ///< else for the short one
  bool next_for_long = true;    ///< what follows waits for the long one and for what is added; else for the latter
};

/// Layers that ask for the same things. The last but one waits for others than those before it.
double share_with_other_waits(bool messages, const Waits& usual, const Waits& odd) {
  Layers layers(16);
  for (int layer = 0; layer < 9; ++layer) {
    const Waits& waits = layer == 7 ? odd : usual;
    std::vector<Ids> shorter(16);
    std::vector<Ids> longer(16);
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      shorter[rank] = layers.graphs.compute(rank, kCompute, layers.last[rank]);
      longer[rank] = layers.graphs.host(rank, kCompute + kCompute / 5, layers.last[rank]);
    }
    std::vector<Ids> added(16);
    const std::vector<Ids>& before = waits.added_for_long ? longer : shorter;
    if (!messages) added = layers.graphs.collective("g", CollectiveKind::kAllReduce, kBytes, before);
    for (std::uint32_t rank = 0; rank < 16 && messages; ++rank) {
      const auto [sent, received] = layers.graphs.message(rank, rank ^ 1, kBytes / 2, before[rank]);
      added[rank].insert(added[rank].end(), sent.begin(), sent.end());
      added[rank ^ 1].insert(added[rank ^ 1].end(), received.begin(), received.end());
    }
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      Ids all = added[rank];
      if (waits.next_for_long) all.insert(all.end(), longer[rank].begin(), longer[rank].end());
      layers.last[rank] = layers.graphs.compute(rank, kCompute / 2, all);
    }
  }
  const TempDir folder;
  return expect_alike(layers.config(folder), 0.001, 0, 0.001);
}

// In one layer the collective, or the messages, wait for the longer computation, during which it would have been quiet.
TEST(SteadyLayers, a_layer_that_asks_later_for_the_same_is_simulated) {
  for (const bool messages : {false, true}) {
    EXPECT_GT(share_with_other_waits(messages, {false, true}, {true, true}), 0.2);
    EXPECT_GT(share_with_other_waits(messages, {false, true}, {true, false}), 0.2);
  }
}

TEST(SteadyLayers, a_layer_that_asks_earlier_for_the_same_is_simulated) {
  for (const bool messages : {false, true}) {
    EXPECT_GT(share_with_other_waits(messages, {true, true}, {false, true}), 0.2);
    EXPECT_GT(share_with_other_waits(messages, {true, true}, {false, false}), 0.2);
  }
}

// The root of a broadcast has sent all while others still compute, so that their engines hold what has come until it is
// asked for.
TEST(SteadyLayers, what_comes_before_it_is_asked_for_is_received) {
  Layers layers(16);
  for (int layer = 0; layer < 12; ++layer) {
    std::vector<Ids> before = layers.last;
    for (std::uint32_t rank = 0; rank < 16; ++rank)
      layers.last[rank] = layers.graphs.compute(rank, 10 * kCompute, layers.last[rank]);
    for (std::uint32_t rank = 1; rank < 16; ++rank) before[rank] = layers.last[rank];
    const std::vector<Ids> sent = layers.graphs.collective("g", CollectiveKind::kBroadcast, kBytes, before);
    for (std::uint32_t rank = 0; rank < 16; ++rank)
      layers.last[rank].insert(layers.last[rank].end(), sent[rank].begin(), sent[rank].end());
    layers.compute_on();
  }
  const TempDir folder;
  expect_alike(layers.config(folder, {"workload.trace.algorithm=direct"}), 0.001, 0, 0.001);
}

// On several threads nothing is left out, and nothing is written down.
TEST(SteadyLayers, a_run_on_two_threads_is_simulated) {
  const TempDir folder;
  EXPECT_EQ(expect_alike(twelve_layers().config(folder, {"threads=2"}), 0), 0);
}

// Layers of random computations, messages, collectives and stragglers, each some times in a row.
RC_GTEST_PROP(SteadyLayers, random_layers_have_the_packets_and_the_time_of_all_cycles, ()) {
  static EnoughSkip enough(3);
  Layers layers(16);
  const int kinds = *rc::gen::inRange(1, 4);
  for (int kind = 0; kind < kinds; ++kind) {
    const int times = *rc::gen::inRange(1, 12);
    const bool messages = *rc::gen::inRange(0, 3) == 0;
    const std::uint64_t bytes = kBytes / *rc::gen::inRange(1, 5);
    const Cycle late = *rc::gen::element<Cycle>(0, 0, 900, 30'000, 120'000);
    for (int layer = 0; layer < times; ++layer) messages ? layers.add_messages() : layers.add(bytes, late);
  }
  const TempDir folder;
  const Words torus{"fabric.kind=torus", "fabric.routing=dimension_order"};
  const Config config = layers.config(folder, *rc::gen::element(Words(), torus, Words{"npu.endpoint_delay=300"}));
  const Figures all = figures_of(config, FastForwardMode::kOff);
  const Figures steady = figures_of(config, FastForwardMode::kSteady);
  RC_ASSERT(all.packets == steady.packets);
  RC_ASSERT(all.collectives == steady.collectives);
  RC_ASSERT(all.computes == steady.computes);
  RC_ASSERT(std::abs(steady.cycles - all.cycles) <= 0.001 * all.cycles);
  RC_ASSERT(std::abs(steady.links - all.links) <= 0.001 * all.links);
  enough.count(steady.estimated > 0.2 * steady.cycles);
}

}  // namespace
}  // namespace weft::sc_models
