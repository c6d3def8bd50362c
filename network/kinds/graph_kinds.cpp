// SPDX-License-Identifier: Apache-2.0
#include "network/kinds/graph_kinds.h"

#include <string>

#include "base/error.h"
#include "config/graph_rules.h"

namespace weft::network {

// Each file of this folder defines one of them.
extern const GraphKind kRing;
extern const GraphKind kFullyConnected;
extern const GraphKind kCrossbar;

const GraphKind& graph_builder(FabricKind kind) {
  for (const GraphKind* known : {&kRing, &kFullyConnected, &kCrossbar}) {
    if (known->name == graph_rule(kind).name) return *known;
  }
  violation("nobody builds a fabric of kind " + std::string(graph_rule(kind).name));
}

}  // namespace weft::network
