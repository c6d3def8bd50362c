// SPDX-License-Identifier: Apache-2.0
#include "kernel/link_budget.h"

#include <algorithm>

#include "kernel/config_names.h"
#include "kernel/error.h"
#include "kernel/rational_math.h"

namespace weft {
namespace {

LinkBudget budget(const std::string& name, const LinkSpec& link, const RouterSpec& router, int vcs, Cycle round_trip) {
  LinkBudget result;
  result.link = name;
  result.rate = link.flits_per_cycle;
  result.round_trip = round_trip;
  result.vcs = vcs;
  result.buffer_flits = static_cast<std::uint64_t>(vcs) * static_cast<std::uint64_t>(router.buffer_flits);
  const auto needed = checked_multiply(link.flits_per_cycle, Rational{round_trip, 1});
  WEFT_CHECK(needed.has_value(), "rate x round trip of a link does not fit 64 bits");
  result.needed_flits = *needed;
  return result;
}

}  // namespace

double LinkBudget::carried_by(std::uint64_t flits) const {
  return std::min(rate.value(), static_cast<double>(flits) / static_cast<double>(round_trip));
}

Cycle credit_round_trip(const RouterSpec& router, Cycle latency_cycles) {
  const Cycle forward = router.traversal_delay + 1 + latency_cycles;
  const Cycle at_receiver = router.switch_alloc_delay - 1 + router.hop_cycles;
  const Cycle backward = 1 + latency_cycles + router.credit_delay;
  return forward + at_receiver + backward;
}

Cycle injection_round_trip(const RouterSpec& router, Cycle latency_cycles) {
  const Cycle at_receiver = router.switch_alloc_delay - 1 + router.hop_cycles;
  return 1 + latency_cycles + at_receiver + 1 + latency_cycles;
}

std::vector<LinkBudget> link_budgets(const Config& config) {
  const FabricSpec& fabric = config.fabric;
  const RouterSpec& router = fabric.router;
  std::vector<LinkBudget> budgets;
  // Message classes share out the VCs, and then the routing function's sets: the smallest share counts.
  const int class_vcs = std::max(1, router.vcs / config.npu.message_classes);
  const int link_vcs = std::max(1, class_vcs / routing_vc_classes(fabric));
  const Cycle link_trip = credit_round_trip(router, fabric.link.latency_cycles);
  const Cycle local_trip = injection_round_trip(router, fabric.local.latency_cycles);
  if (fabric.nodes() > 1) budgets.push_back(budget("fabric.link", fabric.link, router, link_vcs, link_trip));
  budgets.push_back(budget("fabric.local", fabric.local, router, class_vcs, local_trip));
  return budgets;
}

}  // namespace weft
