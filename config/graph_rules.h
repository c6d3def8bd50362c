// SPDX-License-Identifier: Apache-2.0
// Kinds of fabric that are a graph of routers: what the configuration has to know of them before they are built. The
// builders are in network/kinds/.
#pragma once

#include <string_view>
#include <vector>

#include "config/policies.h"

namespace weft {

struct GraphRule {
  std::string_view name;     ///< `fabric.kind`
  std::string_view routing;  ///< its routing function
  VcSets (*vc_sets)(int size_x, int size_y);
  std::string_view reason;   ///< why fewer sets can deadlock
  bool wraps;                ///< the last router is beside the first
  int (*ports)(int npus);    ///< of its widest router
  double (*hops)(int npus);  ///< routers on the way from any NPU to any, itself included, on average
};

/// All of them; the kind of the first one is FabricKind::kFirstGraph, and so on.
const std::vector<GraphRule>& graph_rules();
constexpr bool is_graph(FabricKind kind) { return kind >= FabricKind::kFirstGraph; }
/// The kind of rule number `number`.
constexpr FabricKind graph_kind(std::size_t number) {
  return FabricKind(static_cast<std::size_t>(FabricKind::kFirstGraph) + number);
}
/// The rule of a kind for which is_graph() holds.
const GraphRule& graph_rule(FabricKind kind);
/// Whether links lead round, so that the last router of a row is beside the first.
bool wraps_around(FabricKind kind);

}  // namespace weft
