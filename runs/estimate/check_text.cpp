// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/check_text.h"

#include <fmt/format.h>

#include <ostream>

#include "base/counted.h"
#include "base/error.h"
#include "base/rational_math.h"
#include "base/units.h"
#include "config/check.h"
#include "config/fabric_facts.h"
#include "config/fred_shape.h"
#include "config/key.h"
#include "config/names.h"
#include "config/parallel_groups.h"

namespace weft::runs {
namespace {

std::string describe_link(const LinkSpec& link, const Config& config) {
  const Rational bandwidth = bandwidth_of(link.flits_per_cycle, config.fabric.flit_bytes, config.clock.hertz);
  return fmt::format("{} = {}/cycle, latency {}", format_quantity(bandwidth, Dimension::kBandwidth),
                     counted(short_text(link.flits_per_cycle), "flit"), counted(link.latency_cycles, "cycle"));
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
    return fmt::format("traffic {}, {} flits per node and cycle, packets of {}", traffic->pattern, traffic->rate,
                       counted(traffic->packet_flits, "flit"));
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
  return short_text(*product);
}

/// One level of switches: what its chiplets are, what leaves them upwards, their buffers.
void print_level(const Config& config, std::size_t level, std::ostream& out) {
  const FabricSpec& fabric = config.fabric;
  const FredLevelSpec& spec = fabric.fred.levels[level];
  const FredLevelShape shape = level_shape(fabric, level);
  out << fmt::format("level {}    {} switch{} x {} x {} Fred_{}({})", level, spec.groups, spec.groups == 1 ? "" : "es",
                     counted(fabric.fred.planes, "plane"), counted(shape.chiplets, "chiplet"), fabric.fred.m,
                     spec.ports);
  out << (level == 0 ? fmt::format(": {}", counted(shape.children, "NPU"))
                     : fmt::format(": {} children x {}", shape.children, counted(shape.bundle, "uplink")));
  if (shape.up_ports > 0) out << fmt::format(" + {} up", counted(shape.up_ports, "uplink"));
  if (shape.io_ports > 0) out << fmt::format(" + up to {} I/O", shape.io_ports);
  out << fmt::format("\n           buffers of {} = {} per traffic class and port, reconfiguration {}\n",
                     bytes_text(static_cast<std::uint64_t>(spec.buffer_flits) * fabric.flit_bytes),
                     counted(spec.buffer_flits, "flit"), counted(spec.reconfigure_cycles, "cycle"));
  if (spec.uplinks == 0) return;
  const std::string total = times(spec.uplink_rate, spec.uplinks * fabric.fred.planes);
  out << fmt::format("           trunk {} = {} x {} x {}/cycle = {}/cycle, latency {}\n",
                     find_config_key(fmt::format("fabric.levels[{}].bandwidth", level))->show(config),
                     counted(spec.uplinks, "uplink"), counted(fabric.fred.planes, "plane"),
                     counted(short_text(spec.uplink_rate), "flit"), counted(total, "flit"),
                     counted(spec.uplink_latency_cycles, "cycle"));
}

void print_controllers(const Config& config, std::ostream& out) {
  if (config.fabric.io.controllers == 0) return;
  out << fmt::format("io         {} controllers x {}\n", config.fabric.io.controllers,
                     find_config_key("io.bandwidth")->show(config));
}

void print_fred(const Config& config, std::ostream& out) {
  const FabricSpec& fabric = config.fabric;
  const FredSpec& fred = fabric.fred;
  out << fmt::format(", in_switch {}, conflict {}, flits of {} B, clock {}\n", fred.in_switch, fred.conflict,
                     fabric.flit_bytes, format_quantity(config.clock.hertz, Dimension::kFrequency));
  out << fmt::format("local      {}\n", describe_link(fabric.local, config));
  print_controllers(config, out);
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
  if (!io_controllers_are_nodes(config.fabric)) print_controllers(config, out);
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

void print_summary(const Config& config, const sc_models::FabricSketch& sketch, std::ostream& out) {
  const FabricSpec& fabric = config.fabric;
  out << fmt::format("system     {}\n", config.name);
  out << fmt::format("fabric     {}", sketch.network().summary());
  if (sketch.hop_kind() == sc_models::HopKind::kChiplet) {
    print_fred(config, out);
  } else {
    out << fmt::format(", flits of {} B, clock {}\n", fabric.flit_bytes,
                       format_quantity(config.clock.hertz, Dimension::kFrequency));
    out << fmt::format("link       {}\n", describe_link(fabric.link, config));
    out << fmt::format("local      {}\n", describe_link(fabric.local, config));
    out << fmt::format("router     {} x {}, credit_delay {}\n", counted(fabric.router.vcs, "VC"),
                       counted(fabric.router.buffer_flits, "flit"), fabric.router.credit_delay);
  }
  print_memory(config, out);
  out << fmt::format("workload   {}\n", describe_workload(config));
}

/// What packets pass, for people: "switches".
const char* hops_of(const sc_models::FabricSketch& sketch) {
  return sketch.hop_kind() == sc_models::HopKind::kChiplet ? "switches" : "routers";
}

void print_sent(const Config& config, const sc_models::FabricSketch& sketch, const RunEstimate& estimate,
                std::ostream& out) {
  const SentVolume& sent = *estimate.sent;
  const bool is_traffic = std::holds_alternative<TrafficWorkload>(config.workload);
  out << fmt::format("estimate   {} flits = {}\n", short_number(sent.flits), estimate.formula);
  out << fmt::format("           {} flit-hops = flits x {:.3g} {} on the way{}\n", short_number(sent.flit_hops),
                     sent.flits > 0 ? sent.flit_hops / sent.flits : 0, hops_of(sketch),
                     sent.sampled && !is_traffic ? ", counted at some of the ranks" : "");
  if (estimate.cycles)
    out << fmt::format("           {} {} cycles of simulated time\n", is_traffic ? "about" : "at least",
                       short_number(*estimate.cycles));
  if (estimate.dram_bursts > 0)
    out << fmt::format("           {} bursts of DRAM\n", short_number(estimate.dram_bursts));
  out << fmt::format("           about {:.2g} s of CPU time = {}\n", estimate.cpu.seconds, estimate.cpu.formula);
}

}  // namespace

int check_config(const Config& config, const sc_models::FabricSketch& sketch, const RunEstimate& estimate,
                 std::ostream& out) {
  print_summary(config, sketch, out);
  if (estimate.sent) {
    print_sent(config, sketch, estimate, out);
  } else {
    out << "estimate   flit-hops and time depend on the trace; `weft trace info` says what it holds\n";
  }
  out << fmt::format("           about {} bytes of memory = {}\n", short_number(estimate.memory.bytes),
                     estimate.memory.formula);
  const std::vector<std::string> warnings = config_warnings(config);
  for (const std::string& warning : warnings) out << "warning: " << warning << '\n';
  return static_cast<int>(warnings.size());
}

}  // namespace weft::runs
