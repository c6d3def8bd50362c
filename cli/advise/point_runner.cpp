// SPDX-License-Identifier: Apache-2.0
#include "cli/advise/point_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/scratch_folder.h"
#include "cli/child_process.h"
#include "cli/stop_signal.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// Time of the one collective of a run. Its name and group hold no comma.
void read_times(const fs::path& table, CollectivePoint& point) {
  std::ifstream file(table);
  std::string titles;
  std::string row;
  std::getline(file, titles);
  std::getline(file, row);
  const std::vector<std::string> columns = cells_of(titles);
  const std::vector<std::string> cells = cells_of(row);
  const auto cell = [&](const char* column) {
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end() || cells.size() != columns.size()) {
      throw std::runtime_error(fmt::format("{}: no column {}", table.string(), column));
    }
    return cells[static_cast<std::size_t>(found - columns.begin())];
  };
  point.cycles = std::stoull(cell("end_cycle")) - std::stoull(cell("start_cycle"));
  point.ns = std::stod(cell("end_ns")) - std::stod(cell("start_ns"));
}

/// The errors of a run, without what the program puts before them.
std::string errors_in(const fs::path& path) {
  std::ifstream file(path);
  std::string said{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string prefix = "weft: error: ";
  if (said.rfind(prefix, 0) == 0) said.erase(0, prefix.size());
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said;
}

class PointRunner {
 public:
  PointRunner(const PointSetting& setting, const std::vector<CollectivePoint*>& points)
      : setting_(setting), points_(points) {}

  void run(const PointWatch& watch, const PointFailure& failed) {
    std::size_t next = 0;
    std::size_t done = 0;
    while (done < points_.size()) {
      while (next < points_.size() && children_.running() < setting_.jobs) start(next++);
      watch(done);
      const auto end = children_.wait_for_one(std::chrono::milliseconds(100));
      if (StopSignal::requested()) throw Interrupted();
      if (!end) continue;
      finish(*end, failed);
      ++done;
    }
  }

 private:
  fs::path folder(std::size_t number) const { return scratch_.path() / std::to_string(number); }
  fs::path errors(std::size_t number) const { return folder(number).string() + ".errors"; }

  void start(std::size_t number) {
    std::vector<std::string> words{setting_.program, "run",   setting_.config,
                                   "--quiet",        "--out", folder(number).string()};
    for (const std::string& setting : points_[number]->settings) words.insert(words.end(), {"--set", setting});
    started_[children_.start(words, errors(number))] = number;
  }

  // Results of hundreds of runs would fill the disk for nothing.
  void finish(const ChildEnd& end, const PointFailure& failed) {
    const std::size_t number = started_.at(end.pid);
    if (end.status == kExitOk) {
      read_times(folder(number) / "collectives.csv", *points_[number]);
    } else {
      failed(number, end.status, errors_in(errors(number)));
    }
    std::error_code ignored;
    fs::remove_all(folder(number), ignored);
  }

  const PointSetting& setting_;
  const std::vector<CollectivePoint*>& points_;
  const ScratchFolder scratch_;
  ChildProcesses children_;
  std::map<pid_t, std::size_t> started_;
};

}  // namespace

void run_points(const PointSetting& setting, const std::vector<CollectivePoint*>& points, const PointWatch& watch,
                const PointFailure& failed) {
  PointRunner(setting, points).run(watch, failed);
}

void throw_failure(const std::string& what, int status, const std::string& said) {
  const std::string text = fmt::format("{}: {}", what, said);
  if (status == kExitBadInput) throw InputError(text);
  if (status == kExitViolation) throw ViolationError(text);
  throw RunFailed(status, fmt::format("{} (its run ended with status {})", text, status));
}

}  // namespace weft::cli
