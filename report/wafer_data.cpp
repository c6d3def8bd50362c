// SPDX-License-Identifier: Apache-2.0
// The drawn wafer of a run: places, links, and what the links carried over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernel/config.h"
#include "kernel/error.h"
#include "report/base64.h"
#include "report/csv_reader.h"
#include "report/floor_plan.h"
#include "report/run_folder.h"
#include "wafer/io_places.h"

namespace weft::report {
namespace {

/// A line of the picture: one link, or all links between two blocks of routers.
struct Line {
  int from = 0;
  int to = 0;
  std::string label;  ///< the name with @ for the sender, or % for the receiver
  std::uint64_t flits = 0;
  double utilisation = 0;
  std::uint64_t stalls = 0;
};

constexpr const char* kPlaceKinds[] = {"wafer", "frame", "npu", "router", "chiplet", "io"};

std::vector<BorderIo> border_controllers(const RunFacts& facts) {
  FabricSpec fabric;
  fabric.size_x = facts.size_x;
  fabric.size_y = facts.size_y;
  fabric.border_io.controllers = facts.io_controllers;
  std::vector<BorderIo> controllers;
  for (const wafer::IoPlace& place : wafer::border_io_places(fabric)) {
    const int node = static_cast<int>(index(place.node));
    controllers.push_back({node % facts.size_x, node / facts.size_x, std::string(wafer::name_of(place.side))});
  }
  return controllers;
}

/// The name without what differs between links of one kind.
std::string label_of(const std::string& name, const LinkEnds& ends) {
  for (const auto& [place, mark] : {std::pair(&ends.from, "@"), std::pair(&ends.to, "%")}) {
    const std::size_t at = name.find(*place + ".");
    if (at != std::string::npos) return name.substr(0, at) + mark + name.substr(at + place->size());
  }
  return name;
}

Json place_columns(const FloorPlan& plan) {
  Json columns = {{"name", Json::array()}, {"kind", Json::array()}, {"x", Json::array()},
                  {"y", Json::array()},    {"w", Json::array()},    {"h", Json::array()}};
  for (const Place& place : plan.places()) {
    columns["name"].push_back(place.name);
    columns["kind"].push_back(kPlaceKinds[static_cast<int>(place.kind)]);
    columns["x"].push_back(rounded(place.x, 100));
    columns["y"].push_back(rounded(place.y, 100));
    columns["w"].push_back(place.w);
    columns["h"].push_back(place.h);
  }
  return columns;
}

Json line_columns(const std::vector<Line>& lines, Json* labels) {
  std::map<std::string, std::size_t> numbers;
  *labels = Json::array();
  Json columns = {{"from", Json::array()},  {"to", Json::array()},          {"label", Json::array()},
                  {"flits", Json::array()}, {"utilisation", Json::array()}, {"stalls", Json::array()}};
  for (const Line& line : lines) {
    const auto [it, is_new] = numbers.emplace(line.label, numbers.size());
    if (is_new) labels->push_back(line.label);
    columns["from"].push_back(line.from);
    columns["to"].push_back(line.to);
    columns["label"].push_back(it->second);
    columns["flits"].push_back(line.flits);
    columns["utilisation"].push_back(rounded(line.utilisation, 1e5));
    columns["stalls"].push_back(line.stalls);
  }
  return columns;
}

/// Share of the capacity in each window as one byte, 255 = all of it; links one after the other.
Json window_bytes(const RunFacts& facts, const CsvReader& links, std::size_t most_bytes) {
  const std::filesystem::path file = facts.folder / "link_windows.csv";
  if (!std::filesystem::exists(file)) return nullptr;
  const CsvReader csv(file, {"link"});
  const std::size_t windows = csv.names().size() - 1;
  if (csv.rows() != links.rows()) {
    throw InputError(fmt::format("{}: {} links, links.csv has {}; the folder is damaged: run it again", file.string(),
                                 csv.rows(), links.rows()));
  }
  if (windows == 0 || csv.rows() == 0 || facts.cycles == 0) return nullptr;
  std::vector<std::uint64_t> ends;
  for (std::size_t w = 0; w < windows; ++w) ends.push_back(std::stoull(csv.names()[w + 1]));
  std::size_t together = 1;
  while ((windows + together - 1) / together * csv.rows() > most_bytes) ++together;
  const std::size_t shown = (windows + together - 1) / together;
  std::string bytes;
  bytes.reserve(shown * csv.rows());
  std::vector<std::uint64_t> shown_ends;
  for (std::size_t s = 0; s < shown; ++s) shown_ends.push_back(ends[std::min(windows, (s + 1) * together) - 1]);
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const auto flits = static_cast<double>(links.count(i, 3));
    // Cycles of full use that one flit stands for.
    const double per_flit = flits > 0 ? links.number(i, 4) * static_cast<double>(facts.cycles) / flits : 0;
    for (std::size_t s = 0; s < shown; ++s) {
      std::uint64_t sum = 0;
      for (std::size_t w = s * together; w < std::min(windows, (s + 1) * together); ++w) sum += csv.count_at(i, w + 1);
      const std::uint64_t begin = s == 0 ? 0 : shown_ends[s - 1];
      const double used = static_cast<double>(sum) * per_flit / static_cast<double>(shown_ends[s] - begin);
      bytes += static_cast<char>(static_cast<unsigned char>(std::lround(std::clamp(used, 0.0, 1.0) * 255)));
    }
  }
  return {{"ends", shown_ends}, {"written", windows}, {"data", base64(bytes)}};
}

}  // namespace

Json read_wafer(const RunFacts& facts, const Limits& limits, double share) {
  if (!table_is_there(facts, "links.csv", facts.nodes * 6)) {
    return {{"missing", "links.csv has more than 100,000 rows and was not written; weft run --all-tables writes it"}};
  }
  const CsvReader csv(facts.folder / "links.csv", {"link", "from", "to", "flits", "utilisation", "stall_cycles"});
  if (csv.rows() > limits.links) {
    return {{"missing", fmt::format("{} links are more than the {} that are drawn", csv.rows(), limits.links)}};
  }
  std::vector<LinkEnds> ends;
  for (std::size_t i = 0; i < csv.rows(); ++i) ends.push_back({csv.text(i, 1), csv.text(i, 2)});
  const FloorPlan plan =
      facts.kind == "fred" ? fred_plan(ends) : mesh_plan(facts.size_x, facts.size_y, border_controllers(facts));
  std::vector<Line> lines;
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const Line line{plan.find(ends[i].from), plan.find(ends[i].to), label_of(csv.text(i, 0), ends[i]),
                    csv.count(i, 3),         csv.number(i, 4),      csv.count(i, 5)};
    if (line.from < 0 || line.to < 0) {
      throw InputError(fmt::format("{}:{}: {} is not a part of this wafer; the folder is damaged: run it again",
                                   (facts.folder / "links.csv").string(), i + 2,
                                   line.from < 0 ? ends[i].from : ends[i].to));
    }
    lines.push_back(line);
  }
  Json wafer = {{"width", rounded(plan.width(), 100)}, {"height", rounded(plan.height(), 100)}};
  wafer["places"] = place_columns(plan);
  wafer["links"] = line_columns(lines, &wafer["labels"]);
  const auto bytes = static_cast<std::size_t>(static_cast<double>(limits.window_bytes) * share);
  wafer["windows"] = window_bytes(facts, csv, bytes);
  return wafer;
}

}  // namespace weft::report
