// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "report/embedded_page.h"
#include "report/run_folder.h"
#include "report/sweep_folder.h"
#include "runs/summary.h"

namespace weft::report {
namespace {

using Path = std::filesystem::path;

/// A page that is still too big after so many tighter limits stays as it is.
constexpr int kMostTries = 5;

bool is_sweep(const Path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(fmt::format("{}: {}; a folder that `weft run` or `weft sweep` has written is legal",
                                 folder.string(), std::filesystem::exists(folder) ? "is no folder" : "there is none"));
  }
  if (std::filesystem::exists(folder / "sweep.csv")) return true;
  if (std::filesystem::exists(folder / "summary.json")) return false;
  throw InputError(
      fmt::format("{}: has neither summary.json of `weft run` nor sweep.csv of `weft sweep`: it is no "
                  "results folder, or its run has not ended",
                  folder.string()));
}

/// Puts `value` in the place of `mark`, once.
void replace_mark(std::string* text, const std::string& mark, const std::string& value) {
  const std::size_t at = text->find(mark);
  WEFT_CHECK(at != std::string::npos, "the page has no place for " + mark);
  text->replace(at, mark.size(), value);
}

/// JSON that may stand in a script element: without "<", of which browsers make ends and comments.
std::string script_text(const Json& data) {
  std::string safe;
  // In JSON a "<" can only be part of a string.
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string html_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string title_of(const Json& data) {
  std::map<std::size_t, std::string> names;
  for (const char* list : {"runs", "sweeps"}) {
    for (const Json& one : data[list]) names[one["order"].get<std::size_t>()] = one["name"].get<std::string>();
  }
  std::string title;
  for (const auto& [order, name] : names) title += (title.empty() ? "" : ", ") + name;
  return title;
}

}  // namespace

Json read_data(const std::vector<Path>& folders, const Limits& limits) {
  Json data = {{"format", 1},
               {"version", runs::version()},
               {"link_quantities", link_quantity_texts()},
               {"run_quantities", run_quantity_texts()},
               {"runs", Json::array()},
               {"sweeps", Json::array()}};
  const auto sweeps = static_cast<double>(std::count_if(folders.begin(), folders.end(), is_sweep));
  const double runs = static_cast<double>(folders.size()) - sweeps;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const bool sweep = is_sweep(folders[i]);
    Json one = sweep ? read_sweep(folders[i], limits, 1 / sweeps) : read_run(folders[i], limits, 1 / runs);
    one["order"] = i;
    data[sweep ? "sweeps" : "runs"].push_back(std::move(one));
  }
  return data;
}

std::string page_with(const Json& data) {
  std::string page = embedded_page_html();
  replace_mark(&page, "{{style}}", embedded_page_css());
  replace_mark(&page, "{{script}}", embedded_page_js());
  // Names may hold marks, too: what users have written comes last, and from the end of the page to its start.
  replace_mark(&page, "{{data}}", script_text(data));
  replace_mark(&page, "{{title}}", html_text(title_of(data)));
  return page;
}

Limits tighter(const Limits& limits) {
  Limits smaller = limits;
  smaller.window_bytes /= 2;
  smaller.spans /= 2;
  smaller.points /= 2;
  if (limits.window_bytes < Limits{}.window_bytes / 2) smaller.links /= 2;
  return smaller;
}

std::string page_about(const std::vector<Path>& folders, std::size_t most_bytes) {
  Limits limits;
  std::string page = page_with(read_data(folders, limits));
  for (int tries = 0; page.size() > most_bytes && tries < kMostTries; ++tries) {
    limits = tighter(limits);
    page = page_with(read_data(folders, limits));
  }
  return page;
}

void write_report(const std::vector<Path>& folders, const Path& out, OutputLinks links) {
  write_output(out, page_about(folders), links);
}

}  // namespace weft::report
