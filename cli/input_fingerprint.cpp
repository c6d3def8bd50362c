// SPDX-License-Identifier: Apache-2.0
#include "cli/input_fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

void add_file(const fs::path& path, std::vector<std::string>& lines) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return;  // a missing file is reported by the run
  const auto changed = fs::last_write_time(path, error).time_since_epoch().count();
  lines.push_back(fmt::format("{} {} {}", path.string(), size, changed));
}

/// All files `<prefix>.<rank>.et` of a trace.
void add_prefix(const std::string& prefix, std::vector<std::string>& lines) {
  const fs::path path(prefix);
  const std::string start = path.filename().string() + ".";
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().rfind(start, 0) == 0) add_file(entry.path(), lines);
  }
}

/// Size and time of last change of each file, by its path, which may have spaces.
std::map<std::string, std::string> files_of(const std::string& fingerprint) {
  std::map<std::string, std::string> files;
  std::istringstream lines(fingerprint);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t time = line.rfind(' ');
    const std::size_t size = line.rfind(' ', time - 1);
    files.emplace(line.substr(0, size), line.substr(size));
  }
  return files;
}

}  // namespace

std::string input_fingerprint(const Config& config) {
  std::vector<std::string> lines;
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) {
    add_prefix(trace->chakra, lines);
    add_file(trace->groups, lines);
    add_file(trace->phases, lines);
    add_file(trace->collective.algorithm_file, lines);
    add_file(trace->collective.algorithm_table, lines);
  } else if (const auto* single = std::get_if<CollectiveWorkload>(&config.workload)) {
    add_file(single->collective.algorithm_file, lines);
    add_file(single->collective.algorithm_table, lines);
  } else if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload)) {
    add_file(traffic->file, lines);
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string changed_inputs(const std::string& before, const std::string& now) {
  const std::map<std::string, std::string> old_files = files_of(before);
  const std::map<std::string, std::string> new_files = files_of(now);
  std::string text;
  for (const auto& [path, state] : old_files) {
    const auto found = new_files.find(path);
    if (found == new_files.end()) {
      text += path + " is gone\n";
    } else if (found->second != state) {
      text += path + " has changed\n";
    }
  }
  for (const auto& [path, state] : new_files) {
    if (old_files.count(path) == 0) text += path + " is new\n";
  }
  return text;
}

}  // namespace weft::cli
