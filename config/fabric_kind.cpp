// SPDX-License-Identifier: Apache-2.0
#include "config/fabric_kind.h"

#include "config/policies.h"

namespace weft {

const NameTable<FabricKind>& fabric_kind_names() {
  static const NameTable<FabricKind> names = [] {
    NameTable<FabricKind> all = {
        {"mesh", FabricKind::kMesh}, {"torus", FabricKind::kTorus}, {"fred", FabricKind::kFred}};
    for (const GraphFacts& graph : policies().graph_kinds) all.push_back({graph.name, FabricKind(all.size())});
    return all;
  }();
  return names;
}

std::string_view name_of(FabricKind value) { return lookup(fabric_kind_names(), value); }

bool wraps_around(FabricKind kind) {
  return is_graph(kind) ? policies().graph_kinds.at(graph_number(kind)).wraps : kind == FabricKind::kTorus;
}

bool is_in_scope(FabricKind kind, KeyScope scope) {
  if (scope == KeyScope::kGrid) return is_grid(kind);
  return scope == KeyScope::kAnyFabric || (scope == KeyScope::kFred) == has_planes(kind);
}

}  // namespace weft
