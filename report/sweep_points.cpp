// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_points.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "runs/run_quantities.h"

namespace weft::report {
namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t kMostFailed = 20;
constexpr const char* kRate = "workload.traffic.rate";
/// Figures of saturation.csv that the page shows, beside those of runs.
constexpr const char* kSaturationFigures[] = {"saturation_rate", "zero_load_latency_cycles"};

std::optional<std::size_t> column_of(const CsvReader& csv, const std::string& name) {
  const auto found = std::find(csv.names().begin(), csv.names().end(), name);
  if (found == csv.names().end()) return std::nullopt;
  return static_cast<std::size_t>(found - csv.names().begin());
}

/// The different texts of a column among `rows`: by amount where all have one, else as they come.
std::vector<std::string> values_of(const CsvReader& csv, const Rows& rows, std::size_t column) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const std::size_t row : rows) {
    if (seen.insert(csv.cell(row, column)).second) texts.push_back(csv.cell(row, column));
  }
  std::vector<std::pair<double, std::string>> sorted;
  for (const std::string& text : texts) {
    const auto amount = amount_of(text);
    if (!amount) return texts;
    sorted.emplace_back(amount->value, text);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = sorted[i].second;
  return texts;
}

/// Every second of `list`, and the last.
template <typename T>
std::vector<T> halved(const std::vector<T>& list) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i % 2 == 0 || i + 1 == list.size()) kept.push_back(list[i]);
  }
  return kept;
}

/// Halves the parameter with the most values until at most `most` rows remain.
Rows coarse_grid(const CsvReader& csv, std::size_t axes, std::size_t most) {
  Rows rows(csv.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  while (rows.size() > std::max<std::size_t>(most, 2)) {
    std::vector<std::string> longest;
    std::size_t column = 0;
    for (std::size_t axis = 1; axis <= axes; ++axis) {
      std::vector<std::string> values = values_of(csv, rows, axis);
      if (values.size() <= longest.size()) continue;
      longest = std::move(values);
      column = axis;
    }
    Rows fewer;
    if (longest.size() > 2) {
      const std::vector<std::string> list = halved(longest);
      const std::set<std::string> wanted(list.begin(), list.end());
      std::copy_if(rows.begin(), rows.end(), std::back_inserter(fewer),
                   [&](std::size_t row) { return wanted.count(csv.cell(row, column)) != 0; });
    }
    // Parameters that do not make a grid.
    if (fewer.empty() || fewer.size() == rows.size()) fewer = halved(rows);
    rows = std::move(fewer);
  }
  return rows;
}

void add_extremes(const CsvReader& csv, std::set<std::size_t>* kept) {
  std::vector<std::string> figures(std::begin(kSaturationFigures), std::end(kSaturationFigures));
  for (const runs::RunQuantity* quantity : runs::drawn_quantities()) figures.push_back(quantity->key);
  for (const std::string& figure : figures) {
    const auto column = column_of(csv, figure);
    if (!column) continue;
    std::optional<std::pair<double, std::size_t>> least;
    std::optional<std::pair<double, std::size_t>> greatest;
    for (std::size_t row = 0; row < csv.rows(); ++row) {
      if (csv.cell(row, *column).empty()) continue;
      const double value = csv.number_at(row, *column);
      if (!least || value < least->first) least.emplace(value, row);
      if (!greatest || value > greatest->first) greatest.emplace(value, row);
    }
    if (least) kept->insert({least->second, greatest->second});
  }
}

void add_failed(const CsvReader& csv, std::set<std::size_t>* kept) {
  const auto status = column_of(csv, "status");
  for (std::size_t row = 0, found = 0; status && row < csv.rows() && found < kMostFailed; ++row) {
    if (csv.cell(row, *status) == "0") continue;
    kept->insert(row);
    ++found;
  }
}

/// The highest rate below the first saturated one, and that one, of every curve that has a row in `kept`.
void add_saturation(const CsvReader& csv, std::size_t axes, std::set<std::size_t>* kept) {
  const auto rate = column_of(csv, kRate);
  const auto saturated = column_of(csv, "saturated");
  if (!rate || *rate > axes || !saturated) return;
  const auto curve_of = [&](std::size_t row) {
    std::vector<std::string> others;
    for (std::size_t axis = 1; axis <= axes; ++axis) {
      if (axis != *rate) others.push_back(csv.cell(row, axis));
    }
    return others;
  };
  std::map<std::vector<std::string>, std::vector<std::pair<double, std::size_t>>> curves;
  for (const std::size_t row : *kept) curves[curve_of(row)];
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const auto curve = curves.find(curve_of(row));
    if (curve != curves.end()) curve->second.emplace_back(csv.number_at(row, *rate), row);
  }
  for (auto& [others, points] : curves) {
    std::sort(points.begin(), points.end());
    std::optional<std::size_t> good;
    for (const auto& [value, row] : points) {
      if (csv.cell(row, *saturated) == "false") good = row;
      if (csv.cell(row, *saturated) != "true") continue;
      kept->insert(row);
      if (good) kept->insert(*good);
      break;
    }
  }
}

}  // namespace

std::optional<Amount> amount_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return Amount{value, ""};
  constexpr std::pair<Dimension, const char*> kDimensions[] = {{Dimension::kBytes, "B"},
                                                               {Dimension::kBandwidth, "B/s"},
                                                               {Dimension::kComputeRate, "FLOP/s"},
                                                               {Dimension::kFrequency, "Hz"},
                                                               {Dimension::kDuration, "s"}};
  for (const auto& [dimension, unit] : kDimensions) {
    try {
      return Amount{parse_quantity(text, dimension).value(), unit};
    } catch (const InputError&) {  // the text is of another dimension
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> points_to_show(const CsvReader& csv, std::size_t axes, std::size_t most) {
  Rows grid = coarse_grid(csv, axes, most);
  if (grid.size() == csv.rows()) return grid;
  std::set<std::size_t> kept(grid.begin(), grid.end());
  add_saturation(csv, axes, &kept);
  add_extremes(csv, &kept);
  add_failed(csv, &kept);
  return {kept.begin(), kept.end()};
}

}  // namespace weft::report
