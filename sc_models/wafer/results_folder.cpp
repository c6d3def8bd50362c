// SPDX-License-Identifier: Apache-2.0
#include "wafer/results_folder.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "kernel/error.h"
#include "wafer/process_usage.h"
#include "wafer/results_summary.h"
#include "wafer/results_tables.h"
#include "wafer/run_logging.h"
#include "wafer/write_attempts.h"

namespace weft::wafer {
namespace {

constexpr std::array kFiles{"config.resolved.yaml", "summary.json", "links.csv",     "link_windows.csv",   "nodes.csv",
                            "collectives.csv",      "io.csv",       "latency.csv",   "io_controllers.csv", "memory.csv",
                            "refused.csv",          "log.sqlite",   "timeline.json", "report.html"};

std::filesystem::path make_directory(std::filesystem::path path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path)) {
    throw InputError(fmt::format("--out {}: cannot be made a directory: {}", path.string(),
                                 error ? error.message() : "it is a file"));
  }
  for (const char* file : kFiles) {
    std::filesystem::remove(path / file, error);
    if (error) throw InputError(fmt::format("{}: cannot be replaced: {}", (path / file).string(), error.message()));
  }
  return path;
}

}  // namespace

ResultsFolder::ResultsFolder(std::filesystem::path path, const std::string& resolved_yaml)
    : path_(make_directory(std::move(path))) {
  try {
    write_file_atomically(path_ / "config.resolved.yaml", resolved_yaml);
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

std::vector<std::string> ResultsFolder::write(const Config& config, const RunResult& result, bool all_tables) const {
  const double start = process_cpu_s();
  const std::size_t row_limit = all_tables ? SIZE_MAX : kTableRowLimit;
  std::vector<std::string> left_out;
  WriteAttempts files;
  files.attempt({}, [&](const std::filesystem::path&) { left_out = write_tables(path_, config, result, row_limit); });
  if (result.log) files.attempt({}, [&](const std::filesystem::path&) { result.log->write(path_, result); });
  ProcessFigures process;
  process.output_cpu_s = process_cpu_s() - start;
  process.peak_rss_bytes = peak_rss_bytes();
  files.attempt(path_ / "summary.json", [&](const std::filesystem::path& file) {
    write_file_atomically(file, summary_json(config, result, process, row_limit));
  });
  files.require_all();
  return left_out;
}

std::filesystem::path free_results_path(const std::filesystem::path& parent, const std::string& name) {
  for (int n = 1;; ++n) {
    auto path = parent / fmt::format("{}-{}", name, n);
    if (!std::filesystem::exists(path)) return path;
  }
}

void write_file_atomically(const std::filesystem::path& path, const std::string& text) {
  const auto fail = [&](const std::filesystem::path& at) {
    const int error = errno;
    std::error_code none;
    std::filesystem::remove(path.string() + ".part", none);
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", at.string(), std::strerror(error)));
  };
  const std::filesystem::path partial = path.string() + ".part";
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) fail(partial);
  const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if ((std::fclose(file) != 0) || !complete) fail(partial);
  if (std::rename(partial.c_str(), path.c_str()) != 0) fail(path);
}

}  // namespace weft::wafer
