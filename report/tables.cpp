// SPDX-License-Identifier: Apache-2.0
// latency.csv and collectives.csv as data of the page.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "report/csv_reader.h"
#include "report/run_folder.h"

namespace weft::report {
namespace {

/// The smallest of 1, 2, 5, 10, 20, ... that is at least `least`.
std::uint64_t round_step(std::uint64_t least) {
  for (std::uint64_t step = 1;; step *= 10) {
    for (const std::uint64_t factor : {1, 2, 5}) {
      if (step * factor >= least) return step * factor;
    }
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Finished collectives alike in kind, algorithm, ranks and bytes.
struct Class {
  std::vector<double> algbw;
  std::vector<double> busbw;
  std::vector<double> ns;
};
using ClassKey = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>;

Json class_rows(const std::map<ClassKey, Class>& classes) {
  Json rows = Json::array();
  for (const auto& [key, c] : classes) {
    const auto [least, most] = std::minmax_element(c.busbw.begin(), c.busbw.end());
    rows.push_back({{"kind", std::get<0>(key)},
                    {"algorithm", std::get<1>(key)},
                    {"ranks", std::get<2>(key)},
                    {"bytes", std::get<3>(key)},
                    {"count", c.ns.size()},
                    {"ns", median(c.ns)},
                    {"algbw", median(c.algbw)},
                    {"busbw", median(c.busbw)},
                    {"busbw_min", *least},
                    {"busbw_max", *most}});
  }
  return rows;
}

}  // namespace

Json read_latency(const RunFacts& facts, const Limits& limits) {
  if (!table_is_there(facts, "latency.csv", facts.packets)) return nullptr;
  const CsvReader csv(facts.folder / "latency.csv", {"latency_cycles", "packets", "network_packets"});
  if (csv.rows() == 0) return nullptr;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < csv.rows(); ++i) most = std::max(most, csv.count(i, 0));
  const std::uint64_t width = round_step(most / limits.latency_bins + 1);
  std::vector<std::uint64_t> packets(most / width + 1);
  std::vector<std::uint64_t> network(packets.size());
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    packets[csv.count(i, 0) / width] += csv.count(i, 1);
    network[csv.count(i, 0) / width] += csv.count(i, 2);
  }
  return {{"bin_cycles", width}, {"packets", packets}, {"network", network}, {"values", csv.rows()}};
}

Json read_collectives(const RunFacts& facts, const Limits& limits, double share) {
  if (!table_is_there(facts, "collectives.csv", facts.packets)) return nullptr;
  const CsvReader csv(facts.folder / "collectives.csv", {"name", "kind", "algorithm", "group", "bytes", "start_ns",
                                                         "end_ns", "algbw_gbps", "busbw_gbps", "ranks", "finished"});
  std::map<ClassKey, Class> classes;
  std::vector<std::size_t> order(csv.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto length = [&](std::size_t i) { return csv.number(i, 6) - csv.number(i, 5); };
  for (const std::size_t i : order) {
    if (csv.text(i, 7).empty()) continue;
    Class& c = classes[{csv.text(i, 1), csv.text(i, 2), csv.count(i, 9), csv.count(i, 4)}];
    c.algbw.push_back(csv.number(i, 7));
    c.busbw.push_back(csv.number(i, 8));
    c.ns.push_back(length(i));
  }
  const auto most = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(limits.spans) / 4 * share));
  if (order.size() > most) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
    order.resize(most);
    std::sort(order.begin(), order.end());
  }
  Json spans = Json::array();
  for (const std::size_t i : order) {
    spans.push_back({csv.text(i, 0), csv.text(i, 1), csv.text(i, 2), csv.text(i, 3), csv.count(i, 4), csv.number(i, 5),
                     csv.number(i, 6), csv.count(i, 9), csv.text(i, 10) == "true"});
  }
  return {{"all", csv.rows()}, {"shown", order.size()}, {"spans", spans}, {"classes", class_rows(classes)}};
}

}  // namespace weft::report
