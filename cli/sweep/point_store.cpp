// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/point_store.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/output_file.h"
#include "base/read_file.h"
#include "cli/sweep/summary_figures.h"

namespace weft::cli {
namespace {

/// Longest error text kept in a table cell; stderr.txt has all of it.
constexpr std::size_t kMaxErrorText = 1000;

std::string read_all(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? read_file(path.string(), kMostResultBytes) : std::string();
}

nlohmann::json read_json(const std::filesystem::path& path) {
  // A cut or missing file becomes null.
  auto json = nlohmann::json::parse(read_all(path), nullptr, false);
  return json.is_object() ? json : nlohmann::json();
}

std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += " | ";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      line += c;
    }
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '|')) line.pop_back();
  if (line.size() > kMaxErrorText) line = "... " + line.substr(line.size() - kMaxErrorText);
  return line;
}

}  // namespace

PointStore::PointStore(const std::filesystem::path& out) : claim_(out) {
  std::error_code error;
  const std::filesystem::path points = claim_.path() / "points";
  if (std::filesystem::is_symlink(points)) std::filesystem::remove(points, error);  // results do not follow links
  if (!error) std::filesystem::create_directories(points, error);
  if (error) throw InputError(fmt::format("--out {}: cannot be made: {}", out.string(), error.message()));
}

std::optional<PointOutcome> PointStore::finished(const std::string& key) const {
  const nlohmann::json record = read_json(directory(key) / "point.json");
  if (record.is_null() || record.value("status", 1) != 0) return std::nullopt;
  PointOutcome outcome;
  outcome.summary = read_json(directory(key) / "summary.json");
  // One that lacks figures has been cut or changed by hand: its row would have empty cells.
  if (!is_complete_summary(outcome.summary)) return std::nullopt;
  return outcome;
}

void PointStore::begin(const std::string& key) const {
  std::filesystem::create_directories(directory(key));
  std::filesystem::remove(directory(key) / "point.json");
  std::filesystem::remove(directory(key) / "summary.json");
}

PointOutcome PointStore::end(const std::string& key, const Point& point, int status) const {
  PointOutcome outcome;
  outcome.status = status;
  outcome.summary = read_json(directory(key) / "summary.json");
  if (status != 0) outcome.error = on_one_line(read_all(error_file(key)));
  if (status == 0 && outcome.summary.is_null()) {
    outcome.status = kExitInternal;
    outcome.error = "the run ended well but left no summary.json";
  }
  return store(key, point, std::move(outcome));
}

PointOutcome PointStore::refuse(const std::string& key, const Point& point, int status,
                                const std::string& error) const {
  begin(key);
  return store(key, point, {status, on_one_line(error), nullptr});
}

PointOutcome PointStore::store(const std::string& key, const Point& point, PointOutcome outcome) const {
  nlohmann::ordered_json record;
  record["status"] = outcome.status;
  record["error"] = outcome.error;
  record["set"] = nlohmann::ordered_json::object();
  for (const auto& [path, value] : point) record["set"][path] = value;
  write_output(directory(key) / "point.json",
               record.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
               OutputLinks::kReplace);
  return outcome;
}

std::string key_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}", hash);
}

}  // namespace weft::cli
