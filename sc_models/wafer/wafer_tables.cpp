// SPDX-License-Identifier: Apache-2.0
#include "wafer/wafer_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "npu/interface/injection_port.h"
#include "router/link_ids.h"

namespace weft::wafer {
namespace {

using router::Grid;
using router::kLocal;
using router::Place;

std::string router_name(Place place) { return fmt::format("router[{},{}]", place.x, place.y); }
std::string npu_name(NodeId node) { return fmt::format("npu[{}]", index(node)); }

/// The links that exist, in order of their numbers.
std::vector<LinkId> existing_links(const Grid& grid) {
  std::vector<LinkId> links;
  for (int node = 0; node < grid.nodes(); ++node) {
    const NodeId id{static_cast<std::uint32_t>(node)};
    for (std::uint8_t port = 0; port < router::kMeshPorts; ++port) {
      Place there;
      if (PortId{port} == kLocal || grid.neighbour(grid.place(id), PortId{port}, &there)) {
        links.push_back(output_link(id, PortId{port}));
      }
    }
    links.push_back(injection_link(id));
  }
  return links;
}

/// The kind of link at `port`.
const LinkSpec& link_of(const FabricSpec& fabric, PortId port) {
  if (port == kLocal) return fabric.local;
  return port == router::kEast || port == router::kWest ? fabric.link : fabric.link_along_y();
}

double utilisation(std::uint64_t flits, Cycle cycles, Rational rate) {
  return cycles == 0 ? 0.0 : static_cast<double>(flits) / (static_cast<double>(cycles) * rate.value());
}

LinkRecord link_record(const Wafer& wafer, LinkId link, Cycle cycles) {
  const Grid& grid = wafer.grid();
  const NodeId node{index(link) / kLinksPerNode};
  const std::uint32_t slot = index(link) % kLinksPerNode;
  LinkRecord record;
  record.name = router::link_name(grid, link);
  if (slot == kInjectionSlot) {
    std::uint32_t number = 0;
    const FabricPart& part = wafer.part_of(node, &number);
    record.from = npu_name(node);
    record.to = router_name(grid.place(node));
    record.flits = part.local->ports().flits(number);
    record.utilisation = utilisation(record.flits, cycles, wafer.config().fabric.local.flits_per_cycle);
    return record;
  }
  const PortId port{static_cast<std::uint8_t>(slot)};
  Place there;
  grid.neighbour(grid.place(node), port, &there);
  const router::PortStatistics& statistics = wafer.link_statistics(node, port);
  record.from = router_name(grid.place(node));
  record.to = port == kLocal ? npu_name(node) : router_name(there);
  record.flits = statistics.flits;
  record.stall_cycles = statistics.stall_cycles;
  const FabricSpec& fabric = wafer.config().fabric;
  record.utilisation = utilisation(record.flits, cycles, link_of(fabric, port).flits_per_cycle);
  return record;
}

NodeRecord node_record(const Wafer& wafer, NodeId node, const std::vector<std::optional<RankId>>& rank_at) {
  std::uint32_t number = 0;
  const FabricPart& part = wafer.part_of(node, &number);
  const Place place = wafer.grid().place(node);
  NodeRecord record;
  record.x = static_cast<std::uint32_t>(place.x);
  record.y = static_cast<std::uint32_t>(place.y);
  record.rank = rank_at[index(node)];
  record.packets_sent = part.local->packets_sent(number);
  record.packets_received = part.local->packets_received(number);
  record.flits_sent = part.local->ports().flits(number);
  record.flits_received = part.local->flits_received(number);
  return record;
}

}  // namespace

void add_tables(const std::shared_ptr<Wafer>& wafer, RunResult* result) {
  const auto links = std::make_shared<std::vector<LinkId>>(existing_links(wafer->grid()));
  const Cycle cycles = result->cycles;
  result->links = RecordTable<LinkRecord>(
      links->size(), [wafer, links, cycles](std::size_t i) { return link_record(*wafer, (*links)[i], cycles); });
  const bool ranks = !std::holds_alternative<TrafficWorkload>(wafer->config().workload);
  std::vector<std::optional<RankId>> rank_at(static_cast<std::size_t>(wafer->grid().nodes()));
  const std::vector<NodeId>& placement = wafer->config().npu.placement;
  for (std::uint32_t rank = 0; ranks && rank < placement.size(); ++rank) rank_at[index(placement[rank])] = RankId{rank};
  result->node_table = RecordTable<NodeRecord>(
      static_cast<std::size_t>(wafer->grid().nodes()),
      [wafer, rank_at](std::size_t i) { return node_record(*wafer, NodeId(static_cast<std::uint32_t>(i)), rank_at); });
}

}  // namespace weft::wafer
