// SPDX-License-Identifier: Apache-2.0
// What a configuration knows of the blocks that it configures: the policies that it chooses by name, and their keys.
// The code of both is in folders that use this one, so the program hands over what they say of themselves before it
// loads anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/policy.h"
#include "config/config.h"

namespace weft {

struct ConfigKey;

/// Disjoint sets of VCs of a routing function on a fabric of some size.
struct VcSets {
  int split = 1;   ///< sets that the VCs of a message class are split into
  int needed = 1;  ///< how many of them keep it free of deadlock; with fewer VCs all sets are the same
};

/// A routing function, where it may be used and what it needs.
struct RoutingFacts : Policy {
  std::string_view kind;  ///< the `fabric.kind` that it is for
  VcSets (*vc_sets)(int size_x, int size_y) = nullptr;
  std::string_view reason;             ///< why fewer sets can deadlock
  bool goes_x_first_in_set_0 = false;  ///< no packet turns from y to x in the VCs of set 0
};
/// The `vc_sets` of a function that needs one set, however large the grid is.
constexpr VcSets one_vc_set(int /*size_x*/, int /*size_y*/) { return {}; }

/// A kind of fabric that is a graph of routers: what a configuration has to know of it before it is built.
struct GraphFacts : Policy {
  std::string_view words;    ///< the fabric in a sentence, behind "a"
  std::string_view routing;  ///< its routing function
  VcSets (*vc_sets)(int size_x, int size_y) = nullptr;
  std::string_view reason;           ///< why fewer sets can deadlock
  bool wraps = false;                ///< the last router is beside the first: rings go in the order of numbers
  int (*ports)(int npus) = nullptr;  ///< ports of its widest router
};

/// An algorithm of collectives, and what it asks of the fabric.
struct AlgorithmFacts : Policy {
  bool needs_colours = false;   ///< its programs have in-fabric flows, which only fabrics with colours can carry
  bool needs_switches = false;  ///< its programs have flows that only fabrics of FRED switches can carry
};

/// Appends the keys of a block to the table of keys.
using AddKeys = void (*)(std::vector<ConfigKey>& keys);

/// All that a configuration knows of policies, in the order of the documentation, and the keys of the blocks.
struct PolicyCatalog {
  std::vector<RoutingFacts> routing_functions;  ///< functions for grids; the first one of a kind is that kind's default
  std::vector<GraphFacts> graph_kinds;
  std::vector<Policy> allocators;
  std::vector<Policy> memory_schedulers;
  std::vector<Policy> memory_mappings;
  std::vector<AlgorithmFacts> algorithms;  ///< those that generate programs
  std::vector<Policy> patterns;
  std::vector<Policy> conflict_answers;
  std::vector<Policy> unicast_matchings;
  AddKeys add_router_keys = nullptr;
  AddKeys add_switch_keys = nullptr;
  AddKeys add_npu_keys = nullptr;
  AddKeys add_memory_keys = nullptr;
};

/// Hands over the catalog, which has to outlive all configurations. Every program calls it once, before it loads one.
void use_policies(const PolicyCatalog& catalog);
/// The catalog. ViolationError if there is none yet.
const PolicyCatalog& policies();

/// The names of a list of policies, or of what they say of themselves.
template <typename Facts>
std::vector<std::string_view> names_of(const std::vector<Facts>& policies) {
  std::vector<std::string_view> names;
  for (const Policy& policy : policies) names.push_back(policy.name);
  return names;
}
/// "name: description; name: description".
std::string described(const std::vector<Policy>& policies);

/// Whether the algorithm of that name needs colours, or switches; false for unknown names.
bool algorithm_needs_colours(std::string_view algorithm);
bool algorithm_needs_switches(std::string_view algorithm);

/// Routing functions of all kinds of fabric; the first one of a kind is that kind's default.
const std::vector<RoutingFacts>& routing_functions();
/// The function of that name for the fabric's kind, else one of that name for another kind; null = nobody has it.
const RoutingFacts* find_routing(const FabricSpec& fabric);
/// Sets of VCs of the fabric's routing function at its size; one for an unknown name.
VcSets vc_sets(const FabricSpec& fabric);
std::string_view default_routing(const FabricSpec& fabric);
/// What is known of a fabric that is a graph of routers.
const GraphFacts& graph_facts(const FabricSpec& fabric);

}  // namespace weft
