// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/csv_cell.h"
#include "base/error.h"
#include "base/output_file.h"
#include "cli/sweep/statistics.h"
#include "cli/sweep/summary_figures.h"
#include "runs/run_quantities.h"

namespace weft::cli {
namespace {

using nlohmann::json;
using runs::RunQuantity;
using runs::SeedMerge;
using runs::swept_quantities;

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
    text_ += csv_cell(value);
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

void add_figure(TableText& table, const SweepRow& row, const RunQuantity& figure, bool intervals) {
  std::vector<double> samples;
  std::optional<bool> flag;
  bool missing = false;
  json only;
  for (const RunEntry& run : row.runs) {
    if (run.outcome.status != kExitOk) continue;
    only = summary_figure(run.outcome.summary, figure.key);
    if (only.is_boolean()) {
      const bool value = only.get<bool>();
      flag = !flag ? value : (figure.seeds == SeedMerge::kAll ? *flag && value : *flag || value);
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

bool has_interval(const RunQuantity& figure) { return figure.seeds == SeedMerge::kMean; }

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

/// Share of the cycles that were simulated; 1 of an exact run.
double simulated_share(const json& summary) {
  const json share = summary_figure(summary, kSimulatedShare);
  return share.is_number() ? share.get<double>() : 1;
}

bool any_approximate(const std::vector<SweepRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) {
    return std::any_of(row.runs.begin(), row.runs.end(),
                       [](const RunEntry& run) { return is_approximate(run.outcome.summary); });
  });
}

/// The least share of runs that finished; empty where none has.
std::string least_share(const std::vector<RunEntry>& runs) {
  std::optional<double> least;
  for (const RunEntry& run : runs) {
    if (run.outcome.status == kExitOk) least = std::min(least.value_or(1), simulated_share(run.outcome.summary));
  }
  return least ? fmt::format("{}", *least) : "";
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
  for (const RunQuantity* figure : swept_quantities()) {
    if (figure->seeds == SeedMerge::kNone) continue;
    table.add(figure->key);
    if (intervals && has_interval(*figure)) table.add(figure->key + ".ci95");
  }
  const bool approximate = any_approximate(rows);
  if (approximate) table.add(kSimulatedShare);
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
    for (const RunQuantity* figure : swept_quantities()) {
      if (figure->seeds != SeedMerge::kNone) add_figure(table, row, *figure, intervals && has_interval(*figure));
    }
    if (approximate) table.add(least_share(row.runs));
    table.add("points/" + row.runs.front().key);
    table.end_row();
  }
  write_output(path, table.text(), OutputLinks::kReplace);
}

void write_runs_csv(const std::filesystem::path& path, const std::vector<SweepRow>& rows) {
  TableText table;
  add_parameter_names(table, rows);
  for (const char* name : {"status", "error"}) table.add(name);
  for (const RunQuantity* figure : swept_quantities()) table.add(figure->key);
  const bool approximate = any_approximate(rows);
  if (approximate) table.add(kSimulatedShare);
  table.add("results");
  table.end_row();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const RunEntry& run : rows[i].runs) {
      table.add(std::to_string(i));
      add_parameters(table, rows[i].point);
      add_status(table, run.outcome.status == kExitOk ? nullptr : &run);
      for (const RunQuantity* figure : swept_quantities())
        table.add(cell(summary_figure(run.outcome.summary, figure->key)));
      if (approximate) table.add(least_share({run}));
      table.add("points/" + run.key);
      table.end_row();
    }
  }
  write_output(path, table.text(), OutputLinks::kReplace);
}

}  // namespace weft::cli
