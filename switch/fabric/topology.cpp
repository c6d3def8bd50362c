// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/rational_math.h"
#include "config/fred_shape.h"
#include "network/names.h"

namespace weft::fred {
namespace {

void require_levels(bool good, const std::string& text) {
  if (!good) throw InputError("fabric.levels: " + text);
}

Rational per_plane(Rational rate, int planes) {
  const auto share = checked_divide(rate, {static_cast<std::uint64_t>(planes), 1});
  if (!share) throw InputError("fabric.local.bandwidth: its share per plane needs more than 64 bits");
  return *share;
}

}  // namespace

FredTopology::FredTopology(const FabricSpec& fabric, std::uint32_t packet_flits)
    : planes_(fabric.fred.planes),
      npus_(static_cast<std::uint32_t>(fabric.nodes())),
      io_(static_cast<std::uint32_t>(fabric.io.controllers)) {
  shape_levels(fabric);
  attach_nodes(fabric);
  add_chiplets(fabric, packet_flits);
  join_nodes(fabric);
  join_levels(fabric.fred);
}

void FredTopology::shape_levels(const FabricSpec& fabric) {
  const FredSpec& fred = fabric.fred;
  require_levels(!fred.levels.empty(), "no level is given");
  int below = static_cast<int>(npus_);
  for (std::size_t l = 0; l < fred.levels.size(); ++l) {
    const FredLevelSpec& level = fred.levels[l];
    const bool top = l + 1 == fred.levels.size();
    LevelShape shape;
    shape.groups = level.groups;
    require_levels(level.groups >= 1 && below % level.groups == 0,
                   fmt::format("{} switches of level {} cannot share {} {} evenly", level.groups, l, below,
                               l == 0 ? "NPUs" : "switches of the level below"));
    shape.children = below / level.groups;
    require_levels((level.uplinks == 0) == top,
                   fmt::format("level {} has {} uplinks; the top level, and no other, has none", l, level.uplinks));
    require_levels(!level_shapes(fabric, l).empty(),
                   fmt::format("{} uplinks of level {} cannot be shared by its chiplets", level.uplinks, l));
    const FredLevelShape chiplets = level_shape(fabric, l);
    shape.slices = chiplets.chiplets;
    shape.links_per_child = chiplets.bundle;
    shape.uplinks = chiplets.up_ports;
    levels_.push_back(shape);
    below = level.groups;
  }
  require_levels(below == 1, fmt::format("the top level has {} switches; it must have one", below));
}

void FredTopology::attach_nodes(const FabricSpec& fabric) {
  const LevelShape& l1 = levels_.front();
  for (std::uint32_t npu = 0; npu < npus_; ++npu) {
    node_group_.push_back(static_cast<int>(npu) / l1.children);
    node_port_.push_back(static_cast<std::uint8_t>(static_cast<int>(npu) % l1.children));
  }
  for (int group = 0; group < l1.groups; ++group) {
    for (int i = 0; i < io_controllers_at(fabric, group); ++i) {
      node_group_.push_back(group);
      node_port_.push_back(static_cast<std::uint8_t>(l1.children + l1.uplinks + i));
    }
  }
}

void FredTopology::add_chiplets(const FabricSpec& fabric, std::uint32_t packet_flits) {
  const FredSpec& fred = fabric.fred;
  const int io_ports = io_controllers_at(fabric, 0);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const LevelShape& shape = levels_[l];
    const FredLevelSpec& level = fred.levels[l];
    first_of_level_.push_back(static_cast<std::uint32_t>(chiplets_.size()));
    Chiplet chiplet;
    chiplet.down_ports = shape.children * shape.links_per_child;
    chiplet.uplinks = shape.uplinks;
    const int needed = chiplet.down_ports + shape.uplinks + (l == 0 ? io_ports : 0);
    SwitchSpec& spec = chiplet.spec;
    spec.m = fred.m;
    spec.ports = level.ports > 0 ? level.ports : std::max(2, needed);
    require_levels(spec.ports >= needed,
                   fmt::format("chiplets of level {} have {} ports and need {}: {} down, {} up, {} for I/O controllers",
                               l, spec.ports, needed, chiplet.down_ports, shape.uplinks, l == 0 ? io_ports : 0));
    spec.flit_bytes = static_cast<std::uint32_t>(fabric.flit_bytes);
    spec.lanes = static_cast<std::uint32_t>(fred.lanes);
    spec.packet_flits = packet_flits;
    spec.traffic_classes = kTrafficClasses;
    spec.buffer_flits = static_cast<std::uint32_t>(level.buffer_flits);
    spec.control_buffer_flits = spec.control_output_credits = static_cast<std::uint32_t>(fred.control_buffer_flits);
    spec.output_credits = spec.buffer_flits;
    spec.output_packets = static_cast<std::uint32_t>(fred.output_packets);
    spec.first_uplink = chiplet.down_ports;
    spec.uplinks = shape.uplinks;
    spec.flow_control = fred.wormhole ? PortFlowControl::kWormhole : PortFlowControl::kCutThrough;
    spec.control = fred.control;
    spec.matching = fred.matching;
    spec.stage = fred.skid_buffers ? StageBuffer::kSkid : StageBuffer::kRegister;
    spec.register_every = fred.register_every;
    spec.reduce_cycles = static_cast<std::uint32_t>(fred.reduce_cycles);
    spec.reconfigure_cycles = static_cast<std::uint32_t>(level.reconfigure_cycles);
    spec.stay_packets = static_cast<std::uint32_t>(fred.stay_packets);
    spec.memory_bytes = fred.setting_bytes;
    spec.reload_cycles = static_cast<std::uint32_t>(fred.reload_cycles);
    PortSpec port;
    port.out_rate.flit_bytes = fabric.flit_bytes;
    port.out_rate.header_bytes = fred.header_bytes;
    port.whole_packets = fred.link_layer.go_back_n;
    const int most_ports = spec.ports;
    for (int group = 0; group < shape.groups; ++group) {
      spec.ports = chiplet_ports(fabric, l, group, most_ports);
      spec.port_specs.assign(static_cast<std::size_t>(spec.ports), port);
      chiplet.peers.assign(static_cast<std::size_t>(spec.ports), PortPeer{});
      for (int slice = 0; slice < shape.slices; ++slice) {
        for (int plane = 0; plane < planes_; ++plane) {
          chiplet.coordinates = {static_cast<int>(l), group, slice, plane};
          chiplet.name = name_of(chiplet.coordinates, plane);
          chiplets_.push_back(chiplet);
          first_port_.push_back(ports_);
          ports_ += static_cast<std::uint32_t>(spec.ports);
        }
      }
    }
  }
}

std::string FredTopology::name_of(const ChipletCoordinates& coordinates, int plane) const {
  const bool sliced = levels_[static_cast<std::size_t>(coordinates.level)].slices > 1;
  return network::switch_name(
      {coordinates.level + 1, coordinates.group, sliced ? coordinates.slice : -1, planes_ > 1 ? plane : -1});
}

std::uint32_t FredTopology::chiplet(ChipletCoordinates coordinates) const {
  const LevelShape& shape = levels_[static_cast<std::size_t>(coordinates.level)];
  const int number = (coordinates.group * shape.slices + coordinates.slice) * planes_ + coordinates.plane;
  return first_of_level_[static_cast<std::size_t>(coordinates.level)] + static_cast<std::uint32_t>(number);
}

int FredTopology::group_at(int level, int group) const {
  for (int l = 1; l <= level; ++l) group /= levels_[static_cast<std::size_t>(l)].children;
  return group;
}

std::optional<std::uint32_t> FredTopology::uplink_to(int level, std::uint32_t node) const {
  if (uplinks_for_full_rate_ > 1) return std::nullopt;
  // Ports have divided the packets over the chiplets above the lowest level; there the groups below divide them again.
  const int number = port_of(node) + (level > 0 ? group_at(level - 1, group_of(node)) : 0);
  return static_cast<std::uint32_t>(number % levels_[static_cast<std::size_t>(level)].uplinks);
}

void FredTopology::join_nodes(const FabricSpec& fabric) {
  const Rational npu_rate = per_plane(fabric.local.flits_per_cycle, planes_);
  const auto uplinks_for = [&fabric](const Rational& rate) {
    double most = 1;
    for (const FredLevelSpec& level : fabric.fred.levels) {
      if (level.uplinks > 0) most = std::max(most, rate.value() / level.uplink_rate.value());
    }
    return static_cast<std::uint32_t>(std::ceil(most - 1e-9));
  };
  uplinks_for_full_rate_ = uplinks_for(npu_rate);
  if (io_ > 0) uplinks_for_io_ = uplinks_for(fabric.io.rate);
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    for (int plane = 0; plane < planes_; ++plane) {
      Chiplet& l1 = chiplets_[chiplet({0, node_group_[node], 0, plane})];
      const std::uint8_t port = node_port_[node];
      PortSpec& spec = l1.spec.port_specs[port];
      spec.in_rate = spec.out_rate.flits_per_cycle = node < npus_ ? npu_rate : fabric.io.rate;
      PortPeer& peer = l1.peers[port];
      peer.kind = PortPeer::kNode;
      peer.node = node;
      peer.latency = fabric.local.latency_cycles;
      peer.flit_cycles = spec.out_rate.flit_cycles();
    }
  }
}

// Uplink u of a logical switch: link u % links_per_child of its parent's slice u / links_per_child.
void FredTopology::join_levels(const FredSpec& fred) {
  for (std::uint32_t number = 0; number < chiplets_.size(); ++number) {
    const ChipletCoordinates coordinates = chiplets_[number].coordinates;
    const auto level = static_cast<std::size_t>(coordinates.level);
    for (int i = 0; i < chiplets_[number].uplinks; ++i) {
      const LevelShape& above = levels_[level + 1];
      const int uplink = coordinates.slice * chiplets_[number].uplinks + i;
      const std::uint32_t parent = chiplet({coordinates.level + 1, coordinates.group / above.children,
                                            uplink / above.links_per_child, coordinates.plane});
      const auto up = static_cast<std::uint8_t>(chiplets_[number].down_ports + i);
      const auto down = static_cast<std::uint8_t>(coordinates.group % above.children * above.links_per_child +
                                                  uplink % above.links_per_child);
      const auto join = [&](std::uint32_t from, std::uint8_t port, std::uint32_t to, std::uint8_t to_port) {
        PortSpec& spec = chiplets_[from].spec.port_specs[port];
        spec.in_rate = spec.out_rate.flits_per_cycle = fred.levels[level].uplink_rate;
        spec.out_credits = chiplets_[to].spec.buffer_flits;
        PortPeer& peer = chiplets_[from].peers[port];
        peer.kind = PortPeer::kChiplet;
        peer.chiplet = to;
        peer.port = to_port;
        peer.latency = fred.levels[level].uplink_latency_cycles;
        peer.flit_cycles = spec.out_rate.flit_cycles();
      };
      join(number, up, parent, down);
      join(parent, down, number, up);
    }
  }
}

}  // namespace weft::fred
