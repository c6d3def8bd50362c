// SPDX-License-Identifier: Apache-2.0
// One results folder of `weft run` as data of the page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "report/report.h"

namespace weft::report {

/// What the readers of tables need to know of a run.
struct RunFacts {
  std::filesystem::path folder;
  std::string fabric;  ///< in a sentence, behind "a"
  int size_x = 0;      ///< first number of a fabric's size that has two
  int size_y = 0;
  int io_controllers = 0;
  std::uint64_t cycles = 0;
  std::uint64_t nodes = 0;
  std::uint64_t packets = 0;
  bool statistics = true;  ///< fabric.statistics: links were counted
};

/// A results folder: its figures, wafer, collectives and latencies. `share` is the part of the limits that this run may
/// take (1 / number of runs).
Json read_run(const std::filesystem::path& folder, const Limits& limits, double share);

/// Throws InputError unless `summary` was written by this version.
void require_version(const std::filesystem::path& file, const Json& summary);
/// A JSON object from a file; InputError when it is none.
Json read_json_object(const std::filesystem::path& file);

/// What is measured at links, as the page names it.
Json link_quantity_texts();
/// Key, words and unit of what is measured of a whole run, and its place among the figures that are drawn of sweeps.
Json run_quantity_texts();

// Parts of a run.
Json read_wafer(const RunFacts& facts, const Limits& limits, double share);
/// Groups of memories and I/O controllers; empty where the run has none. Throws InputError for a damaged table.
Json read_memory(const RunFacts& facts, const Json& summary);
Json read_latency(const RunFacts& facts, const Limits& limits);
Json read_collectives(const RunFacts& facts, const Limits& limits, double share);

/// True when `file` is there. When it is not: false where `rows` shows that it was too big to be written, else
/// InputError.
bool table_is_there(const RunFacts& facts, const char* file, std::uint64_t rows);

/// `value` to the nearest of `parts` parts of 1: no more digits than a picture can show.
double rounded(double value, double parts);

}  // namespace weft::report
