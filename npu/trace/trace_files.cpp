// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/text_distance.h"
#include "npu/trace/trace_reader.h"

namespace weft::npu {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kSuffixes{".et", ".et.gz", ".json"};

struct TraceFileName {
  std::string prefix;
  std::uint64_t rank = 0;
};

// Takes `<prefix>.<rank><suffix>` apart.
std::optional<TraceFileName> split(const std::string& name) {
  for (const std::string_view suffix : kSuffixes) {
    if (name.size() <= suffix.size() || name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) continue;
    const std::string stem = name.substr(0, name.size() - suffix.size());
    const std::size_t dot = stem.rfind('.');
    constexpr std::size_t kLongestRank = 9;
    if (dot == std::string::npos || dot + 1 == stem.size() || stem.size() - dot - 1 > kLongestRank) continue;
    const std::string digits = stem.substr(dot + 1);
    if (digits.find_first_not_of("0123456789") != std::string::npos) continue;
    return TraceFileName{stem.substr(0, dot), std::stoull(digits)};
  }
  return std::nullopt;
}

std::optional<std::string> file_of_rank(const std::string& prefix, std::size_t rank) {
  for (const std::string_view suffix : kSuffixes) {
    std::string path = fmt::format("{}.{}{}", prefix, rank, suffix);
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

// Prefix -> highest rank, of all trace files in a folder.
std::map<std::string, std::uint64_t> prefixes_in(const fs::path& folder) {
  std::map<std::string, std::uint64_t> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto name = split(entry->path().filename().string());
    if (!name) continue;
    auto& highest = found[name->prefix];
    highest = std::max(highest, name->rank);
  }
  return found;
}

std::string advice(const std::string& prefix) {
  const fs::path path(prefix);
  if (const auto name = split(prefix)) return fmt::format("; give the prefix alone: {}", name->prefix);
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  const fs::path folder = is_folder ? path : path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) return fmt::format("; there is no folder {}", folder.string());
  const auto known = prefixes_in(folder);
  if (known.empty()) return fmt::format("; there are no trace files in {}", folder.string());
  const std::string wanted = is_folder ? "" : path.filename().string();
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(wanted, a.first) < edit_distance(wanted, b.first);
  });
  return fmt::format("; the nearest prefix there is {}", (folder / nearest->first).string());
}

}  // namespace

std::vector<std::string> find_trace_files(const std::string& prefix) {
  std::vector<std::string> files;
  while (auto path = file_of_rank(prefix, files.size())) files.push_back(std::move(*path));
  if (files.empty()) {
    throw InputError(fmt::format("{}.0.et: no such trace file (nor {}.0.et.gz or {}.0.json){}", prefix, prefix, prefix,
                                 advice(prefix)));
  }
  const fs::path path(prefix);
  const auto known = prefixes_in(path.has_parent_path() ? path.parent_path() : fs::path("."));
  const auto found = known.find(path.filename().string());
  if (found != known.end() && found->second >= files.size()) {
    throw InputError(fmt::format("{}.{}.et: missing, but rank {} of the same trace is there; ranks must be 0 to n-1",
                                 prefix, files.size(), found->second));
  }
  return files;
}

ProcessGroups load_process_groups(const std::vector<std::string>& files, const std::string& groups_file) {
  if (!groups_file.empty()) return ProcessGroups::from_json_file(groups_file);
  ProcessGroups groups;
  for (const std::string& file : files) {
    const auto reader = open_trace(file);
    while (reader->next()) {
    }
    groups.merge(reader->groups(), file);
  }
  return groups;
}

}  // namespace weft::npu
