// SPDX-License-Identifier: Apache-2.0
#include "runs/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "runs/build_commit.h"
#include "runs/run_logging.h"
#include "sc_models/io_figures.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

using Json = nlohmann::ordered_json;

/// Drift between the halves of the measured phase that is worth a word.
constexpr double kDriftLimit = 0.10;
/// Fewer packets than these per half say nothing about a drift.
constexpr std::uint64_t kDriftSamples = 100;

Json latency(const LatencyHistogram& histogram, bool meaningful) {
  if (!meaningful || histogram.count() == 0) {
    return {{"mean", nullptr}, {"p50", nullptr}, {"p99", nullptr}, {"max", nullptr}};
  }
  return {{"mean", histogram.mean()},
          {"p50", histogram.percentile(50)},
          {"p99", histogram.percentile(99)},
          {"max", histogram.max()}};
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json average_hops(const RunResult& result) {
  const std::uint64_t packets = result.latency.count();
  if (packets == 0) return nullptr;
  return static_cast<double>(result.hops) / static_cast<double>(packets);
}

Json ranks(const Config& config, const RunResult& result, std::size_t row_limit) {
  if (result.ranks.size() > row_limit) return nullptr;
  const ClockSpec& clock = npu_clock(config);
  Json list = Json::array();
  for (const RankRecord& rank : result.ranks) {
    list.push_back({{"finished", rank.finished},
                    {"finish_ns", rank.finished ? Json(cycles_to_ns(rank.finish_cycle, clock)) : Json(nullptr)},
                    {"compute_ns", cycles_to_ns(rank.compute_cycles, clock)},
                    {"exposed_comm_ns", cycles_to_ns(rank.exposed_comm_cycles, clock)},
                    {"compute_nodes", rank.compute_nodes},
                    {"memory_bound_nodes", rank.memory_bound_nodes},
                    {"memory_wait_ns", cycles_to_ns(rank.memory_wait_cycles, clock)}});
  }
  return list;
}

Json settings(const SettingRecord& record) {
  const auto known = [](const std::optional<std::uint64_t>& count) { return count ? Json(*count) : Json(nullptr); };
  return {{"most", record.most},
          {"where", record.where},
          {"capacity", record.capacity},
          {"bits", record.bits},
          {"memory_bytes", record.memory_bytes},
          {"changes", record.changes},
          {"reloads", record.reloads},
          {"preemptions", known(record.preemptions)},
          {"yields", known(record.yields)}};
}

Json switches(const RunResult& result, std::size_t row_limit) {
  std::map<std::string, std::uint64_t> models;
  std::uint64_t compared = 0;
  Json each = Json::array();
  for (const SwitchRecord& record : result.switches) {
    ++models[record.model];
    compared += record.compared_cycles;
    if (result.switches.size() <= row_limit) {
      each.push_back({{"name", record.path}, {"model", record.model}, {"compared_cycles", record.compared_cycles}});
    }
  }
  return {{"models", models},
          {"compared_cycles", compared},
          {"each", result.switches.size() <= row_limit ? each : Json(nullptr)}};
}

Json placement(const PlacementRecord& record) {
  Json moved = Json::array();
  Json npus = Json::array();
  for (std::size_t rank = 0; rank < record.placement.size(); ++rank) {
    const std::uint32_t from = index(record.before[rank]);
    const std::uint32_t to = index(record.placement[rank]);
    npus.push_back(to);
    if (from != to) moved.push_back({{"rank", rank}, {"from", from}, {"to", to}});
  }
  return {{"conflicts", record.conflicts}, {"moved", moved}, {"placement", npus}};
}

Json link_layer(const LinkLayerRecord& record) {
  return {{"packets", record.packets}, {"resent", record.resent}, {"discarded", record.discarded},
          {"acks", record.acks},       {"nacks", record.nacks},   {"timeouts", record.timeouts}};
}

Json io(const Config& config, const RunResult& result) {
  if (result.io_streams.empty()) return nullptr;
  const IoFigures figures = io_figures(config, result);
  return {{"streams", result.io_streams.size()},
          {"bytes", result.io_streams.front().bytes},
          {"line_gbps", figures.line_gbps},
          {"line_share", number_or_null(figures.line_share)},
          {"steady_line_share", number_or_null(figures.steady_mean)},
          {"slowest_steady_line_share", number_or_null(figures.steady_slowest)},
          {"busiest_link", figures.busiest_link},
          {"busiest_link_streams", figures.busiest_link_streams}};
}

Json rank_memory(const RunResult& result) {
  if (result.rank_memory.empty()) return nullptr;
  Json ranks = Json::array();
  for (const RankMemoryRecord& rank : result.rank_memory) {
    ranks.push_back({{"loads", rank.loads},
                     {"stores", rank.stores},
                     {"loaded_bytes", rank.loaded_bytes},
                     {"stored_bytes", rank.stored_bytes},
                     {"load_cycles", rank.load_cycles}});
  }
  return ranks;
}

Json io_memory(const Config& config, const RunResult& result) {
  if (result.io_controllers.empty()) return nullptr;
  const IoMemoryFigures figures = io_memory_figures(config, result);
  Json pool = nullptr;
  if (!config.memory.pool.empty()) pool = config.memory.pool;
  return {{"pool", pool},
          {"refused", result.refused_accesses},
          {"controllers", result.io_controllers.size()},
          {"line_gbps", figures.line_gbps},
          {"bytes_in", figures.bytes_in},
          {"bytes_out", figures.bytes_out},
          {"load_cycles", figures.load_cycles},
          {"line_share_before_stores", number_or_null(figures.early_line_share)},
          {"line_share", number_or_null(figures.line_share)}};
}

/// Bytes of `rows` whose memory is the pool's modules or not, and what share of `gbps` each could have carried.
Json memory_parts(const std::vector<mem::MemoryRow>& rows, bool modules, double gbps, double ns) {
  std::uint64_t parts = 0;
  std::uint64_t bytes = 0;
  for (const mem::MemoryRow& row : rows) {
    if ((row.memory == "pool.module") != modules) continue;
    ++parts;
    bytes += row.figures.bytes;
  }
  const double most = gbps * static_cast<double>(parts) * ns;
  return {{"parts", parts},
          {"bytes", bytes},
          {"gbps", gbps},
          {"share", most > 0 ? Json(static_cast<double>(bytes) / most) : Json(nullptr)}};
}

/// DRAM channels of the NPUs and modules of the pool: `gbps` is what one carries at most, `share` is of the whole run.
Json memory(const Config& config, const RunResult& result) {
  if (result.memory_rows.empty() && result.pool_rows.empty()) return nullptr;
  const double ns = cycles_to_ns(result.cycles, config.clock);
  Json memory = {{"dram_channels", nullptr}, {"pool_modules", nullptr}};
  if (!result.memory_rows.empty()) {
    memory["dram_channels"] = memory_parts(result.memory_rows, false, result.dram_channel_gbps, ns);
  }
  if (!result.pool_rows.empty()) {
    memory["pool_modules"] = memory_parts(result.pool_rows, true, result.pool_module_gbps, ns);
  }
  return memory;
}

Json warnings(const Config& config, const RunResult& result) {
  Json list = result.warnings;
  const std::string drift = warmup_warning(config, result);
  if (!drift.empty()) list.push_back(drift);
  return list;
}

/// In cycles of the NPUs' clock; null without a log that has it.
Json critical_path(const RunResult& result) {
  if (!result.log || result.log->path().steps.empty()) return nullptr;
  const log::CriticalPath& path = result.log->path();
  Json object = {{"cycles", path.cycles}, {"ends_on", result.log->names().nodes.at(index(path.last))}};
  for (int kind = 0; kind < log::kPathKinds; ++kind) {
    object[log::path_kind_name(static_cast<log::PathKind>(kind))] = path.of_kind[static_cast<std::size_t>(kind)];
  }
  return object;
}

/// The totals of what is measured at links, each in its section; a section is null where nothing was counted.
void add_link_totals(const RunResult& result, Json* summary) {
  for (std::size_t i = 0; i < kLinkQuantities.size(); ++i) {
    Json& section = (*summary)[kLinkQuantities[i].section];
    if (result.link_totals) section[kLinkQuantities[i].key] = result.link_totals->at(i).value_or(0);
  }
}

}  // namespace

std::string_view version() { return WEFT_VERSION; }

std::string_view stop_name(StopReason stop) {
  switch (stop) {
    case StopReason::kFinished:
      return "finished";
    case StopReason::kDrainLimit:
      return "drain limit";
    case StopReason::kCycleLimit:
      return "cycle limit";
    case StopReason::kInterrupted:
      return "interrupted";
    case StopReason::kBadInput:
      return "bad input";
    case StopReason::kViolation:
      return "violation";
    case StopReason::kFullDisk:
      return "full disk";
  }
  violation("a stop reason without a name");
}

std::string warmup_warning(const Config& config, const RunResult& result) {
  const auto* traffic = std::get_if<TrafficWorkload>(&config.workload);
  if (traffic == nullptr || result.saturated) return "";
  if (result.first_half.count < kDriftSamples || result.second_half.count < kDriftSamples) return "";
  const auto mean = [](const LatencySum& s) { return static_cast<double>(s.sum) / static_cast<double>(s.count); };
  const double first = mean(result.first_half);
  const double second = mean(result.second_half);
  if (std::abs(second - first) <= kDriftLimit * std::min(first, second)) return "";
  return fmt::format(
      "mean latency drifts from {:.1f} to {:.1f} cycles between the halves of the measured phase: "
      "workload.traffic.warmup_cycles = {} is too short, or the rate is above what the network carries",
      first, second, traffic->warmup_cycles);
}

std::string summary_json(const Config& config, const RunResult& result, const ProcessFigures& process,
                         std::size_t row_limit) {
  const bool steady = !result.saturated;
  Json summary;
  summary["version"] = version();
  summary["commit"] = build_commit();
  summary["name"] = config.name;
  summary["seed"] = config.seed;
  summary["cycles"] = result.cycles;
  summary["time_ns"] = cycles_to_ns(result.cycles, config.clock);
  summary["finished"] = result.finished;
  summary["saturated"] = result.saturated;
  summary["stop"] = stop_name(result.stop);
  summary["stop_text"] = result.stop_text;
  summary["warnings"] = warnings(config, result);
  summary["nodes"] = result.nodes;
  summary["packets"] = result.packets;
  summary["flits"] = result.flits;
  summary["flit_hops"] = result.flit_hops;
  if (result.uswitch_hops) summary["uswitch_hops"] = *result.uswitch_hops;
  if (result.settings) summary["configurations"] = settings(*result.settings);
  if (!result.switches.empty()) summary["switches"] = switches(result, row_limit);
  if (result.moved) summary["replaced"] = placement(*result.moved);
  if (result.link_layer) summary["link_layer"] = link_layer(*result.link_layer);
  summary["latency_cycles"] = latency(result.latency, steady);
  summary["network_latency_cycles"] = latency(result.network_latency, steady);
  add_link_totals(result, &summary);
  summary["avg_hops"] = average_hops(result);
  summary["offered"] = number_or_null(result.offered);
  summary["accepted"] = number_or_null(result.accepted);
  summary["io"] = io(config, result);
  summary["io_memory"] = io_memory(config, result);
  summary["memory"] = memory(config, result);
  summary["rank_memory"] = rank_memory(result);
  summary["critical_path"] = critical_path(result);
  summary["cpu_s"] = result.cpu_s;
  summary["setup_cpu_s"] = result.setup_cpu_s;
  summary["output_cpu_s"] = process.output_cpu_s;
  summary["wall_s"] = result.wall_s;
  summary["peak_rss_bytes"] = process.peak_rss_bytes;
  summary["ranks"] = ranks(config, result, row_limit);
  // Text from traces may hold any bytes; the file stays valid JSON.
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::runs
