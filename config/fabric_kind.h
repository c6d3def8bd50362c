// SPDX-License-Identifier: Apache-2.0
// The kinds of fabric, by name. Code asks for the rules of a kind (fabric_rules.h), for facts of a fabric
// (fabric_facts.h) or for the network, and never for a kind.
#pragma once

#include <string_view>

#include "base/name_table.h"

namespace weft {

class FabricRules;

/// From kFirstGraph on: graphs of routers, in the order of PolicyCatalog::graph_kinds.
enum class FabricKind { kMesh, kTorus, kFred, kFirstGraph };

/// The values of `fabric.kind`.
const NameTable<FabricKind>& fabric_kind_names();
std::string_view name_of(FabricKind value);

/// What keys can be about. A key is only for fabrics that have it.
enum class FabricFeature { kAny, kRouters, kRows, kSwitches };

/// What a configuration knows of a kind.
const FabricRules& rules_of(FabricKind kind);

}  // namespace weft
