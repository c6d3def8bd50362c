// SPDX-License-Identifier: Apache-2.0
// latency.csv and collectives.csv as data of the page.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "config/names.h"
#include "report/csv_reader.h"
#include "report/run_folder.h"
#include "sc_models/results_units.h"

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

/// Finished collectives alike in kind, algorithm, ranks and bytes.
struct Class {
  std::vector<double> busbw;
  double total_ns = 0;
};
using ClassKey = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>;

CollectiveKind kind_of(const std::string& name, const std::filesystem::path& file) {
  for (const auto& [known, kind] : collective_kind_names()) {
    if (known == name) return kind;
  }
  throw InputError(
      fmt::format("{}: '{}' is no kind of collective; the folder is damaged: run it again", file.string(), name));
}

/// Bandwidths are those at the mean time, as `weft run` prints them.
Json class_rows(const std::map<ClassKey, Class>& classes, const std::filesystem::path& file) {
  Json rows = Json::array();
  for (const auto& [key, c] : classes) {
    const auto& [kind, algorithm, ranks, bytes] = key;
    const auto [least, most] = std::minmax_element(c.busbw.begin(), c.busbw.end());
    const double ns = c.total_ns / static_cast<double>(c.busbw.size());
    const auto mean =
        sc_models::collective_bandwidth(kind_of(kind, file), bytes, static_cast<std::uint32_t>(ranks), ns);
    rows.push_back({{"kind", kind},
                    {"algorithm", algorithm},
                    {"ranks", ranks},
                    {"bytes", bytes},
                    {"count", c.busbw.size()},
                    {"ns", ns},
                    {"algbw", mean ? Json(mean->algbw_gbps) : Json(nullptr)},
                    {"busbw", mean ? Json(mean->busbw_gbps) : Json(nullptr)},
                    {"busbw_min", *least},
                    {"busbw_max", *most}});
  }
  return rows;
}

/// At most so many steps of the distribution: all latencies where they are fewer, else those nearest to equal shares
/// of the packets, so that the curve is as exact where most packets are as at its end.
constexpr std::size_t kMostSteps = 240;

/// Pairs of a latency and the number of packets that took at most so long.
Json distribution(const std::map<std::uint64_t, std::uint64_t>& packets) {
  std::uint64_t all = 0;
  for (const auto& [cycles, count] : packets) all += count;
  Json steps = Json::array();
  std::uint64_t sum = 0;
  std::uint64_t next = 0;
  for (const auto& [cycles, count] : packets) {
    sum += count;
    if (packets.size() > kMostSteps && sum < next && sum < all) continue;
    steps.push_back({cycles, sum});
    next = sum + (all + kMostSteps - 2) / (kMostSteps - 1);
  }
  return steps;
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
  std::map<std::uint64_t, std::uint64_t> each;  // packets by latency
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    if (csv.count(i, 1) > 0) each[csv.count(i, 0)] += csv.count(i, 1);
    packets[csv.count(i, 0) / width] += csv.count(i, 1);
    network[csv.count(i, 0) / width] += csv.count(i, 2);
  }
  return {{"bin_cycles", width},
          {"packets", packets},
          {"network", network},
          {"values", csv.rows()},
          {"steps", distribution(each)}};
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
    c.busbw.push_back(csv.number(i, 8));
    c.total_ns += length(i);
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
  return {{"all", csv.rows()},
          {"shown", order.size()},
          {"spans", spans},
          {"classes", class_rows(classes, facts.folder / "collectives.csv")}};
}

}  // namespace weft::report
