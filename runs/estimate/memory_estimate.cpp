// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/units.h"
#include "config/policies.h"
#include "runs/estimate/cost_sum.h"
#include "runs/estimate/cost_table.h"
#include "runs/estimate/workload_volume.h"
#include "sc_models/fabric_kinds.h"

namespace weft::runs {
namespace {

using sc_models::FabricParts;

/// Whether packets go through switches to one port each, instead of as flows that are added and copied.
bool has_unicasts(const Config& config) {
  if (const auto* one = std::get_if<CollectiveWorkload>(&config.workload))
    return !algorithm_needs_switches(one->collective.algorithm);
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload))
    return !algorithm_needs_switches(trace->collective.algorithm);
  return true;
}

void add_routers(const Config& config, const FabricParts& parts, CostSum& sum) {
  const int flits = config.fabric.router.buffer_flits;
  const double per_vc = kBytesPerVc + kBytesPerBufferedFlit * flits;
  const double nodes = config.fabric.nodes();
  const std::string vcs = fmt::format("{} x ({:g} + {:g} x {})", counted(parts.vcs, "VC"), kBytesPerVc,
                                      kBytesPerBufferedFlit, counted(flits, "flit"));
  const double ports = parts.router_ports / parts.routers;
  if (parts.routers == nodes && parts.router_ports == nodes * static_cast<int>(ports)) {
    sum.add(nodes * (kBytesPerNode + ports * parts.vcs * per_vc),
            fmt::format("{} x ({:g} + {} x {})", counted(nodes, "node"), kBytesPerNode, counted(ports, "port"), vcs));
  } else {
    sum.add(nodes, "nodes", kBytesPerNode);
    sum.add(parts.router_ports * parts.vcs * per_vc, fmt::format("{} x {}", counted(parts.router_ports, "port"), vcs));
  }
  if (config.fabric.form == FabricForm::kModules || config.npu.clock) sum.add(nodes, "modules", kBytesPerModule);
}

void add_chiplets(const Config& config, const FabricParts& parts, CostSum& sum) {
  sum.add(config.fabric.nodes(), "nodes", kBytesPerNode);
  sum.add(parts.chiplet_ports, "ports", kBytesPerFredPort);
  sum.add(parts.rtl_ports, "ports in RTL", kBytesPerRtlPort);
  if (has_unicasts(config)) sum.add(parts.chiplet_ports, "ports with datapaths", kBytesPerUnicastPort);
  sum.add(parts.chiplet_buffer, "flits of buffer", kBytesPerBufferedFlit);
}

/// How many packets of synthetic traffic the fabric holds at once: what is offered in the time that one takes, until
/// buffers fill. Measured on saturated meshes, half of their buffers are in use.
double packets_in_flight(const Config& config, const TrafficWorkload& traffic, const FabricParts& parts,
                         const SentVolume& sent) {
  const RouterSpec& router = config.fabric.router;
  const double hop_cycles =
      static_cast<double>(router.routing_delay + router.vc_alloc_delay + router.switch_alloc_delay +
                          router.traversal_delay + router.hop_cycles + config.fabric.link.latency_cycles);
  const double hops = sent.packets > 0 ? sent.packet_hops / sent.packets : 0;
  const double under_way = std::min(static_cast<double>(traffic.warmup_cycles + traffic.measure_cycles),
                                    hops * hop_cycles + traffic.packet_flits);
  const double in_buffers = 0.5 * parts.router_ports * router.vcs * router.buffer_flits;
  return std::min(config.fabric.nodes() * traffic.rate * under_way, in_buffers) / traffic.packet_flits;
}

/// A log of packets is held until the run ends. Each packet of synthetic traffic is a message.
void add_log(const Config& config, double packets, CostSum& sum) {
  if (config.log.level < LogLevel::kPackets) return;
  const bool is_traffic = std::holds_alternative<TrafficWorkload>(config.workload);
  sum.add(packets, "logged packets", kBytesPerLoggedPacket + (is_traffic ? kBytesPerLoggedMessage : 0));
}

}  // namespace

MemoryEstimate estimate_memory(const Config& config, const sc_models::FabricSketch& sketch, const HeldData& held,
                               const std::optional<SentVolume>& sent) {
  CostSum sum;
  const FabricParts parts = sketch.parts();
  sum.add(kBaseBytes, short_number(kBaseBytes));
  if (parts.chiplets > 0) {
    add_chiplets(config, parts, sum);
  } else {
    add_routers(config, parts, sum);
  }
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload)) {
    if (sent) sum.add(packets_in_flight(config, *traffic, parts, *sent), "packets", kBytesPerPacket);
  } else {
    sum.add(config.fabric.nodes(), "players", kBytesPerPlayer);
  }
  sum.add(held.engines.instructions.started, "instructions at work", kBytesPerStartedInstruction);
  sum.add(held.engines.instructions.waiting, "instructions that wait", kBytesPerWaitingInstruction);
  sum.add(held.engines.value_bytes, "bytes of values", kBytesPerValueByte);
  sum.add(held.trace_nodes, "nodes before what they depend on", kBytesPerHeldNode);
  sum.add(held.json_bytes, "bytes of JSON", kBytesPerJsonByte);
  if (sent) add_log(config, sent->packets, sum);
  if (!config.memory.pool.empty()) sum.add(kBytesPerPool, short_number(kBytesPerPool) + " for the pool");
  return {sum.total(), sum.text()};
}

MemoryEstimate quick_memory_estimate(const Config& config) {
  const auto sketch = sc_models::make_sketch(config);
  const bool counts =
      std::holds_alternative<TrafficWorkload>(config.workload) ||
      (config.log.level >= LogLevel::kPackets && !std::holds_alternative<TraceWorkload>(config.workload));
  std::optional<SentVolume> sent;
  if (counts) sent = workload_volume(config, *sketch, kQuicklyCountedPackets);
  return estimate_memory(config, *sketch, {engine_need(config)}, sent);
}

}  // namespace weft::runs
