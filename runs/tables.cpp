// SPDX-License-Identifier: Apache-2.0
#include "runs/tables.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/output_file.h"
#include "config/names.h"
#include "runs/csv_file.h"
#include "runs/write_attempts.h"
#include "sc_models/io_figures.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

using Path = std::filesystem::path;
using LatencyRows = std::map<Cycle, std::pair<std::uint64_t, std::uint64_t>>;

/// The share of cycles that were simulated, of a run that is an approximation.
std::optional<double> simulated_share(const RunResult& result) {
  if (!result.estimate) return std::nullopt;
  return result.estimate->simulated_share;
}

void write_links(const Path& path, const RunResult& result) {
  std::string columns = "link,from,to,flits,utilisation";
  for (const LinkQuantityText& quantity : kLinkQuantities) columns += std::string(",") + quantity.column;
  CsvFile csv(path, columns, simulated_share(result));
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    csv.row(link.name, link.from, link.to, link.flits, link.utilisation, link.values.all());
  }
  csv.close();
}

/// A column per window, named by the cycle that ends it.
void write_link_windows(const Path& path, const RunResult& result) {
  const LinkWindowTable& windows = result.link_windows;
  std::string columns = "link";
  for (const Cycle end : windows.ends) columns += fmt::format(",{}", end);
  CsvFile csv(path, columns, simulated_share(result));
  for (std::size_t link = 0; link < windows.links; ++link) {
    csv.row_of(result.links.at(link).name, windows.ends.size(), [&](std::size_t w) { return windows.at(link, w); });
  }
  csv.close();
}

void write_nodes(const Path& path, const RunResult& result) {
  std::string columns = "node,x,y,rank";
  for (const NodeQuantityText& quantity : kNodeQuantities) columns += std::string(",") + quantity.column;
  CsvFile csv(path, columns, simulated_share(result));
  for (std::size_t i = 0; i < result.node_table.size(); ++i) {
    const NodeRecord node = result.node_table.at(i);
    csv.row(i, node.x, node.y, node.rank ? std::to_string(index(*node.rank)) : "", node.values.all());
  }
  csv.close();
}

void write_collectives(const Path& path, const Config& config, const RunResult& result) {
  CsvFile csv(path,
              "name,kind,algorithm,group,bytes,start_cycle,end_cycle,start_ns,end_ns,algbw_gbps,busbw_gbps,ranks,"
              "finished",
              simulated_share(result));
  const ClockSpec& clock = npu_clock(config);
  for (const CollectiveRecord& c : result.collectives) {
    const double start_ns = cycles_to_ns(c.start_cycle, clock);
    const double end_ns = cycles_to_ns(c.end_cycle, clock);
    const double ns = cycles_to_ns(c.end_cycle - c.start_cycle, clock);
    const auto bandwidth = c.finished ? collective_bandwidth(c.kind, c.bytes, c.members, ns) : std::nullopt;
    csv.row(c.name, name_of(c.kind), c.algorithm, c.group, c.bytes, c.start_cycle, c.end_cycle, start_ns, end_ns,
            bandwidth ? fmt::format("{}", bandwidth->algbw_gbps) : "",
            bandwidth ? fmt::format("{}", bandwidth->busbw_gbps) : "", c.members, c.finished ? "true" : "false");
  }
  csv.close();
}

std::string text_or_empty(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

void write_io(const Path& path, const Config& config, const RunResult& result) {
  CsvFile csv(path, "stream,place,bytes,end_cycle,end_ns,gbps,line_share,steady_gbps,steady_line_share,finished",
              simulated_share(result));
  const double line = io_line_gbps(config);
  const auto share = [line](std::optional<double> gbps) { return gbps ? std::optional(*gbps / line) : gbps; };
  for (const IoStreamRecord& stream : result.io_streams) {
    const IoRates rates = io_rates(config, stream);
    csv.row(stream.controller, stream.place, stream.bytes, stream.end_cycle,
            cycles_to_ns(stream.end_cycle, npu_clock(config)), text_or_empty(rates.gbps),
            text_or_empty(share(rates.gbps)), text_or_empty(rates.steady_gbps), text_or_empty(share(rates.steady_gbps)),
            stream.finished ? "true" : "false");
  }
  csv.close();
}

void write_io_controllers(const Path& path, const RunResult& result) {
  CsvFile csv(path, "controller,place,loads,stores,bytes_in,bytes_out", simulated_share(result));
  for (std::size_t i = 0; i < result.io_controllers.size(); ++i) {
    const IoControllerRecord& controller = result.io_controllers[i];
    csv.row(i, controller.place, controller.loads, controller.stores, controller.bytes_in, controller.bytes_out);
  }
  csv.close();
}

/// Memories whose timing is simulated take no part in an approximation, so that these figures never need its mark.
void write_memory(const Path& path, const RunResult& result) {
  if (result.estimate) throw std::logic_error("memory.csv has no mark for a run that is approximate");
  std::vector<mem::MemoryRow> rows = result.memory_rows;
  rows.insert(rows.end(), result.pool_rows.begin(), result.pool_rows.end());
  std::ostringstream text;
  mem::write_memory_csv(rows, text);
  write_output(path, text.str(), OutputLinks::kReplace);
}

void write_refused(const Path& path, const RunResult& result) {
  CsvFile csv(path, "cycle,controller,initiator,tensor,owner,command,address,bytes,reason", simulated_share(result));
  for (const mem::RefusedRecord& refused : result.refused) {
    csv.row(refused.cycle, refused.controller, refused.initiator, refused.tensor, refused.owner,
            refused.store ? "write" : "read", fmt::format("{:#x}", refused.address), refused.bytes, refused.reason);
  }
  csv.close();
}

LatencyRows latency_rows(const RunResult& result) {
  LatencyRows rows;
  result.latency.for_each([&](Cycle value, std::uint64_t times) { rows[value].first = times; });
  result.network_latency.for_each([&](Cycle value, std::uint64_t times) { rows[value].second = times; });
  return rows;
}

void write_latency(const Path& path, const RunResult& result, const LatencyRows& rows) {
  CsvFile csv(path, "latency_cycles,packets,network_packets", simulated_share(result));
  for (const auto& [value, packets] : rows) csv.row(value, packets.first, packets.second);
  csv.close();
}

}  // namespace

std::vector<std::string> write_tables(const Path& folder, const Config& config, const RunResult& result,
                                      std::size_t row_limit) {
  std::vector<std::string> left_out;
  WriteAttempts tables;
  const auto wanted = [&](const char* file, std::size_t rows) {
    if (rows <= row_limit) return true;
    left_out.push_back(fmt::format("{} not written: {} rows (--all-tables writes it)", file, with_separators(rows)));
    return false;
  };
  if (wanted("links.csv", result.links.size()))
    tables.attempt(folder / "links.csv", [&](const Path& file) { write_links(file, result); });
  if (!result.link_windows.ends.empty())
    tables.attempt(folder / "link_windows.csv", [&](const Path& file) { write_link_windows(file, result); });
  if (wanted("nodes.csv", result.node_table.size()))
    tables.attempt(folder / "nodes.csv", [&](const Path& file) { write_nodes(file, result); });
  if (wanted("collectives.csv", result.collectives.size())) {
    tables.attempt(folder / "collectives.csv", [&](const Path& file) { write_collectives(file, config, result); });
  }
  if (!result.io_streams.empty() && wanted("io.csv", result.io_streams.size())) {
    tables.attempt(folder / "io.csv", [&](const Path& file) { write_io(file, config, result); });
  }
  if (!result.io_controllers.empty() && wanted("io_controllers.csv", result.io_controllers.size())) {
    tables.attempt(folder / "io_controllers.csv", [&](const Path& file) { write_io_controllers(file, result); });
  }
  const std::size_t memories = result.memory_rows.size() + result.pool_rows.size();
  if (memories > 0 && wanted("memory.csv", memories))
    tables.attempt(folder / "memory.csv", [&](const Path& file) { write_memory(file, result); });
  if (!result.refused.empty() && wanted("refused.csv", result.refused.size())) {
    tables.attempt(folder / "refused.csv", [&](const Path& file) { write_refused(file, result); });
  }
  const LatencyRows rows = latency_rows(result);
  if (wanted("latency.csv", rows.size()))
    tables.attempt(folder / "latency.csv", [&](const Path& file) { write_latency(file, result, rows); });
  tables.require_all();
  return left_out;
}

}  // namespace weft::runs
