// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_folder.h"

#include <set>
#include <string>
#include <vector>

#include "report/csv_reader.h"
#include "report/sweep_points.h"

namespace weft::report {
namespace {

/// Texts as they stand; figures are numbers, true, false or null.
Json figure(const std::string& text) {
  if (text.empty()) return nullptr;
  if (text == "true" || text == "false") return text == "true";
  const auto amount = amount_of(text);
  return amount ? Json(amount->value) : Json(text);
}

/// The columns between "point" and `end`: what was varied.
std::vector<std::string> axes_of(const CsvReader& csv, const char* end) {
  std::vector<std::string> axes;
  for (std::size_t i = 1; i < csv.names().size() && csv.names()[i] != end; ++i) axes.push_back(csv.names()[i]);
  return axes;
}

/// What is longer is cut: sweep.csv and the page's reader have the rest.
constexpr std::size_t kMostErrorBytes = 400;

Json error_text(const std::string& text) {
  return text.size() <= kMostErrorBytes ? text : text.substr(0, kMostErrorBytes) + " ...";
}

Json rows_of(const CsvReader& csv, std::size_t axes, const std::vector<std::size_t>& shown) {
  Json rows = Json::array();
  for (const std::size_t row : shown) {
    Json cells;
    for (std::size_t column = 0; column < csv.names().size(); ++column) {
      const std::string& name = csv.names()[column];
      const std::string& text = csv.cell(row, column);
      if (column > 0 && column <= axes) {
        const auto amount = amount_of(text);
        cells[name] = {{"text", text}, {"value", amount ? Json(amount->value) : Json(nullptr)}};
      } else {
        cells[name] = name == "error" ? error_text(text) : figure(text);
      }
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

/// Base units of the parameters that are quantities of one sort.
Json units_of(const CsvReader& csv, const std::vector<std::string>& axes) {
  Json units = Json::object();
  for (std::size_t axis = 0; axis < axes.size() && csv.rows() > 0; ++axis) {
    std::set<std::string> seen;
    for (std::size_t row = 0; row < csv.rows() && seen.size() < 2; ++row) {
      const auto amount = amount_of(csv.cell(row, axis + 1));
      seen.insert(amount ? amount->unit : "");
    }
    if (seen.size() == 1 && !seen.begin()->empty()) units[axes[axis]] = *seen.begin();
  }
  return units;
}

std::string name_of(const std::filesystem::path& folder) {
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

/// Bandwidths of a point's collectives; a point that failed has none.
Json point_collectives(const std::filesystem::path& folder, const Limits& limits) {
  if (!std::filesystem::exists(folder / "summary.json")) return Json::array();
  const Json summary = read_json_object(folder / "summary.json");
  require_version(folder / "summary.json", summary);
  RunFacts facts;
  facts.folder = folder;
  facts.packets = summary.value("packets", std::uint64_t{0});
  const Json collectives = read_collectives(facts, limits, 0);
  return collectives.is_null() ? Json::array() : collectives["classes"];
}

}  // namespace

Json read_sweep(const std::filesystem::path& folder, const Limits& limits, double share) {
  const CsvReader csv(folder / "sweep.csv", {"point", "runs", "status", "error", "cycles", "results"});
  const std::vector<std::string> axes = axes_of(csv, "runs");
  const auto most = static_cast<std::size_t>(static_cast<double>(limits.points) * share);
  const std::vector<std::size_t> shown = points_to_show(csv, axes.size(), most);
  Json sweep = {{"folder", folder.string()}, {"name", name_of(folder)}, {"axes", axes}};
  sweep["units"] = units_of(csv, axes);
  sweep["all"] = csv.rows();
  std::size_t failed = 0;
  for (std::size_t row = 0; row < csv.rows(); ++row) failed += csv.count(row, 2) != 0 ? 1 : 0;
  sweep["failed"] = failed;
  sweep["rows"] = rows_of(csv, axes.size(), shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    sweep["rows"][i]["collectives"] = point_collectives(folder / csv.text(shown[i], 5), limits);
  }
  sweep["saturation"] = nullptr;
  if (std::filesystem::exists(folder / "saturation.csv")) {
    const CsvReader table(folder / "saturation.csv",
                          {"point", "status", "zero_load_latency_cycles", "saturation_rate", "first_rate_above"});
    const std::size_t parameters = axes_of(table, "status").size();
    sweep["saturation"] = rows_of(table, parameters, points_to_show(table, parameters, most / 4));
    sweep["all_saturation"] = table.rows();
  }
  return sweep;
}

}  // namespace weft::report
