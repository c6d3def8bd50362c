// SPDX-License-Identifier: Apache-2.0
// The drawn wafer of a run: outlines, links, and what the links carried over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/csv_cell.h"
#include "base/error.h"
#include "base/link_quantities.h"
#include "config/config.h"
#include "network/names.h"
#include "report/base64.h"
#include "report/csv_reader.h"
#include "report/floor_plan.h"
#include "report/run_folder.h"
#include "report/wafer_blocks.h"
#include "sc_models/io_sites.h"

namespace weft::report {
namespace {

/// A line of the picture: one link, or all links between two blocks of routers; of many the use is their mean, and
/// flits are their sum.
struct Line {
  int from = 0;
  int to = 0;
  std::string label;  ///< the name with @ for the sender, or % for the receiver
  std::uint64_t flits = 0;
  double utilisation = 0;
  LinkValues values;
  std::size_t links = 1;
};

constexpr const char* kOutlineKinds[] = {"wafer", "frame", "npu", "router", "chiplet", "io"};

std::vector<BorderIo> border_controllers(const RunFacts& facts) {
  FabricSpec fabric;
  fabric.size_x = facts.size_x;
  fabric.size_y = facts.size_y;
  fabric.io.controllers = facts.io_controllers;
  std::vector<BorderIo> controllers;
  for (const sc_models::BorderSite& outline : sc_models::border_io_sites(fabric)) {
    const int node = static_cast<int>(index(outline.node));
    controllers.push_back({node % facts.size_x, node / facts.size_x, std::string(sc_models::name_of(outline.side))});
  }
  return controllers;
}

/// How a wafer is drawn.
enum class Drawing { kTiles, kSwitches, kCircle };

/// The drawing for what the first router or switch among the senders is.
Drawing drawing_for(const RunFacts& facts, const std::vector<LinkEnds>& ends) {
  for (const LinkEnds& link : ends) {
    const network::NameParts sender = network::take_apart(link.from);
    if (sender.kind == network::NameKind::kSwitch) return Drawing::kSwitches;
    if (sender.kind != network::NameKind::kRouter) continue;
    if (sender.x < 0) return Drawing::kCircle;
    if (facts.size_x > 0) return Drawing::kTiles;
    throw InputError(
        fmt::format("{}: fabric.size does not say how many routers are in a row; the folder is damaged: run it again",
                    (facts.folder / "config.resolved.yaml").string()));
  }
  return Drawing::kCircle;
}

/// The name without what differs between links of one kind.
std::string label_of(const std::string& name, const LinkEnds& ends) {
  for (const auto& [outline, mark] : {std::pair(&ends.from, "@"), std::pair(&ends.to, "%")}) {
    const std::size_t at = name.find(*outline + ".");
    if (at != std::string::npos) return name.substr(0, at) + mark + name.substr(at + outline->size());
  }
  return name;
}

Json drawing_facts(const DrawingFacts& facts) {
  return {{"text", facts.text}, {"directions", facts.directions}, {"grid", facts.grid}, {"dense", facts.dense}};
}

Json outline_columns(const FloorPlan& plan) {
  Json columns = {{"name", Json::array()}, {"kind", Json::array()}, {"x", Json::array()},
                  {"y", Json::array()},    {"w", Json::array()},    {"h", Json::array()}};
  for (const Outline& outline : plan.outlines()) {
    columns["name"].push_back(outline.name);
    columns["kind"].push_back(kOutlineKinds[static_cast<int>(outline.kind)]);
    columns["x"].push_back(rounded(outline.x, 100));
    columns["y"].push_back(rounded(outline.y, 100));
    columns["w"].push_back(outline.w);
    columns["h"].push_back(outline.h);
  }
  return columns;
}

Json line_columns(const std::vector<Line>& lines, Json* labels) {
  std::map<std::string, std::size_t> numbers;
  *labels = Json::array();
  Json columns = {{"from", Json::array()},  {"to", Json::array()},          {"label", Json::array()},
                  {"flits", Json::array()}, {"utilisation", Json::array()}, {"values", Json::array()},
                  {"links", Json::array()}};
  for (std::size_t i = 0; i < kLinkQuantities.size(); ++i) columns["values"].push_back(Json::array());
  for (const Line& line : lines) {
    const auto [it, is_new] = numbers.emplace(line.label, numbers.size());
    if (is_new) labels->push_back(line.label);
    columns["from"].push_back(line.from);
    columns["to"].push_back(line.to);
    columns["label"].push_back(it->second);
    columns["flits"].push_back(line.flits);
    columns["utilisation"].push_back(rounded(line.utilisation, 1e5));
    for (std::size_t i = 0; i < kLinkQuantities.size(); ++i) {
      columns["values"][i].push_back(line.values.at(i).value_or(0));
    }
    columns["links"].push_back(line.links);
  }
  // The picture of every small fabric would say 1, 1, 1 ...
  if (std::all_of(lines.begin(), lines.end(), [](const Line& line) { return line.links == 1; })) columns.erase("links");
  return columns;
}

/// The picture before it is data.
struct Picture {
  FloorPlan plan;
  std::vector<Line> lines;
  std::vector<std::size_t> line_of;  ///< for each link
  std::string binned;                ///< what a block is; empty where each link has a line of its own
};

/// Ends of windows, and how many are shown as one so that `lines` of them fit in `most_bytes`.
struct Windows {
  std::vector<std::uint64_t> ends;
  std::vector<std::uint64_t> shown;
  std::size_t together = 1;
};
Windows windows_of(const CsvReader& csv, std::size_t lines, std::size_t most_bytes) {
  Windows windows;
  for (std::size_t w = 1; w < csv.names().size() && csv.names()[w] != kApproximateColumn; ++w)
    windows.ends.push_back(std::stoull(csv.names()[w]));
  const std::size_t all = windows.ends.size();
  const auto groups = [&] { return (all + windows.together - 1) / windows.together; };
  while (groups() > 1 && groups() * lines > most_bytes) ++windows.together;
  for (std::size_t s = 0; s < groups(); ++s) {
    windows.shown.push_back(windows.ends[std::min(all, (s + 1) * windows.together) - 1]);
  }
  return windows;
}

/// Share of the capacity in each window as one byte, 255 = all of it; lines one after the other.
Json window_bytes(const RunFacts& facts, const CsvReader& links, const Picture& picture, std::size_t most_bytes) {
  const std::filesystem::path file = facts.folder / "link_windows.csv";
  if (!std::filesystem::exists(file)) return nullptr;
  const CsvReader csv(file, {"link"});
  if (csv.rows() != links.rows()) {
    throw InputError(fmt::format("{}: {} links, links.csv has {}; the folder is damaged: run it again", file.string(),
                                 csv.rows(), links.rows()));
  }
  if (csv.names().size() < 2 || csv.rows() == 0 || facts.cycles == 0) return nullptr;
  const Windows windows = windows_of(csv, picture.lines.size(), most_bytes);
  const std::size_t shown = windows.shown.size();
  std::vector<double> uses(shown * picture.lines.size());
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const auto flits = static_cast<double>(links.count(i, 3));
    if (flits == 0) continue;
    // Cycles of full use that one flit stands for.
    const double per_flit = links.number(i, 4) * static_cast<double>(facts.cycles) / flits;
    double open = 0;  // cycles of flits that began in a window before and go on
    for (std::size_t s = 0; s < shown; ++s) {
      std::uint64_t sum = 0;
      for (std::size_t w = s * windows.together; w < std::min(windows.ends.size(), (s + 1) * windows.together); ++w) {
        sum += csv.count_at(i, w + 1);
      }
      const std::uint64_t begin = s == 0 ? 0 : windows.shown[s - 1];
      const auto cycles = static_cast<double>(windows.shown[s] - begin);
      open += static_cast<double>(sum) * per_flit;
      const double busy = std::min(open, cycles);
      open -= busy;
      uses[picture.line_of[i] * shown + s] += busy / cycles;
    }
  }
  std::string bytes;
  bytes.reserve(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::size_t line = i / shown;
    const double used = uses[i] / static_cast<double>(picture.lines[line].links);
    bytes += static_cast<char>(static_cast<unsigned char>(std::lround(used * 255)));
  }
  return {{"ends", windows.shown}, {"written", windows.ends.size()}, {"data", base64(bytes)}};
}

FloorPlan plan_of(const RunFacts& facts, const std::vector<LinkEnds>& ends) {
  switch (drawing_for(facts, ends)) {
    case Drawing::kTiles:
      return mesh_plan(facts.size_x, facts.size_y, border_controllers(facts));
    case Drawing::kSwitches:
      return fred_plan(ends);
    case Drawing::kCircle:
      break;
  }
  return graph_plan(ends);
}

/// Each link as a line of its own.
Picture whole_picture(const RunFacts& facts, const CsvReader& csv, const std::vector<LinkEnds>& ends) {
  Picture picture;
  picture.plan = plan_of(facts, ends);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    Line line;
    line.from = picture.plan.find(ends[i].from);
    line.to = picture.plan.find(ends[i].to);
    line.label = label_of(csv.text(i, 0), ends[i]);
    if (line.from < 0 || line.to < 0) {
      throw InputError(fmt::format("{}:{}: {} is not a part of this wafer; the folder is damaged: run it again",
                                   (facts.folder / "links.csv").string(), i + 2,
                                   line.from < 0 ? ends[i].from : ends[i].to));
    }
    picture.lines.push_back(line);
    picture.line_of.push_back(i);
  }
  return picture;
}

/// Blocks of tiles or chiplets; no lines where even these are too many.
Picture picture_in_blocks(const RunFacts& facts, const CsvReader& csv, const std::vector<LinkEnds>& ends,
                          std::size_t most) {
  WaferBlocks blocks;
  const Drawing drawing = drawing_for(facts, ends);
  if (drawing == Drawing::kSwitches) {
    blocks = fred_blocks(ends, most);
  } else if (drawing == Drawing::kTiles) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < ends.size(); ++i) labels.push_back(label_of(csv.text(i, 0), ends[i]));
    blocks = mesh_blocks(facts.size_x, facts.size_y, border_controllers(facts), ends, labels, most);
  }
  Picture picture;
  picture.plan = std::move(blocks.plan);
  for (const WaferBlocks::Line& line : blocks.lines) {
    Line drawn;
    drawn.from = line.from;
    drawn.to = line.to;
    drawn.label = line.label;
    picture.lines.push_back(drawn);
  }
  picture.line_of = std::move(blocks.line_of);
  picture.binned = std::move(blocks.text);
  return picture;
}

/// The column of links.csv in which the values of kLinkQuantities begin.
constexpr std::size_t kFirstQuantity = 5;

void add_figures(const CsvReader& csv, Picture* picture) {
  for (Line& line : picture->lines) line.links = 0;
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    Line& line = picture->lines[picture->line_of[i]];
    ++line.links;
    line.flits += csv.count(i, 3);
    line.utilisation += csv.number(i, 4);
    LinkValues values;
    for (std::size_t quantity = 0; quantity < kLinkQuantities.size(); ++quantity) {
      if (csv.text(i, kFirstQuantity + quantity).empty()) continue;  // its sender does not know
      values.set(static_cast<LinkQuantity>(quantity), csv.count(i, kFirstQuantity + quantity));
    }
    line.values += values;
  }
  for (Line& line : picture->lines) line.utilisation /= static_cast<double>(line.links);
}

/// The busiest link, and the mean use of all.
void add_totals(const CsvReader& csv, Json* wafer) {
  std::size_t top = 0;
  double sum = 0;
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    sum += csv.number(i, 4);
    if (csv.number(i, 4) > csv.number(top, 4)) top = i;
  }
  (*wafer)["all"] = csv.rows();
  (*wafer)["busiest"] = nullptr;
  if (csv.rows() == 0) return;
  (*wafer)["busiest"] = {{"name", csv.text(top, 0)}, {"use", csv.number(top, 4)}};
  (*wafer)["mean_use"] = sum / static_cast<double>(csv.rows());
}

}  // namespace

Json link_quantity_texts() {
  Json texts = Json::array();
  for (const LinkQuantityText& quantity : kLinkQuantities) {
    texts.push_back({{"key", quantity.key},
                     {"stall", std::string_view(quantity.section) == kStallSection},
                     {"words", quantity.words},
                     {"unit", quantity.unit},
                     {"meaning", quantity.meaning}});
  }
  return texts;
}

Json read_wafer(const RunFacts& facts, const Limits& limits, double share) {
  if (!facts.statistics) {
    return {{"missing",
             "Statistics were off in this run (fabric.statistics is false): what links carried and why they "
             "waited was not counted, so there are no figures of links."}};
  }
  if (!table_is_there(facts, "links.csv", facts.nodes * 6)) {
    return {{"missing", "links.csv has more than 100,000 rows and was not written; weft run --all-tables writes it"}};
  }
  std::vector<std::string> names = {"link", "from", "to", "flits", "utilisation"};
  for (const LinkQuantityText& quantity : kLinkQuantities) names.emplace_back(quantity.column);
  const CsvReader csv(facts.folder / "links.csv", names);
  Json wafer;
  add_totals(csv, &wafer);
  std::vector<LinkEnds> ends;
  for (std::size_t i = 0; i < csv.rows(); ++i) ends.push_back({csv.text(i, 1), csv.text(i, 2)});
  const bool many = csv.rows() > limits.links;
  Picture picture = many ? picture_in_blocks(facts, csv, ends, limits.links) : whole_picture(facts, csv, ends);
  if (many && picture.lines.empty()) {
    wafer["missing"] =
        fmt::format("{} links are too many for a picture of {} lines, also in blocks", csv.rows(), limits.links);
    return wafer;
  }
  add_figures(csv, &picture);
  wafer["width"] = rounded(picture.plan.width(), 100);
  wafer["height"] = rounded(picture.plan.height(), 100);
  if (many) wafer["binned"] = picture.binned;
  wafer["drawing"] = drawing_facts(picture.plan.facts());
  wafer["boxes"] = outline_columns(picture.plan);
  wafer["links"] = line_columns(picture.lines, &wafer["labels"]);
  const auto bytes = static_cast<std::size_t>(static_cast<double>(limits.window_bytes) * share);
  wafer["windows"] = window_bytes(facts, csv, picture, bytes);
  return wafer;
}

}  // namespace weft::report
