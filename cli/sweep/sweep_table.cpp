// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_table.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "cli/sweep/statistics.h"
#include "kernel/error.h"
#include "wafer/csv_file.h"
#include "wafer/results_folder.h"

namespace weft::cli {
namespace {

using nlohmann::json;

/// Figures of summary.json in the tables; a dot goes into an object.
constexpr std::array<const char*, 24> kFigures{"finished",
                                               "saturated",
                                               "cycles",
                                               "time_ns",
                                               "packets",
                                               "flits",
                                               "flit_hops",
                                               "latency_cycles.mean",
                                               "latency_cycles.p50",
                                               "latency_cycles.p99",
                                               "latency_cycles.max",
                                               "network_latency_cycles.mean",
                                               "network_latency_cycles.p50",
                                               "network_latency_cycles.p99",
                                               "network_latency_cycles.max",
                                               "avg_hops",
                                               "offered",
                                               "accepted",
                                               "cpu_s",
                                               "setup_cpu_s",
                                               "output_cpu_s",
                                               "wall_s",
                                               "peak_rss_bytes",
                                               "seed"};

/// The value of `figure`, null when the summary does not have it.
json look_up(const json& summary, const std::string& figure) {
  const json* value = &summary;
  std::size_t start = 0;
  while (start <= figure.size()) {
    const std::size_t dot = std::min(figure.find('.', start), figure.size());
    const auto it = value->is_object() ? value->find(figure.substr(start, dot - start)) : value->end();
    if (!value->is_object() || it == value->end()) return nullptr;
    value = &*it;
    start = dot + 1;
  }
  return *value;
}

std::string cell(const json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Lines of cells; the first line names the columns.
class TableText {
 public:
  void add(const std::string& value) {
    if (!at_start_) text_ += ',';
    text_ += wafer::csv_cell(value);
    at_start_ = false;
  }
  void end_row() {
    text_ += '\n';
    at_start_ = true;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool at_start_ = true;
};

void add_figure(TableText& table, const SweepRow& row, const std::string& figure, bool intervals) {
  std::vector<double> samples;
  std::optional<bool> flag;
  bool missing = false;
  json only;
  for (const RunEntry& run : row.runs) {
    if (run.outcome.status != kExitOk) continue;
    only = look_up(run.outcome.summary, figure);
    if (only.is_boolean()) {
      // All runs finished; any run saturated.
      const bool value = only.get<bool>();
      flag = !flag ? value : (figure == "finished" ? *flag && value : *flag || value);
    } else if (only.is_number()) {
      samples.push_back(only.get<double>());
    } else {
      missing = true;
    }
  }
  std::string mean;
  std::string half_width;
  if (flag) {
    mean = *flag ? "true" : "false";
  } else if (samples.size() == 1 && !missing) {
    mean = cell(only);
  } else if (!samples.empty() && !missing) {
    const MeanInterval interval = mean_interval(samples);
    mean = fmt::format("{}", interval.mean);
    half_width = fmt::format("{}", *interval.half_width);
  }
  table.add(mean);
  if (intervals) table.add(half_width);
}

bool has_interval(const std::string& figure) { return figure != "finished" && figure != "saturated"; }

void add_parameters(TableText& table, const Point& point) {
  for (const auto& [path, value] : point) table.add(value);
}

void add_parameter_names(TableText& table, const std::vector<SweepRow>& rows) {
  table.add("point");
  if (rows.empty()) return;
  for (const auto& [path, value] : rows.front().point) table.add(path);
}

const RunEntry* first_failure(const SweepRow& row) {
  for (const RunEntry& run : row.runs) {
    if (run.outcome.status != kExitOk) return &run;
  }
  return nullptr;
}

void add_status(TableText& table, const RunEntry* failure) {
  table.add(std::to_string(failure == nullptr ? kExitOk : failure->outcome.status));
  table.add(failure == nullptr ? "" : failure->outcome.error);
}

}  // namespace

void write_sweep_csv(const std::filesystem::path& path, const std::vector<SweepRow>& rows, bool intervals) {
  TableText table;
  add_parameter_names(table, rows);
  for (const char* name : {"runs", "status", "error"}) table.add(name);
  for (const std::string figure : kFigures) {
    if (figure == "seed") continue;
    table.add(figure);
    if (intervals && has_interval(figure)) table.add(figure + ".ci95");
  }
  table.add("results");
  table.end_row();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = rows[i];
    if (row.runs.empty()) continue;
    table.add(std::to_string(i));
    add_parameters(table, row.point);
    std::size_t finished = 0;
    for (const RunEntry& run : row.runs) finished += run.outcome.status == kExitOk ? 1U : 0U;
    table.add(std::to_string(finished));
    add_status(table, first_failure(row));
    for (const std::string figure : kFigures) {
      if (figure != "seed") add_figure(table, row, figure, intervals && has_interval(figure));
    }
    table.add("points/" + row.runs.front().key);
    table.end_row();
  }
  wafer::write_file_atomically(path, table.text());
}

void write_runs_csv(const std::filesystem::path& path, const std::vector<SweepRow>& rows) {
  TableText table;
  add_parameter_names(table, rows);
  for (const char* name : {"status", "error"}) table.add(name);
  for (const char* figure : kFigures) table.add(figure);
  table.add("results");
  table.end_row();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const RunEntry& run : rows[i].runs) {
      table.add(std::to_string(i));
      add_parameters(table, rows[i].point);
      add_status(table, run.outcome.status == kExitOk ? nullptr : &run);
      for (const char* figure : kFigures) table.add(cell(look_up(run.outcome.summary, figure)));
      table.add("points/" + run.key);
      table.end_row();
    }
  }
  wafer::write_file_atomically(path, table.text());
}

}  // namespace weft::cli
