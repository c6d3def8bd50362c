// SPDX-License-Identifier: Apache-2.0
// A run that is cut off at any cycle and goes on in another process gives the bytes of a run that is not.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "tests/sc_models/support/graphs.h"
#include "tests/sc_models/support/layers.h"
#include "tests/sc_models/support/random_systems.h"
#include "tests/sc_models/support/skipping.h"

namespace weft::sc_models {
namespace {

using weft::test::config_of;
using weft::test::Graphs;
using weft::test::Outcome;
using weft::test::outcome_of;
using weft::test::random_fabric;
using weft::test::random_switches;
using weft::test::random_wafer;
using weft::test::read_text;
using weft::test::ring;
using weft::test::switches;
using weft::test::TempDir;
using weft::test::Words;

/// The state at the end of the first cycle that is executed from `at` on, from a process that ends there. Empty: the
/// run has ended before. `from`: the state that it goes on with.
std::string state_at(Config config, FastForwardMode mode, Cycle at, const std::string& from = "",
                     const TestKnobs& knobs = {}) {
  config.run.fast_forward = mode;
  const TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    try {
      RunControl control;
      control.want_checkpoints({}, {at});
      runs::RunCheckpoints checkpoints;
      checkpoints.resume_from = from;
      checkpoints.write = [&](const std::string& state, Cycle, double, double) {
        weft::test::write_text(folder / "state", state);
        _exit(0);
      };
      runs::RunSetup setup;
      setup.checkpoints = &checkpoints;
      setup.knobs = knobs;
      runs::run(config, control, setup);
    } catch (const std::exception& error) {
      weft::test::write_text(folder / "refusal", error.what());
      _exit(1);
    }
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 1) << read_text(folder / "refusal");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? read_text(folder / "state") : "";
}

/// Where two texts begin to differ.
std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t from = at < 100 ? 0 : at - 100;
  return fmt::format("at byte {}:\n{}\nand\n{}", at, a.substr(from, 200), b.substr(from, 200));
}

/// Cuts the run at `shares` of its cycles, one after the other, and compares what it leaves with an unbroken run. The
/// last part is played by so many `threads`, 0 = as many as the run was begun with.
void expect_same_bytes(const Config& config, const std::vector<double>& shares,
                       FastForwardMode mode = FastForwardMode::kOff, int threads = 0, const TestKnobs& knobs = {}) {
  const Outcome unbroken = outcome_of(config, mode, "", 0, knobs);
  ASSERT_TRUE(unbroken.ran);
  std::string state;
  for (const double share : shares) {
    const auto at = static_cast<Cycle>(share * static_cast<double>(unbroken.cycles));
    std::string next = state_at(config, mode, at, state, knobs);
    ASSERT_FALSE(next.empty()) << "no checkpoint from cycle " << at << " on";
    state = std::move(next);
  }
  const Outcome resumed = outcome_of(config, mode, state, threads, knobs);
  ASSERT_TRUE(resumed.ran);
  EXPECT_EQ(resumed.cycles, unbroken.cycles);
  EXPECT_TRUE(resumed.tables == unbroken.tables) << first_difference(resumed.tables, unbroken.tables);
}

// The first core of the chain has its first element after 378 cycles. Until then the bands at the other end rest.
TEST(Checkpoints, bands_that_rest_go_on) {
  TestKnobs knobs;
  knobs.columns_per_part = 8;
  const Config config =
      config_of("wse-reduce", {"fabric.size=[64, 2]", "workload.collective.size=2400 B", "log.windows=0"});
  expect_same_bytes(config, {0.25, 0.35, 0.8}, FastForwardMode::kExact, 0, knobs);
}

TEST(Checkpoints, a_ring_on_every_kind_of_routers_goes_on) {
  for (const Words& more :
       {Words{"seed=1"}, Words{"fabric.kind=torus", "fabric.routing=dimension_order"},
        Words{"fabric.kind=ring", "fabric.size=16"}, Words{"fabric.kind=switch", "fabric.size=16"},
        Words{"fabric.routing=o1turn"}, Words{"threads=2"},
        Words{"fabric.link.bandwidth=48 GB/s", "fabric.link.latency=70"}, Words{"log.level=packets"},
        Words{"workload.collective.algorithm=direct"},
        Words{"workload.collective.chunks=4", "npu.reduce_bandwidth=100 GB/s", "npu.endpoint_delay=20"},
        Words{"workload.collective.kind=broadcast", "workload.collective.algorithm=direct"}}) {
    SCOPED_TRACE(more.front());
    expect_same_bytes(ring(more), {0.01, 0.4, 0.9});
  }
}

TEST(Checkpoints, a_run_goes_on_with_another_number_of_threads) {
  for (const int threads : {1, 2, 3, 4}) {
    expect_same_bytes(ring({"threads=4", "fabric.routing=o1turn"}), {0.4}, FastForwardMode::kOff, threads);
    expect_same_bytes(switches({"threads=2", "workload.collective.size=128 KiB"}), {0.4}, FastForwardMode::kOff,
                      threads);
  }
}

TEST(Checkpoints, a_wafer_with_set_up_routes_goes_on) {
  for (const char* algorithm : {"chain", "tree", "two_phase", "in_router"}) {
    SCOPED_TRACE(algorithm);
    expect_same_bytes(config_of("wse-reduce", {"workload.collective.size=4 KiB", "fabric.size=[6, 4]",
                                               fmt::format("workload.collective.algorithm={}", algorithm)}),
                      {0.1, 0.5});
  }
}

TEST(Checkpoints, synthetic_traffic_goes_on) {
  expect_same_bytes(config_of("booksim-ref4", {"workload.traffic.rate=0.2", "workload.traffic.warmup_cycles=200",
                                               "workload.traffic.measure_cycles=500"}),
                    {0.1, 0.3, 0.8});
}

TEST(Checkpoints, flows_and_messages_over_fred_switches_go_on) {
  for (const Words& more :
       {Words{"seed=1"}, Words{"workload.collective.chunks=3"}, Words{"fabric.levels[0].bandwidth=48 GB/s"},
        Words{"workload.collective.algorithm=ring"},
        Words{"fabric.in_switch=false", "workload.collective.algorithm=ring"},
        Words{"workload.collective.kind=all_to_all", "workload.collective.algorithm=direct"},
        Words{"fabric.control=several_phases", "fabric.levels[0].reconfig_cycles=3"},
        // The memory holds fewer settings than the series needs, so that which ones it holds decides.
        Words{"workload.collective.kind=all_to_all", "workload.collective.algorithm=in_switch_series",
              "fabric.setting_memory=64 B", "fabric.reload_cycles=100"}}) {
    SCOPED_TRACE(more.front());
    Words sets = {"workload.collective.size=128 KiB"};
    sets.insert(sets.end(), more.begin(), more.end());
    expect_same_bytes(switches(sets), {0.05, 0.5, 0.9});
  }
}

// Packets that may wait in a switch go flit by flit, and so do those that go from thread to thread.
TEST(Checkpoints, flits_over_fred_switches_go_on) {
  constexpr const char* kSeries = "workload.collective.algorithm=in_switch_series";
  for (const Words& more :
       {Words{"threads=2"}, Words{"threads=2", "workload.collective.algorithm=ring", "fabric.in_switch=false"},
        Words{"threads=2", "workload.collective.kind=all_to_all", kSeries}, Words{"fabric.reduce_cycles=3"},
        Words{"fabric.reduce_cycles=3", "fabric.stage=skid"}, Words{"fabric.register_every=2"},
        Words{"fabric.register_every=2", "fabric.lanes=2"}, Words{"fabric.flow_control=wormhole"},
        Words{"fabric.flow_control=wormhole", "workload.collective.algorithm=direct", "fabric.in_switch=false"},
        Words{"fabric.flow_control=wormhole", "fabric.lanes=2"},
        Words{"fabric.link_layer=gbn", "fabric.bit_error_rate=2e-6"}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(more, " ")));
    Words sets = {"workload.collective.size=96 KiB"};
    sets.insert(sets.end(), more.begin(), more.end());
    expect_same_bytes(switches(sets), {0.05, 0.5, 0.9});
  }
}

TEST(Checkpoints, a_run_that_leaves_cycles_out_goes_on) {
  expect_same_bytes(ring({"fabric.size=[6, 6]", "workload.collective.size=576 KiB"}), {0.1, 0.5},
                    FastForwardMode::kExact);
  expect_same_bytes(config_of("wse-reduce", {"workload.collective.size=32 KiB", "fabric.size=[8, 1]"}), {0.1, 0.5},
                    FastForwardMode::kExact);
  expect_same_bytes(switches({"seed=1"}), {0.1, 0.5}, FastForwardMode::kExact);
}

// The first state lies behind layers that were left out, or before any were; a resumed run leaves none out.
TEST(Checkpoints, a_run_that_leaves_layers_out_goes_on) {
  weft::test::Layers layers(16);
  for (int layer = 0; layer < 12; ++layer) layers.add();
  const TempDir folder;
  const Config config = layers.config(folder);
  EXPECT_GT(outcome_of(config, FastForwardMode::kExact).skipped, 0U);
  expect_same_bytes(config, {0.6}, FastForwardMode::kExact);
  expect_same_bytes(config, {0.1, 0.4}, FastForwardMode::kExact);
}

// Sends, receives, computations and collectives of two groups at once.
Graphs busy_graphs() {
  Graphs graphs(16);
  std::vector<std::uint32_t> all;
  for (std::uint32_t rank = 0; rank < 16; ++rank) all.push_back(rank);
  graphs.add_group("g", all);
  for (std::uint32_t i = 0; i < 4; ++i) {
    graphs.add_group(fmt::format("row{}", i), {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
    graphs.collective(fmt::format("row{}", i), CollectiveKind::kAllReduce, 64 << 10);
  }
  graphs.message(0, 3, 1 << 16);
  graphs.message(1, 3, 1 << 15, graphs.compute(1, 1001));
  graphs.collective("g", CollectiveKind::kAllReduce, 128 << 10);
  graphs.compute(12, 1501);
  graphs.compute(9, 601, graphs.compute(9, 901));
  return graphs;
}

TEST(Checkpoints, a_trace_goes_on) {
  for (const Words& more : {Words{"seed=1"}, Words{"npu.order=lifo", "npu.max_collectives=1"}, Words{"log.level=steps"},
                            Words{"fabric.kind=switch", "fabric.size=16"}}) {
    SCOPED_TRACE(more.front());
    const TempDir folder;
    expect_same_bytes(weft::test::trace_config(busy_graphs(), folder, more), {0.02, 0.2, 0.3, 0.6, 0.95});
  }
}

TEST(Checkpoints, a_trace_over_fred_switches_goes_on) {
  constexpr const char* kSwitches = R"(clock: 1 GHz
fabric: {kind: fred, flit_bytes: 32 B, header: 8 B, levels: [{groups: 4, planes: 2, uplinks: 2}, {groups: 1}]}
npu: {count: 16, packet_bytes: 256 B, peak_flops: 1 TFLOP/s}
)";
  for (const char* algorithm : {"in_switch", "in_switch_series", "ring"}) {
    SCOPED_TRACE(algorithm);
    const TempDir folder;
    const Config config = weft::test::trace_config(busy_graphs(), folder,
                                                   {fmt::format("workload.trace.algorithm={}", algorithm)}, kSwitches);
    expect_same_bytes(config, {0.02, 0.2, 0.3, 0.6, 0.95});
  }
}

TEST(Checkpoints, streams_of_io_controllers_go_on) {
  // Routers copy packets; with the delay, some of the copies wait for the cycle from which they may use their VC.
  for (const char* delay : {"1", "5"}) {
    const Words sets = {"workload.io.size=64 KiB", fmt::format("fabric.router.vc_alloc_delay={}", delay)};
    expect_same_bytes(config_of("mesh-wafer-io", sets), {0.05, 0.5, 0.9});
  }
}

TEST(Checkpoints, weights_that_are_streamed_go_on) {
  for (const char* name : {"fred-d-streaming", "mesh-streaming"}) {
    for (const char* threads : {"threads=1", "threads=2"}) {
      SCOPED_TRACE(fmt::format("{} {}", name, threads));
      expect_same_bytes(config_of(name, {"log.level=ranks", "limits.cycles=30000", threads}), {0.05, 0.5, 0.9});
    }
  }
}

/// What makes packets go flit by flit over FRED switches.
Words flit_by_flit() {
  return *rc::gen::element(Words{}, Words{"fabric.reduce_cycles=2"},
                           Words{"fabric.reduce_cycles=3", "fabric.stage=skid"}, Words{"fabric.register_every=2"},
                           Words{"fabric.flow_control=wormhole"},
                           Words{"fabric.link_layer=gbn", "fabric.bit_error_rate=1e-6"});
}

RC_GTEST_PROP(Checkpoints, random_systems_go_on_with_the_same_bytes, ()) {
  Config config;
  const int kind = *rc::gen::inRange(0, 3);
  Words sets = kind == 0 ? random_fabric() : kind == 1 ? random_switches() : random_wafer();
  sets.push_back(fmt::format("threads={}", *rc::gen::element(1, 1, 2, 3)));
  if (kind == 1) {
    const Words more = flit_by_flit();
    sets.insert(sets.end(), more.begin(), more.end());
  }
  try {
    config = kind == 0 ? ring(sets) : kind == 1 ? switches(sets) : config_of("wse-reduce", sets);
  } catch (const InputError&) {
    RC_DISCARD("cannot be built");
  }
  const FastForwardMode mode = *rc::gen::element(FastForwardMode::kOff, FastForwardMode::kExact);
  const Outcome unbroken = outcome_of(config, mode);
  if (!unbroken.ran) RC_DISCARD("is refused");
  RC_LOG() << fmt::format("{}", fmt::join(sets, " ")) << std::endl;
  const Cycle at = unbroken.cycles * *rc::gen::inRange<Cycle>(0, 1000) / 1000;
  RC_LOG() << "cut at " << at << std::endl;
  const std::string state = state_at(config, mode, at);
  if (state.empty()) RC_DISCARD("has ended");
  const Outcome resumed = outcome_of(config, mode, state, *rc::gen::inRange(0, 4));
  RC_ASSERT(resumed.ran);
  RC_ASSERT(resumed.tables == unbroken.tables);
}

}  // namespace
}  // namespace weft::sc_models
