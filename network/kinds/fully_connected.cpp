// SPDX-License-Identifier: Apache-2.0
// A link between any two routers.
#include "network/kinds/graph_kinds.h"
#include "network/names.h"

namespace weft::network {
namespace {

/// Ports lead to the other routers in the order of their numbers; the last one is the NPU's.
std::uint32_t port_towards(std::uint32_t from, std::uint32_t to) { return to < from ? to : to - 1; }

class Direct final : public GraphRouting {
 public:
  Hop next(std::uint32_t router, std::uint32_t, Packet& packet) const override {
    return {port_towards(router, index(packet.dst)), 0};
  }
};

/// A router per NPU; port `to[j]` leads to router j.
RouterGraph build_fully_connected(const FabricSpec& fabric) {
  RouterGraph graph;
  const auto size = static_cast<std::uint32_t>(fabric.nodes());
  for (std::uint32_t i = 0; i < size; ++i) {
    graph.add_router(router_name(i), i, 0);
    for (std::uint32_t j = 0; j < size; ++j) {
      if (j != i) graph.add_port(i, numbered_port("to", j), fabric.link);
    }
    graph.attach_npu(i, "local", fabric.local);
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    for (std::uint32_t j = i + 1; j < size; ++j) graph.join({i, port_towards(i, j)}, {j, port_towards(j, i)});
  }
  return graph;
}

std::unique_ptr<GraphRouting> make_direct(const FabricSpec&) { return std::make_unique<Direct>(); }

}  // namespace

extern const GraphKind kFullyConnected;
const GraphKind kFullyConnected{{{"fully_connected", "routers with a link between any two"},
                                 "fully connected fabric",
                                 "direct",
                                 one_vc_set,
                                 "",
                                 false,
                                 port_per_npu},
                                build_fully_connected,
                                make_direct};

}  // namespace weft::network
