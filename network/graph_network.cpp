// SPDX-License-Identifier: Apache-2.0
#include "network/graph_network.h"

#include <fmt/format.h>

#include <utility>

#include "config/names.h"
#include "network/kinds/graph_kinds.h"
#include "network/names.h"

namespace weft::network {

GraphNetwork::GraphNetwork(const Config& config) : fabric_(config.fabric) {
  const GraphKind& kind = graph_kind_of(fabric_);
  graph_ = kind.build(fabric_);
  graph_.number_links();
  routing_ = kind.make_routing(fabric_);
}

Node GraphNetwork::node(NodeId node) const {
  const RouterNode& router = graph_.routers()[graph_.npus()[index(node)].router];
  return {NodeKind::kNpu, npu_name(index(node)), router.x, router.y, kFabricClock};
}

Link GraphNetwork::link(LinkId number) const {
  const bool injection = index(number) < endpoints();
  const Attachment at = injection ? graph_.npus()[index(number)] : graph_.port_of(number);
  const RouterNode& router = graph_.routers()[at.router];
  const RouterPort& port = router.ports[at.port];
  Link link;
  link.from = router.name;
  link.to = port.to_npu ? npu_name(port.peer) : graph_.routers()[port.peer].name;
  link.name = injection ? out_link_name(link.to) : link_name(router.name, port.name);
  if (injection) std::swap(link.from, link.to);
  link.flits_per_cycle = port.link.flits_per_cycle;
  link.vcs = fabric_.router.vcs;
  link.buffer_flits = {fabric_.router.buffer_flits};
  return link;
}

LinkRow GraphNetwork::link_row(std::size_t number) const {
  const LinkId id{static_cast<std::uint32_t>(number)};
  Link only = link(id);
  const Attachment at = number < endpoints() ? graph_.npus()[number] : graph_.port_of(id);
  return {std::move(only.name), std::move(only.from), std::move(only.to), only.flits_per_cycle,
          graph_.routers()[at.router].ports[at.port].to_npu};
}

LinkSource GraphNetwork::row_source(std::size_t number) const {
  const auto link = static_cast<std::uint32_t>(number);
  if (link < endpoints()) return {true, link, 0};
  const Attachment at = graph_.port_of(LinkId{link});
  return {false, at.router, at.port};
}

std::string GraphNetwork::summary() const {
  return fmt::format("{} of {}, {}", name_of(fabric_.kind), endpoints(), fabric_.routing);
}

}  // namespace weft::network
