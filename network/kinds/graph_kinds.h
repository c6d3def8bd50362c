// SPDX-License-Identifier: Apache-2.0
// The kinds of fabric that are a RouterGraph: one file each in this folder, and a line in graph_kinds.cpp.
#pragma once

#include <memory>

#include "kernel/config.h"
#include "network/graph_routing.h"
#include "network/router_graph.h"

namespace weft::network {

struct GraphKind {
  FabricKind kind;
  RouterGraph (*build)(const FabricSpec&);
  std::unique_ptr<GraphRouting> (*make_routing)(const FabricSpec&);
};

/// Throws ViolationError for a kind that is none of them.
const GraphKind& graph_kind(FabricKind kind);

// ring.cpp: routers 0 .. n - 1 in a circle, an NPU at each. Port `up` leads to the next one, `down` to the one before.
RouterGraph build_ring(const FabricSpec& fabric);
/// The shorter way round, ties by a coin per packet; packets that wrap and those that do not have VCs of their own.
std::unique_ptr<GraphRouting> make_shortest_way(const FabricSpec& fabric);

// fully_connected.cpp: a router per NPU and a link between any two; port `to[j]` leads to router j.
RouterGraph build_fully_connected(const FabricSpec& fabric);
std::unique_ptr<GraphRouting> make_direct(const FabricSpec& fabric);

// crossbar.cpp: all NPUs at one input-queued switch; port `port[i]` leads to NPU i.
RouterGraph build_crossbar(const FabricSpec& fabric);
std::unique_ptr<GraphRouting> make_through(const FabricSpec& fabric);

}  // namespace weft::network
