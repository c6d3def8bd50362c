// SPDX-License-Identifier: Apache-2.0
#include "cli/advise/point_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/scratch_folder.h"
#include "cli/child_process.h"
#include "cli/stop_signal.h"
#include "report/csv_reader.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// Time of the one collective of a run.
void read_times(const fs::path& table, CollectivePoint& point) {
  const report::CsvReader csv(table, {"start_cycle", "end_cycle", "start_ns", "end_ns"});
  if (csv.rows() != 1) throw std::runtime_error(fmt::format("{}: {} collectives", table.string(), csv.rows()));
  point.cycles = csv.count(0, 1) - csv.count(0, 0);
  point.ns = csv.number(0, 3) - csv.number(0, 2);
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
  PointRunner(const PointSetting& setting, const std::vector<std::vector<std::string>>& runs, const PointWatch& watch)
      : setting_(setting), runs_(runs), watch_(watch) {}

  void run(const PointResult& finished, const PointFailure& failed) {
    std::size_t next = 0;
    std::size_t done = 0;
    while (done < runs_.size()) {
      while (next < runs_.size() && children_.running() < setting_.jobs) start(next++);
      watch_(done);
      const auto end = children_.wait_for_one(std::chrono::milliseconds(100));
      if (StopSignal::requested()) throw Interrupted();
      if (!end) continue;
      const std::size_t number = started_.at(end->pid);
      if (end->status == kExitOk) {
        finished(number, folder(number) / "collectives.csv");
      } else {
        failed(number, end->status, errors_in(errors(number)));
      }
      // Results of hundreds of runs would fill the disk for nothing.
      std::error_code ignored;
      fs::remove_all(folder(number), ignored);
      ++done;
    }
  }

 private:
  fs::path folder(std::size_t number) const { return scratch_.path() / std::to_string(number); }
  fs::path errors(std::size_t number) const { return folder(number).string() + ".errors"; }

  void start(std::size_t number) {
    std::vector<std::string> words{setting_.program, "run",   setting_.config,
                                   "--quiet",        "--out", folder(number).string()};
    for (const std::string& setting : runs_[number]) words.insert(words.end(), {"--set", setting});
    started_[children_.start(words, errors(number))] = number;
  }

  const PointSetting& setting_;
  const std::vector<std::vector<std::string>>& runs_;
  const PointWatch& watch_;
  const ScratchFolder scratch_;
  ChildProcesses children_;
  std::map<pid_t, std::size_t> started_;
};

}  // namespace

void run_all(const PointSetting& setting, const std::vector<std::vector<std::string>>& runs, const PointWatch& watch,
             const PointResult& finished, const PointFailure& failed) {
  PointRunner(setting, runs, watch).run(finished, failed);
}

void run_points(const PointSetting& setting, const std::vector<CollectivePoint*>& points, const PointWatch& watch,
                const PointFailure& failed) {
  std::vector<std::vector<std::string>> runs;
  for (const CollectivePoint* point : points) runs.push_back(point->settings);
  run_all(
      setting, runs, watch, [&](std::size_t number, const fs::path& table) { read_times(table, *points[number]); },
      failed);
}

void throw_failure(const std::string& what, int status, const std::string& said) {
  const std::string text = fmt::format("{}: {}", what, said);
  if (status == kExitBadInput) throw InputError(text);
  if (status == kExitViolation) throw ViolationError(text);
  throw RunFailed(status, fmt::format("{} (its run ended with status {})", text, status));
}

}  // namespace weft::cli
