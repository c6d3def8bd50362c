// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/run_estimate.h"

#include <fmt/format.h>

#include "config/fabric_facts.h"
#include "config/names.h"
#include "config/parallel_groups.h"
#include "runs/estimate/workload_volume.h"

namespace weft::runs {
namespace {

void estimate_traffic(const Config& config, const TrafficWorkload& traffic, RunEstimate& estimate) {
  const double cycles = static_cast<double>(traffic.warmup_cycles) + static_cast<double>(traffic.measure_cycles);
  estimate.cycles = cycles;
  estimate.formula = fmt::format("{} nodes x {} flits/cycle x {} cycles of warm-up and measurement",
                                 config.fabric.nodes(), traffic.rate, cycles);
}

void estimate_collective(const Config& config, const CollectiveWorkload& workload, RunEstimate& estimate) {
  const CollectiveSpec& spec = workload.collective;
  const auto groups = groups_of_phase(workload);
  const std::size_t in_one = spec.group.empty() ? config.npu.placement.size() : spec.group.size();
  const std::size_t ranks = groups.empty() ? in_one : groups.front().size();
  const double all = static_cast<double>(ranks) * static_cast<double>(groups.empty() ? 1 : groups.size());
  estimate.cycles = estimate.sent->flits / all / config.fabric.local.flits_per_cycle.value();
  estimate.formula = fmt::format("{} of {} bytes over {} ranks in flits of {} bytes", name_of(spec.kind), spec.bytes,
                                 ranks, config.fabric.flit_bytes) +
                     (groups.empty() ? "" : fmt::format(", {} groups", groups.size()));
}

void estimate_streams(const Config& config, const IoWorkload& io, RunEstimate& estimate) {
  const int streams = config.fabric.io.controllers;
  estimate.cycles = estimate.sent->flits / config.fabric.nodes() / streams / io_rate(config.fabric);
  estimate.formula =
      fmt::format("{} streams of {} bytes in flits of {} bytes", streams, io.bytes, config.fabric.flit_bytes);
}

void estimate_trace(const Config& config, const TraceVolume& trace, RunEstimate& estimate) {
  estimate.dram_bursts = trace.dram_bursts;
  if (trace.compute_seconds > 0) estimate.cycles = trace.compute_seconds * config.clock.hertz.value();
  estimate.formula =
      fmt::format("{:.0f} bytes of messages in flits of {} bytes", trace.sent.bytes, config.fabric.flit_bytes);
}

}  // namespace

RunEstimate estimate_run(const Config& config, sc_models::FabricSketch& sketch,
                         const std::optional<TraceVolume>& trace) {
  RunEstimate estimate;
  const bool is_trace = std::holds_alternative<TraceWorkload>(config.workload);
  if (trace) estimate.sent = trace->sent;
  if (!is_trace) estimate.sent = workload_volume(config, sketch);
  const HeldData held = trace ? trace->held : HeldData{engine_need(config)};
  estimate.memory = estimate_memory(config, sketch, held, estimate.sent);
  if (!estimate.sent) return estimate;
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload)) {
    estimate_traffic(config, *traffic, estimate);
  } else if (const auto* collective = std::get_if<CollectiveWorkload>(&config.workload)) {
    estimate_collective(config, *collective, estimate);
  } else if (const auto* io = std::get_if<IoWorkload>(&config.workload)) {
    estimate_streams(config, *io, estimate);
  } else {
    estimate_trace(config, *trace, estimate);
  }
  estimate.cpu = estimate_cpu(config, sketch, *estimate.sent, held.engines.value_bytes, estimate.dram_bursts,
                              estimate.cycles.value_or(0), estimate.memory.bytes);
  return estimate;
}

}  // namespace weft::runs
