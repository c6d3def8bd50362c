// SPDX-License-Identifier: Apache-2.0
// The results directory of one run: config.resolved.yaml, summary.json and the tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "runs/names.h"

namespace weft::runs {

/// Tables with more rows than this are written only if asked.
inline constexpr std::size_t kTableRowLimit = 100'000;

/// Writes one results directory. Identical runs give identical bytes, except for the CPU, wall and memory figures
/// of summary.json.
class ResultsFolder {
 public:
  /// Makes the directory and writes config.resolved.yaml. Where an earlier run left its summary.json, its results and
  /// its configuration stay until `write` replaces them. Throws InputError when `path` cannot be a directory that we
  /// may write, or where something that no result replaces (output_file.h) stands under one of our names.
  ResultsFolder(std::filesystem::path path, std::string resolved_yaml);

  /// Writes links.csv, nodes.csv, collectives.csv, latency.csv and, last, summary.json, and removes what else an
  /// earlier run left under our names. Returns sentences about tables left out because of their size; none with
  /// `all_tables`. Throws ResultsNotWritten (write_attempts.h) when bytes are lost (disk full), after it has tried
  /// every file.
  std::vector<std::string> write(const Config& config, const RunResult& result, bool all_tables) const;

  const std::filesystem::path& path() const { return path_; }

  /// Numbers that the file system has given to files.
  using FileNumbers = std::map<std::string, std::uint64_t>;

 private:
  /// Removes the files of `earlier` that no other has taken the place of.
  void remove_unchanged(const FileNumbers& earlier) const;

  std::filesystem::path path_;
  std::string resolved_yaml_;
  bool has_earlier_run_ = false;
};

}  // namespace weft::runs
