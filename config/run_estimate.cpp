// SPDX-License-Identifier: Apache-2.0
#include "config/run_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/fabric_flows.h"
#include "config/fabric_rules.h"
#include "config/fred_shape.h"
#include "config/memory_sum.h"
#include "config/names.h"
#include "config/parallel_groups.h"
#include "config/policies.h"

namespace weft {
namespace {

/// Hops between two places of one dimension.
int distance(int from, int to, int size, bool wraps) {
  const int direct = std::abs(from - to);
  return wraps ? std::min(direct, size - direct) : direct;
}

constexpr double kMeshPorts = 5;

/// Whether packets go through switches to one port each, instead of as flows that are added and copied.
bool has_unicasts(const Config& config) {
  if (const auto* one = std::get_if<CollectiveWorkload>(&config.workload))
    return !algorithm_needs_switches(one->collective.algorithm);
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload))
    return !algorithm_needs_switches(trace->collective.algorithm);
  return true;
}

/// Mean distance in a dimension when place x sends to `to(x)`.
template <typename Destination>
double mean_to(int size, bool wraps, const Destination& to) {
  double sum = 0;
  for (int x = 0; x < size; ++x) sum += distance(x, to(x), size, wraps);
  return sum / size;
}

double mean_uniform(int size, bool wraps) {
  double sum = 0;
  for (int offset = 0; offset < size; ++offset) {
    // On a line `size - offset` pairs lie `offset` apart, in both directions; on a ring every place has one.
    sum += wraps ? static_cast<double>(distance(0, offset, size, true)) * size : 2.0 * offset * (size - offset);
  }
  return sum / size / size;
}

double mean_of_pattern(int size, bool wraps, const std::string& pattern) {
  if (pattern == "bitcomp") return mean_to(size, wraps, [&](int x) { return size - 1 - x; });
  if (pattern == "neighbor") return mean_to(size, wraps, [&](int x) { return (x + 1) % size; });
  if (pattern == "tornado") return mean_to(size, wraps, [&](int x) { return (x + (size + 1) / 2 - 1) % size; });
  // A transposed place is any place of the other dimension, so the mean is that of uniform traffic.
  return mean_uniform(size, wraps);
}

double hops_to_hotspots(const FabricSpec& fabric, const std::vector<NodeId>& hotspots) {
  const bool wraps = wraps_around(fabric.kind);
  double sum = 0;
  for (const NodeId node : hotspots) {
    const int x = static_cast<int>(index(node)) % fabric.size_x;
    const int y = static_cast<int>(index(node)) / fabric.size_x;
    sum +=
        mean_to(fabric.size_x, wraps, [&](int) { return x; }) + mean_to(fabric.size_y, wraps, [&](int) { return y; });
  }
  return 1 + sum / static_cast<double>(hotspots.size());
}

void estimate_traffic(const Config& config, const TrafficWorkload& traffic, RunEstimate& estimate) {
  const double cycles = static_cast<double>(traffic.warmup_cycles) + static_cast<double>(traffic.measure_cycles);
  estimate.average_hops = average_hops(config.fabric, traffic);
  estimate.cycles = cycles;
  estimate.flits = config.fabric.nodes() * traffic.rate * cycles;
  estimate.formula = fmt::format("{} nodes x {} flits/cycle x {} cycles of warm-up and measurement",
                                 config.fabric.nodes(), traffic.rate, cycles);
}

void estimate_collective(const Config& config, const CollectiveWorkload& workload, RunEstimate& estimate) {
  const CollectiveSpec& spec = workload.collective;
  const auto groups = groups_of_phase(workload);
  const std::size_t in_one = spec.group.empty() ? config.npu.placement.size() : spec.group.size();
  const double ranks = static_cast<double>(groups.empty() ? in_one : groups.front().size());
  const double at_once = static_cast<double>(std::max<std::size_t>(1, groups.size()));
  const double bytes = static_cast<double>(spec.bytes);
  const double flit_bytes = static_cast<double>(config.fabric.flit_bytes);
  // Ring steps go to a neighbour, as far as the group allows; everything else crosses the fabric.
  const bool is_ring = spec.algorithm == "ring";
  estimate.average_hops = is_ring ? rules_of(config.fabric).hops_in_ring(config.fabric) : average_hops(config.fabric);
  // A switch that reduces takes the data of each rank once.
  const bool once = algorithm_needs_switches(spec.algorithm) && spec.kind == CollectiveKind::kAllReduce;
  const double flits = std::ceil((once ? ranks * bytes : collective_bytes(spec.kind, ranks, bytes)) / flit_bytes);
  estimate.flits = flits * at_once;
  estimate.cycles = flits / ranks / config.fabric.local.flits_per_cycle.value();
  estimate.formula = fmt::format("{} of {} bytes over {} ranks in flits of {} bytes", name_of(spec.kind), spec.bytes,
                                 ranks, config.fabric.flit_bytes) +
                     (groups.empty() ? "" : fmt::format(", {} groups", groups.size()));
}

// Copies on the way count where they are made: each NPU and each router or switch before it sees a flit once.
void estimate_streams(const Config& config, const IoWorkload& io, RunEstimate& estimate) {
  const FabricSpec& fabric = config.fabric;
  const double streams = io_controllers(fabric);
  const double flits = std::ceil(static_cast<double>(io.bytes) / static_cast<double>(fabric.flit_bytes));
  const double each = fabric.nodes() * (copies_on_the_way(fabric) ? 1 : average_hops(fabric));
  estimate.flits = streams * flits;
  estimate.average_hops = each;
  estimate.cycles = flits / io_rate(fabric);
  estimate.formula = fmt::format("{} streams of {} bytes in flits of {} bytes", streams, io.bytes, fabric.flit_bytes);
}

void estimate_trace(const Config& config, const TraceVolume& trace, RunEstimate& estimate) {
  estimate.average_hops = average_hops(config.fabric);
  estimate.flits = std::ceil(std::round(trace.message_bytes) / static_cast<double>(config.fabric.flit_bytes));
  estimate.dram_bursts = trace.dram_bursts;
  if (trace.compute_seconds > 0) estimate.cycles = trace.compute_seconds * config.clock.hertz.value();
  estimate.formula =
      fmt::format("{:.0f} bytes of messages in flits of {} bytes", trace.message_bytes, config.fabric.flit_bytes);
}

/// Packets of synthetic traffic that are on their way at once: what is offered in the time of a way, until buffers
/// fill. Measured on saturated meshes, half of their buffers are in use.
double packets_on_the_way(const Config& config, const TrafficWorkload& traffic) {
  const FabricSpec& fabric = config.fabric;
  const RouterSpec& router = fabric.router;
  const double hop_cycles =
      static_cast<double>(router.routing_delay + router.vc_alloc_delay + router.switch_alloc_delay +
                          router.traversal_delay + router.hop_cycles + fabric.link.latency_cycles);
  const double under_way = std::min(static_cast<double>(traffic.warmup_cycles + traffic.measure_cycles),
                                    average_hops(fabric, traffic) * hop_cycles + traffic.packet_flits);
  const double in_buffers = 0.5 * kMeshPorts * router.vcs * router.buffer_flits;
  return fabric.nodes() * std::min(traffic.rate * under_way, in_buffers) / traffic.packet_flits;
}

/// A log of packets is held until the run ends. Each packet of synthetic traffic is a message.
void add_log(const Config& config, double flits, MemorySum& sum) {
  if (config.log.level < LogLevel::kPackets) return;
  const auto* traffic = std::get_if<TrafficWorkload>(&config.workload);
  const double packet_flits =
      traffic != nullptr
          ? traffic->packet_flits
          : std::max(1.0, static_cast<double>(config.npu.packet_bytes) / static_cast<double>(config.fabric.flit_bytes));
  sum.add(flits / packet_flits, "logged packets",
          kBytesPerLoggedPacket + (traffic != nullptr ? kBytesPerLoggedMessage : 0));
}

void estimate_memory(const Config& config, const std::optional<TraceVolume>& trace, const EngineNeed& engines,
                     RunEstimate& estimate) {
  MemorySum sum;
  sum.add(kBaseBytes, short_number(kBaseBytes));
  rules_of(config.fabric).add_memory(config, sum);
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload)) {
    sum.add(packets_on_the_way(config, *traffic), "packets", kBytesPerPacket);
  } else {
    sum.add(config.fabric.nodes(), "players", kBytesPerPlayer);
  }
  sum.add(engines.instructions, "instructions", kBytesPerInstruction);
  sum.add(engines.value_bytes, "bytes of values", kBytesPerValueByte);
  if (trace) {
    sum.add(trace->held_nodes, "nodes before what they depend on", kBytesPerHeldNode);
    sum.add(trace->json_bytes, "bytes of JSON", kBytesPerJsonByte);
  }
  add_log(config, estimate.flits.value_or(0), sum);
  if (!config.memory.pool.empty()) sum.add(kBytesPerPool, short_number(kBytesPerPool) + " for the pool");
  estimate.memory_bytes = sum.bytes();
  estimate.memory_formula = sum.text();
}

}  // namespace

double collective_bytes(CollectiveKind kind, double ranks, double bytes) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (ranks - 1) * bytes;
    case CollectiveKind::kAllGather:
      return ranks * (ranks - 1) * bytes;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
    case CollectiveKind::kGather:
      return (ranks - 1) * bytes;
    case CollectiveKind::kScatter:
      return (ranks - 1) / ranks * bytes;
    case CollectiveKind::kBarrier:
      return 0;
  }
  return 0;
}

double average_hops(const FabricSpec& fabric) { return rules_of(fabric).hops(fabric); }

double average_hops(const FabricSpec& fabric, const TrafficWorkload& traffic) {
  return rules_of(fabric).hops_of_traffic(fabric, traffic);
}

double grid_hops(const FabricSpec& fabric) {
  const bool wraps = wraps_around(fabric.kind);
  return 1 + mean_uniform(fabric.size_x, wraps) + mean_uniform(fabric.size_y, wraps);
}

double grid_hops_of_traffic(const FabricSpec& fabric, const TrafficWorkload& traffic) {
  if (traffic.pattern == "hotspot" && !traffic.hotspots.empty()) return hops_to_hotspots(fabric, traffic.hotspots);
  const bool wraps = wraps_around(fabric.kind);
  return 1 + mean_of_pattern(fabric.size_x, wraps, traffic.pattern) +
         mean_of_pattern(fabric.size_y, wraps, traffic.pattern);
}

double graph_hops(const FabricSpec& fabric) { return graph_facts(fabric).hops(fabric.nodes()); }

double graph_hops_of_traffic(const FabricSpec& fabric, const TrafficWorkload& /*traffic*/) {
  return graph_hops(fabric);
}

double router_hops_in_ring(const FabricSpec& fabric) { return fabric.nodes() > 1 ? 2 : average_hops(fabric); }

/// Up to the lowest common switch and down again, between two NPUs drawn independently: a switch of level i holds
/// 1 / groups of the NPUs.
double switch_hops(const FabricSpec& fabric) {
  double switches = 0;
  double nearer = 0;  // share of pairs that meet below
  for (std::size_t level = 0; level < fabric.fred.levels.size(); ++level) {
    const double share = 1.0 / fabric.fred.levels[level].groups;
    switches += (share - nearer) * (2.0 * static_cast<double>(level) + 1);
    nearer = share;
  }
  return switches;
}

void add_router_memory(const Config& config, MemorySum& sum) {
  const FabricSpec& fabric = config.fabric;
  // Routers are laid out for 4, 8, 12 or 25 VCs.
  const int asked = fabric.router.vcs;
  const int vcs = asked <= 4 ? 4 : asked <= 8 ? 8 : asked <= 12 ? 12 : 25;
  const double per_vc = kBytesPerVc + kBytesPerBufferedFlit * fabric.router.buffer_flits;
  sum.add(fabric.nodes() * (kBytesPerNode + kMeshPorts * vcs * per_vc),
          fmt::format("{} nodes x ({:g} + 5 ports x {} VCs x ({:g} + {:g} x {} flits))", fabric.nodes(), kBytesPerNode,
                      vcs, kBytesPerVc, kBytesPerBufferedFlit, fabric.router.buffer_flits));
  if (fabric.form == FabricForm::kModules || config.npu.clock) sum.add(fabric.nodes(), "modules", kBytesPerModule);
}

void add_switch_memory(const Config& config, MemorySum& sum) {
  const FabricSpec& fabric = config.fabric;
  double ports = 0;
  double rtl_ports = 0;
  double flits = 0;
  for (std::size_t level = 0; level < fabric.fred.levels.size(); ++level) {
    const FredLevelSpec& spec = fabric.fred.levels[level];
    const double here =
        static_cast<double>(fabric.fred.planes) * spec.groups * level_shape(fabric, level).chiplets * spec.ports;
    ports += here;
    if (spec.model != "tlm") rtl_ports += here;
    flits += here * ((kTrafficClasses - 1) * spec.buffer_flits + fabric.fred.control_buffer_flits);
  }
  sum.add(fabric.nodes(), "nodes", kBytesPerNode);
  sum.add(ports, "ports", kBytesPerFredPort);
  sum.add(rtl_ports, "ports in RTL", kBytesPerRtlPort);
  if (has_unicasts(config)) sum.add(ports, "ports with datapaths", kBytesPerUnicastPort);
  sum.add(flits, "flits of buffer", kBytesPerBufferedFlit);
}

std::string short_number(double value) {
  constexpr const char* kSteps[] = {"", " k", " M", " G", " T", " P"};
  int step = 0;
  while (value >= 1000 && step < 5) {
    value /= 1000;
    ++step;
  }
  return fmt::format("{:.3g}{}", value, kSteps[step]);
}

RunEstimate estimate_run(const Config& config, const std::optional<TraceVolume>& trace, const EngineNeed& engines) {
  RunEstimate estimate;
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload)) {
    estimate_traffic(config, *traffic, estimate);
  } else if (const auto* collective = std::get_if<CollectiveWorkload>(&config.workload)) {
    estimate_collective(config, *collective, estimate);
  } else if (const auto* io = std::get_if<IoWorkload>(&config.workload)) {
    estimate_streams(config, *io, estimate);
  } else if (trace) {
    estimate_trace(config, *trace, estimate);
  }
  estimate_memory(config, trace, trace ? trace->engines : engines, estimate);
  if (!estimate.flits) return estimate;
  estimate.flit_hops = *estimate.flits * estimate.average_hops;
  estimate.cpu_seconds = *estimate.flit_hops / kFlitHopsPerSecond + estimate.dram_bursts / kDramBurstsPerSecond +
                         kSetupSecondsPerNode * config.fabric.nodes();
  return estimate;
}

}  // namespace weft
