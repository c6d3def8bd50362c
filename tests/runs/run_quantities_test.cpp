// SPDX-License-Identifier: Apache-2.0
// The table of what is measured of a whole run: what it writes of a run whose values are known by hand, and that
// docs/results.md has all of it.
#include "runs/run_quantities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "runs/build_commit.h"
#include "runs/summary.h"
#include "tests/sc_models/sample_result.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::runs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> keys_of(const std::vector<const RunQuantity*>& quantities) {
  std::vector<std::string> keys;
  for (const RunQuantity* quantity : quantities) keys.push_back(quantity->key);
  return keys;
}

/// The sample with one of everything. A cycle is 2 ns, so the run takes 2000 ns; a line of an I/O controller carries 4
/// flits of 8 B in a cycle, which is 16 GB/s.
Config full_config() {
  Config config = sc_models::test::sample_config();
  config.fabric.io.rate = {4, 1};
  config.fabric.flit_bytes = 8;
  config.npu.packet_bytes = 32;
  config.memory.pool = "pool.yaml";
  return config;
}

RunResult full_result() {
  RunResult r = sc_models::test::sample_result();
  const auto node = [](std::uint32_t number) { return NodeId{number}; };
  const auto row = [](const char* name, std::uint64_t bytes) {
    mem::MemoryRow memory{name, 0, {}};
    memory.figures.bytes = bytes;
    return memory;
  };
  r.warnings = {"slow"};
  r.uswitch_hops = 77;
  r.settings = SettingRecord{17, "l1[0]", 14, 871, 1536, 4000, 5, 6, std::nullopt};
  r.switches = {{"fabric.l1[0]", "lockstep", 70}, {"fabric.l1[1]", "tlm", 0}};
  r.moved = PlacementRecord{{"l1[0]: a, b"}, {node(0), node(1)}, {node(1), node(1)}};
  r.link_layer = LinkLayerRecord{1000, 30, 29, 60, 7, 2};
  r.offered = 0.5;
  r.accepted = 0.25;
  // 64 B in 8 ns and in 16 ns are half and a quarter of a line; while both ran, 48 B in 4 ns and 32 B in 4 ns are three
  // quarters and half of it. A stream is 8 flits, as many as the busiest link carried.
  r.io_streams = {{0, "npu[0] left", 64, 4, true, 48, 2}, {1, "npu[1] right", 64, 8, true, 32, 2}};
  // 4000 B came in while any rank loaded, in 100 cycles: 20 of 32 GB/s. Before stores ranks got 16 and 8 GB/s.
  r.io_controllers = {{"npu[0] left", 3, 1, 3000, 500}, {"npu[1] right", 2, 1, 1000, 250}};
  r.io_loaded_bytes = 4000;
  r.io_load_cycles = 100;
  r.rank_memory = {{3, 1, 4000, 500, 100, 1600, 50}, {2, 1, 4000, 250, 80, 800, 50}};
  r.refused_accesses = 9;
  // Two channels of 4 GB/s could carry 16,000 B in the run, three modules of 2 GB/s 12,000 B.
  r.memory_rows = {row("npu[0]", 1000), row("npu[0]", 3000)};
  r.dram_channel_gbps = 4;
  r.pool_rows = {row("pool.io", 7777), row("pool.module", 1000), row("pool.module", 2000), row("pool.module", 3000)};
  r.pool_module_gbps = 2;
  r.skipped_cycles = 600;
  return r;
}

TEST(RunQuantities, a_run_with_everything_by_hand) {
  const std::string text = summary_json(full_config(), full_result(), {0.125, 4096}, 2);
  EXPECT_EQ(text, R"({
  "version": ")" + std::string(version()) +
                      R"(",
  "commit": ")" + std::string(build_commit()) +
                      R"(",
  "name": "sample",
  "seed": 42,
  "cycles": 1000,
  "time_ns": 2000.0,
  "finished": true,
  "saturated": false,
  "stop": "finished",
  "stop_text": "",
  "warnings": [
    "slow"
  ],
  "nodes": 2,
  "packets": 4,
  "flits": 12,
  "flit_hops": 24,
  "skipped_cycles": 600,
  "uswitch_hops": 77,
  "stored_settings": {
    "most": 17,
    "where": "l1[0]",
    "capacity": 14,
    "bits": 871,
    "memory_bytes": 1536,
    "changes": 4000,
    "reloads": 5,
    "preemptions": 6,
    "yields": null
  },
  "switches": {
    "models": {
      "lockstep": 1,
      "tlm": 1
    },
    "compared_cycles": 70,
    "each": [
      {
        "name": "fabric.l1[0]",
        "model": "lockstep",
        "compared_cycles": 70
      },
      {
        "name": "fabric.l1[1]",
        "model": "tlm",
        "compared_cycles": 0
      }
    ]
  },
  "replaced": {
    "conflicts": [
      "l1[0]: a, b"
    ],
    "moved": [
      {
        "rank": 0,
        "from": 0,
        "to": 1
      }
    ],
    "placement": [
      1,
      1
    ]
  },
  "link_layer": {
    "packets": 1000,
    "resent": 30,
    "discarded": 29,
    "acks": 60,
    "nacks": 7,
    "timeouts": 2
  },
  "latency_cycles": {
    "mean": 16.0,
    "p50": 12,
    "p99": 30,
    "max": 30
  },
  "network_latency_cycles": {
    "mean": 11.75,
    "p50": 9,
    "p99": 20,
    "max": 20
  },
  "stall_cycles": {
    "no_credit": 3,
    "lost_arbitration": 2,
    "waiting_operand": 1
  },
  "avg_hops": 1.75,
  "offered": 0.5,
  "accepted": 0.25,
  "io": {
    "streams": 2,
    "bytes": 64,
    "line_gbps": 16.0,
    "line_share": 0.25,
    "steady_line_share": 0.625,
    "slowest_steady_line_share": 0.5,
    "busiest_link": "fabric.router[0,0].east",
    "busiest_link_streams": 1.0
  },
  "io_memory": {
    "pool": "pool.yaml",
    "refused": 9,
    "controllers": 2,
    "line_gbps": 16.0,
    "bytes_in": 4000,
    "bytes_out": 750,
    "load_cycles": 100,
    "line_share_before_stores": 0.25,
    "line_share": 0.625
  },
  "memory": {
    "dram_channels": {
      "parts": 2,
      "bytes": 4000,
      "gbps": 4.0,
      "share": 0.25
    },
    "pool_modules": {
      "parts": 3,
      "bytes": 6000,
      "gbps": 2.0,
      "share": 0.5
    }
  },
  "rank_memory": [
    {
      "loads": 3,
      "stores": 1,
      "loaded_bytes": 4000,
      "stored_bytes": 500,
      "load_cycles": 100
    },
    {
      "loads": 2,
      "stores": 1,
      "loaded_bytes": 4000,
      "stored_bytes": 250,
      "load_cycles": 80
    }
  ],
  "critical_path": null,
  "cpu_s": 0.5,
  "setup_cpu_s": 0.25,
  "output_cpu_s": 0.125,
  "wall_s": 0.75,
  "peak_rss_bytes": 4096,
  "ranks": [
    {
      "finished": true,
      "finish_ns": 2000.0,
      "compute_ns": 1200.0,
      "exposed_comm_ns": 800.0,
      "compute_nodes": 3,
      "memory_bound_nodes": 1,
      "memory_wait_ns": 100.0
    },
    {
      "finished": true,
      "finish_ns": 1600.0,
      "compute_ns": 1400.0,
      "exposed_comm_ns": 0.0,
      "compute_nodes": 4,
      "memory_bound_nodes": 0,
      "memory_wait_ns": 0.0
    }
  ]
}
)");
}

TEST(RunQuantities, a_run_with_nothing_by_hand) {
  Config config;
  config.name = "none";
  config.seed = 1;
  EXPECT_THAT(summary_json(config, RunResult(), {}, 0), HasSubstr(R"(
  "name": "none",
  "seed": 1,
  "cycles": 0,
  "time_ns": 0.0,
  "finished": false,
  "saturated": false,
  "stop": "finished",
  "stop_text": "",
  "warnings": [],
  "nodes": 0,
  "packets": 0,
  "flits": 0,
  "flit_hops": 0,
  "skipped_cycles": 0,
  "latency_cycles": {
    "mean": null,
    "p50": null,
    "p99": null,
    "max": null
  },
  "network_latency_cycles": {
    "mean": null,
    "p50": null,
    "p99": null,
    "max": null
  },
  "stall_cycles": null,
  "avg_hops": null,
  "offered": null,
  "accepted": null,
  "io": null,
  "io_memory": null,
  "memory": null,
  "rank_memory": null,
  "critical_path": null,
  "cpu_s": 0.0,
  "setup_cpu_s": 0.0,
  "output_cpu_s": 0.0,
  "wall_s": 0.0,
  "peak_rss_bytes": 0,
  "ranks": []
}
)"));
}

// Readers of sweep.csv and runs.csv know the columns by these names, and by their places.
TEST(RunQuantities, columns_of_a_sweep) {
  EXPECT_THAT(
      keys_of(swept_quantities()),
      ElementsAre("finished", "saturated", "cycles", "time_ns", "packets", "flits", "flit_hops", "latency_cycles.mean",
                  "latency_cycles.p50", "latency_cycles.p99", "latency_cycles.max", "network_latency_cycles.mean",
                  "network_latency_cycles.p50", "network_latency_cycles.p99", "network_latency_cycles.max", "avg_hops",
                  "offered", "accepted", "cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes", "seed"));
}

TEST(RunQuantities, the_report_can_draw_what_it_offers) {
  const std::vector<const RunQuantity*> drawn = drawn_quantities();
  ASSERT_FALSE(drawn.empty());
  EXPECT_EQ(drawn.front()->key, "latency_cycles.mean") << "what is shown of a sweep over rates at first";
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_EQ(drawn[i]->drawn, static_cast<int>(i) + 1) << drawn[i]->key;
    EXPECT_EQ(drawn[i]->seeds, SeedMerge::kMean) << drawn[i]->key << " is no number of sweep.csv";
  }
}

/// What docs/results.md says of each key of summary.json: the rows of its table that begin with the key, and paragraphs
/// that do.
std::map<std::string, std::string> page_of_summary() {
  std::string page = weft::test::read_text(weft::test::source("docs/results.md"));
  const std::size_t start = page.find("\n## summary.json\n");
  page = page.substr(start, page.find("\n## ", start + 1) - start);
  const std::regex name("`([a-z_]+)`");
  std::map<std::string, std::string> keys;
  std::istringstream lines(page);
  std::string line;
  std::string paragraph;
  while (std::getline(lines, line)) {
    if (line.empty()) paragraph.clear();
    std::smatch match;
    if (line.rfind("| `", 0) == 0) {
      const std::string cell = line.substr(0, line.find('|', 1));
      for (std::sregex_iterator at(cell.begin(), cell.end(), name), end; at != end; ++at) keys[(*at)[1]] += line;
    } else if (std::regex_search(line, match, std::regex("^`([a-z_]+)`: "))) {
      paragraph = match[1];
    }
    if (!paragraph.empty()) keys[paragraph] += line;
  }
  return keys;
}

TEST(RunQuantities, are_those_of_the_page) {
  const auto page = page_of_summary();
  std::map<std::string, bool> known;
  for (const RunQuantity& quantity : run_quantities()) {
    std::istringstream parts(quantity.key);
    std::string key;
    std::getline(parts, key, '.');
    known[key] = true;
    ASSERT_EQ(page.count(key), 1u) << "docs/results.md has no row for " << key;
    for (std::string part; std::getline(parts, part, '.');) {
      EXPECT_THAT(page.at(key), HasSubstr("`" + part + "`")) << "docs/results.md does not name " << quantity.key;
    }
  }
  for (const auto& [key, text] : page) EXPECT_EQ(known.count(key), 1u) << "only docs/results.md has " << key;
}

TEST(RunQuantities, have_words_and_a_sentence) {
  for (const RunQuantity& quantity : run_quantities()) {
    EXPECT_FALSE(quantity.words.empty()) << quantity.key;
    EXPECT_THAT(quantity.meaning, testing::EndsWith(".")) << quantity.key;
  }
}

}  // namespace
}  // namespace weft::runs
