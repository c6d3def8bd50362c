// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_sites.h"

#include <fmt/format.h>

#include "config/fabric_facts.h"
#include "network/names.h"

namespace weft::sc_models {

std::vector<BorderSite> border_io_sites(const FabricSpec& fabric) {
  std::vector<BorderSite> sites;
  const bool edge_first = fabric.io.routing == IoRouting::kEdgeFirst;
  const auto add = [&](int x, int y, Side side) {
    if (static_cast<int>(sites.size()) == fabric.io.controllers) return;
    const bool x_first = !edge_first || side == Side::kLeft || side == Side::kRight;
    const std::uint8_t message_class = x_first ? 0 : 1;
    sites.push_back({NodeId{static_cast<std::uint32_t>(y * fabric.size_x + x)}, side, x_first, message_class});
  };
  for (int y = 0; y < fabric.size_y; ++y) add(0, y, Side::kLeft);
  for (int y = 0; y < fabric.size_y; ++y) add(fabric.size_x - 1, y, Side::kRight);
  for (int x = 0; x < fabric.size_x; ++x) add(x, 0, Side::kBottom);
  for (int x = 0; x < fabric.size_x; ++x) add(x, fabric.size_y - 1, Side::kTop);
  return sites;
}

std::string_view name_of(Side side) {
  constexpr std::string_view kNames[] = {"left", "right", "bottom", "top"};
  return kNames[static_cast<int>(side)];
}

std::vector<IoSite> io_sites(const FabricSpec& fabric) {
  std::vector<IoSite> sites;
  if (io_controllers_are_nodes(fabric)) {
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(fabric.io.controllers); ++i) {
      const NodeId node{static_cast<std::uint32_t>(fabric.nodes()) + i};
      sites.push_back({node, npu::class_of(TrafficClass::kPp), network::io_name(i)});
    }
    return sites;
  }
  for (const BorderSite& site : border_io_sites(fabric)) {
    sites.push_back({site.node, npu::MessageClass(site.message_class),
                     fmt::format("{} {}", network::npu_name(index(site.node)), name_of(site.side))});
  }
  return sites;
}

FabricFlow stream_flow(const FabricSpec& fabric, std::uint32_t number) {
  const auto npus = static_cast<std::uint32_t>(fabric.nodes());
  FabricFlow flow;
  flow.inputs = {NodeId{npus + number}};
  for (std::uint32_t node = 0; node < npus; ++node) flow.outputs.push_back(NodeId{node});
  return flow;
}

}  // namespace weft::sc_models
