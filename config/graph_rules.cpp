// SPDX-License-Identifier: Apache-2.0
#include "config/graph_rules.h"

namespace weft {
namespace {

/// The sum over all distances on a ring, each the shorter way round, is floor(n / 2) x ceil(n / 2).
double ring_hops(int npus) {
  const int half = npus / 2;
  const int distances = half * (npus - half);
  return 1 + static_cast<double>(distances) / npus;
}

/// In a ring of up to three routers no packet makes two hops, so that nothing can wait in a circle.
VcSets ring_sets(int size_x, int size_y) { return {2, size_x > 3 || size_y > 3 ? 2 : 1}; }

}  // namespace

const std::vector<GraphRule>& graph_rules() {
  static const std::vector<GraphRule> rules = {
      {"ring", "shortest_way", ring_sets,
       "packets that wrap around a ring of four or more routers need VCs of their own", true,
       [](int npus) { return npus > 1 ? 3 : 1; }, ring_hops},
      {"fully_connected", "direct", one_vc_set, "", false, [](int npus) { return npus; },
       [](int npus) { return 2 - 1.0 / npus; }},
      {"switch", "through", one_vc_set, "", false, [](int npus) { return npus; }, [](int) { return 1.0; }},
  };
  return rules;
}

const GraphRule& graph_rule(FabricKind kind) {
  return graph_rules().at(static_cast<std::size_t>(kind) - static_cast<std::size_t>(FabricKind::kFirstGraph));
}

bool wraps_around(FabricKind kind) { return is_graph(kind) ? graph_rule(kind).wraps : kind == FabricKind::kTorus; }

}  // namespace weft
