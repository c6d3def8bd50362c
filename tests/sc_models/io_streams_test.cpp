// SPDX-License-Identifier: Apache-2.0
// Streams of I/O controllers over whole wafers: rates by hand, streams that meet, the reference hot spot, real data,
// the laws of time. Each run is a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "config/load.h"
#include "runs/results_folder.h"
#include "runs/run.h"
#include "sc_models/io_figures.h"
#include "tests/sc_models/support/run_into.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using weft::test::CsvTable;
using Words = std::vector<std::string>;

Config config_of(const std::string& name, const std::string& size, Words more = {}) {
  more.insert(more.begin(), "workload.io.size=" + size);
  return load_config(weft::test::source("configs/") + name + ".yaml", more);
}

double number(const CsvTable& table, std::size_t row, const std::string& column) {
  return std::stod(table.at(row, column));
}

std::uint64_t end_of_first_stream(const Config& config) {
  const TempDir folder;
  if (!run_into(folder, config).empty()) return 0;
  return std::stoull(CsvTable(folder / "io.csv").at(0, "end_cycle"));
}

/// Most flits on a link between routers or switches.
std::uint64_t most_flits(const TempDir& folder) {
  const CsvTable links(folder / "links.csv");
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < links.rows(); ++i) {
    const std::string ends = links.at(i, "from") + links.at(i, "to");
    if (ends.find("npu") != std::string::npos || ends.find("io") != std::string::npos) continue;
    most = std::max<std::uint64_t>(most, std::stoull(links.at(i, "flits")));
  }
  return most;
}

// A packet of 8 flits takes 8 x 512 B / 128 GB/s = 31.25 cycles of 1.024 ns.
TEST(IoStreams, one_alone_on_a_mesh_reaches_line_rate_exactly) {
  const TempDir folder;
  const Words one{"io.controllers=1"};
  ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "36 KiB", one)), "");
  const CsvTable io(folder / "io.csv");
  ASSERT_EQ(io.rows(), 1U);
  EXPECT_EQ(io.at(0, "place"), "npu[0] left");
  EXPECT_EQ(number(io, 0, "steady_gbps"), 128);
  EXPECT_EQ(number(io, 0, "steady_line_share"), 1);
  // The ninth packet is complete at the controller in cycle ceil(281.25), the first one in cycle ceil(31.25).
  const std::uint64_t first = end_of_first_stream(config_of("mesh-wafer-io", "4 KiB", one));
  EXPECT_EQ(std::stoull(io.at(0, "end_cycle")), first + 282 - 32);
  EXPECT_NEAR(number(io, 0, "gbps"), 9 * 4096 / (static_cast<double>(first + 250) * 1.024), 1e-9);
}

// 750 GB/s are 1.5 flits per cycle: 16/3 cycles for a packet, and as much as a link between routers carries.
TEST(IoStreams, a_line_as_fast_as_the_links_is_kept_up_with) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "40 KiB", {"io.controllers=1", "io.bandwidth=750 GB/s"})), "");
  EXPECT_EQ(number(CsvTable(folder / "io.csv"), 0, "steady_line_share"), 1);
}

// Left and bottom stream of NPU 0 share the link to NPU 1; the right one has its own route.
TEST(IoStreams, two_that_meet_share_the_link) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "1 MiB",
                                       {"fabric.size=[2, 1]", "io.controllers=3", "io.bandwidth=750 GB/s",
                                        "fabric.router.vcs=8", "workload.io.window=0 B"})),
            "");
  const CsvTable io(folder / "io.csv");
  EXPECT_EQ(io.at(2, "place"), "npu[0] bottom");
  EXPECT_NEAR(number(io, 0, "steady_gbps") + number(io, 2, "steady_gbps"), 750, 15);
  EXPECT_NEAR(number(io, 0, "steady_line_share"), 0.5, 0.02);
  EXPECT_NEAR(number(io, 2, "steady_line_share"), 0.5, 0.02);
  EXPECT_EQ(number(io, 1, "steady_line_share"), 1);
  const CsvTable links(folder / "links.csv");
  for (std::size_t i = 0; i < links.rows(); ++i) {
    if (links.at(i, "link") == "fabric.router[0,0].east") {
      EXPECT_EQ(links.at(i, "flits"), "4096");
    }
    if (links.at(i, "link") == "fabric.router[1,0].west") {
      EXPECT_EQ(links.at(i, "flits"), "2048");
    }
  }
}

// With room for one packet, the next one leaves the controller when the NPUs have taken it and that is known there.
TEST(IoStreams, a_window_of_one_packet_costs_the_way_there_and_back) {
  const Words one{"io.controllers=1", "workload.io.window=4 KiB", "workload.io.window_latency=1000"};
  const std::uint64_t first = end_of_first_stream(config_of("mesh-wafer-io", "4 KiB", one));
  const std::uint64_t route = first - 32;  // the line has brought it in cycle ceil(31.25)
  for (const std::uint64_t packets : {2U, 5U}) {
    const std::string size = std::to_string(packets * 4) + " KiB";
    EXPECT_EQ(end_of_first_stream(config_of("mesh-wafer-io", size, one)), first + (packets - 1) * (1000 + route));
  }
}

// The switches of FRED get released parts of one message: 4 packets, then one for each that all have taken.
TEST(IoStreams, a_window_holds_up_controllers_at_switches) {
  const Words one{"io.controllers=1", "workload.io.window=16 KiB", "workload.io.window_latency=5000"};
  const std::uint64_t four = end_of_first_stream(config_of("fred-d", "16 KiB", one));
  const std::uint64_t five = end_of_first_stream(config_of("fred-d", "20 KiB", one));
  const std::uint64_t single = end_of_first_stream(config_of("fred-d", "4 KiB", one));
  EXPECT_LT(four, 1000U);
  EXPECT_EQ(five, single + 5000 + single);
}

// Links of 750 GB/s that carry 9 and 11 streams of lines of 128: 0.651 and 0.533 of each line, which streams that go on
// in step all get, less the way of the first and the last packets.
TEST(IoStreams, in_step_get_the_share_of_the_busiest_link) {
  for (const auto& [routing, share] : {std::pair("edge_first", 750.0 / 9 / 128), std::pair("xy", 750.0 / 11 / 128)}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "2 MiB", {std::string("io.routing=") + routing})), "");
    const CsvTable io(folder / "io.csv");
    for (std::size_t i = 0; i < io.rows(); ++i) {
      EXPECT_GT(number(io, i, "line_share"), 0.985 * share) << routing << " " << i;
      EXPECT_LT(number(io, i, "line_share"), 1.01 * share) << routing << " " << i;
    }
  }
}

TEST(IoStreams, nine_meet_on_the_reference_mesh_and_eleven_with_xy) {
  for (const auto& [routing, streams] : {std::pair("edge_first", 9U), std::pair("xy", 11U)}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "64 KiB", {std::string("io.routing=") + routing})), "");
    EXPECT_EQ(most_flits(folder), streams * 128) << routing;
    const CsvTable nodes(folder / "nodes.csv");
    for (std::size_t i = 0; i < nodes.rows(); ++i) EXPECT_EQ(nodes.at(i, "flits_received"), "2304");  // 18 x 128
  }
}

// 750 GB/s for 9 streams are 83.3, for 11 they are 68.2: a little less is kept up with, more is not.
TEST(IoStreams, lines_are_kept_up_with_to_the_share_of_the_busiest_link) {
  const auto slowest = [](const std::string& routing, const std::string& bandwidth) {
    const TempDir folder;
    const Words more{"io.routing=" + routing, "io.bandwidth=" + bandwidth};
    if (!run_into(folder, config_of("mesh-wafer-io", "2 MiB", more)).empty()) return 0.0;
    const CsvTable io(folder / "io.csv");
    double least = 2;
    for (std::size_t i = 0; i < io.rows(); ++i) least = std::min(least, number(io, i, "line_share"));
    return least;
  };
  EXPECT_GT(slowest("edge_first", "82 GB/s"), 0.99);
  EXPECT_LT(slowest("edge_first", "88 GB/s"), 0.96);
  EXPECT_GT(slowest("xy", "67 GB/s"), 0.985);
  EXPECT_LT(slowest("xy", "73 GB/s"), 0.96);
}

// A message of a whole number of packets and 1808 bytes, 4 flits.
TEST(IoStreams, carry_their_numbers_over_a_mesh) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "10000 B", {"workload.io.data=values"})), "");
  EXPECT_EQ(most_flits(folder), 9U * 20);
}

TEST(IoStreams, carry_their_numbers_through_switches) {
  const TempDir folder;
  EXPECT_EQ(run_into(folder, config_of("fred-d", "10000 B", {"workload.io.data=values"})), "");
}

// Settings of a chiplet at an L1 switch with 4 controllers whose lines need all 4 uplinks: the 4 streams from here up
// each of the 4 uplinks, and what comes down each uplink to the NPUs, whoever sent it: 20, of 438 bits in 55 bytes
// each.
TEST(IoStreams, settings_that_only_copy_are_shared) {
  const TempDir folder;
  const std::string fast = "io.bandwidth=1.5 TB/s";
  EXPECT_EQ(run_into(folder, config_of("fred-b", "256 KiB", {fast, "fabric.setting_memory=1100 B"})), "");
  EXPECT_NE(run_into(folder, config_of("fred-b", "256 KiB", {fast, "fabric.setting_memory=1099 B"})), "");
}

// A line of 128 GB/s needs one of the 4 uplinks. A chiplet of L2 takes two uplinks of each of the 5 L1 switches and
// copies what comes up each of them to the 4 others: 10 settings, of 410 bits in 52 bytes each. An L1 switch has 4 up
// and 4 down.
TEST(IoStreams, settings_of_slow_lines_are_those_of_one_uplink_each) {
  const TempDir folder;
  EXPECT_EQ(run_into(folder, config_of("fred-b", "256 KiB", {"fabric.setting_memory=520 B"})), "");
  EXPECT_NE(run_into(folder, config_of("fred-b", "256 KiB", {"fabric.setting_memory=519 B"})), "");
}

// One message for each NPU: a twentieth of the line for each.
TEST(IoStreams, are_unicasts_where_switches_do_not_copy) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-c", "32 KiB", {"workload.io.data=values", "io.controllers=1"})), "");
  const CsvTable io(folder / "io.csv");
  EXPECT_LT(number(io, 0, "line_share"), 0.05);
  EXPECT_GT(number(io, 0, "line_share"), 0.045);
}

// Packets of 4096 bytes with 6 bytes of header on the controller's link.
TEST(IoStreams, one_alone_on_switches_reaches_line_rate_but_for_headers) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-d", "1 MiB", {"io.controllers=1"})), "");
  EXPECT_NEAR(number(CsvTable(folder / "io.csv"), 0, "steady_line_share"), 4096.0 / 4102, 0.03);
}

TEST(IoStreams, threads_form_and_sleep_change_nothing) {
  std::string first;
  for (const Words& more : {Words{}, Words{"threads=3"}, Words{"fabric.form=modules"}}) {
    const TempDir folder;
    Words all = more;
    all.push_back("workload.io.window=8 KiB");
    ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "32 KiB", all)), "");
    const std::string tables = read_text(folder / "io.csv") + read_text(folder / "links.csv");
    if (first.empty()) first = tables;
    EXPECT_EQ(tables, first);
  }
}

TEST(IoStreams, npus_with_a_clock_of_their_own) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("mesh-wafer-io", "36 KiB", {"io.controllers=1", "npu.clock=1953.125 MHz"})), "");
  EXPECT_NEAR(number(CsvTable(folder / "io.csv"), 0, "steady_line_share"), 1, 0.005);
}

// ---- figures

RunResult two_streams() {
  RunResult result;
  result.io_streams = {{0, "io[0]", 8192, 100, true, 4096, 64}, {1, "io[1]", 8192, 160, true, 4096, 128}};
  result.links = RecordTable<LinkRecord>({{"a", "npu[0]", "router[0,0]", 99, 0, {}, 0, true},
                                          {"b", "router[0,0]", "router[1,0]", 48, 0, {}, 0},
                                          {"c", "router[1,0]", "router[0,0]", 16, 0, {}, 0}});
  return result;
}

TEST(IoFigures, by_hand) {
  Config config = config_of("mesh-wafer-io", "8 KiB", {"clock=1 GHz", "io.bandwidth=128 GB/s"});
  const IoFigures figures = io_figures(config, two_streams());
  EXPECT_DOUBLE_EQ(figures.line_gbps, 128);
  EXPECT_DOUBLE_EQ(*figures.line_share, 8192.0 / 160 / 128);
  EXPECT_DOUBLE_EQ(*figures.steady_slowest, 4096.0 / 128 / 128);
  EXPECT_DOUBLE_EQ(*figures.steady_mean, (4096.0 / 64 + 4096.0 / 128) / 2 / 128);
  EXPECT_EQ(figures.busiest_link, "b");
  EXPECT_DOUBLE_EQ(figures.busiest_link_streams, 3);  // 48 flits of 16
}

TEST(IoFigures, of_an_unfinished_run) {
  RunResult result = two_streams();
  result.io_streams[1].finished = false;
  result.io_streams[0].steady_cycles = 0;
  const IoFigures figures = io_figures(config_of("mesh-wafer-io", "8 KiB"), result);
  EXPECT_FALSE(figures.line_share);
  EXPECT_FALSE(figures.steady_slowest);
  EXPECT_FALSE(figures.steady_mean);
}

}  // namespace
}  // namespace weft::sc_models
