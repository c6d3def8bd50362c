// SPDX-License-Identifier: Apache-2.0
// Equality of resolved configurations, field by field, independent of the key table.
#pragma once

#include <tuple>

#include "config/config.h"

namespace weft {

inline auto fields(const LinkSpec& s) { return std::tie(s.flits_per_cycle, s.latency_cycles); }
inline auto fields(const RouterSpec& s) {
  return std::tie(s.vcs, s.buffer_flits, s.routing_delay, s.vc_alloc_delay, s.switch_alloc_delay, s.traversal_delay,
                  s.credit_delay, s.hop_cycles, s.turn_cycles, s.vc_reuse, s.speculative, s.allocator,
                  s.allocator_iterations, s.arbiter);
}
inline auto fields(const CollectiveSpec& s) {
  return std::tie(s.kind, s.algorithm, s.algorithm_file, s.algorithm_table, s.bytes, s.group, s.root, s.op, s.dtype,
                  s.chunks, s.chunk_bytes, s.active_chunks, s.data);
}
inline auto fields(const TrafficWorkload& s) {
  return std::tie(s.pattern, s.rate, s.packet_flits, s.warmup_cycles, s.measure_cycles, s.drain_cycles, s.hotspots,
                  s.file);
}
inline auto fields(const IoWorkload& s) { return std::tie(s.bytes, s.data); }
inline auto fields(const IoSpec& s) { return std::tie(s.controllers, s.rate, s.routing); }
inline auto fields(const FredLevelSpec& s) {
  return std::tie(s.groups, s.ports, s.uplinks, s.uplink_rate, s.uplink_latency_cycles, s.buffer_flits,
                  s.reconfigure_cycles);
}
inline bool operator==(const FredLevelSpec& a, const FredLevelSpec& b) { return fields(a) == fields(b); }
inline auto fields(const FredSpec& s) {
  return std::tie(s.m, s.planes, s.levels, s.header_bytes, s.control_buffer_flits, s.output_packets, s.setting_bytes,
                  s.lanes, s.reduce_cycles, s.skid_buffers, s.wormhole, s.control, s.stay_packets, s.conflict, s.model,
                  s.in_switch, s.fp32_accumulation, s.formats);
}
inline auto fields(const FabricSpec& s) {
  return std::tuple_cat(std::tie(s.kind, s.size_x, s.size_y, s.routing, s.flit_bytes, s.form, s.statistics),
                        fields(s.link), fields(s.link_along_y()), fields(s.local), fields(s.router), fields(s.io),
                        fields(s.fred));
}
inline auto npu_fields(const NpuSpec& s) {
  return std::tuple_cat(std::make_tuple(s.clock ? s.clock->hertz : Rational{0, 1}),
                        std::tie(s.peak_flops, s.memory_bytes_per_s, s.roofline, s.reduce_bytes_per_s,
                                 s.endpoint_delay_cycles, s.packet_bytes, s.injectors, s.injection_vcs, s.message_order,
                                 s.message_classes, s.max_collectives, s.order, s.placement));
}
inline auto all_fields(const CollectiveWorkload& s) {
  return std::tuple_cat(fields(s.collective), std::tie(s.parallelism, s.phase));
}
inline bool same_workload(const Config& a, const Config& b) {
  if (a.workload.index() != b.workload.index()) return false;
  if (const auto* trace = std::get_if<TraceWorkload>(&a.workload)) {
    const auto& other = std::get<TraceWorkload>(b.workload);
    return std::tie(trace->chakra, trace->groups, trace->strict) ==
               std::tie(other.chakra, other.groups, other.strict) &&
           fields(trace->collective) == fields(other.collective);
  }
  if (const auto* collective = std::get_if<CollectiveWorkload>(&a.workload))
    return all_fields(*collective) == all_fields(std::get<CollectiveWorkload>(b.workload));
  if (const auto* io = std::get_if<IoWorkload>(&a.workload))
    return fields(*io) == fields(std::get<IoWorkload>(b.workload));
  return fields(std::get<TrafficWorkload>(a.workload)) == fields(std::get<TrafficWorkload>(b.workload));
}

inline bool same_config(const Config& a, const Config& b) {
  return std::tie(a.name, a.seed, a.threads, a.clock.hertz, a.limits.cycles, a.limits.watchdog_cycles,
                  a.run.fast_forward) == std::tie(b.name, b.seed, b.threads, b.clock.hertz, b.limits.cycles,
                                                  b.limits.watchdog_cycles, b.run.fast_forward) &&
         fields(a.fabric) == fields(b.fabric) && npu_fields(a.npu) == npu_fields(b.npu) && same_workload(a, b) &&
         std::tie(a.waves.file, a.waves.scope, a.waves.from_ns, a.waves.to_ns) ==
             std::tie(b.waves.file, b.waves.scope, b.waves.from_ns, b.waves.to_ns);
}

}  // namespace weft
