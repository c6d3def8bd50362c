// SPDX-License-Identifier: Apache-2.0
// The results directory of one run: config.resolved.yaml, summary.json and the tables.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "kernel/config.h"
#include "wafer/run_result.h"

namespace weft::wafer {

/// Tables with more rows than this are written only if asked.
inline constexpr std::size_t kTableRowLimit = 100'000;

/// Writes one results directory. Identical runs give identical bytes, except for the CPU, wall and memory figures
/// of summary.json.
class ResultsFolder {
 public:
  /// Makes the directory, removes what an earlier run left in it under our names, and writes
  /// config.resolved.yaml. Throws InputError when `path` cannot be a directory that we may write.
  ResultsFolder(std::filesystem::path path, const std::string& resolved_yaml);

  /// Writes links.csv, nodes.csv, collectives.csv, latency.csv and, last, summary.json.
  /// Returns sentences about tables left out because of their size; none with `all_tables`.
  /// Throws ResultsNotWritten (write_attempts.h) when bytes are lost (disk full), after it has tried every file.
  std::vector<std::string> write(const Config& config, const RunResult& result, bool all_tables) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// `parent`/`name`-1, or -2, ... : the first that does not exist.
std::filesystem::path free_results_path(const std::filesystem::path& parent, const std::string& name);

/// Writes `text` so that a reader sees the old file or the new one, never a part.
void write_file_atomically(const std::filesystem::path& path, const std::string& text);

}  // namespace weft::wafer
