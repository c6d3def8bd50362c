// SPDX-License-Identifier: Apache-2.0
// Builders of the kinds of fabric that are a RouterGraph.
#pragma once

#include <memory>
#include <string_view>

#include "base/policy.h"
#include "config/policies.h"
#include "network/graph_routing.h"
#include "network/router_graph.h"

namespace weft::network {

/// A kind of fabric as the list has it: a constant of its file.
struct GraphKind : GraphFacts {
  RouterGraph (*build)(const FabricSpec&) = nullptr;
  std::unique_ptr<GraphRouting> (*make_routing)(const FabricSpec&) = nullptr;
};

/// Ports of the largest router, where it has one for each NPU.
inline int port_per_npu(int npus) { return npus; }

/// All of them; a new one is a file of this folder and a line in graph_kinds.cpp.
const PolicyList<GraphKind>& graph_kinds();
/// The kind of a fabric that is a graph.
const GraphKind& graph_kind_of(const FabricSpec& fabric);

}  // namespace weft::network
