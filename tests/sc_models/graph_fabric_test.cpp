// SPDX-License-Identifier: Apache-2.0
// Routers that are joined in any way. Their pipeline is written twice, here and for grids; where both can build a
// fabric they agree in every figure of every link.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <regex>

#include "base/error.h"
#include "config/load.h"
#include "runs/results_folder.h"
#include "runs/run.h"
#include "tests/sc_models/support/run_into.h"
#include "tests/support/csv_table.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using testing::HasSubstr;
using weft::test::CsvTable;
using Words = std::vector<std::string>;

/// Figures by link; names of a grid of one row are written as those of a ring.
std::map<std::string, std::string> links_of(const TempDir& folder) {
  std::map<std::string, std::string> links;
  const CsvTable table(folder / "links.csv");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string name = table.at(row, "link");
    name = std::regex_replace(name, std::regex(R"(fabric\.router\[(\d+),0\]\.inject)"), "npu[$1].out");
    name = std::regex_replace(name, std::regex(R"(router\[(\d+),0\])"), "router[$1]");
    name = std::regex_replace(name, std::regex(R"(\.(east|to\[1\])$)"), ".up");
    name = std::regex_replace(name, std::regex(R"(\.(west|to\[0\])$)"), ".down");
    std::string figures;
    for (const char* column : {"flits", "utilisation", "stall_cycles", "lost_arbitration_cycles"}) {
      figures += table.at(row, column) + " ";
    }
    links[name] = figures;
  }
  return links;
}

void expect_alike(const std::string& one, const std::string& other, const std::string& rest, const Words& sets) {
  const TempDir a;
  const TempDir b;
  ASSERT_EQ(run_into(a, load_config_text("fabric: {" + one + "}\n" + rest, "a.yaml", sets)), "");
  ASSERT_EQ(run_into(b, load_config_text("fabric: {" + other + "}\n" + rest, "b.yaml", sets)), "");
  EXPECT_EQ(links_of(a), links_of(b)) << one << " " << testing::PrintToString(sets);
  EXPECT_EQ(read_text(a / "latency.csv"), read_text(b / "latency.csv"));
  EXPECT_EQ(read_text(a / "collectives.csv"), read_text(b / "collectives.csv"));
}

const Words kPipelines[] = {
    {},
    {"fabric.router.vc_reuse=tail_credit", "fabric.router.vcs=3", "fabric.router.buffer_flits=3"},
    {"fabric.router.allocator=islip", "fabric.router.allocator_iterations=2", "workload.traffic.packet_flits=5"},
    {"fabric.link.bandwidth=20 GB/s", "fabric.local.bandwidth=90 GB/s", "fabric.router.routing_delay=1",
     "fabric.router.vc_alloc_delay=2", "fabric.router.switch_alloc_delay=2", "fabric.router.credit_delay=1",
     "fabric.router.hop_cycles=2", "fabric.link.latency=7"},
};

TEST(GraphFabric, a_ring_is_a_torus_of_one_row_under_any_load) {
  for (const int size : {2, 3, 8, 9}) {
    for (const char* rate : {"0.1", "0.6", "1"}) {
      for (const Words& sets : kPipelines) {
        expect_alike(
            fmt::format("kind: ring, size: {}", size), fmt::format("kind: torus, size: [{}, 1]", size),
            fmt::format("workload: {{traffic: {{rate: {}, packet_flits: 2, warmup_cycles: 300, measure_cycles: "
                        "700}}}}\n",
                        rate),
            sets);
      }
    }
  }
}

TEST(GraphFabric, two_routers_are_two_routers) {
  for (const char* rate : {"0.2", "1"}) {
    expect_alike("kind: fully_connected, size: 2", "kind: mesh, size: [2, 1]",
                 fmt::format("workload: {{traffic: {{rate: {}, warmup_cycles: 300, measure_cycles: 700}}}}\n", rate),
                 {});
  }
}

// Real data over the ring: results are verified by the run itself, and cycles are those of the torus.
TEST(GraphFabric, collectives_of_a_ring_take_the_cycles_of_a_torus) {
  for (const char* algorithm : {"ring", "direct", "halving_doubling"}) {
    for (const char* classes : {"1", "2"}) {
      expect_alike("kind: ring, size: 8, link: {latency: 20 ns}", "kind: torus, size: [8, 1], link: {latency: 20 ns}",
                   "workload: {collective: {size: 16 KiB, data: values}}\n",
                   {std::string("workload.collective.algorithm=") + algorithm,
                    std::string("npu.message_classes=") + classes, "npu.packet_bytes=256 B"});
    }
  }
}

// A packet of one flit: latencies in cycles by hand. A flit takes 1 cycle on its link, 1 (as set) of wire and, in each
// router, VC allocation, switch allocation and traversal; routers allocate in the cycle after a flit has arrived.
TEST(GraphFabric, a_switch_without_load_takes_what_one_router_takes) {
  const TempDir one;
  const TempDir two;
  const std::string rest =
      "workload: {traffic: {rate: 0.001, warmup_cycles: 0, measure_cycles: 20000, pattern: neighbor}}\n";
  ASSERT_EQ(run_into(one, load_config_text("fabric: {kind: switch, size: 4}\n" + rest, "a.yaml", {})), "");
  ASSERT_EQ(run_into(two, load_config_text("fabric: {kind: fully_connected, size: 4}\n" + rest, "b.yaml", {})), "");
  const auto lowest = [](const TempDir& folder) {
    return std::stoull(CsvTable(folder / "latency.csv").at(0, "latency_cycles"));
  };
  // Injection: 1 + 1; router: 1 + 1 + 1 to the link's end, 1 of wire.
  EXPECT_EQ(lowest(one), 6u);
  EXPECT_EQ(lowest(two), 6u + 4);
}

// Each input sends to an output of its own, so that nothing ever waits for another, and all that sources of one flit
// per cycle offer, by chance a little less, is carried.
TEST(GraphFabric, a_crossbar_carries_a_permutation_at_full_rate) {
  const TempDir folder;
  const std::string text =
      "fabric: {kind: switch, size: 16, router: {vcs: 4}}\n"
      "workload: {traffic: {rate: 1, pattern: bitcomp, packet_flits: 4, warmup_cycles: 500, measure_cycles: 2000}}\n";
  ASSERT_EQ(run_into(folder, load_config_text(text, "c.yaml", {})), "");
  const CsvTable links(folder / "links.csv");
  for (std::size_t row = 0; row < links.rows(); ++row) {
    EXPECT_GT(std::stod(links.at(row, "utilisation")), 0.9) << links.at(row, "link");
    EXPECT_EQ(links.at(row, "stall_cycles"), "0") << links.at(row, "link");
  }
}

// Too few VCs for a ring: packets wait for each other in a circle, and the watchdog says who waits.
TEST(GraphFabric, a_deadlock_is_found) {
  Config config = load_config_text(
      "fabric: {kind: ring, size: 8, router: {vcs: 2, buffer_flits: 2}}\nlimits: {watchdog_cycles: 500}\nworkload: "
      "{traffic: {rate: 1, pattern: tornado, packet_flits: 8}}\n",
      "c.yaml", {});
  config.fabric.router.vcs = 1;
  RunControl control;
  const RunResult result = run(config, control);
  EXPECT_EQ(result.stop, StopReason::kViolation);
  EXPECT_THAT(result.stop_text, HasSubstr("router[0], input "));
  EXPECT_THAT(result.stop_text, HasSubstr("waits for a free VC of output up, held by packet "));
}

TEST(GraphFabric, what_only_grids_have_bad) {
  const auto refused = [](const std::string& fabric, const Words& sets) -> std::string {
    try {
      load_config_text("fabric: {" + fabric + "}\nworkload: {collective: {size: 4 KiB}}\n", "c.yaml", sets);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("kind: ring, size: [4, 1]", {}), HasSubstr("c.yaml:1:28: fabric.size: a list cannot be used"));
  EXPECT_THAT(refused("kind: mesh, size: 4", {}), HasSubstr("fabric.size: 4 is one number; legal for a mesh: [x, y]"));
  EXPECT_THAT(refused("kind: ring, size: 4", {"fabric.form=modules"}),
              HasSubstr("a fabric of kind ring is one module"));
  EXPECT_THAT(refused("kind: ring, size: 4", {"npu.clock=2 GHz"}), HasSubstr("have the fabric's clock"));
  EXPECT_THAT(refused("kind: ring, size: 4", {"fabric.router.vcs=1"}), HasSubstr("1 VC can deadlock"));
  EXPECT_THAT(refused("kind: ring, size: 4", {"fabric.router.colours=4"}),
              HasSubstr("only for fabric.kind mesh and torus"));
  EXPECT_THAT(refused("kind: switch, size: 40", {}), HasSubstr("4 VCs at 40 ports are 160 buffers"));
  EXPECT_THAT(refused("kind: switch, size: 4", {"io.controllers=2"}), HasSubstr("but a switch has none"));
  EXPECT_THAT(refused("kind: switch, size: 4", {"fabric.routing=xy"}), HasSubstr("'xy' is for a mesh"));
}

}  // namespace
}  // namespace weft::sc_models
