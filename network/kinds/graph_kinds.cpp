// SPDX-License-Identifier: Apache-2.0
#include "network/kinds/graph_kinds.h"

namespace weft::network {

// Each file of this folder defines one of them.
extern const GraphKind kRing, kFullyConnected, kCrossbar;

const PolicyList<GraphKind>& graph_kinds() {
  static const PolicyList<GraphKind> list("no kind of graph", {&kRing, &kFullyConnected, &kCrossbar});
  return list;
}

const GraphKind& graph_kind_of(const FabricSpec& fabric) { return graph_kinds().at(name_of(fabric.kind)); }

}  // namespace weft::network
