// SPDX-License-Identifier: Apache-2.0
#include "sc_models/policies/policy_catalog.h"

#include "mem/dram/mapping/mapping.h"
#include "mem/dram/scheduler/scheduler.h"
#include "mem/keys.h"
#include "network/kinds/graph_kinds.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/keys.h"
#include "npu/traffic/pattern.h"
#include "router/alloc/allocator.h"
#include "router/keys.h"
#include "router/routing/routing_function.h"
#include "switch/keys.h"
#include "switch/network/unicast_matching.h"
#include "switch/routing/conflict_answer.h"

namespace weft::sc_models {

const PolicyCatalog& policy_catalog() {
  static const PolicyCatalog catalog = [] {
    PolicyCatalog all;
    all.routing_functions = router::routing_policies().facts<RoutingFacts>();
    all.graph_kinds = network::graph_kinds().facts<GraphFacts>();
    all.allocators = router::allocator_policies().facts();
    all.memory_mappings = mem::mapping_policies().facts();
    all.algorithms = npu::algorithms().facts<AlgorithmFacts>();
    all.patterns = npu::pattern_policies().facts();
    all.conflict_answers = fred::answer_policies().facts();
    all.unicast_matchings = fred::matching_policies().facts();
    all.memory_schedulers = mem::scheduler_policies().facts();
    all.add_router_keys = router::add_keys;
    all.add_switch_keys = fred::add_keys;
    all.add_npu_keys = npu::add_keys;
    all.add_memory_keys = mem::add_keys;
    return all;
  }();
  return catalog;
}

}  // namespace weft::sc_models
