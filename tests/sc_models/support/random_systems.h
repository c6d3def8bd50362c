// SPDX-License-Identifier: Apache-2.0
// Systems of every kind with a collective, small enough to be run many times, and random ones.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "config/load.h"
#include "tests/support/source.h"

namespace weft::test {

using Words = std::vector<std::string>;

inline Config config_of(const std::string& name, const Words& sets) {
  return load_config(weft::test::source("configs/") + name + ".yaml", sets);
}

/// A ring all-reduce on a mesh of routers with VCs; `more` are further settings.
inline Config ring(const Words& more) {
  constexpr const char* kRing = R"(clock: 1 GHz
fabric: {kind: mesh, size: [4, 4], flit_bytes: 64 B, router: {vcs: 4, buffer_flits: 8}}
npu: {packet_bytes: 512 B}
workload: {collective: {kind: all_reduce, algorithm: ring, size: 256 KiB}}
)";
  return load_config_text(kRing, "ring.yaml", more);
}

struct Wafer {
  const char* kind;
  const char* algorithm;
  const char* size;
};
inline constexpr Wafer kWafers[] = {
    {"reduce", "chain", "[9, 1]"},         {"reduce", "chain", "[5, 4]"},        {"reduce", "star", "[5, 1]"},
    {"reduce", "tree", "[4, 4]"},          {"reduce", "two_phase", "[9, 1]"},    {"reduce", "auto_gen", "[7, 3]"},
    {"reduce", "snake", "[5, 3]"},         {"reduce", "in_router", "[6, 2]"},    {"all_reduce", "chain", "[6, 3]"},
    {"all_reduce", "two_phase", "[8, 1]"}, {"all_reduce", "in_router", "[5, 5]"}};

/// A collective over FRED switches in two levels; `more` are further settings.
inline Config switches(const Words& more) {
  constexpr const char* kSwitches = R"(clock: 1 GHz
fabric: {kind: fred, flit_bytes: 32 B, header: 8 B, levels: [{groups: 2, planes: 2, uplinks: 2}, {groups: 1}]}
npu: {count: 8, packet_bytes: 256 B}
workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 1 MiB}}
)";
  return load_config_text(kSwitches, "switches.yaml", more);
}

/// "path=n", low <= n <= high.
inline std::string number(const char* path, int low, int high) {
  return fmt::format("{}={}", path, *rc::gen::inRange(low, high + 1));
}

/// What wafers and meshes have in common.
inline void add_common(Words* sets) {
  sets->push_back(number("workload.collective.chunks", 1, 3));
  sets->push_back(number("fabric.router.hop_cycles", 0, 2));
  sets->push_back(number("fabric.link.latency", 1, 3));
  sets->push_back(fmt::format("log.windows={}", *rc::gen::element(0, 4, 128, 1000)));
  sets->push_back(fmt::format("fabric.statistics={}", *rc::gen::element("true", "true", "false")));
  if (*rc::gen::inRange(0, 3) == 0) sets->push_back(number("npu.endpoint_delay", 0, 40));
}

inline Words random_wafer() {
  const Wafer wafer = *rc::gen::elementOf(std::vector<Wafer>(std::begin(kWafers), std::end(kWafers)));
  const int x = *rc::gen::inRange(2, 8);
  const int y = std::string(wafer.algorithm) == "star" ? 1 : *rc::gen::inRange(1, 5);
  const int packet = *rc::gen::element(4, 4, 4, 8, 16);
  Words sets = {fmt::format("fabric.size=[{}, {}]", x, y),
                fmt::format("workload.collective.kind={}", wafer.kind),
                fmt::format("workload.collective.algorithm={}", wafer.algorithm),
                fmt::format("workload.collective.size={} B", packet * *rc::gen::inRange(60, 3000)),
                fmt::format("npu.packet_bytes={} B", packet),
                number("fabric.router.buffer_flits", 2, 9),
                number("fabric.router.merge_cycles", 1, 3),
                number("fabric.router.turn_cycles", 0, 2),
                number("npu.ramp_cycles", 1, 4),
                number("npu.add_cycles", 0, 5)};
  add_common(&sets);
  if (*rc::gen::inRange(0, 4) == 0) sets.push_back(number("limits.cycles", 100, 4000));
  return sets;
}

/// Routers on a grid, or joined in another way.
inline Words random_routers() {
  const std::string kind = *rc::gen::element("mesh", "mesh", "torus", "ring", "fully_connected", "switch");
  Words sets = {"fabric.kind=" + kind};
  const bool wraps = kind == "torus" || kind == "ring";
  sets.push_back(number("fabric.router.vcs", wraps ? 2 : 1, 4));
  if (kind == "mesh" || kind == "torus") {
    sets.push_back(fmt::format("fabric.size=[{}, {}]", *rc::gen::inRange(1, 6), *rc::gen::inRange(2, 6)));
  } else {
    sets.push_back(number("fabric.size", 2, 16));
  }
  if (kind == "torus") sets.emplace_back("fabric.routing=dimension_order");
  if (kind == "mesh") sets.push_back(fmt::format("fabric.routing={}", *rc::gen::element("xy", "odd_even", "yx")));
  return sets;
}

inline Words random_fabric() {
  const int flits = *rc::gen::element(1, 2, 8);
  const char* const algorithm =
      *rc::gen::element("ring", "ring", "ring", "direct", "hierarchical_2d", "halving_doubling", "double_binary_tree");
  const char* const kind = *rc::gen::element("all_reduce", "all_reduce", "all_gather", "reduce_scatter");
  Words sets = random_routers();
  const Words more = {fmt::format("workload.collective.algorithm={}", algorithm),
                      fmt::format("workload.collective.kind={}", kind),
                      fmt::format("workload.collective.size={} B", 4 * *rc::gen::inRange(500, 60000)),
                      fmt::format("npu.packet_bytes={} B", 64 * flits),
                      number("fabric.router.buffer_flits", 1, 9),
                      number("fabric.local.latency", 1, 3),
                      fmt::format("fabric.link.bandwidth={} GB/s", *rc::gen::element(64, 64, 32, 48, 80, 128)),
                      fmt::format("npu.reduce_bandwidth={} GB/s", *rc::gen::element(0, 100, 333)),
                      fmt::format("npu.message_order={}", *rc::gen::element("round_robin", "oldest_first"))};
  sets.insert(sets.end(), more.begin(), more.end());
  add_common(&sets);
  if (*rc::gen::inRange(0, 4) == 0) sets.push_back(number("limits.cycles", 500, 9000));
  return sets;
}

/// One to three levels of switches.
inline std::string random_levels(int groups) {
  const int planes = *rc::gen::inRange(1, 4);
  const int uplinks = *rc::gen::element(1, 2, 4);
  if (groups == 1) return fmt::format("fabric.levels=[{{groups: 1, planes: {}}}]", planes);
  // A flit per cycle is 32 GB/s.
  const int rate = uplinks * planes * *rc::gen::element(32, 32, 32, 24, 20, 16, 4);
  const std::string low = fmt::format(
      "{{groups: {}, planes: {}, uplinks: {}, bandwidth: {} GB/s, latency: {}, buffer: {} B, reconfig_cycles: {}}}",
      groups, planes, uplinks, rate, *rc::gen::inRange(1, 10), 32 * *rc::gen::inRange(8, 65), *rc::gen::inRange(0, 3));
  const bool three = groups == 4 && *rc::gen::arbitrary<bool>();
  return fmt::format("fabric.levels=[{}{}, {{groups: 1}}]", low,
                     three ? fmt::format(", {{groups: 2, uplinks: {}, latency: 3}}", uplinks) : "");
}

inline Words random_switches() {
  const int groups = *rc::gen::element(1, 2, 2, 3, 4);
  const int nodes = groups * *rc::gen::inRange(2, 5);
  const bool in_switch = *rc::gen::arbitrary<bool>();
  const char* const kind = *rc::gen::element("all_reduce", "all_reduce", "reduce", "broadcast", "reduce_scatter",
                                             "all_gather", "all_to_all", "scatter", "gather");
  const char* const algorithm = in_switch ? *rc::gen::element("in_switch", "in_switch", "in_switch_series", "ring")
                                          : *rc::gen::element("ring", "direct", "two_level_ring", "halving_doubling");
  Words sets = {
      fmt::format("npu.count={}", nodes),
      random_levels(groups),
      fmt::format("fabric.in_switch={}", in_switch),
      fmt::format("workload.collective.kind={}", kind),
      fmt::format("workload.collective.algorithm={}", algorithm),
      fmt::format("workload.collective.size={} B", 4 * nodes * *rc::gen::inRange(500, 40000)),
      number("workload.collective.chunks", 1, 4),
      fmt::format("npu.packet_bytes={} B", 32 * *rc::gen::inRange(1, 9)),
      fmt::format("npu.reduce_bandwidth={} GB/s", *rc::gen::element(0, 0, 100, 333)),
      fmt::format("fabric.header={} B", *rc::gen::element(0, 0, 4, 8, 16, 6)),
      number("fabric.local.latency", 1, 8),
      fmt::format("fabric.matching={}", *rc::gen::element("greedy", "maximum")),
      fmt::format("fabric.control={}", *rc::gen::element("one_phase", "one_phase", "several_phases", "one_tree")),
      number("fabric.stay_packets", 0, 16),
      fmt::format("log.windows={}", *rc::gen::element(0, 4, 128, 1000)),
      fmt::format("fabric.statistics={}", *rc::gen::element("true", "true", "false"))};
  if (*rc::gen::inRange(0, 3) == 0) sets.push_back(number("npu.endpoint_delay", 0, 40));
  if (*rc::gen::inRange(0, 4) == 0) sets.push_back(number("limits.cycles", 500, 9000));
  return sets;
}

}  // namespace weft::test
