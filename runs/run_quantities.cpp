// SPDX-License-Identifier: Apache-2.0
#include "runs/run_quantities.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "runs/build_commit.h"
#include "runs/summary.h"
#include "runs/summary_sections.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

using Json = nlohmann::ordered_json;
using Value = std::function<Json(const MeasuredRun&)>;

Json left_out() { return Json::value_t::discarded; }

template <typename T>
Json json_of(const T& value) {
  return value;
}
template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A field of the result; null where it is absent.
template <typename T>
Value of(T RunResult::*field) {
  return [field](const MeasuredRun& run) { return json_of(run.result.*field); };
}
/// A field of a record of the result, left out where there is no record.
template <typename Record, typename T>
Value of(std::optional<Record> RunResult::*record, T Record::*field) {
  return
      [=](const MeasuredRun& run) { return run.result.*record ? json_of((*(run.result.*record)).*field) : left_out(); };
}
/// A field of what several quantities share, left out where the run has no such thing.
template <typename Record, typename T>
Value of(std::optional<Record> MeasuredRun::*record, T Record::*field) {
  return [=](const MeasuredRun& run) { return run.*record ? json_of((*(run.*record)).*field) : left_out(); };
}
Value text(std::string_view (*function)()) {
  return [function](const MeasuredRun&) { return Json(function()); };
}

/// A figure of a latency; null where it means nothing: no packet counted, or the slowest packets never arrived.
template <typename Figure>
Value latency(LatencyHistogram RunResult::*histogram, Figure figure) {
  return [=](const MeasuredRun& run) {
    const LatencyHistogram& latencies = run.result.*histogram;
    return run.result.saturated || latencies.count() == 0 ? Json(nullptr) : Json(figure(latencies));
  };
}
double mean(const LatencyHistogram& latencies) { return latencies.mean(); }
Cycle median(const LatencyHistogram& latencies) { return latencies.percentile(50); }
Cycle percentile_99(const LatencyHistogram& latencies) { return latencies.percentile(99); }
Cycle greatest(const LatencyHistogram& latencies) { return latencies.max(); }

/// Stands before the keys of an object that is null where the run has none of them.
Json null_without_keys(const MeasuredRun& /*run*/) { return nullptr; }
/// The same for an object in `memory`, which is null itself in a run without memories.
Json null_in_memory(const MeasuredRun& run) { return run.dram || run.pool ? Json(nullptr) : left_out(); }

Json average_hops(const MeasuredRun& run) {
  const std::uint64_t packets = run.result.latency.count();
  if (packets == 0) return nullptr;
  return static_cast<double>(run.result.hops) / static_cast<double>(packets);
}

Json uswitch_hops(const MeasuredRun& run) {
  return run.result.uswitch_hops ? Json(*run.result.uswitch_hops) : left_out();
}

Json pool_file(const MeasuredRun& run) {
  if (!run.io_memory) return left_out();
  return run.config.memory.pool.empty() ? Json(nullptr) : Json(run.config.memory.pool);
}

using Table = std::vector<RunQuantity>;
using Run = const MeasuredRun&;

void add_run(Table& table) {
  table.insert(
      table.end(),
      {{"version", "", "version", "The version of the program.", text(version)},
       {"commit", "", "commit", "The commit that the program was built from.", text(build_commit)},
       {"name", "", "name", "The name of the configuration.", [](Run run) { return Json(run.config.name); }},
       {"seed", "", "seed", "The seed of all random choices.", [](Run run) { return Json(run.config.seed); },
        SeedMerge::kNone},
       {"cycles", "cycles", "cycles", "Cycles of the fabric's clock that were simulated.", of(&RunResult::cycles),
        SeedMerge::kMean, 6},
       {"time_ns", "ns", "simulated time", "Time that was simulated.",
        [](Run run) { return Json(cycles_to_ns(run.result.cycles, run.config.clock)); }, SeedMerge::kMean, 5},
       {"finished", "", "finished", "The workload is done, or saturated traffic came to its drain limit.",
        of(&RunResult::finished), SeedMerge::kAll},
       {"saturated", "", "saturated", "Synthetic traffic was more than the network carries.", of(&RunResult::saturated),
        SeedMerge::kAny},
       {"stop", "", "end", "Why the run ended.", [](Run run) { return Json(stop_name(run.result.stop)); }},
       {"stop_text", "", "about the end", "Sentences about why the run ended.", of(&RunResult::stop_text)},
       {"warnings", "", "warnings", "Sentences about what is legal and deserves a word.", warnings_section},
       {"nodes", "", "nodes", "Routers of a mesh or torus, NPUs of a FRED fabric.", of(&RunResult::nodes)},
       {"packets", "packets", "packets", "Packets that were received complete.", of(&RunResult::packets),
        SeedMerge::kMean},
       {"flits", "flits", "flits", "Flits that came out of the fabric.", of(&RunResult::flits), SeedMerge::kMean},
       {"flit_hops", "flit-hops", "flit-hops", "Routers or chiplets that flits left, the last one included.",
        of(&RunResult::flit_hops), SeedMerge::kMean, 7},
       {"skipped_cycles", "cycles", "skipped cycles",
        "Cycles that were left out as copies of earlier ones (run.fast_forward).", of(&RunResult::skipped_cycles)},
       {"estimate.cycles", "cycles", "estimated cycles",
        "Cycles that were not simulated: messages went on at rates that were measured before, or layers of a trace "
        "were "
        "played again (run.fast_forward: steady).",
        of(&RunResult::estimate, &EstimateRecord::cycles)},
       {"estimate.simulated_share", "", "simulated share",
        "Share of the cycles that were simulated, or are copies of simulated ones, of an approximate run.",
        of(&RunResult::estimate, &EstimateRecord::simulated_share)}});
}

void add_switches(Table& table) {
  const char* const links = "link layer";
  const auto stored = [](auto field) { return of(&RunResult::settings, field); };
  const auto repaired = [](auto field) { return of(&RunResult::link_layer, field); };
  table.insert(
      table.end(),
      {{"uswitch_hops", "beats", "uSwitch hops", "Beats that went through uSwitches.", uswitch_hops},
       {"stored_settings.most", "", "most stored settings", "Stored settings of the chiplet that needed most of them.",
        stored(&SettingRecord::most)},
       {"stored_settings.where", "", "where", "The chiplet that needed most stored settings.",
        stored(&SettingRecord::where)},
       {"stored_settings.capacity", "", "capacity", "Settings that the memory of that chiplet holds.",
        stored(&SettingRecord::capacity)},
       {"stored_settings.bits", "bits", "bits", "Bits of one of these settings.", stored(&SettingRecord::bits)},
       {"stored_settings.memory_bytes", "bytes", "memory", "The size of that memory.",
        stored(&SettingRecord::memory_bytes)},
       {"stored_settings.changes", "", "changes", "Changes of the active setting, of all chiplets.",
        stored(&SettingRecord::changes)},
       {"stored_settings.reloads", "", "reloads", "Changes to a setting that was not in the memory.",
        stored(&SettingRecord::reloads)},
       {"stored_settings.preemptions", "", "pre-emptions", "Changes for a higher phase.",
        stored(&SettingRecord::preemptions)},
       {"stored_settings.yields", "", "yields", "Changes to a lower phase, because the higher one could not advance.",
        stored(&SettingRecord::yields)},
       {"switches", "", "switches", "FRED switches of each model.", switches_section},
       {"replaced", "", "ranks moved", "Ranks that were moved before the run.", replaced_section},
       {"link_layer.packets", "packets", "packets over links", "Packets sent on a link for the first time.",
        repaired(&LinkLayerRecord::packets), SeedMerge::kNoTable, 0, links},
       {"link_layer.resent", "packets", "sent again", "Packets that were begun again.",
        repaired(&LinkLayerRecord::resent), SeedMerge::kNoTable, 0, links},
       {"link_layer.discarded", "packets", "discarded", "Packets that receivers discarded.",
        repaired(&LinkLayerRecord::discarded), SeedMerge::kNoTable, 0, links},
       {"link_layer.acks", "", "ACKs", "Acknowledgements.", repaired(&LinkLayerRecord::acks), SeedMerge::kNoTable, 0,
        links},
       {"link_layer.nacks", "", "NACKs", "Negative acknowledgements.", repaired(&LinkLayerRecord::nacks),
        SeedMerge::kNoTable, 0, links},
       {"link_layer.timeouts", "", "timeouts", "Times that a sender waited too long for an answer.",
        repaired(&LinkLayerRecord::timeouts), SeedMerge::kNoTable, 0, links}});
}

/// Latencies are of the packets that count.
void add_latencies(Table& table) {
  const auto total = &RunResult::latency;
  const auto network = &RunResult::network_latency;
  table.insert(
      table.end(),
      {{"latency_cycles.mean", "cycles", "mean packet latency", "From creation to the tail's arrival.",
        latency(total, mean), SeedMerge::kMean, 1},
       {"latency_cycles.p50", "cycles", "median packet latency", "Half of the packets take no longer.",
        latency(total, median), SeedMerge::kMean},
       {"latency_cycles.p99", "cycles", "99th percentile of packet latency", "99 % of the packets take no longer.",
        latency(total, percentile_99), SeedMerge::kMean, 2},
       {"latency_cycles.max", "cycles", "greatest packet latency", "No packet takes longer.", latency(total, greatest),
        SeedMerge::kMean},
       {"network_latency_cycles.mean", "cycles", "mean latency in the network",
        "From the head's entry into the network to the tail's arrival.", latency(network, mean), SeedMerge::kMean, 3},
       {"network_latency_cycles.p50", "cycles", "median latency in the network",
        "Half of the packets are in the network no longer.", latency(network, median), SeedMerge::kMean},
       {"network_latency_cycles.p99", "cycles", "99th percentile of latency in the network",
        "99 % of the packets are in the network no longer.", latency(network, percentile_99), SeedMerge::kMean},
       {"network_latency_cycles.max", "cycles", "greatest latency in the network",
        "No packet is in the network longer.", latency(network, greatest), SeedMerge::kMean}});
}

/// What is measured at links, added up over all of them.
void add_link_totals(Table& table) {
  for (std::size_t i = 0; i < kLinkQuantities.size(); ++i) {
    const LinkQuantityText& quantity = kLinkQuantities[i];
    if (i == 0 || std::string_view(quantity.section) != kLinkQuantities[i - 1].section) {
      table.push_back({quantity.section, "", "at links", "What was measured at links.", null_without_keys});
    }
    table.push_back({std::string(quantity.section) + "." + quantity.key, quantity.unit, quantity.words,
                     quantity.meaning, [i](Run run) {
                       return run.result.link_totals ? Json(run.result.link_totals->at(i).value_or(0)) : left_out();
                     }});
  }
}

void add_traffic(Table& table) {
  table.insert(table.end(),
               {{"avg_hops", "", "routers or switches per packet",
                 "Mean over the packets that count for the latencies.", average_hops, SeedMerge::kMean, 8},
                {"offered", "flits/node/cycle", "offered traffic", "Offered by synthetic traffic while it is measured.",
                 of(&RunResult::offered), SeedMerge::kMean},
                {"accepted", "flits/node/cycle", "accepted traffic", "Of it, what the network took.",
                 of(&RunResult::accepted), SeedMerge::kMean, 4}});
}

void add_io(Table& table) {
  const auto streams = [](auto field) { return of(&MeasuredRun::io, field); };
  const auto controllers = [](auto field) { return of(&MeasuredRun::io_memory, field); };
  table.insert(
      table.end(),
      {{"io", "", "I/O streams", "Streams of I/O controllers to all NPUs.", null_without_keys},
       {"io.streams", "", "I/O streams", "Number of streams.",
        [](Run run) { return run.io ? Json(run.result.io_streams.size()) : left_out(); }},
       {"io.bytes", "bytes", "bytes of a stream", "Bytes that every NPU gets from each.",
        [](Run run) { return run.io ? Json(run.result.io_streams.front().bytes) : left_out(); }},
       {"io.line_gbps", "GB/s", "I/O line", "Bandwidth of the line of one controller.", streams(&IoFigures::line_gbps)},
       {"io.line_share", "", "I/O line used", "Share of the line that the slowest stream reached over the whole time.",
        streams(&IoFigures::line_share)},
       {"io.steady_line_share", "", "I/O line used while all streams ran", "The same while all ran, mean over streams.",
        streams(&IoFigures::steady_mean)},
       {"io.slowest_steady_line_share", "", "I/O line used by the slowest while all streams ran",
        "The same of the slowest stream.", streams(&IoFigures::steady_slowest)},
       {"io.busiest_link", "", "busiest link", "The busiest link between routers or switches.",
        streams(&IoFigures::busiest_link)},
       {"io.busiest_link_streams", "streams", "streams on the busiest link", "Its flits in flits of one stream.",
        streams(&IoFigures::busiest_link_streams)},
       {"io_memory", "", "I/O controllers", "Loads and stores over I/O controllers.", null_without_keys},
       {"io_memory.pool", "", "pool", "File of the memory pool.", pool_file},
       {"io_memory.refused", "", "refused accesses", "Accesses that the pool's grants refused.",
        [](Run run) { return run.io_memory ? Json(run.result.refused_accesses) : left_out(); }},
       {"io_memory.controllers", "", "I/O controllers", "Number of controllers.",
        [](Run run) { return run.io_memory ? Json(run.result.io_controllers.size()) : left_out(); }},
       {"io_memory.line_gbps", "GB/s", "I/O line", "Bandwidth of the line of one controller.",
        controllers(&IoMemoryFigures::line_gbps)},
       {"io_memory.bytes_in", "bytes", "bytes into the wafer", "Bytes of all controllers into the wafer.",
        controllers(&IoMemoryFigures::bytes_in)},
       {"io_memory.bytes_out", "bytes", "bytes out of the wafer", "Bytes of all controllers out of the wafer.",
        controllers(&IoMemoryFigures::bytes_out)},
       {"io_memory.load_cycles", "cycles", "loads under way", "Cycles in which any rank had a load under way.",
        controllers(&IoMemoryFigures::load_cycles)},
       {"io_memory.line_share_before_stores", "", "I/O line used before stores",
        "Share of all lines at the rank that got least before the first store began.",
        controllers(&IoMemoryFigures::early_line_share)},
       {"io_memory.line_share", "", "I/O line used", "Share of all lines while loads were under way.",
        controllers(&IoMemoryFigures::line_share)}});
}

void add_memories(Table& table) {
  table.push_back({"memory", "", "memory", "DRAM of the NPUs and the pool.", null_without_keys});
  const auto add = [&table](const std::string& key, const char* words, std::optional<MemoryParts> MeasuredRun::*parts) {
    const std::string name = words;
    table.insert(table.end(),
                 {{key, "", name, "What the " + name + " carried.", null_in_memory},
                  {key + ".parts", "", name, "Number of " + name + ".", of(parts, &MemoryParts::parts)},
                  {key + ".bytes", "bytes", "bytes of " + name, "Bytes of all.", of(parts, &MemoryParts::bytes)},
                  {key + ".gbps", "GB/s", "most of a part", "What one carries at most.", of(parts, &MemoryParts::gbps)},
                  {key + ".share", "", "use of " + name, "Share of what all can carry in the run's time.",
                   of(parts, &MemoryParts::share)}});
  };
  add("memory.dram_channels", "DRAM channels", &MeasuredRun::dram);
  add("memory.pool_modules", "modules of the pool", &MeasuredRun::pool);
}

void add_ranks_and_cost(Table& table) {
  table.insert(table.end(),
               {{"rank_memory", "", "loads and stores", "Loads and stores of each rank.", rank_memory_section},
                {"critical_path", "", "critical path", "What made up the time.", critical_path_section},
                {"cpu_s", "s", "CPU time of the run", "CPU time of all threads in the simulation loop.",
                 of(&RunResult::cpu_s), SeedMerge::kMean, 9},
                {"setup_cpu_s", "s", "CPU time to set up", "CPU time from the start of the process to the first cycle.",
                 of(&RunResult::setup_cpu_s), SeedMerge::kMean},
                {"output_cpu_s", "s", "CPU time for results", "CPU time for writing results.",
                 [](Run run) { return Json(run.process.output_cpu_s); }, SeedMerge::kMean},
                {"wall_s", "s", "wall time of the run", "Wall time of the simulation loop.", of(&RunResult::wall_s),
                 SeedMerge::kMean},
                {"peak_rss_bytes", "bytes", "greatest memory of the process", "Most memory that the process had.",
                 [](Run run) { return Json(run.process.peak_rss_bytes); }, SeedMerge::kMean, 10},
                {"ranks", "", "ranks", "The times of each rank.", ranks_section}});
}

Table make_table() {
  Table table;
  for (const auto add :
       {add_run, add_switches, add_latencies, add_link_totals, add_traffic, add_io, add_memories, add_ranks_and_cost}) {
    add(table);
  }
  return table;
}

/// The quantities for which `wanted` holds, by what `rank` gives, among equals in the order of the table.
template <typename Wanted, typename Rank>
std::vector<const RunQuantity*> chosen(Wanted wanted, Rank rank) {
  std::vector<const RunQuantity*> list;
  for (const RunQuantity& quantity : run_quantities()) {
    if (wanted(quantity)) list.push_back(&quantity);
  }
  std::stable_sort(list.begin(), list.end(),
                   [&](const RunQuantity* a, const RunQuantity* b) { return rank(*a) < rank(*b); });
  return list;
}

}  // namespace

const std::vector<RunQuantity>& run_quantities() {
  static const Table table = make_table();
  return table;
}

std::vector<const RunQuantity*> swept_quantities() {
  return chosen([](const RunQuantity& quantity) { return quantity.seeds != SeedMerge::kNoTable; },
                [](const RunQuantity& quantity) { return quantity.seeds; });
}

std::vector<const RunQuantity*> drawn_quantities() {
  return chosen([](const RunQuantity& quantity) { return quantity.drawn > 0; },
                [](const RunQuantity& quantity) { return quantity.drawn; });
}

}  // namespace weft::runs
