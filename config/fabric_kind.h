// SPDX-License-Identifier: Apache-2.0
// The kinds of fabric, and what follows from a fabric's kind alone. Other code asks for these facts, or for those of
// fabric_facts.h, and never for a kind.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/name_table.h"

namespace weft {

/// From kFirstGraph on: graphs of routers, in the order of PolicyCatalog::graph_kinds.
enum class FabricKind { kMesh, kTorus, kFred, kFirstGraph };

/// The values of `fabric.kind`.
const NameTable<FabricKind>& fabric_kind_names();
std::string_view name_of(FabricKind value);

/// Routers in rows and columns.
constexpr bool is_grid(FabricKind kind) { return kind == FabricKind::kMesh || kind == FabricKind::kTorus; }
/// Routers that a graph joins.
constexpr bool is_graph(FabricKind kind) { return kind >= FabricKind::kFirstGraph; }
/// Switches in planes, which reduce and copy on the way.
constexpr bool has_planes(FabricKind kind) { return kind == FabricKind::kFred; }
/// Whether links lead round, so that the last router of a row is beside the first.
bool wraps_around(FabricKind kind);
/// The index of a graph in PolicyCatalog::graph_kinds.
constexpr std::size_t graph_number(FabricKind kind) {
  return static_cast<std::size_t>(kind) - static_cast<std::size_t>(FabricKind::kFirstGraph);
}

/// Kinds of fabric that a key is for.
enum class KeyScope {
  kAnyFabric,
  kRouters,  ///< all but fred
  kGrid,     ///< mesh and torus
  kFred,
};

/// Whether keys of this scope are for a kind of fabric.
bool is_in_scope(FabricKind kind, KeyScope scope);

}  // namespace weft
