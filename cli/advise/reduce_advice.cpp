// SPDX-License-Identifier: Apache-2.0
#include "cli/advise/reduce_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "base/scratch_folder.h"
#include "cli/child_process.h"
#include "cli/stop_signal.h"
#include "config/names.h"

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
void read_times(const fs::path& table, AdvicePoint& point) {
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

[[noreturn]] void failed(const AdvicePoint& point, int status, const fs::path& errors) {
  std::ifstream file(errors);
  std::string said{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string prefix = "weft: error: ";
  if (said.rfind(prefix, 0) == 0) said.erase(0, prefix.size());
  while (!said.empty() && said.back() == '\n') said.pop_back();
  const std::string text = fmt::format("algorithm {}: {}", point.algorithm, said);
  if (status == kExitBadInput) throw InputError(text);
  if (status == kExitViolation) throw ViolationError(text);
  throw RunFailed(status, fmt::format("{} (its run ended with status {})", text, status));
}

/// Runs the points side by side.
class PointRunner {
 public:
  PointRunner(const AdviceRequest& request, std::vector<AdvicePoint>& points) : request_(request), points_(points) {}

  void run(const std::function<void(const std::string&)>& watch) {
    std::size_t next = 0;
    std::size_t done = 0;
    while (done < points_.size()) {
      while (next < points_.size() && children_.running() < request_.jobs) start(next++);
      watch(fmt::format("{} of {} algorithms done", done, points_.size()));
      const auto end = children_.wait_for_one(std::chrono::milliseconds(100));
      if (StopSignal::requested()) throw Interrupted();
      if (!end) continue;
      finish(*end);
      ++done;
    }
  }

 private:
  fs::path folder(const AdvicePoint& point) const { return scratch_.path() / point.algorithm; }

  void start(std::size_t number) {
    const AdvicePoint& point = points_[number];
    std::vector<std::string> words{request_.program, "run",   request_.config,
                                   "--quiet",        "--out", folder(point).string()};
    for (const std::string& setting : point.settings) words.insert(words.end(), {"--set", setting});
    started_[children_.start(words, errors(point))] = number;
  }
  fs::path errors(const AdvicePoint& point) const { return folder(point).string() + ".errors"; }

  void finish(const ChildEnd& end) {
    AdvicePoint& point = points_[started_.at(end.pid)];
    if (end.status != kExitOk) failed(point, end.status, errors(point));
    read_times(folder(point) / "collectives.csv", point);
  }

  const AdviceRequest& request_;
  std::vector<AdvicePoint>& points_;
  const ScratchFolder scratch_;
  ChildProcesses children_;
  std::map<pid_t, std::size_t> started_;
};

std::string cores_text(const AdviceRequest& request) {
  if (request.columns == 1) return fmt::format("a column of {} cores", request.rows);
  return request.rows == 1 ? fmt::format("a row of {} cores", request.columns)
                           : fmt::format("{} x {} cores, X-then-Y", request.columns, request.rows);
}

}  // namespace

Advice advise_reduce(const AdviceRequest& request, const std::function<void(const std::string&)>& watch) {
  Advice advice = plan_advice(request);
  PointRunner(request, advice.points).run(watch);
  const auto least = std::min_element(advice.points.begin(), advice.points.end(),
                                      [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  const Cycle best = least->cycles;
  for (AdvicePoint& point : advice.points) point.fastest = point.cycles == best;
  return advice;
}

void print_advice(const AdviceRequest& request, const Advice& advice, std::ostream& out) {
  out << fmt::format("{} of {} wavelets (4 B each) on {}: T_R {}, hop {}, turn {} cycles\n\n", name_of(request.kind),
                     request.elements, cores_text(request), advice.cost.ramp, advice.cost.hop, advice.cost.turn);
  out << fmt::format("{:<12} {:>12} {:>14} {:>12} {:>11}\n", "algorithm", "cycles", "time ns", "closed form",
                     "difference");
  for (const AdvicePoint& point : advice.points) {
    const auto cycles = static_cast<double>(point.cycles);
    out << fmt::format("{:<12} {:>12} {:>14.1f} {:>12} {:>11}{}\n", point.algorithm, point.cycles, point.ns,
                       point.form ? fmt::format("{:.0f}", *point.form) : "-",
                       point.form ? fmt::format("{:+.2f} %", 100 * (cycles / *point.form - 1)) : "-",
                       point.fastest ? "  fastest" : "");
  }
  for (const LeftOut& left : advice.left_out) out << fmt::format("{:<12} left out: {}\n", left.algorithm, left.reason);
  if (advice.lower_bound) {
    out << fmt::format("{:<12} {:>12.0f}  for trees on a row whose cores add, by the same forms\n", "lower bound",
                       *advice.lower_bound);
  }
  if (!advice.no_forms.empty()) out << "No closed forms: " << advice.no_forms << "\n";
}

nlohmann::ordered_json advice_json(const AdviceRequest& request, const Advice& advice) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const AdvicePoint& point : advice.points) {
    points.push_back({{"algorithm", point.algorithm},
                      {"cycles", point.cycles},
                      {"ns", point.ns},
                      {"closed_form", or_null(point.form)},
                      {"fastest", point.fastest}});
  }
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const LeftOut& left : advice.left_out) {
    left_out.push_back({{"algorithm", left.algorithm}, {"reason", left.reason}});
  }
  return {{"config", request.config},
          {"kind", std::string(name_of(request.kind))},
          {"cores", {request.columns, request.rows}},
          {"wavelets", request.elements},
          {"ramp_cycles", advice.cost.ramp},
          {"hop_cycles", advice.cost.hop},
          {"turn_cycles", advice.cost.turn},
          {"lower_bound", or_null(advice.lower_bound)},
          {"algorithms", points},
          {"left_out", left_out}};
}

}  // namespace weft::cli
