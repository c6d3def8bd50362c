// SPDX-License-Identifier: Apache-2.0
#include "network/grid_network.h"

#include <fmt/format.h>

#include "base/region_ports.h"
#include "config/names.h"
#include "network/names.h"

namespace weft::network {
namespace {

std::string name_of_router(Coordinates at) { return router_name(at.x, at.y); }

/// Node and slot of a link.
struct LinkSlot {
  explicit LinkSlot(LinkId link) : node(NodeId{index(link) / kLinksPerNode}), slot(index(link) % kLinksPerNode) {}
  PortId port() const { return PortId{static_cast<std::uint8_t>(slot)}; }
  NodeId node;
  std::uint32_t slot;
};

/// Whether the link is between a router and its NPU.
bool at_npu(std::uint32_t slot) { return slot == kInjectionSlot || slot == index(kLocal); }

bool along_x(std::uint32_t slot) { return slot == index(kEast) || slot == index(kWest); }

bool exists(const Grid& grid, LinkSlot at) {
  Coordinates there;
  return at_npu(at.slot) || grid.neighbour(grid.coordinates(at.node), at.port(), &there);
}

}  // namespace

GridNetwork::GridNetwork(const Config& config)
    : fabric_(config.fabric), npus_have_a_clock_(config.npu.clock.has_value()), grid_(config.fabric) {
  for (std::uint32_t link = 0; link < links(); ++link) {
    if (exists(grid_, LinkSlot(LinkId{link}))) links_.push_back(LinkId{link});
  }
}

std::size_t GridNetwork::links() const { return endpoints() * kLinksPerNode; }

Node GridNetwork::node(NodeId node) const {
  const Coordinates at = grid_.coordinates(node);
  return {NodeKind::kNpu, npu_name(index(node)), static_cast<std::uint32_t>(at.x), static_cast<std::uint32_t>(at.y),
          npus_have_a_clock_ ? kNpuClock : kFabricClock};
}

const LinkSpec& GridNetwork::spec_of(std::uint32_t slot) const {
  if (at_npu(slot)) return fabric_.local;
  return along_x(slot) ? fabric_.link : fabric_.link_along_y();
}

Link GridNetwork::link(LinkId number) const {
  const LinkSlot at(number);
  if (!exists(grid_, at)) return {};
  Link link;
  link.name = link_name(grid_, number);
  link.flits_per_cycle = spec_of(at.slot).flits_per_cycle;
  link.vcs = fabric_.router.vcs;
  link.buffer_flits = {fabric_.router.buffer_flits};
  const Coordinates here = grid_.coordinates(at.node);
  link.from = name_of_router(here);
  link.to = npu_name(index(at.node));
  if (at_npu(at.slot) || along_x(at.slot)) link.parts.row = here.y;
  if (!along_x(at.slot)) link.parts.column = here.x;
  Coordinates there;
  if (at.slot == kInjectionSlot) {
    std::swap(link.from, link.to);
    link.clock = npus_have_a_clock_ ? kNpuClock : kFabricClock;
  } else if (grid_.neighbour(here, at.port(), &there)) {
    link.to = name_of_router(there);
  }
  return link;
}

LinkRow GridNetwork::link_row(std::size_t number) const {
  Link only = link(links_[number]);
  return {std::move(only.name), std::move(only.from), std::move(only.to), only.flits_per_cycle,
          at_npu(LinkSlot(links_[number]).slot)};
}

LinkSource GridNetwork::row_source(std::size_t number) const {
  const LinkSlot at(links_[number]);
  if (at.slot == kInjectionSlot) return {true, index(at.node), 0};
  return {false, index(at.node), at.slot};
}

std::string GridNetwork::summary() const {
  return fmt::format("{} x {} {}, {}", fabric_.size_x, fabric_.size_y, name_of(fabric_.kind), fabric_.routing);
}

std::string link_name(const Grid& grid, LinkId link) {
  const LinkSlot at(link);
  if (!exists(grid, at)) return "";
  return link_name(name_of_router(grid.coordinates(at.node)),
                   at.slot == kInjectionSlot ? "inject" : port_name(at.port()));
}

}  // namespace weft::network
