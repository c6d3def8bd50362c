// SPDX-License-Identifier: Apache-2.0
// Builders of the kinds of fabric that are a RouterGraph.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "network/graph_routing.h"
#include "network/router_graph.h"

namespace weft::network {

struct GraphKind {
  std::string_view name;  ///< as in config/graph_rules.h
  RouterGraph (*build)(const FabricSpec&);
  std::unique_ptr<GraphRouting> (*make_routing)(const FabricSpec&);
};

/// Throws ViolationError for a kind that none of them builds.
const GraphKind& graph_builder(FabricKind kind);

}  // namespace weft::network
