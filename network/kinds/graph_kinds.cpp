// SPDX-License-Identifier: Apache-2.0
#include "network/kinds/graph_kinds.h"

#include "kernel/error.h"

namespace weft::network {
namespace {

constexpr GraphKind kKinds[] = {
    {FabricKind::kRing, build_ring, make_shortest_way},
    {FabricKind::kFullyConnected, build_fully_connected, make_direct},
    {FabricKind::kSwitch, build_crossbar, make_through},
};

}  // namespace

const GraphKind& graph_kind(FabricKind kind) {
  for (const GraphKind& known : kKinds) {
    if (known.kind == kind) return known;
  }
  violation("a kind of fabric has no graph of routers");
}

}  // namespace weft::network
