// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/cpu_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "runs/estimate/cost_sum.h"
#include "runs/estimate/cost_table.h"

namespace weft::runs {
namespace {

/// How much longer things take because caches do not hold them: 1 in them, and up to kUncached where little is held.
double cache_factor(double bytes) {
  return bytes <= kCacheBytes ? 1 : kUncached - (kUncached - 1) * kCacheBytes / bytes;
}

}  // namespace

CpuEstimate estimate_cpu(const Config& config, const sc_models::FabricSketch& sketch, const SentVolume& sent,
                         double value_bytes, double dram_bursts, double cycles, double memory_bytes) {
  constexpr double kSecondsPerNs = 1e-9;
  CostSum sum(" ns", kSecondsPerNs);
  const sc_models::HopCost hop = sketch.hop_cost();
  const bool has_messages = !std::holds_alternative<TrafficWorkload>(config.workload);
  sum.add(sent.flit_hops, "flit-hops", hop.flit_hop);
  if (hop.packet_hop > 0) sum.add(sent.packet_hops, "packet-hops", hop.packet_hop);
  if (hop.unicast_hop > 0) sum.add(sent.unicast_hops, "of unicasts", hop.unicast_hop);
  if (has_messages) sum.add(sent.packets, "packets", kPacketCost);
  sum.add(sent.messages, "messages", kMessageCost);
  sum.add(sent.steps, "steps", kStepCost);
  if (!config.memory.pool.empty()) sum.add(sent.io_packets, "packets of the pool", kPoolPacketCost);
  sum.add(sketch.parts().rtl_ports * cycles, "ports in RTL x cycles", kRtlPortCycleCost);
  sum.add(value_bytes, "bytes of values", kValueByteCost);
  sum.add(dram_bursts, "bursts", kDramBurstCost);
  sum.add(config.fabric.nodes(), "nodes", kNodeCost);
  const double factor = cache_factor(memory_bytes - kBaseBytes);
  if (factor == 1) return {sum.total(), sum.text()};
  return {sum.total() * factor, fmt::format("{:.2g} for what caches do not hold x ({})", factor, sum.text())};
}

}  // namespace weft::runs
