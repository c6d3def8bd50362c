// SPDX-License-Identifier: Apache-2.0
#include "runs/results_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/output_file.h"
#include "runs/process_usage.h"
#include "runs/run_logging.h"
#include "runs/summary.h"
#include "runs/tables.h"
#include "runs/write_attempts.h"

namespace weft::runs {
namespace {

constexpr const char* kConfigFile = "config.resolved.yaml";
constexpr const char* kSummaryFile = "summary.json";
constexpr const char* kApproximateFile = "approximate.txt";
constexpr std::array kFiles{kConfigFile,       kSummaryFile, "links.csv",     "link_windows.csv",   "nodes.csv",
                            "collectives.csv", "io.csv",     "latency.csv",   "io_controllers.csv", "memory.csv",
                            "refused.csv",     "log.sqlite", "timeline.json", "report.html",        kApproximateFile};

/// The files under our names, with the numbers that the file system gives them: a file that takes the place of another
/// has another number.
ResultsFolder::FileNumbers files_under_our_names(const std::filesystem::path& folder) {
  ResultsFolder::FileNumbers numbers;
  for (const char* file : kFiles) {
    struct stat status {};
    if (lstat((folder / file).c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) numbers[file] = status.st_ino;
  }
  return numbers;
}

std::filesystem::path make_directory(std::filesystem::path path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path)) {
    throw InputError(fmt::format("--out {}: cannot be made a directory: {}", path.string(),
                                 error ? error.message() : "it is a file"));
  }
  return path;
}

}  // namespace

ResultsFolder::ResultsFolder(std::filesystem::path path, std::string resolved_yaml)
    : path_(make_directory(std::move(path))), resolved_yaml_(std::move(resolved_yaml)) {
  has_earlier_run_ = std::filesystem::exists(path_ / kSummaryFile);
  try {
    for (const char* file : kFiles) require_replaceable(path_ / file);
    remove_partial_outputs(path_);
    // A run that is killed leaves an earlier one as it was; without one, it leaves at least its configuration.
    if (has_earlier_run_) {
      const OutputFile probe(path_ / kConfigFile, OutputLinks::kReplace);  // throws where nothing can be written
    } else {
      remove_unchanged(files_under_our_names(path_));
      write_output(path_ / kConfigFile, resolved_yaml_, OutputLinks::kReplace);
    }
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

void ResultsFolder::remove_unchanged(const FileNumbers& earlier) const {
  for (const auto& [file, number] : files_under_our_names(path_)) {
    const auto found = earlier.find(file);
    if (found == earlier.end() || found->second != number) continue;
    std::error_code error;
    std::filesystem::remove(path_ / file, error);
    if (error) {
      throw std::runtime_error(fmt::format("{}: cannot be removed: {}", (path_ / file).string(), error.message()));
    }
  }
}

std::vector<std::string> ResultsFolder::write(const Config& config, const RunResult& result, bool all_tables) const {
  const double start = process_cpu_s();
  const std::size_t row_limit = all_tables ? SIZE_MAX : kTableRowLimit;
  std::vector<std::string> left_out;
  WriteAttempts files;
  const FileNumbers earlier = files_under_our_names(path_);
  std::error_code none;
  std::filesystem::remove(path_ / kSummaryFile, none);  // without it nobody takes what follows for whole results
  if (has_earlier_run_) {
    files.attempt(path_ / kConfigFile, [&](const std::filesystem::path& file) {
      write_output(file, resolved_yaml_, OutputLinks::kReplace);
    });
  }
  files.attempt({}, [&](const std::filesystem::path&) { left_out = write_tables(path_, config, result, row_limit); });
  if (result.estimate) {
    files.attempt(path_ / kApproximateFile, [&](const std::filesystem::path& file) {
      write_output(file, result.estimate->text + "\n", OutputLinks::kReplace);
    });
  }
  if (result.log) files.attempt({}, [&](const std::filesystem::path&) { result.log->write(path_, result); });
  ProcessFigures process;
  process.output_cpu_s = process_cpu_s() - start;
  process.peak_rss_bytes = peak_rss_bytes();
  FileNumbers stale = earlier;
  if (!has_earlier_run_) stale.erase(kConfigFile);
  files.attempt({}, [&](const std::filesystem::path&) { remove_unchanged(stale); });
  files.attempt(path_ / kSummaryFile, [&](const std::filesystem::path& file) {
    write_output(file, summary_json(config, result, process, row_limit), OutputLinks::kReplace);
  });
  files.require_all();
  return left_out;
}

}  // namespace weft::runs
