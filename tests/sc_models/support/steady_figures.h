// SPDX-License-Identifier: Apache-2.0
// Runs with run.fast_forward: steady beside runs of every cycle, for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/csv_cell.h"
#include "report/csv_reader.h"
#include "tests/sc_models/support/skipping.h"
#include "tests/support/temp_dir.h"

namespace weft::test {

/// What a run says that the other way of running it has to say, too, within some share.
struct Figures {
  double cycles = 0;
  double packets = 0;
  double busiest = 0;             ///< flits of the busiest link
  double windows = 0;             ///< flits of all links in all windows
  std::vector<double> by_window;  ///< the same of each window
  double latencies = 0;           ///< packets whose latency is known
  double links = 0;               ///< flits of all links
  double io_bytes = 0;            ///< of all loads and stores at I/O controllers
  double line_share = 0;          ///< of all lines while loads were under way
  double latency = 0;             ///< mean
  double network_latency = 0;
  double estimated = 0;
  bool says_so = false;
  double compute_cycles = 0;             ///< of these, by the timeline
  std::size_t computes = 0;              ///< computations in the timeline that the log gives
  std::size_t chunks = 0;                ///< chunks of collectives in it
  double longest_compute = 0;            ///< cycles of the longest of them
  std::size_t tables = 0;                ///< CSV tables
  std::vector<std::string> collectives;  ///< name, group and bytes of each
  std::size_t marked = 0;                ///< tables of which each row ends with the share of cycles that were simulated
};

inline bool is_marked(const report::CsvReader& table, double simulated) {
  const std::size_t last = table.names().size() - 1;
  if (table.names()[last] != kApproximateColumn) return false;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.number_at(row, last) != simulated) return false;
  }
  return true;
}

/// A run without a limit has to finish, and one with a limit must not.
inline Figures figures_of(Config config, FastForwardMode mode) {
  config.run.fast_forward = mode;
  const TempDir folder;
  Figures figures;
  if (!run_into_folder(config, folder)) {
    ADD_FAILURE() << "a run has left no results";
    return figures;
  }
  const auto summary = nlohmann::json::parse(read_text(folder / "summary.json"));
  EXPECT_EQ(summary["finished"], config.limits.cycles == 0);
  figures.cycles = summary["cycles"];
  figures.packets = summary["packets"];
  if (summary.contains("io_memory") && summary["io_memory"].is_object())
    figures.io_bytes = summary["io_memory"]["bytes_in"].get<double>() + summary["io_memory"]["bytes_out"].get<double>();
  if (summary.contains("io_memory") && summary["io_memory"].is_object() &&
      summary["io_memory"]["line_share"].is_number())
    figures.line_share = summary["io_memory"]["line_share"];
  figures.latency = summary["latency_cycles"]["mean"];
  figures.network_latency = summary["network_latency_cycles"]["mean"];
  const report::CsvReader links(folder / "links.csv", {"flits"});
  for (std::size_t row = 0; row < links.rows(); ++row) {
    figures.busiest = std::max(figures.busiest, links.number(row, 0));
    figures.links += links.number(row, 0);
  }
  const report::CsvReader windows(folder / "link_windows.csv", {"link"});
  for (std::size_t window = 1; window < windows.names().size() && windows.names()[window] != kApproximateColumn;
       ++window) {
    figures.by_window.push_back(0);
    for (std::size_t row = 0; row < windows.rows(); ++row) figures.by_window.back() += windows.number_at(row, window);
    figures.windows += figures.by_window.back();
  }
  const report::CsvReader latencies(folder / "latency.csv", {"packets"});
  for (std::size_t row = 0; row < latencies.rows(); ++row) figures.latencies += latencies.number(row, 0);
  const report::CsvReader collectives(folder / "collectives.csv", {"name", "group", "bytes"});
  for (std::size_t row = 0; row < collectives.rows(); ++row)
    figures.collectives.push_back(
        fmt::format("{} {} {}", collectives.text(row, 0), collectives.text(row, 1), collectives.text(row, 2)));
  const double simulated = summary.contains("estimate") ? summary["estimate"]["simulated_share"].get<double>() : 1;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    if (file.path().extension() != ".csv") continue;
    ++figures.tables;
    if (is_marked(report::CsvReader(file.path(), {}), simulated)) ++figures.marked;
  }
  const auto timeline = nlohmann::json::parse(read_text(folder / "timeline.json"));
  for (const auto& event : timeline["traceEvents"]) {
    if (event.contains("cat") && event["cat"] == "chunk") ++figures.chunks;
    if (event["name"] != "k") continue;
    ++figures.computes;
    const double cycles = event["args"]["end_cycle"].get<double>() - event["args"]["start_cycle"].get<double>();
    figures.longest_compute = std::max(figures.longest_compute, cycles);
  }
  if (summary.contains("estimate")) figures.estimated = summary["estimate"]["cycles"];
  figures.says_so = std::filesystem::exists(folder / "approximate.txt") &&
                    summary["warnings"].dump().find("approximate: ") != std::string::npos &&
                    read_text(folder / "timeline.json").find("approximate: ") != std::string::npos;
  return figures;
}

inline void expect_within(double share, double value, double expected, const char* what) {
  EXPECT_LE(std::abs(value - expected), share * expected) << what << ": " << value << " instead of " << expected;
}

/// Runs both ways and compares; flits of the busiest link may differ by the share `busiest`, packets by the share
/// `packets`, cycles by the share `time`. Returns the figures of the steady run.
inline Figures expect_figures_alike(const Config& config, double busiest = 0.005, double packets = 0,
                                    double time = 0.005) {
  const Figures all = figures_of(config, FastForwardMode::kOff);
  const Figures steady = figures_of(config, FastForwardMode::kSteady);
  EXPECT_EQ(all.estimated, 0);
  EXPECT_FALSE(all.says_so);
  EXPECT_EQ(steady.says_so, steady.estimated > 0);
  EXPECT_EQ(all.marked, 0U);
  EXPECT_GE(steady.tables, 5U);
  EXPECT_EQ(steady.marked, steady.estimated > 0 ? steady.tables : 0);
  expect_within(packets, steady.packets, all.packets, "packets");
  EXPECT_EQ(steady.io_bytes, all.io_bytes);
  EXPECT_EQ(steady.collectives, all.collectives);
  expect_within(0.005, steady.line_share, all.line_share, "share of the lines of I/O controllers");
  expect_within(time, steady.cycles, all.cycles, "cycles");
  expect_within(busiest, steady.busiest, all.busiest, "flits of the busiest link");
  expect_within(0.1, steady.latency, all.latency, "mean latency");
  expect_within(0.1, steady.network_latency, all.network_latency, "mean latency in the network");
  expect_within(0.005, steady.latencies, all.latencies, "packets whose latency is known");
  expect_within(0.005, steady.windows, steady.links, "flits of all windows, beside those of all links,");
  return steady;
}

/// The same; returns the share of cycles that were left out at steady rates.
inline double expect_alike(const Config& config, double busiest = 0.005, double packets = 0, double time = 0.005) {
  const Figures steady = expect_figures_alike(config, busiest, packets, time);
  return steady.estimated / steady.cycles;
}

}  // namespace weft::test
