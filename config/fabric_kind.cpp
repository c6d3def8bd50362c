// SPDX-License-Identifier: Apache-2.0
#include "config/fabric_kind.h"

#include "config/fabric_rules.h"
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

const FabricRules& rules_of(FabricKind kind) {
  switch (kind) {
    case FabricKind::kMesh:
      return mesh_rules();
    case FabricKind::kTorus:
      return torus_rules();
    case FabricKind::kFred:
      return switch_rules();
    case FabricKind::kFirstGraph:
      break;
  }
  return graph_rules();
}

}  // namespace weft
