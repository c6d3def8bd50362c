// SPDX-License-Identifier: Apache-2.0
// A page about runs and sweeps: one HTML file that needs nothing beside it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/output_file.h"

namespace weft::report {

using Json = nlohmann::ordered_json;

/// How much of a run's tables goes into the page. What is more is binned or left out, and the page says so.
struct Limits {
  std::size_t links = 20'000;            ///< links of one run; a fabric with more is drawn in blocks
  std::size_t window_bytes = 1'000'000;  ///< links x windows of time, over all runs
  std::size_t spans = 20'000;            ///< spans of timelines over all runs; a fourth of them for collectives
  std::size_t latency_bins = 120;
  std::size_t ranks = 4096;
  std::size_t points = 2000;  ///< points of sweeps, over all of them; besides those that are always kept
};

/// The next smaller limits, for a page that became too big: less over time first, then fewer links.
Limits tighter(const Limits& limits);

/// Everything the page shows, read from the folders of runs and sweeps. Throws InputError for a folder that is neither,
/// is of another version, or lacks a file or a column: it names the file and what to do.
Json read_data(const std::vector<std::filesystem::path>& folders, const Limits& limits = {});

/// The page with `data` in it. It needs no network.
std::string page_with(const Json& data);

/// The page about `folders` in at most `most_bytes`, if tighter limits can make it so small.
std::string page_about(const std::vector<std::filesystem::path>& folders, std::size_t most_bytes = 3'000'000);

/// Reads `folders` and writes the page. Throws InputError as read_data does, std::runtime_error when bytes are lost.
void write_report(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out,
                  OutputLinks links = OutputLinks::kReplace);

/// Name of the page in a results folder.
inline constexpr const char* kReportFile = "report.html";

}  // namespace weft::report
