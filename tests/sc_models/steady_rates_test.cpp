// SPDX-License-Identifier: Apache-2.0
// run.fast_forward: steady, against runs of every cycle. Each run is a process of its own.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>

#include "tests/sc_models/support/graphs.h"
#include "tests/sc_models/support/skipping.h"
#include "tests/sc_models/support/steady_figures.h"

namespace weft::sc_models {
namespace {

using weft::test::expect_alike;
using weft::test::TempDir;
using weft::test::Words;

/// A mesh with links of 45/64 flits per cycle and an adder of another rate, and messages of thousands of packets.
Config unlike(const Words& more) {
  constexpr const char* kUnlike = R"(clock: 1 GHz
fabric: {kind: mesh, size: [3, 2], flit_bytes: 64 B, link: {bandwidth: 45 GB/s, latency: 3}, router: {vcs: 2, buffer_flits: 16}}
npu: {packet_bytes: 512 B, reduce_bandwidth: 57 GB/s}
workload: {collective: {kind: all_reduce, algorithm: hierarchical_2d, size: 12 MiB}}
)";
  return load_config_text(kUnlike, "unlike.yaml", more);
}

/// A rate of links with which nothing repeats itself before a run ends, so that it is not left out as a copy.
constexpr const char* kNoPeriod = "fabric.link.bandwidth=45.013 GB/s";

TEST(SteadyRates, long_messages_are_moved_on_and_all_figures_stay_within_half_a_percent) {
  for (const Words& more : {Words{"workload.collective.algorithm=direct", "workload.collective.kind=all_to_all"},
                            Words{"workload.collective.algorithm=ring", kNoPeriod, "workload.collective.size=24 MiB"},
                            Words{"fabric.kind=switch", "fabric.size=5", "workload.collective.algorithm=direct",
                                  "workload.collective.kind=all_to_all"}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(more, " ")));
    EXPECT_GT(expect_alike(unlike(more)), 0.3);
  }
}

// What repeats itself is left out as that, and such a run is no approximation.
TEST(SteadyRates, copies_of_cycles_are_left_out_as_copies) {
  const Config config =
      unlike({"fabric.kind=fully_connected", "fabric.size=5", "workload.collective.algorithm=direct"});
  EXPECT_EQ(expect_alike(config), 0);
}

TEST(SteadyRates, short_messages_are_simulated) {
  EXPECT_EQ(expect_alike(unlike({"workload.collective.size=256 KiB"})), 0);
}

// What comes behind a computation decides when the run ends, and the computation ends while messages have steady rates.
TEST(SteadyRates, the_end_of_a_computation_is_not_jumped_over) {
  weft::test::Graphs graphs(16);
  graphs.message(0, 15, 16 << 20);
  graphs.message(3, 12, 16 << 20);
  graphs.message(1, 8, 8 << 20, graphs.compute(1, 200'000));
  const TempDir folder;
  EXPECT_GT(expect_alike(weft::test::trace_config(graphs, folder, {kNoPeriod})), 0.3);
}

// A refresh of a memory holds up what has been steady for long. Memories whose timing is simulated take no part, so
// that none is jumped over: the same messages are moved on where the memories have none.
TEST(SteadyRates, refreshes_of_memories_are_not_jumped_over) {
  const auto share_at_rates = [](const Words& more) {
    weft::test::Graphs graphs(16);
    graphs.message(0, 15, 16 << 20);
    graphs.message(3, 12, 16 << 20);
    graphs.compute(1, 20'000);
    const TempDir folder;
    return expect_alike(weft::test::trace_config(graphs, folder, more));
  };
  EXPECT_GT(share_at_rates({kNoPeriod}), 0.3);
  EXPECT_EQ(share_at_rates({kNoPeriod, "memory.timing=hbm3"}), 0);
}

// Packets that choose their routes by chance would choose other ones behind what is left out, which decides the time of
// some collectives by a third.
TEST(SteadyRates, routes_that_chance_chooses_are_simulated) {
  EXPECT_EQ(expect_alike(unlike({kNoPeriod, "fabric.routing=o1turn"}), 0), 0);
}

// What a sender has formed says nothing while nothing of it has come.
TEST(SteadyRates, links_are_filled_before_anything_is_moved_on) {
  expect_alike(unlike({"workload.collective.algorithm=direct", "workload.collective.kind=all_to_all",
                       "fabric.link.latency=8000", "fabric.router.buffer_flits=12000"}));
}

// While one chunk is on the links, the other one waits after each receive.
TEST(SteadyRates, what_waits_for_a_time_is_not_jumped_over) {
  EXPECT_GT(expect_alike(unlike({"workload.collective.algorithm=ring", "workload.collective.size=48 MiB",
                                 "workload.collective.chunks=2", kNoPeriod, "npu.message_order=oldest_first",
                                 "npu.endpoint_delay=30000"})),
            0.2);
}

// ---- loads and stores over I/O controllers

constexpr const char* kCopyingMesh = R"(clock: 1 GHz
fabric: {kind: mesh, size: [4, 4], flit_bytes: 64 B, router: {vcs: 4, buffer_flits: 8, multicast: true}}
npu: {packet_bytes: 512 B, peak_flops: 1 TFLOP/s, injection_vcs: any, message_classes: 2}
memory: {tensors: io, piece: 4 KiB}
io: {controllers: 3, bandwidth: 21 GB/s}
log: {level: ranks}
)";

/// The group `g` of all ranks loads or stores the same, behind a computation of each rank where `compute` is not 0.
void add_access(weft::test::Graphs* graphs, bool store, std::uint64_t bytes, Cycle compute = 0) {
  for (std::uint32_t rank = 0; rank < graphs->ranks(); ++rank) {
    const auto before = compute == 0 ? weft::test::Graphs::Ids{} : graphs->compute(rank, compute);
    graphs->access(rank, store, bytes, "g", before);
  }
}

weft::test::Graphs graphs_of_all(std::uint32_t ranks) {
  weft::test::Graphs graphs(ranks);
  std::vector<std::uint32_t> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  graphs.add_group("g", all);
  return graphs;
}

double expect_streams_alike(const weft::test::Graphs& graphs, const char* system, const Words& more = {}) {
  const TempDir folder;
  return expect_alike(weft::test::trace_config(graphs, folder, more, system), 0.005, 0.005);
}

TEST(SteadyRates, loads_and_stores_over_switches_are_moved_on_by_pieces) {
  weft::test::Graphs graphs = graphs_of_all(8);
  add_access(&graphs, false, 12 << 20);
  add_access(&graphs, false, 9 << 20);
  add_access(&graphs, true, 12 << 20, 300'000);
  EXPECT_GT(expect_streams_alike(graphs, weft::test::kAddingSwitches), 0.15);
}

TEST(SteadyRates, loads_that_routers_copy_are_moved_on_by_pieces) {
  weft::test::Graphs graphs = graphs_of_all(16);
  add_access(&graphs, false, 24 << 20);
  add_access(&graphs, false, 9 << 20, 300'000);
  EXPECT_GT(expect_streams_alike(graphs, kCopyingMesh), 0.3);
}

// The second store waits in line until the first one has ended, and what one rank loads in between meets neither. Most
// of a store repeats itself and is left out as that. What does not is moved on at rates, in the second store as in the
// first.
TEST(SteadyRates, stores_that_wait_in_line_are_moved_on_one_by_one) {
  const auto cycles_at_rates = [](int stores) {
    weft::test::Graphs graphs = graphs_of_all(16);
    for (int store = 0; store < stores; ++store) add_access(&graphs, true, 16 << 20);
    graphs.access(5, false, 1 << 20, "", graphs.compute(5, 1'234'567));
    const TempDir folder;
    const Config config = weft::test::trace_config(graphs, folder, {"io.bandwidth=63 GB/s"}, kCopyingMesh);
    return weft::test::expect_figures_alike(config, 0.005, 0.005).estimated;
  };
  EXPECT_EQ(cycles_at_rates(0), 0);
  const double one = cycles_at_rates(1);
  EXPECT_GT(one, 0);
  EXPECT_GT(cycles_at_rates(2), one);
}

// ---- messages beside loads

/// All ranks load the same and send messages across the mesh, which meet the loads.
struct Meeting {
  std::uint32_t computes = 0;  ///< a rank that computes
  Cycle compute = 0;           ///< for so many cycles
  bool behind = false;         ///< behind its load instead of beside it
  Cycle first = 0;             ///< before anything else a message is sent, and then all ranks compute so long
};

/// Cycles that are left out at rates. The time is right but for the share `time`.
double cycles_at_rates_of(const Meeting& meeting, double time = 0.005) {
  using Ids = weft::test::Graphs::Ids;
  weft::test::Graphs graphs = graphs_of_all(16);
  std::vector<Ids> before(16);
  if (meeting.first > 0) {
    const auto [sent, received] = graphs.message(0, 1, 4096);
    for (std::uint32_t rank = 0; rank < 16; ++rank)
      before[rank] = graphs.compute(rank, meeting.first, rank == 0 ? sent : rank == 1 ? received : Ids{});
  }
  Ids load;
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    const Ids own = graphs.access(rank, false, 24 << 20, "g", before[rank]);
    if (rank == meeting.computes) load = own;
  }
  for (std::uint32_t rank = 0; rank < 16; ++rank)
    graphs.message(rank, 15 - rank, 5 << 20, before[rank], before[15 - rank]);
  graphs.compute(meeting.computes, meeting.compute, meeting.behind ? load : before[meeting.computes]);
  const TempDir folder;
  const Config config = weft::test::trace_config(graphs, folder, {"io.bandwidth=35 GB/s"}, kCopyingMesh);
  return weft::test::expect_figures_alike(config, 0.005, 0.005, time).estimated;
}

// The message flows as long as the loads, beside them and across their way.
TEST(SteadyRates, messages_are_moved_on_with_the_loads_that_they_meet) {
  weft::test::Graphs graphs = graphs_of_all(16);
  add_access(&graphs, false, 24 << 20);
  graphs.message(12, 15, 24 << 20);
  EXPECT_GT(expect_streams_alike(graphs, kCopyingMesh), 0.4);
}

// Here their rates go up and down where they meet. Beside a long computation that costs little of the time.
TEST(SteadyRates, rates_that_are_not_steady_are_taken_beside_a_long_computation) {
  EXPECT_GT(cycles_at_rates_of({6, 5'000'000}), cycles_at_rates_of({6, 1000}) + 50'000);
}

// And so where everybody waits for them, if the run computes long enough behind them. They take about 250,000 cycles,
// of which 8,000 may be wrong. How long the run lasts is known from the first rank.
TEST(SteadyRates, rates_that_are_not_steady_are_taken_in_a_run_that_computes_long) {
  constexpr Cycle kLong = 20'000'000;
  const double known = cycles_at_rates_of({0, kLong, true}, 8000.0 / kLong);
  EXPECT_GT(known, cycles_at_rates_of({6, kLong, true}) + 50'000);
  // Behind a moment in which all only compute they could be played again, and with them what is wrong.
  EXPECT_GT(known, cycles_at_rates_of({0, kLong, true, 20'000}) + 50'000);
  // In a run of fewer than 2^24 cycles a few packets would decide too much of its time.
  EXPECT_GT(known, cycles_at_rates_of({0, 16'000'000, true}) + 50'000);
}

// The links are long, so that a message has been sent for thousands of cycles before anything of it comes.
TEST(SteadyRates, a_message_of_which_nothing_has_come_is_not_moved_on) {
  constexpr const char* kLongLinks = R"(clock: 1 GHz
fabric: {kind: mesh, size: [4, 4], flit_bytes: 512 B, link: {latency: 1000, bandwidth: 64 GB/s}, router: {vcs: 4, buffer_flits: 400, multicast: true}}
npu: {packet_bytes: 4096 B, peak_flops: 1 TFLOP/s, injection_vcs: any, message_classes: 2}
memory: {tensors: io, piece: 8 KiB, pieces: 64}
io: {controllers: 3, bandwidth: 8 GB/s}
log: {level: ranks}
)";
  weft::test::Graphs graphs(16);
  graphs.access(5, false, 64 << 20);
  for (std::uint32_t rank = 0; rank < 12; ++rank) {
    if (rank != 4 && rank != 5) graphs.message(rank, rank ^ 1, 68 << 20);
  }
  graphs.message(12, 3, 68 << 20, graphs.compute(12, 1'000'000));
  graphs.compute(9, 2'000'000'000);
  EXPECT_GT(expect_streams_alike(graphs, kLongLinks), 0);
}

// Its spans say now more and now less than the lines bring.
TEST(SteadyRates, a_load_beside_messages_is_moved_on_no_faster_than_its_lines) {
  weft::test::Graphs graphs = graphs_of_all(16);
  graphs.access(5, false, 16 << 20);
  graphs.collective("g", CollectiveKind::kAllReduce, 256 << 10);
  graphs.compute(9, 20'000'000);
  const TempDir folder;
  const Config config = weft::test::trace_config(
      graphs, folder, {"io.bandwidth=20 GB/s", "memory.piece=8 KiB", "npu.reduce_bandwidth=1 GB/s"}, kCopyingMesh);
  const auto all = weft::test::figures_of(config, FastForwardMode::kOff);
  const auto steady = weft::test::figures_of(config, FastForwardMode::kSteady);
  EXPECT_GT(steady.estimated, 0);
  EXPECT_LE(steady.line_share, 1);
  EXPECT_GE(steady.line_share, 0.95 * all.line_share);
}

// ---- loads and stores of which spans say too little

/// A mesh whose lines are slow. Returns the share that was left out at rates; the time is right but for the share
/// `time`.
double expect_lines_alike(const weft::test::Graphs& graphs, const Words& more, double time = 0.005) {
  constexpr const char* kLines = R"(clock: 1 GHz
fabric: {kind: mesh, size: [4, 4], flit_bytes: 512 B, link: {bandwidth: 64 GB/s}, router: {vcs: 4, buffer_flits: 8, multicast: true}}
npu: {packet_bytes: 4096 B, peak_flops: 1 TFLOP/s, injection_vcs: any, message_classes: 2}
memory: {tensors: io}
io: {controllers: 2, bandwidth: 4 GB/s}
log: {level: ranks}
)";
  const TempDir folder;
  return expect_alike(weft::test::trace_config(graphs, folder, more, kLines), 0.005, 0.005, time);
}

// Members that are near to the controllers have the pieces that are under way before the first member has them.
TEST(SteadyRates, members_of_a_load_that_are_ahead_do_not_pass_its_end) {
  weft::test::Graphs graphs = graphs_of_all(16);
  add_access(&graphs, false, 4 << 20);
  EXPECT_GT(expect_lines_alike(graphs, {"fabric.link.latency=900", "fabric.router.buffer_flits=400", "io.controllers=3",
                                        "io.bandwidth=20 GB/s", "memory.piece=8 KiB", "memory.pieces=4"}),
            0.3);
}

// Three loads share two lines. In the first window of each one its pieces follow each other, and not those of others.
TEST(SteadyRates, loads_are_measured_behind_their_first_windows) {
  weft::test::Graphs graphs(16);
  for (std::uint32_t rank = 0; rank < 3; ++rank) graphs.access(rank, false, 16 << 20);
  const Words more = {"io.bandwidth=20 GB/s", "memory.piece=4 KiB", "memory.pieces=64"};
  EXPECT_GT(expect_lines_alike(graphs, more, 0.0002), 0.3);
}

/// The first four ranks load a share each, in turn at three controllers, beside a store and messages, before all ranks
/// reduce a little and compute; and so five times, with other bytes.
weft::test::Graphs shared_loads() {
  using Ids = weft::test::Graphs::Ids;
  weft::test::Graphs graphs = graphs_of_all(16);
  graphs.add_group("row", {0, 1, 2, 3});
  std::vector<Ids> last(16);
  for (std::uint64_t episode = 0; episode < 5; ++episode) {
    std::vector<Ids> before = last;
    const auto add = [&before](std::uint32_t rank, const Ids& ids) {
      before[rank].insert(before[rank].end(), ids.begin(), ids.end());
    };
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      add(rank, graphs.access(rank, false, (4 + episode % 3) << 20, "row", last[rank]));
    add(5, graphs.access(5, true, 2 << 20, "", last[5]));
    for (const auto& [from, to, bytes] :
         {std::tuple(9U, 2U, 2867223U), std::tuple(6U, 2U, 1307905U), std::tuple(1U, 12U, 1352843U),
          std::tuple(4U, 8U, 2911061U), std::tuple(3U, 11U, 1872647U)}) {
      const auto [sent, received] = graphs.message(from, to, bytes + (episode << 16), last[from], last[to]);
      add(from, sent);
      add(to, received);
    }
    const std::vector<Ids> sums = graphs.collective("g", CollectiveKind::kAllReduce, 4096, before);
    for (std::uint32_t rank = 0; rank < 16; ++rank) last[rank] = graphs.compute(rank, 300 + 37 * episode, sums[rank]);
  }
  return graphs;
}

// Of a few pieces of each share one may be too many, so that one share ends too late, and all wait for it.
TEST(SteadyRates, loads_that_take_turns_are_measured_over_many_pieces) {
  const TempDir folder;
  const Words more = {"io.bandwidth=8 GB/s", "memory.piece=8 KiB", "workload.trace.algorithm=ring"};
  expect_alike(weft::test::trace_config(shared_loads(), folder, more, kCopyingMesh), 0.005, 0.005);
}

// A message waits for a load whose requests are on their way.
TEST(SteadyRates, what_has_not_begun_to_move_is_simulated) {
  weft::test::Graphs graphs = graphs_of_all(16);
  graphs.add_group("row", {0, 1, 2, 3});
  for (std::uint32_t rank = 0; rank < 4; ++rank) graphs.access(rank, false, 1 << 20, "row");
  add_access(&graphs, false, 1 << 20);
  for (std::uint32_t rank = 0; rank < 4; ++rank) graphs.access(rank, false, 2 << 20, "row");
  graphs.message(1, 0, 1 << 20);
  graphs.compute(3, 200'000);
  expect_lines_alike(graphs, {"io.bandwidth=40 GB/s", "memory.piece=4 KiB", "memory.pieces=64"});
}

// All pieces of the store have been sent at first, and wait in the lines of the controllers.
TEST(SteadyRates, a_load_and_a_message_beside_a_store_that_drains_take_as_long) {
  weft::test::Graphs graphs(16);
  graphs.access(1, true, 10 << 20);
  graphs.access(3, false, 10 << 20);
  graphs.message(2, 14, 4 << 20);
  expect_lines_alike(graphs, {"io.controllers=3", "io.bandwidth=8 GB/s", "memory.piece=32 KiB", "memory.pieces=64"});
}

// A rank that computes first reports room late, so that nothing comes until then.
TEST(SteadyRates, a_straggler_of_a_load_is_not_jumped_over) {
  weft::test::Graphs graphs = graphs_of_all(8);
  add_access(&graphs, false, 24 << 20);
  graphs.access(3, false, 6 << 20, "", graphs.compute(3, 123'456));
  EXPECT_GT(expect_streams_alike(graphs, weft::test::kAddingSwitches), 0.15);
}

// A link with errors sends packets again now and then, so that its rate falls when nobody expects it.
TEST(SteadyRates, a_link_that_degrades_is_not_jumped_over) {
  const auto share_at_rates = [](const Words& more) {
    weft::test::Graphs graphs = graphs_of_all(8);
    add_access(&graphs, false, 12 << 20);
    return expect_streams_alike(graphs, weft::test::kAddingSwitches, more);
  };
  EXPECT_GT(share_at_rates({}), 0.15);
  EXPECT_EQ(share_at_rates({"fabric.link_layer=gbn", "fabric.bit_error_rate=1e-8"}), 0);
}

}  // namespace
}  // namespace weft::sc_models
