// SPDX-License-Identifier: Apache-2.0
// A page about runs and sweeps: one HTML file that needs nothing beside it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::report {

using Json = nlohmann::ordered_json;

/// How much of a run's tables goes into the page. What is more is binned or left out, and the page says so.
struct Limits {
  std::size_t links = 20'000;            ///< drawn one by one; a mesh with more is drawn in blocks of routers
  std::size_t window_bytes = 1'200'000;  ///< links x windows of time, over all runs
  std::size_t spans = 20'000;            ///< of the timeline; over all runs
  std::size_t latency_bins = 120;
  std::size_t ranks = 4096;
};

/// Everything the page shows, read from the folders of runs and sweeps. Throws InputError for a folder that is neither,
/// is of another version, or lacks a file or a column: it names the file and what to do.
Json read_data(const std::vector<std::filesystem::path>& folders, const Limits& limits = {});

/// The page with `data` in it. It needs no network.
std::string page_with(const Json& data);

/// Reads `folders` and writes the page. Throws InputError as read_data does, std::runtime_error when bytes are lost.
void write_report(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out);

/// Name of the page in a results folder.
inline constexpr const char* kReportFile = "report.html";

}  // namespace weft::report
