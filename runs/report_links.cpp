// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "runs/report_parts.h"
#include "runs/summary.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

constexpr std::size_t kShownLinks = 5;

/// A link that is among the busiest.
struct HotLink {
  double utilisation;
  std::size_t link;
};

void print_hottest(const RunResult& result, const std::vector<HotLink>& hottest, std::ostream& out) {
  const auto width = [](const LinkQuantityText& quantity) {
    return std::max<std::size_t>(12, std::strlen(quantity.title));
  };
  out << fmt::format("\n  {:<36} {:>12} {:>8}", "busiest links", "flits", "used");
  for (const LinkQuantityText& quantity : kLinkQuantities)
    out << fmt::format(" {:>{}}", quantity.title, width(quantity));
  out << "\n";
  for (const HotLink& hot : hottest) {
    const LinkRecord record = result.links.at(hot.link);
    out << fmt::format("  {:<36} {:>12} {:>7.1f}%", record.name, with_separators(record.flits),
                       100 * record.utilisation);
    for (std::size_t i = 0; i < kLinkQuantities.size(); ++i) {
      const auto value = record.values.at(i);
      out << fmt::format(" {:>{}}", value ? with_separators(*value) : "-", width(kLinkQuantities[i]));
    }
    out << "\n";
  }
}

/// The cycles in which links stalled, in words.
std::string stalls_text(const LinkValues& totals) {
  std::string text;
  for (std::size_t i = 0; i < kLinkQuantities.size(); ++i) {
    const LinkQuantityText& quantity = kLinkQuantities[i];
    if (std::string_view(quantity.section) != kStallSection) continue;
    text +=
        fmt::format("{}{} {}{}", text.empty() ? "" : ", ", quantity.words, with_separators(totals.at(i).value_or(0)),
                    text.empty() ? std::string(" ") + quantity.unit : "");
  }
  return text;
}

}  // namespace

void print_links(const RunResult& result, std::ostream& out) {
  std::vector<HotLink> hottest;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const double utilisation = result.links.at(i).utilisation;
    if (utilisation <= 0) continue;
    if (hottest.size() == kShownLinks && utilisation <= hottest.back().utilisation) continue;
    const auto position =
        std::find_if(hottest.begin(), hottest.end(), [&](const HotLink& hot) { return hot.utilisation < utilisation; });
    hottest.insert(position, {utilisation, i});
    if (hottest.size() > kShownLinks) hottest.pop_back();
  }
  if (hottest.empty()) return;
  print_hottest(result, hottest, out);
  if (!result.link_totals) {
    out << "  not counted (fabric.statistics is false): stalls, and in a mesh or torus flits between routers\n";
    return;
  }
  line(out, "all links waited", stalls_text(*result.link_totals));
}

}  // namespace weft::runs
