// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/summary_figures.h"

#include <algorithm>

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

const std::vector<std::string>& summary_figures() {
  static const std::vector<std::string> figures{
      "finished",
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
      "seed",
  };
  return figures;
}

json summary_figure(const json& summary, const std::string& figure) {
  const json* value = find_figure(summary, figure);
  return value == nullptr ? json() : *value;
}

bool is_complete_summary(const json& summary) {
  const json* finished = find_figure(summary, "finished");
  if (finished == nullptr || *finished != true) return false;
  return std::all_of(summary_figures().begin(), summary_figures().end(), [&](const std::string& figure) {
    const json* value = find_figure(summary, figure);
    return value != nullptr && (value->is_number() || value->is_boolean() || value->is_null());
  });
}

}  // namespace weft::cli
