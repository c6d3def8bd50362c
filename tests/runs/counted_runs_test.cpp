// SPDX-License-Identifier: Apache-2.0
// What the estimate counts is what a run moves: to the flit, where no route is drawn at random.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "config/load.h"
#include "npu/player/workload_check.h"
#include "runs/estimate/run_estimate.h"
#include "runs/estimate/workload_volume.h"
#include "runs/run.h"
#include "sc_models/fabric_kinds.h"
#include "tests/sc_models/support/trace_text.h"

namespace weft::runs {
namespace {

using sc_models::TraceText;
using weft::test::TempDir;

struct Case {
  const char* name;
  const char* text;
};

const char* const kMesh = "fabric: {size: [4, 3], flit_bytes: 32, router: {vcs: 4, buffer_flits: 32}}\n";

class CountedRuns : public testing::TestWithParam<Case> {};

TEST_P(CountedRuns, are_as_estimated) {
  const std::string text = GetParam().text;
  const Config config = load_config_text(text.rfind("fabric", 0) == 0 ? text : kMesh + text);
  const auto sketch = sc_models::make_sketch(config);
  const RunEstimate estimate = estimate_run(config, *sketch);
  RunControl control;
  const RunResult result = run(config, control);
  ASSERT_TRUE(result.finished) << result.stop_text;
  EXPECT_FALSE(estimate.sent->sampled);
  EXPECT_GT(result.flit_hops, 0);
  EXPECT_DOUBLE_EQ(estimate.sent->flit_hops, static_cast<double>(result.flit_hops));
  EXPECT_DOUBLE_EQ(estimate.sent->flits, static_cast<double>(result.flits));
  EXPECT_DOUBLE_EQ(estimate.sent->packets, static_cast<double>(result.packets));
}

#define WEFT_LEVELS "levels: [{groups: 4, planes: 2, uplinks: 2, bandwidth: 32 GB/s, latency: 10}, {groups: 1}]"

INSTANTIATE_TEST_SUITE_P(
    All, CountedRuns,
    testing::Values(
        // Sizes that divide into nothing: elements, chunks, packets and flits are unlike.
        Case{"ring", "workload: {collective: {size: 50004 B, algorithm: ring, chunks: 3}}\n"},
        Case{"fewer_chunks",
             "workload: {collective: {size: 50004 B, algorithm: ring, chunks: 5, chunk_bytes: 20 kB}}\n"},
        Case{"direct", "workload: {collective: {size: 50004 B, algorithm: direct, kind: all_to_all}}\n"},
        Case{"odd_bytes", "workload: {collective: {size: 50003 B, algorithm: direct, kind: reduce_scatter}}\n"},
        Case{"hierarchical", "workload: {collective: {size: 50004 B, algorithm: hierarchical_2d, chunks: 2}}\n"},
        Case{"group", "workload: {collective: {size: 50004 B, algorithm: halving_doubling, group: [0, 5, 6, 11]}}\n"},
        Case{"barrier", "workload: {collective: {kind: barrier, size: 0 B, algorithm: ring}}\n"},
        Case{"multicast",
             "fabric: {size: [4, 3], flit_bytes: 32, router: {vcs: 4, buffer_flits: 128, multicast: true}}\n"
             "workload: {collective: {size: 50004 B, kind: broadcast, algorithm: tree, root: 5}}\n"},
        Case{"phase", "workload: {collective: {size: 50004 B, algorithm: ring, parallelism: [2, 2, 3], phase: dp}}\n"},
        Case{"graph_ring",
             "fabric: {kind: ring, size: 7, flit_bytes: 32}\nworkload: {collective: {size: 50004 B, algorithm: "
             "direct}}\n"},
        Case{"crossbar",
             "fabric: {kind: switch, size: 7}\nworkload: {collective: {size: 50004 B, algorithm: direct}}\n"},
        Case{"fully_connected",
             "fabric: {kind: fully_connected, size: 7}\nworkload: {collective: {size: 50004 B, algorithm: direct}}\n"},
        Case{"set_up_routes",
             "fabric: {size: [5, 4], flit_bytes: 4, router: {colours: 24}}\nnpu: {packet_bytes: 4}\n"
             "workload: {collective: {kind: reduce, algorithm: two_phase, size: 100 B}}\n"},
        Case{"set_up_routes_of_one_chunk",
             "fabric: {size: [5, 4], flit_bytes: 4, router: {colours: 24}}\nnpu: {packet_bytes: 4}\n"
             "workload: {collective: {kind: reduce, algorithm: two_phase, size: 100 B, chunks: 8, chunk_bytes: 100 "
             "B}}\n"},
        Case{"added_by_routers",
             "fabric: {size: [5, 4], flit_bytes: 4, router: {colours: 24}}\nnpu: {packet_bytes: 4}\n"
             "workload: {collective: {kind: reduce, algorithm: in_router, size: 100 B}}\n"},
        Case{"switches", "fabric: {kind: fred, " WEFT_LEVELS "}\nnpu: {count: 12, packet_bytes: 128}\n"
                         "workload: {collective: {size: 50004 B, algorithm: in_switch, chunks: 3}}\n"},
        Case{"switches_gather",
             "fabric: {kind: fred, " WEFT_LEVELS "}\nnpu: {count: 12, packet_bytes: 128}\n"
             "workload: {collective: {size: 50004 B, algorithm: in_switch, kind: reduce_scatter}}\n"},
        Case{"switches_unicast",
             "fabric: {kind: fred, in_switch: false, " WEFT_LEVELS "}\nnpu: {count: 12, packet_bytes: 128}\n"
             "workload: {collective: {size: 50004 B, algorithm: two_level_ring}}\n"},
        Case{"streams",
             "fabric: {size: [4, 3], flit_bytes: 32, router: {vcs: 4, buffer_flits: 128, multicast: true}}\n"
             "io: {controllers: 3, bandwidth: 16 GB/s}\nnpu: {message_classes: 2, injection_vcs: any}\n"
             "workload: {io: {size: 50004 B}}\n"},
        Case{"streams_of_switches", "fabric: {kind: fred, " WEFT_LEVELS "}\nio: {controllers: 3, bandwidth: 16 GB/s}\n"
                                    "npu: {count: 12, packet_bytes: 128}\nworkload: {io: {size: 50004 B}}\n"},
        Case{"streams_of_unicasts",
             "fabric: {kind: fred, in_switch: false, " WEFT_LEVELS "}\nio: {controllers: 3, bandwidth: 16 GB/s}\n"
             "npu: {count: 12, packet_bytes: 128}\nworkload: {io: {size: 50004 B}}\n"}),
    [](const auto& each) { return each.param.name; });

// Rank 0 sends to all others, rank r waits for it; then all reduce twice. On switches the first rank tells the others
// by messages of one flit which collective comes next. The collectives are two chunks and one.
TEST(CountedTrace, sends_and_collectives) {
  const TempDir folder;
  for (int rank = 0; rank < 12; ++rank) {
    TraceText trace;
    for (int to = 1; rank == 0 && to < 12; ++to) trace.send(to, 1000 + 100 * to);
    if (rank > 0) trace.receive(0, 1000 + 100 * rank);
    const int first = trace.all_reduce(5000);
    trace.all_reduce(3000, first);
    trace.write((folder / fmt::format("t.{}.json", rank)).string());
  }
  const std::string prefix = (folder / "t").string();
  for (const char* const fabric :
       {kMesh, "fabric: {kind: fred, " WEFT_LEVELS "}\nnpu: {count: 12, packet_bytes: 128}\n"}) {
    const char* const algorithm = fabric == kMesh ? "hierarchical_2d" : "in_switch";
    const Config config = load_config_text(
        fmt::format("{}workload: {{trace: {{chakra: {}, algorithm: {}, chunks: 3, chunk_bytes: 3 kB}}}}\n", fabric,
                    prefix, algorithm));
    const auto sketch = sc_models::make_sketch(config);
    TraceTraffic traffic(config, *sketch);
    npu::require_playable(config, [&traffic](RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
      traffic.add(rank, node, group);
    });
    const SentVolume sent = traffic.volume();
    const TempDir out;
    ASSERT_EQ(sc_models::run_into(out, config), "");
    const auto summary = nlohmann::json::parse(sc_models::read_text(out / "summary.json"));
    EXPECT_EQ(sent.flit_hops, summary["flit_hops"].get<double>()) << algorithm;
    EXPECT_EQ(sent.flits, summary["flits"].get<double>()) << algorithm;
  }
}

}  // namespace
}  // namespace weft::runs
