// SPDX-License-Identifier: Apache-2.0
#include "config/check.h"

#include <fmt/format.h>

#include <ostream>

#include "base/error.h"
#include "base/rational_math.h"
#include "base/units.h"
#include "config/effects.h"
#include "config/fabric_rules.h"
#include "config/fred_shape.h"
#include "config/key.h"
#include "config/link_budget.h"
#include "config/names.h"
#include "config/parallel_groups.h"

namespace weft {
namespace {

std::string rate_text(Rational rate) {
  const std::string exact = to_text(rate);
  return exact.size() <= 12 ? exact : fmt::format("{:.6g}", rate.value());
}

std::string describe_link(const LinkSpec& link, const Config& config) {
  const Rational bandwidth = bandwidth_of(link.flits_per_cycle, config.fabric.flit_bytes, config.clock.hertz);
  return fmt::format("{} = {} flits/cycle, latency {} cycle{}", format_quantity(bandwidth, Dimension::kBandwidth),
                     rate_text(link.flits_per_cycle), link.latency_cycles, link.latency_cycles == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t bytes) { return format_quantity(Rational{bytes, 1}, Dimension::kBytes); }

std::string describe_collective(const CollectiveWorkload& workload, std::size_t ranks) {
  const CollectiveSpec& spec = workload.collective;
  std::string who = fmt::format("{} ranks", spec.group.empty() ? ranks : spec.group.size());
  const auto groups = groups_of_phase(workload);
  if (!groups.empty()) {
    who = fmt::format("{} {} groups of {} ranks", groups.size(), name_of(workload.phase), groups.front().size());
  }
  return fmt::format("{} of {} over {}, algorithm {}, {} chunk{}", name_of(spec.kind),
                     format_quantity(Rational{spec.bytes, 1}, Dimension::kBytes), who, spec.algorithm, spec.chunks,
                     spec.chunks == 1 ? "" : "s");
}

std::string describe_workload(const Config& config) {
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload))
    return fmt::format("traffic {}, {} flits per node and cycle, packets of {} flits", traffic->pattern, traffic->rate,
                       traffic->packet_flits);
  if (const auto* collective = std::get_if<CollectiveWorkload>(&config.workload))
    return describe_collective(*collective, config.npu.placement.size());
  if (const auto* io = std::get_if<IoWorkload>(&config.workload))
    return fmt::format("a stream of {} from each I/O controller to all NPUs", bytes_text(io->bytes));
  const auto& trace = std::get<TraceWorkload>(config.workload);
  return fmt::format("trace {}.*.et, algorithm {}", trace.chakra, trace.collective.algorithm);
}

std::string times(Rational rate, int count) {
  const auto product = checked_multiply(rate, Rational{static_cast<std::uint64_t>(count), 1});
  WEFT_CHECK(product.has_value(), "the rate of a level's links does not fit 64 bits");
  return rate_text(*product);
}

/// One level of switches: what its chiplets are, what leaves them upwards, their buffers.
void print_level(const Config& config, std::size_t level, std::ostream& out) {
  const FabricSpec& fabric = config.fabric;
  const FredLevelSpec& spec = fabric.fred.levels[level];
  const FredLevelShape shape = level_shape(fabric, level);
  out << fmt::format("level {}    {} switch{} x {} plane{} x {} chiplet{} Fred_{}({})", level, spec.groups,
                     spec.groups == 1 ? "" : "es", fabric.fred.planes, fabric.fred.planes == 1 ? "" : "s",
                     shape.chiplets, shape.chiplets == 1 ? "" : "s", fabric.fred.m, spec.ports);
  out << (level == 0 ? fmt::format(": {} NPUs", shape.children)
                     : fmt::format(": {} children x {} uplinks", shape.children, shape.bundle));
  if (shape.up_ports > 0) out << fmt::format(" + {} uplinks up", shape.up_ports);
  if (shape.io_ports > 0) out << fmt::format(" + up to {} I/O", shape.io_ports);
  out << fmt::format("\n           buffers of {} = {} flits per traffic class and port, reconfiguration {} cycle{}\n",
                     bytes_text(static_cast<std::uint64_t>(spec.buffer_flits) * fabric.flit_bytes), spec.buffer_flits,
                     spec.reconfigure_cycles, spec.reconfigure_cycles == 1 ? "" : "s");
  if (spec.uplinks == 0) return;
  const std::string total = times(spec.uplink_rate, spec.uplinks * fabric.fred.planes);
  out << fmt::format(
      "           trunk {} = {} uplinks x {} planes x {} flits/cycle = {} flits/cycle, latency {} "
      "cycles\n",
      find_config_key(fmt::format("fabric.levels[{}].bandwidth", level))->show(config), spec.uplinks,
      fabric.fred.planes, rate_text(spec.uplink_rate), total, spec.uplink_latency_cycles);
}

void print_fred(const Config& config, std::ostream& out) {
  const FabricSpec& fabric = config.fabric;
  const FredSpec& fred = fabric.fred;
  out << fmt::format(
      "fabric     fred, {} NPUs, {} level{}, {} plane{}, in_switch {}, conflict {}, flits of {} B, clock "
      "{}\n",
      fabric.nodes(), fred.levels.size(), fred.levels.size() == 1 ? "" : "s", fred.planes, fred.planes == 1 ? "" : "s",
      fred.in_switch, fred.conflict, fabric.flit_bytes, format_quantity(config.clock.hertz, Dimension::kFrequency));
  out << fmt::format("local      {}\n", describe_link(fabric.local, config));
  if (fred.io_controllers > 0)
    out << fmt::format("io         {} controllers x {}\n", fred.io_controllers,
                       find_config_key("io.bandwidth")->show(config));
  int chiplets = 0;
  for (std::size_t level = 0; level < fred.levels.size(); ++level) {
    print_level(config, level, out);
    chiplets += fred.levels[level].groups * fred.planes * level_shape(fabric, level).chiplets;
  }
  out << fmt::format("chiplets   {}, each with {} for stored configurations\n", chiplets,
                     bytes_text(fred.setting_bytes));
}

void print_memory(const Config& config, std::ostream& out) {
  const MemorySpec& memory = config.memory;
  if (config.fabric.border_io.controllers > 0)
    out << fmt::format("io         {} controllers x {}\n", config.fabric.border_io.controllers,
                       find_config_key("io.bandwidth")->show(config));
  if (!memory.timing.empty())
    out << fmt::format("memory     DRAM of each NPU: {}, {} messages\n", memory.timing,
                       memory.messages ? "shared with" : "not used by");
  if (memory.place == MemoryPlace::kIo)
    out << fmt::format("memory     loads and stores over the I/O controllers, {} pieces of {} each, {}\n",
                       memory.pieces, bytes_text(memory.piece),
                       memory.pool.empty() ? fmt::format("latency {} cycles", memory.latency_cycles)
                                           : fmt::format("from the pool of {}", memory.pool));
  if (memory.place == MemoryPlace::kRemote)
    out << fmt::format("memory     loads and stores take the times of {}\n", memory.remote);
}

void print_summary(const Config& config, std::ostream& out) {
  const FabricSpec& fabric = config.fabric;
  out << fmt::format("system     {}\n", config.name);
  if (has_planes(fabric)) {
    print_fred(config, out);
    print_memory(config, out);
    out << fmt::format("workload   {}\n", describe_workload(config));
    return;
  }
  out << fmt::format("fabric     {} {} x {}, routing {}, flits of {} B, clock {}\n", name_of(fabric.kind),
                     fabric.size_x, fabric.size_y, fabric.routing, fabric.flit_bytes,
                     format_quantity(config.clock.hertz, Dimension::kFrequency));
  out << fmt::format("link       {}\n", describe_link(fabric.link, config));
  out << fmt::format("local      {}\n", describe_link(fabric.local, config));
  out << fmt::format("router     {} VCs x {} flits, credit_delay {}\n", fabric.router.vcs, fabric.router.buffer_flits,
                     fabric.router.credit_delay);
  print_memory(config, out);
  out << fmt::format("workload   {}\n", describe_workload(config));
}

void print_estimate(const Config& config, const RunEstimate& estimate, std::ostream& out) {
  if (estimate.flit_hops) {
    out << fmt::format("estimate   {} flits = {}\n", short_number(*estimate.flits), estimate.formula);
    out << fmt::format("           {} flit-hops = flits x {:.3g} {} on the way\n", short_number(*estimate.flit_hops),
                       estimate.average_hops, rules_of(config.fabric).stations);
    const bool is_traffic = std::holds_alternative<TrafficWorkload>(config.workload);
    if (estimate.cycles)
      out << fmt::format("           {} {} cycles of simulated time\n", is_traffic ? "about" : "at least",
                         short_number(*estimate.cycles));
    std::string bursts;
    if (estimate.dram_bursts > 0) {
      out << fmt::format("           {} bursts of DRAM\n", short_number(estimate.dram_bursts));
      bursts = fmt::format(" + bursts / {} per second", short_number(kDramBurstsPerSecond));
    }
    out << fmt::format("           about {:.2g} s of CPU time = flit-hops / {} per second{} + {} nodes x {:g} us\n",
                       *estimate.cpu_seconds, short_number(kFlitHopsPerSecond), bursts, config.fabric.nodes(),
                       kSetupSecondsPerNode * 1e6);
  } else {
    out << "estimate   flit-hops and time depend on the trace; `weft trace info` says what it holds\n";
  }
  out << fmt::format("           about {} bytes of memory = {}\n", short_number(estimate.memory_bytes),
                     estimate.memory_formula);
}

/// A link of a FRED fabric whose buffers are below rate x round trip, and what it carries with them.
std::string starved_plane(const LinkBudget& budget, const Config& config) {
  const FabricSpec& fabric = config.fabric;
  const auto bandwidth = [&](double flits_per_cycle) {
    const double bytes = flits_per_cycle * static_cast<double>(fabric.flit_bytes) * config.clock.hertz.value();
    return fmt::format("{:.4g} GB/s", bytes / 1e9);
  };
  const double carried = budget.carried_by(budget.buffer_flits);
  return fmt::format(
      "{} is credit-starved: {} flits of buffer ({}) are below rate x round trip = {} x {} cycles = {} flits; each "
      "plane carries at most {:.4g} flits per cycle, {} instead of {}",
      budget.link, budget.buffer_flits, budget.buffers, rate_text(budget.rate), budget.round_trip,
      rate_text(budget.needed_flits), carried, bandwidth(carried), bandwidth(budget.rate.value()));
}

/// Flits are whole: what does not fill the last one is carried all the same.
void warn_of_packets(const Config& config, std::vector<std::string>& warnings) {
  const std::uint64_t packet = config.npu.packet_bytes;
  const std::uint64_t flit = config.fabric.flit_bytes;
  const std::uint64_t flits = (packet + flit - 1) / flit;
  const double share = static_cast<double>(packet) / static_cast<double>(flits * flit);
  constexpr double kLeastShare = 0.9;
  if (share >= kLeastShare) return;
  warnings.push_back(fmt::format(
      "npu.packet_bytes {} is no whole number of flits of {} bytes, fabric.flit_bytes: a packet of {} flit{} "
      "carries {:.3g} % payload",
      packet, flit, flits, flits == 1 ? "" : "s", 100 * share));
}

}  // namespace

std::vector<std::string> config_warnings(const Config& config) {
  std::vector<std::string> warnings;
  const RouterSpec& router = config.fabric.router;
  for (const LinkBudget& budget : link_budgets(config)) {
    if (!budget.is_starved()) continue;
    if (!budget.buffers.empty()) {
      warnings.push_back(starved_plane(budget, config));
      continue;
    }
    const std::string vcs = budget.set_up ? "1 colour"
                            : budget.vcs == router.vcs
                                ? fmt::format("{} VCs", router.vcs)
                                : fmt::format("{} of {} VCs that one packet may use,", budget.vcs, router.vcs);
    warnings.push_back(fmt::format(
        "{} is credit-starved: {} flits of buffer ({} x {}) are below rate x round trip = {} x {} cycles = {} "
        "flits; it carries at most {:.4g} flits per cycle",
        budget.link + (budget.set_up ? " on a set-up route" : ""), budget.buffer_flits, vcs, router.buffer_flits,
        rate_text(budget.rate), budget.round_trip, rate_text(budget.needed_flits),
        budget.carried_by(budget.buffer_flits)));
  }
  const auto* traffic = std::get_if<TrafficWorkload>(&config.workload);
  const double local = config.fabric.local.flits_per_cycle.value();
  if (traffic != nullptr && traffic->rate > local)
    warnings.push_back(
        fmt::format("workload.traffic.rate {} is more than fabric.local carries, {} flits per cycle: "
                    "the run will be saturated",
                    traffic->rate, rate_text(config.fabric.local.flits_per_cycle)));
  if (traffic == nullptr) warn_of_packets(config, warnings);
  for (std::string& sentence : keys_without_effect(config)) warnings.push_back(std::move(sentence));
  return warnings;
}

int check_config(const Config& config, std::ostream& out, const std::optional<TraceVolume>& trace) {
  return check_config(config, out, estimate_run(config, trace));
}

int check_config(const Config& config, std::ostream& out, const RunEstimate& estimate) {
  print_summary(config, out);
  print_estimate(config, estimate, out);
  const std::vector<std::string> warnings = config_warnings(config);
  for (const std::string& warning : warnings) out << "warning: " << warning << '\n';
  return static_cast<int>(warnings.size());
}

}  // namespace weft
