// SPDX-License-Identifier: Apache-2.0
// Random systems that play traces, for comparing runs of every cycle with those that leave cycles out.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include "tests/sc_models/support/both_ways.h"
#include "tests/sc_models/support/random_systems.h"

namespace weft::test {

inline int between(int low, int high) { return *rc::gen::inRange(low, high + 1); }

/// Routers of any kind and their number of nodes.
inline Words random_trace_fabric(std::uint32_t* nodes) {
  const std::string kind = *rc::gen::element("mesh", "mesh", "torus", "ring", "fully_connected", "switch");
  const bool wraps = kind == "torus" || kind == "ring";
  Words sets = {"fabric.kind=" + kind, fmt::format("fabric.router.vcs={}", between(wraps ? 2 : 1, 4))};
  if (kind == "mesh" || kind == "torus") {
    const int x = between(wraps ? 3 : 1, 5);
    const int y = between(wraps ? 3 : 2, 5);
    sets.push_back(fmt::format("fabric.size=[{}, {}]", x, y));
    *nodes = static_cast<std::uint32_t>(x * y);
  } else {
    *nodes = static_cast<std::uint32_t>(between(3, 16));
    sets.push_back(fmt::format("fabric.size={}", *nodes));
  }
  if (kind == "torus") sets.emplace_back("fabric.routing=dimension_order");
  if (kind == "mesh") sets.push_back(fmt::format("fabric.routing={}", *rc::gen::element("xy", "odd_even", "yx")));
  const Words more = {fmt::format("npu.packet_bytes={} B", 64 * *rc::gen::element(1, 2, 8)),
                      fmt::format("npu.endpoint_delay={}", *rc::gen::element(0, 0, 40)),
                      fmt::format("npu.reduce_bandwidth={} GB/s", *rc::gen::element(0, 100, 333)),
                      fmt::format("npu.message_order={}", *rc::gen::element("round_robin", "oldest_first")),
                      fmt::format("npu.max_collectives={}", *rc::gen::element(0, 0, 1)),
                      fmt::format("fabric.router.buffer_flits={}", between(1, 9)),
                      fmt::format("fabric.link.bandwidth={} GB/s", *rc::gen::element(64, 64, 32, 48, 128)),
                      fmt::format("fabric.link.latency={}", between(1, 3)),
                      fmt::format("workload.trace.chunks={}", between(1, 3)),
                      fmt::format("log.windows={}", *rc::gen::element(0, 128, 1000)),
                      fmt::format("log.level={}", *rc::gen::element("off", "ranks"))};
  sets.insert(sets.end(), more.begin(), more.end());
  if (between(0, 4) == 0) sets.push_back(fmt::format("limits.cycles={}", between(2000, 30000)));
  return sets;
}

/// FRED switches that forward or add, and their number of nodes.
inline Words random_trace_switches(std::uint32_t* nodes) {
  const int groups = *rc::gen::element(1, 2, 2, 3, 4);
  *nodes = static_cast<std::uint32_t>(groups * between(2, 4));
  const bool in_switch = *rc::gen::arbitrary<bool>();
  Words sets = {fmt::format("npu.count={}", *nodes),
                random_levels(groups),
                fmt::format("fabric.in_switch={}", in_switch),
                fmt::format("workload.trace.algorithm={}", in_switch ? *rc::gen::element("in_switch", "ring") : "ring"),
                fmt::format("workload.trace.chunks={}", between(1, 3)),
                fmt::format("npu.packet_bytes={} B", 32 * between(1, 8)),
                fmt::format("npu.endpoint_delay={}", *rc::gen::element(0, 0, 40)),
                fmt::format("npu.reduce_bandwidth={} GB/s", *rc::gen::element(0, 0, 100, 333)),
                fmt::format("npu.max_collectives={}", *rc::gen::element(0, 0, 1)),
                fmt::format("fabric.header={} B", *rc::gen::element(0, 0, 4, 8, 16, 6)),
                fmt::format("fabric.local.latency={}", between(1, 8)),
                fmt::format("fabric.control={}", *rc::gen::element("one_phase", "several_phases", "one_tree")),
                fmt::format("fabric.stay_packets={}", between(0, 16)),
                fmt::format("log.windows={}", *rc::gen::element(0, 128, 1000)),
                fmt::format("log.level={}", *rc::gen::element("off", "ranks"))};
  if (between(0, 4) == 0) sets.push_back(fmt::format("limits.cycles={}", between(2000, 30000)));
  return sets;
}

/// NPUs that load and store over I/O controllers, at FRED switches or on a mesh of 4 x 4.
inline Words random_loading_system(bool switches, std::uint32_t* nodes) {
  *nodes = 16;
  Words sets =
      switches ? random_trace_switches(nodes)
               : Words{fmt::format("workload.trace.chunks={}", between(1, 3)),
                       fmt::format("npu.packet_bytes={} B", 64 * *rc::gen::element(1, 2, 8)),
                       fmt::format("fabric.link.bandwidth={} GB/s", *rc::gen::element(64, 64, 48)), "io.routing=xy"};
  if (!switches && *rc::gen::arbitrary<bool>()) {
    for (const char* copies : {"fabric.router.multicast=true", "npu.message_classes=2", "npu.injection_vcs=any"})
      sets.emplace_back(copies);
  }
  sets.emplace_back("memory.tensors=io");
  sets.push_back(fmt::format("memory.piece={} KiB", *rc::gen::element(1, 4, 16)));
  sets.push_back(fmt::format("memory.pieces={}", between(1, 4)));
  sets.push_back(fmt::format("memory.latency={}", between(0, 300)));
  sets.push_back(fmt::format("io.controllers={}", between(1, 4)));
  sets.push_back(fmt::format("io.bandwidth={} GB/s", *rc::gen::element(16, 32, 20)));
  return sets;
}

/// Counts in `enough` whether a tenth of the cycles was left out.
inline void expect_the_same_bytes(const Graphs& graphs, const Words& sets, const char* system, EnoughSkip* enough) {
  Both both;
  try {
    both = play(graphs, sets, system);
  } catch (const InputError& error) {
    RC_DISCARD("cannot be built");
  }
  if (!both.all.ran) RC_DISCARD("is refused");
  RC_LOG() << fmt::format("{}", fmt::join(sets, " ")) << std::endl;
  RC_ASSERT(both.skipping.ran);
  RC_ASSERT(both.skipping.tables == both.all.tables);
  enough->count(both.skipping.skipped * 10 >= both.skipping.cycles);
}

}  // namespace weft::test
