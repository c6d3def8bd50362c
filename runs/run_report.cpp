// SPDX-License-Identifier: Apache-2.0
#include "runs/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "config/names.h"
#include "runs/process_usage.h"
#include "runs/report_parts.h"
#include "runs/run_logging.h"
#include "runs/run_quantities.h"
#include "runs/summary.h"
#include "sc_models/fabric_kinds.h"
#include "sc_models/results_units.h"
#include "sc_models/takes_part.h"

namespace weft::runs {

void line(std::ostream& out, const char* what, const std::string& value) {
  out << fmt::format("  {:<16} {}\n", what, value);
}

std::string percent(const std::optional<double>& share) { return share ? fmt::format("{:.2f}%", 100 * *share) : "-"; }

namespace {

constexpr std::size_t kShownRanks = 8;
constexpr std::size_t kShownCollectives = 12;

std::string plural(std::uint64_t count, const char* word) { return counted(with_separators(count), word); }

std::string latency_text(const LatencyHistogram& h) {
  return fmt::format("mean {:.2f}  p50 {}  p99 {}  max {} cycles", h.mean(), h.percentile(50), h.percentile(99),
                     h.max());
}

/// Nothing where all are the model, as they are unless somebody asks for others.
void print_switches(const RunResult& result, std::ostream& out) {
  std::map<std::string, std::size_t> models;
  std::uint64_t compared = 0;
  std::uint64_t idle = 0;
  for (const SwitchRecord& record : result.switches) {
    ++models[record.model];
    if (record.model != "lockstep") continue;
    compared += record.compared_cycles;
    if (record.compared_cycles == 0) ++idle;
  }
  if (models.empty() || (models.size() == 1 && models.count("tlm") != 0)) return;
  std::string text;
  for (const auto& [model, count] : models) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, model);
  if (models.count("lockstep") != 0) {
    text += fmt::format("; RTL and model compared in {} cycles", with_separators(compared));
    if (result.stop != StopReason::kViolation) text += " without a difference";
    if (idle > 0) text += fmt::format("; not compared: {} of them that had no work", idle);
  }
  line(out, "switches", text);
}

/// What quantities that are listed in lines of their own say.
void print_lines(const MeasuredRun& run, std::ostream& out) {
  std::vector<std::pair<const char*, std::string>> lines;
  for (const RunQuantity& quantity : run_quantities()) {
    if (quantity.line == nullptr) continue;
    const nlohmann::ordered_json value = quantity.value(run);
    if (!value.is_number()) continue;
    if (lines.empty() || std::strcmp(lines.back().first, quantity.line) != 0) lines.emplace_back(quantity.line, "");
    std::string& text = lines.back().second;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        value.is_number_float() ? fmt::format("{:.4g}", value.get<double>())
                                                : with_separators(value.get<std::uint64_t>()),
                        quantity.words);
  }
  for (const auto& [name, text] : lines) line(out, name, text);
}

/// Returns why no cycle was left out as a copy of an earlier one, where somebody who knows of exact fast-forward would
/// ask; "" where nothing is known.
std::string why_none_left_out(const MeasuredRun& run) {
  const bool asked = run.config.run.fast_forward == FastForwardMode::kExact &&
                     !std::holds_alternative<TrafficWorkload>(run.config.workload);
  if (!asked || run.result.skipped_cycles > 0 || run.result.skip_refusal.empty()) return "";
  const std::string for_good = sc_models::why_nothing_repeats(run.config);
  return for_good.empty() ? "no cycle; the last look at the state says: " + run.result.skip_refusal
                          : "no cycle: " + for_good;
}

void print_totals(const MeasuredRun& run, std::ostream& out) {
  const Config& config = run.config;
  const RunResult& result = run.result;
  line(out, "simulated",
       fmt::format("{} cycles = {}", with_separators(result.cycles),
                   readable_time(cycles_to_ns(result.cycles, config.clock))));
  if (result.estimate)
    line(out, "approximate",
         fmt::format("{} of these cycles were simulated (run.fast_forward: steady)",
                     percent(result.estimate->simulated_share)));
  if (result.skipped_cycles > 0)
    line(out, "left out",
         fmt::format("{} cycles that are copies of earlier ones", with_separators(result.skipped_cycles)));
  if (const std::string reason = why_none_left_out(run); !reason.empty()) line(out, "left out", reason);
  line(out, "packets",
       fmt::format("{} ({} flits, {} flit-hops)", with_separators(result.packets), with_separators(result.flits),
                   with_separators(result.flit_hops)));
  if (result.latency.count() > 0) {
    if (!result.saturated) {
      line(out, "latency", latency_text(result.latency));
      if (result.network_latency.count() > 0) line(out, "  in the network", latency_text(result.network_latency));
    }
    line(out, "routers visited",
         fmt::format("{:.3f} per packet",
                     static_cast<double>(result.hops) / static_cast<double>(result.latency.count())));
  }
  if (result.settings && result.settings->most > 0) {
    const SettingRecord& stored = *result.settings;
    line(out, "stored settings",
         fmt::format("{} in {}, whose memory of {} holds {} of {} bits; {}, {}", with_separators(stored.most),
                     stored.where, readable_bytes(stored.memory_bytes), with_separators(stored.capacity), stored.bits,
                     plural(stored.changes, "change"), plural(stored.reloads, "reload")));
  }
  print_switches(result, out);
  print_lines(run, out);
  if (result.offered && result.accepted) {
    line(out, "throughput",
         fmt::format("offered {:.4f}, accepted {:.4f} flits/node/cycle", *result.offered, *result.accepted));
  }
}

void print_moves(const RunResult& result, std::ostream& out) {
  if (!result.moved) return;
  for (const std::string& conflict : result.moved->conflicts) line(out, "conflict", conflict);
  std::string moves;
  std::string npus;
  for (std::size_t rank = 0; rank < result.moved->placement.size(); ++rank) {
    const NodeId from = result.moved->before[rank];
    const NodeId to = result.moved->placement[rank];
    npus += fmt::format("{}{}", npus.empty() ? "" : ", ", index(to));
    if (from != to)
      moves += fmt::format("{}rank {} from {} to {}", moves.empty() ? "" : ", ", rank, index(from), index(to));
  }
  line(out, "  ranks moved", moves);
  line(out, "  npu.placement", fmt::format("[{}]", npus));
}

/// Collectives alike in kind, algorithm, group size and bytes.
struct CollectiveClass {
  std::uint64_t count = 0;
  double total_ns = 0;
  double longest_ns = 0;
};

void print_collectives(const Config& config, const RunResult& result, std::ostream& out) {
  if (result.collectives.empty()) return;
  std::map<std::tuple<CollectiveKind, std::string, std::uint32_t, std::uint64_t>, CollectiveClass> classes;
  std::size_t unfinished = 0;
  for (const CollectiveRecord& c : result.collectives) {
    if (!c.finished) {
      ++unfinished;
      continue;
    }
    CollectiveClass& sum = classes[{c.kind, c.algorithm, c.members, c.bytes}];
    const double ns = cycles_to_ns(c.end_cycle - c.start_cycle, npu_clock(config));
    ++sum.count;
    sum.total_ns += ns;
    sum.longest_ns = std::max(sum.longest_ns, ns);
  }
  std::vector<decltype(classes)::const_iterator> order;
  for (auto it = classes.cbegin(); it != classes.cend(); ++it) order.push_back(it);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a->second.total_ns > b->second.total_ns; });

  out << fmt::format("\n  {:<15} {:<18} {:>6} {:>10} {:>7} {:>12} {:>12} {:>11} {:>11}\n", "collectives", "algorithm",
                     "ranks", "bytes", "count", "mean time", "longest", "algbw GB/s", "busbw GB/s");
  for (std::size_t i = 0; i < std::min(order.size(), kShownCollectives); ++i) {
    const auto& [kind, algorithm, members, bytes] = order[i]->first;
    const CollectiveClass& sum = order[i]->second;
    const double mean_ns = sum.total_ns / static_cast<double>(sum.count);
    const auto bandwidth = collective_bandwidth(kind, bytes, members, mean_ns);
    out << fmt::format("  {:<15} {:<18} {:>6} {:>10} {:>7} {:>12} {:>12} {:>11} {:>11}\n", name_of(kind), algorithm,
                       members, readable_bytes(bytes), sum.count, readable_time(mean_ns), readable_time(sum.longest_ns),
                       bandwidth ? fmt::format("{:.2f}", bandwidth->algbw_gbps) : "-",
                       bandwidth ? fmt::format("{:.2f}", bandwidth->busbw_gbps) : "-");
  }
  if (order.size() > kShownCollectives) {
    out << fmt::format("  and {} more sorts of collective: collectives.csv\n", order.size() - kShownCollectives);
  }
  if (unfinished > 0)
    out << fmt::format("  {} still running at the end\n",
                       plural(unfinished, "collective") + (unfinished == 1 ? " was" : " were"));
}

/// How far their data held compute nodes of all ranks up, where they did.
void print_compute(const RunResult& result, const ClockSpec& clock, std::ostream& out) {
  std::uint64_t nodes = 0;
  std::uint64_t bound = 0;
  Cycle waited = 0;
  for (const RankRecord& rank : result.ranks) {
    nodes += rank.compute_nodes;
    bound += rank.memory_bound_nodes;
    waited += rank.memory_wait_cycles;
  }
  if (bound == 0) return;
  line(out, "compute nodes",
       fmt::format("{}, {} of them bound by memory: {} more than their operations take", with_separators(nodes),
                   with_separators(bound), readable_time(cycles_to_ns(waited, clock))));
}

void print_ranks(const Config& config, const RunResult& result, std::ostream& out) {
  if (result.ranks.empty()) return;
  const ClockSpec& clock = npu_clock(config);
  std::vector<std::size_t> order(result.ranks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const bool cut = order.size() > kShownRanks;
  if (cut) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const RankRecord& first = result.ranks[a];
      const RankRecord& second = result.ranks[b];
      if (first.finished != second.finished) return second.finished;
      return first.finish_cycle > second.finish_cycle;
    });
    order.resize(kShownRanks);
  }
  out << fmt::format("\n  {:<15} {:>12} {:>12} {:>12} {:>9}\n", cut ? "slowest ranks" : "ranks", "finish", "compute",
                     "exposed comm", "share");
  for (const std::size_t i : order) {
    const RankRecord& rank = result.ranks[i];
    const double share = rank.finish_cycle == 0 ? 0
                                                : 100 * static_cast<double>(rank.exposed_comm_cycles) /
                                                      static_cast<double>(rank.finish_cycle);
    out << fmt::format("  {:<15} {:>12} {:>12} {:>12} {:>9}\n", i,
                       rank.finished ? readable_time(cycles_to_ns(rank.finish_cycle, clock)) : "not finished",
                       readable_time(cycles_to_ns(rank.compute_cycles, clock)),
                       readable_time(cycles_to_ns(rank.exposed_comm_cycles, clock)),
                       rank.finished ? fmt::format("{:.1f}%", share) : "-");
  }
  if (cut) out << fmt::format("  and {} more ranks: summary.json\n", result.ranks.size() - kShownRanks);
  print_compute(result, clock, out);
}

void print_speed(const RunResult& result, std::ostream& out) {
  std::string speed = fmt::format("{:.2f} s CPU to set up, {:.2f} s to simulate, {} at most", result.setup_cpu_s,
                                  result.cpu_s, readable_bytes(peak_rss_bytes()));
  if (result.cpu_s > 0 && result.flit_hops > 0) {
    speed +=
        fmt::format("; {:.2f} M flit-hops per CPU second", static_cast<double>(result.flit_hops) / result.cpu_s / 1e6);
  }
  out << "\n";
  line(out, "cost", speed);
}

std::string outcome(const RunResult& result) {
  switch (result.stop) {
    case StopReason::kFinished:
      return result.finished ? "finished" : "not finished";
    case StopReason::kDrainLimit:
      return "saturated: the network did not drain within workload.traffic.drain_cycles";
    case StopReason::kCycleLimit:
      return "NOT finished: stopped by limits.cycles";
    case StopReason::kInterrupted:
      return "NOT finished: interrupted; everything below is up to that moment";
    case StopReason::kBadInput:
      return "NOT finished: the trace cannot be played further";
    case StopReason::kViolation:
      return "NOT finished: stopped by a violated check";
    case StopReason::kFullDisk:
      return "NOT finished: the recording of waves could not be written";
  }
  return "";
}

// What made up the time, greatest first.
void print_path(const RunResult& result, std::ostream& out) {
  if (!result.log || result.log->path().steps.empty()) return;
  const log::CriticalPath& path = result.log->path();
  std::vector<std::pair<Cycle, log::PathKind>> kinds;
  for (int kind = 0; kind < log::kPathKinds; ++kind) {
    const Cycle cycles = path.of_kind[static_cast<std::size_t>(kind)];
    if (cycles > 0) kinds.emplace_back(cycles, static_cast<log::PathKind>(kind));
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [cycles, kind] : kinds) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", log::path_kind_name(kind),
                        percent(static_cast<double>(cycles) / static_cast<double>(path.cycles)));
  }
  line(out, "critical path", text);
}

}  // namespace

std::string describe_run(const Config& config) {
  std::string text = make_network(config)->summary() + "; ";
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) {
    text += fmt::format("trace {}", trace->chakra);
  } else if (const auto* single = std::get_if<CollectiveWorkload>(&config.workload)) {
    const CollectiveSpec& c = single->collective;
    text += fmt::format("{} of {}, {}", name_of(c.kind), readable_bytes(c.bytes), c.algorithm);
    const std::vector<std::uint32_t>& sizes = single->parallelism;
    if (!sizes.empty()) {
      text += fmt::format(", phase {} of MP {} x PP {} x DP {}", name_of(single->phase), sizes[0], sizes[1], sizes[2]);
    }
  } else if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload)) {
    text += fmt::format("{} traffic at {} flits/node/cycle, packets of {} flits", traffic->pattern, traffic->rate,
                        traffic->packet_flits);
  } else if (const auto* io = std::get_if<IoWorkload>(&config.workload)) {
    text += fmt::format("an I/O stream of {} from each controller to all NPUs", readable_bytes(io->bytes));
  }
  return text;
}

void print_report(const Config& config, const RunResult& result, std::ostream& out) {
  const MeasuredRun run(config, result);
  out << fmt::format("{}: {}\n", config.name, describe_run(config));
  line(out, "outcome", outcome(result));
  print_totals(run, out);
  print_moves(result, out);
  print_collectives(config, result, out);
  print_ranks(config, result, out);
  print_path(result, out);
  print_memory(run, out);
  print_links(result, out);
  print_speed(result, out);
}

}  // namespace weft::runs
