// SPDX-License-Identifier: Apache-2.0
#include "sc_models/policies/policy_catalog.h"

#include "mem/dram/scheduler/scheduler.h"
#include "router/routing/routing_function.h"

namespace weft::sc_models {

const PolicyCatalog& policy_catalog() {
  static const PolicyCatalog catalog = [] {
    PolicyCatalog all;
    all.routing_functions = router::routing_policies().facts<RoutingFacts>();
    all.memory_schedulers = mem::scheduler_policies().facts();
    return all;
  }();
  return catalog;
}

}  // namespace weft::sc_models
