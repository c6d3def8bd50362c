// SPDX-License-Identifier: Apache-2.0
// Grids and graphs of routers as estimates see them.
#include <algorithm>

#include "base/error.h"
#include "network/graph_network.h"
#include "network/grid_network.h"
#include "router/routing/routing_function.h"
#include "sc_models/fabric_sketch.h"

namespace weft::sc_models {
namespace {

class GridSketch final : public FabricSketch {
 public:
  GridSketch(const NetworkPointer& network, const Config& config)
      : FabricSketch(network),
        router_(config.fabric.router),
        grid_(static_cast<const network::GridNetwork&>(*network).grid()),
        routing_(router::make_routing(config.fabric.routing, grid_)) {
    space_.fill(static_cast<std::uint32_t>(router_.vcs * router_.buffer_flits));
  }

  HopCost hop_cost() const override { return {50, 60, 0}; }
  FabricParts parts() const override {
    FabricParts parts;
    parts.routers = grid_.nodes();
    parts.router_ports = parts.routers * router::kMeshPorts;  // those beyond the edge are there, too
    const int asked = router_.vcs;
    parts.vcs = asked <= 4 ? 4 : asked <= 8 ? 8 : asked <= 12 ? 12 : 25;  // the layouts that regions have
    return parts;
  }
  std::uint32_t hops(NodeId from, NodeId to, std::uint64_t random) const override {
    Packet packet;
    packet.src = from;
    packet.dst = to;
    const router::Coordinates end = grid_.coordinates(to);
    packet.dst_x = static_cast<std::uint16_t>(end.x);
    packet.dst_y = static_cast<std::uint16_t>(end.y);
    router::Coordinates here = grid_.coordinates(from);
    routing_->start(packet, here, random);
    PortId in = router::kLocal;
    std::uint32_t routers = 1;
    for (; here.x != end.x || here.y != end.y; ++routers) {
      const PortId out = routing_->route(here, in, packet, space_).port;
      WEFT_CHECK(grid_.neighbour(here, out, &here), "a routing function leads out of the grid");
      in = router::opposite(out);
    }
    return routers;
  }
  std::uint32_t longest() const override { return static_cast<std::uint32_t>(grid_.size_x() + grid_.size_y()); }

 private:
  RouterSpec router_;
  router::Grid grid_;
  std::unique_ptr<router::RoutingFunction> routing_;
  router::OutputSpace space_{};
};

class GraphSketch final : public FabricSketch {
 public:
  GraphSketch(const NetworkPointer& network, const Config& config)
      : FabricSketch(network),
        graph_(static_cast<const network::GraphNetwork&>(*network).graph()),
        routing_(static_cast<const network::GraphNetwork&>(*network).routing()),
        vcs_(config.fabric.router.vcs) {}

  HopCost hop_cost() const override { return {80, 80, 0}; }
  FabricParts parts() const override {
    FabricParts parts;
    parts.routers = static_cast<double>(graph_.routers().size());
    for (const network::RouterNode& router : graph_.routers())
      parts.router_ports += static_cast<double>(router.ports.size());
    parts.vcs = vcs_;
    return parts;
  }
  std::uint32_t hops(NodeId from, NodeId to, std::uint64_t random) const override {
    Packet packet;
    packet.src = from;
    packet.dst = to;
    routing_.start(packet, random);
    network::Attachment at = graph_.npus()[index(from)];
    const std::uint32_t last = graph_.npus()[index(to)].router;
    std::uint32_t routers = 1;
    for (; at.router != last; ++routers) {
      const std::uint32_t out = routing_.next(at.router, at.port, packet).port;
      const network::RouterPort& port = graph_.routers()[at.router].ports[out];
      at = {port.peer, port.peer_port};
    }
    return routers;
  }
  std::uint32_t longest() const override { return static_cast<std::uint32_t>(graph_.routers().size()); }

 private:
  const network::RouterGraph& graph_;
  const network::GraphRouting& routing_;
  int vcs_;
};

}  // namespace

double FabricSketch::flow_outputs(std::uint32_t /*flow*/) const {
  violation("a fabric without flows is asked for one");
}

double FabricSketch::flow_receivers(std::uint32_t flow) const { return flow_outputs(flow); }

std::unique_ptr<FabricSketch> sketch_of_grid(const NetworkPointer& network, const Config& config) {
  return std::make_unique<GridSketch>(network, config);
}

std::unique_ptr<FabricSketch> sketch_of_graph(const NetworkPointer& network, const Config& config) {
  return std::make_unique<GraphSketch>(network, config);
}

}  // namespace weft::sc_models
