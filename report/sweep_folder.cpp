// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "kernel/error.h"
#include "kernel/units.h"
#include "report/csv_reader.h"

namespace weft::report {
namespace {

/// A parameter as a number where it is one, with or without a unit; its text is shown beside it.
std::optional<double> amount(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  for (const Dimension d : {Dimension::kBytes, Dimension::kBandwidth, Dimension::kComputeRate, Dimension::kFrequency,
                            Dimension::kDuration}) {
    try {
      return parse_quantity(text, d).value();
    } catch (const InputError&) {  // of another dimension
    }
  }
  return std::nullopt;
}

/// Texts as they stand; figures are numbers, true, false or null.
Json figure(const std::string& text) {
  if (text.empty()) return nullptr;
  if (text == "true" || text == "false") return text == "true";
  const auto value = amount(text);
  return value ? Json(*value) : Json(text);
}

/// The columns between "point" and `end`: what was varied.
std::vector<std::string> axes_of(const CsvReader& csv, const char* end) {
  std::vector<std::string> axes;
  for (std::size_t i = 1; i < csv.names().size() && csv.names()[i] != end; ++i) axes.push_back(csv.names()[i]);
  return axes;
}

Json rows_of(const CsvReader& csv, std::size_t axes) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    Json cells;
    for (std::size_t place = 0; place < csv.names().size(); ++place) {
      const std::string& text = csv.cell(row, place);
      const bool parameter = place > 0 && place <= axes;
      const auto value = parameter ? amount(text) : std::nullopt;
      if (parameter) {
        cells[csv.names()[place]] = {{"text", text}, {"value", value ? Json(*value) : Json(nullptr)}};
      } else {
        cells[csv.names()[place]] = csv.names()[place] == "error" ? Json(text) : figure(text);
      }
    }
    rows.push_back(std::move(cells));
  }
  return rows;
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

Json read_sweep(const std::filesystem::path& folder, const Limits& limits) {
  const CsvReader csv(folder / "sweep.csv", {"point", "runs", "status", "error", "cycles", "results"});
  const std::vector<std::string> axes = axes_of(csv, "runs");
  Json sweep = {{"folder", folder.string()}, {"name", folder.filename().string()}, {"axes", axes}};
  sweep["rows"] = rows_of(csv, axes.size());
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    sweep["rows"][row]["collectives"] = point_collectives(folder / csv.text(row, 5), limits);
  }
  sweep["saturation"] = nullptr;
  if (std::filesystem::exists(folder / "saturation.csv")) {
    const CsvReader table(folder / "saturation.csv",
                          {"point", "status", "zero_load_latency_cycles", "saturation_rate", "first_rate_above"});
    sweep["saturation"] = rows_of(table, axes_of(table, "status").size());
  }
  return sweep;
}

}  // namespace weft::report
