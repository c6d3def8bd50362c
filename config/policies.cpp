// SPDX-License-Identifier: Apache-2.0
#include "config/policies.h"

#include "base/error.h"

namespace weft {
namespace {

const PolicyCatalog* handed_over = nullptr;

AlgorithmFacts facts_of(std::string_view algorithm) {
  for (const AlgorithmFacts& known : policies().algorithms) {
    if (known.name == algorithm) return known;
  }
  return {};
}

}  // namespace

void use_policies(const PolicyCatalog& catalog) {
  WEFT_CHECK(handed_over == nullptr || handed_over == &catalog, "two catalogs of policies");
  handed_over = &catalog;
}

const PolicyCatalog& policies() {
  WEFT_CHECK(handed_over != nullptr, "use_policies() comes before anything that has to do with configurations");
  return *handed_over;
}

std::string described(const std::vector<Policy>& policies) {
  std::string text;
  for (const Policy& policy : policies)
    text.append(text.empty() ? "" : "; ").append(policy.name).append(": ").append(policy.description);
  return text;
}

bool algorithm_needs_colours(std::string_view algorithm) { return facts_of(algorithm).needs_colours; }
bool algorithm_needs_switches(std::string_view algorithm) { return facts_of(algorithm).needs_switches; }

const std::vector<RoutingFacts>& routing_functions() {
  static const std::vector<RoutingFacts> functions = [] {
    std::vector<RoutingFacts> all = policies().routing_functions;
    for (const GraphFacts& graph : policies().graph_kinds) {
      all.push_back({{graph.routing, ""}, graph.name, graph.vc_sets, graph.reason});
    }
    return all;
  }();
  return functions;
}

const RoutingFacts* find_routing(const FabricSpec& fabric) {
  const RoutingFacts* other = nullptr;
  for (const RoutingFacts& function : routing_functions()) {
    if (function.name != fabric.routing) continue;
    if (function.kind == name_of(fabric.kind)) return &function;
    other = &function;
  }
  return other;
}

VcSets vc_sets(const FabricSpec& fabric) {
  const RoutingFacts* function = find_routing(fabric);
  return function == nullptr ? VcSets{} : function->vc_sets(fabric.size_x, fabric.size_y);
}

std::string_view default_routing(const FabricSpec& fabric) {
  for (const RoutingFacts& function : routing_functions())
    if (function.kind == name_of(fabric.kind)) return function.name;
  return "";
}

const GraphFacts& graph_facts(const FabricSpec& fabric) {
  for (const GraphFacts& graph : policies().graph_kinds)
    if (graph.name == name_of(fabric.kind)) return graph;
  violation("a fabric is no graph of routers");
}

}  // namespace weft
