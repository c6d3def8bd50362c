// SPDX-License-Identifier: Apache-2.0
#include "config/fred_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/rational_math.h"
#include "base/units.h"

namespace weft {

int io_controllers_at(const FabricSpec& fabric, int group) {
  const int groups = fabric.fred.levels[0].groups;
  return fabric.io.controllers / groups + (group < fabric.io.controllers % groups ? 1 : 0);
}

int chiplet_ports(const FabricSpec& fabric, std::size_t level, int group, int ports) {
  if (level > 0) return ports;
  return std::max(2, ports - (io_controllers_at(fabric, 0) - io_controllers_at(fabric, group)));
}

std::vector<FredLevelShape> level_shapes(const FabricSpec& fabric, std::size_t level) {
  const FredSpec& fred = fabric.fred;
  const FredLevelSpec& spec = fred.levels[level];
  FredLevelShape shape;
  if (level == 0) {
    shape.children = fabric.nodes() / spec.groups;
    shape.up_ports = spec.uplinks;
    shape.io_ports = io_controllers_at(fabric, 0);
    return {shape};
  }
  const FredLevelSpec& below = fred.levels[level - 1];
  shape.children = below.groups / spec.groups;
  shape.links_per_child = below.uplinks;
  std::vector<FredLevelShape> shapes;
  for (int bundle = 1; bundle <= below.uplinks; bundle *= 2) {
    if (below.uplinks % bundle != 0) break;
    shape.bundle = bundle;
    shape.chiplets = below.uplinks / bundle;
    if (spec.uplinks % shape.chiplets != 0) continue;
    shape.up_ports = spec.uplinks / shape.chiplets;
    shapes.push_back(shape);
  }
  return shapes;
}

FredLevelShape level_shape(const FabricSpec& fabric, std::size_t level) {
  const std::vector<FredLevelShape> shapes = level_shapes(fabric, level);
  WEFT_CHECK(!shapes.empty(), "a level of a FRED fabric has uplinks that its chiplets cannot share");
  const int ports = fabric.fred.levels[level].ports;
  if (ports == 0) return shapes.front();
  const auto fits = [&](const FredLevelShape& shape) { return shape.used_ports() <= ports; };
  const auto at = std::find_if(shapes.rbegin(), shapes.rend(), fits);
  WEFT_CHECK(at != shapes.rend(), "a level of a FRED fabric has fewer ports than it needs");
  return *at;
}

Cycle fred_stages(int ports, int register_every) {
  Cycle stages = 1;
  for (int size = ports; size > 2; size = (size + 1) / 2) stages += 2;
  return (stages - 1) / static_cast<Cycle>(register_every) + 1;
}

Cycle fred_round_trip(Rational rate, Cycle latency_cycles, std::uint64_t packet_flits, Cycle stages) {
  const LinkSpec link{rate, latency_cycles};
  const auto others = checked_divide(Rational{packet_flits - 1, 1}, rate);
  WEFT_CHECK(others.has_value(), "the time of a packet on a link does not fit 64 bits");
  return 2 * latency_cycles + link.flit_cycles() + 3 + round_up(*others) + stages - 1;
}

Cycle fred_answer_trip(Rational rate, Cycle latency_cycles) {
  const LinkSpec link{rate, latency_cycles};
  return 2 * latency_cycles + link.flit_cycles();
}

std::vector<FredLink> links_into(const FabricSpec& fabric, std::size_t level) {
  const FredSpec& fred = fabric.fred;
  std::vector<FredLink> links;
  // Asked for before the levels are known to form a tree, too.
  const auto stages = [&](std::size_t of) {
    if (of >= fred.levels.size()) return fred_stages(2, 1);
    if (fred.levels[of].ports > 0) return fred_stages(fred.levels[of].ports, fred.register_every);
    const std::vector<FredLevelShape> shapes = level_shapes(fabric, of);
    return fred_stages(shapes.empty() ? 2 : shapes.front().used_ports(), fred.register_every);
  };
  const auto add_uplinks = [&](std::size_t of, std::size_t from) {
    const FredLevelSpec& spec = fred.levels[of];
    links.push_back(
        {fmt::format("fabric.levels[{}].uplinks", of), spec.uplink_rate, spec.uplink_latency_cycles, stages(from)});
  };
  if (level > 0) {
    add_uplinks(level - 1, level - 1);
  } else {
    const auto rate =
        checked_divide(fabric.local.flits_per_cycle, Rational{static_cast<std::uint64_t>(fred.planes), 1});
    WEFT_CHECK(rate.has_value(), "the rate of a plane of an NPU's link does not fit 64 bits");
    // The way out of the switch, into a network interface's buffer of the same size, is the longer one.
    links.push_back({"fabric.local", *rate, fabric.local.latency_cycles, stages(0)});
    // A controller's link is as long as an NPU's.
    if (fabric.io.controllers > 0) links.push_back({"io", fabric.io.rate, fabric.local.latency_cycles, stages(0)});
  }
  if (fred.levels[level].uplinks > 0) add_uplinks(level, level + 1);
  return links;
}

int roomy_buffer_flits(const FabricSpec& fabric, std::size_t level, std::uint64_t packet_flits) {
  std::uint64_t most = 0;
  for (const FredLink& link : links_into(fabric, level)) {
    const Cycle round_trip = fred_round_trip(link.rate, link.latency_cycles, packet_flits, link.stages);
    const auto flits = checked_multiply(link.rate, make_rational(5 * round_trip, 4));
    WEFT_CHECK(flits.has_value(), "rate x round trip of a link does not fit 64 bits");
    most = std::max(most, round_up(*flits));
  }
  const std::uint64_t whole = (most + packet_flits - 1) / packet_flits * packet_flits;
  return static_cast<int>(whole + (fabric.fred.link_layer.go_back_n ? packet_flits : 0));
}

}  // namespace weft
