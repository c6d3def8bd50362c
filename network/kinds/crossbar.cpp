// SPDX-License-Identifier: Apache-2.0
// One input-queued switch with all NPUs at it.
#include "base/error.h"
#include "network/kinds/graph_kinds.h"
#include "network/names.h"

namespace weft::network {
namespace {

/// Every packet is at its last router as soon as it is in the fabric.
class Through final : public GraphRouting {
 public:
  Hop next(std::uint32_t, std::uint32_t, Packet&) const override {
    violation("a packet asks for its way at the only switch");
  }
};

/// Port `port[i]` leads to NPU i.
RouterGraph build_crossbar(const FabricSpec& fabric) {
  RouterGraph graph;
  const std::uint32_t crossbar = graph.add_router("switch", 0, 0);
  const auto size = static_cast<std::size_t>(fabric.nodes());
  for (std::size_t i = 0; i < size; ++i) graph.attach_npu(crossbar, numbered_port("port", i), fabric.local);
  return graph;
}

std::unique_ptr<GraphRouting> make_through(const FabricSpec&) { return std::make_unique<Through>(); }

}  // namespace

extern const GraphKind kCrossbar;
const GraphKind kCrossbar{
    {{"switch", "all NPUs at one input-queued crossbar"}, "crossbar", "through", one_vc_set, "", false, port_per_npu},
    build_crossbar,
    make_through};

}  // namespace weft::network
