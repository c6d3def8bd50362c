// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/summary_figures.h"

#include <algorithm>
#include <vector>

#include "runs/run_quantities.h"

namespace weft::cli {
namespace {

using nlohmann::json;

/// The value of `figure`; nothing when the summary does not have it.
const json* find_figure(const json& summary, const std::string& figure) {
  const json* value = &summary;
  std::size_t start = 0;
  while (start <= figure.size()) {
    const std::size_t dot = std::min(figure.find('.', start), figure.size());
    const auto it = value->is_object() ? value->find(figure.substr(start, dot - start)) : value->end();
    if (!value->is_object() || it == value->end()) return nullptr;
    value = &*it;
    start = dot + 1;
  }
  return value;
}

}  // namespace

json summary_figure(const json& summary, const std::string& figure) {
  const json* value = find_figure(summary, figure);
  return value == nullptr ? json() : *value;
}

bool is_approximate(const json& summary) { return summary_figure(summary, kSimulatedShare).is_number(); }

bool is_complete_summary(const json& summary) {
  const json* finished = find_figure(summary, "finished");
  if (finished == nullptr || *finished != true) return false;
  const std::vector<const runs::RunQuantity*> figures = runs::swept_quantities();
  return std::all_of(figures.begin(), figures.end(), [&](const runs::RunQuantity* figure) {
    const json* value = find_figure(summary, figure->key);
    return value != nullptr && (value->is_number() || value->is_boolean() || value->is_null());
  });
}

}  // namespace weft::cli
