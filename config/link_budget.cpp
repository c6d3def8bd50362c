// SPDX-License-Identifier: Apache-2.0
#include "config/link_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/rational_math.h"
#include "config/fred_shape.h"
#include "config/names.h"
#include "config/policies.h"

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

Cycle crossing_cycles(const LinkSpec& link) { return link.latency_cycles + link.flit_cycles() - 1; }

double LinkBudget::carried_by(std::uint64_t flits) const {
  // Flits beyond whole packets are credits that the next packet need not wait for.
  const std::uint64_t rest = flits % packet_flits;
  const double cycles = static_cast<double>(round_trip) - static_cast<double>(rest) / rate.value();
  return std::min(rate.value(), static_cast<double>(flits - rest) / cycles);
}

Cycle ejection_round_trip(const RouterSpec& router, const LinkSpec& link) {
  const Cycle allocation = router.switch_alloc_delay - 1;
  const Cycle forward =
      allocation + router.traversal_delay + link.flit_cycles() + link.latency_cycles + router.hop_cycles;
  const Cycle backward = 1 + link.latency_cycles + router.credit_delay;
  return forward + backward;
}

Cycle credit_round_trip(const RouterSpec& router, const LinkSpec& link) {
  const Cycle allocation_at_receiver = router.switch_alloc_delay - 1;
  return ejection_round_trip(router, link) + allocation_at_receiver;
}

Cycle colour_round_trip(const RouterSpec& router, const LinkSpec& link, bool turns) {
  return 2 * link.latency_cycles + router.hop_cycles + (turns ? router.turn_cycles : 0);
}

namespace {

// A turn happens where both dimensions have links.
void add_colour_budgets(const Config& config, std::vector<LinkBudget>& budgets) {
  const FabricSpec& fabric = config.fabric;
  if (fabric.router.colours == 0 || !std::holds_alternative<CollectiveWorkload>(config.workload)) return;
  const bool turns = fabric.size_x > 1 && fabric.size_y > 1;
  std::vector<LinkBudget> coloured = budgets;
  for (LinkBudget& each : coloured) {
    const bool local = each.link == "fabric.local";
    const LinkSpec& link = local ? fabric.local : each.link == "fabric.link" ? fabric.link : fabric.link_along_y();
    RouterSpec router = fabric.router;
    if (local) router.hop_cycles = 0;  // the ramp is no hop
    each = budget(each.link, link, router, 1, colour_round_trip(router, link, turns && !local));
    each.set_up = true;
  }
  budgets.insert(budgets.end(), coloured.begin(), coloured.end());
}

}  // namespace

// Each port of a chiplet has its buffer in each plane, so a link counts with what it carries in one plane.
std::vector<LinkBudget> switch_budgets(const Config& config) {
  const FabricSpec& fabric = config.fabric;
  const std::uint64_t packet = (config.npu.packet_bytes + fabric.flit_bytes - 1) / fabric.flit_bytes;
  std::vector<LinkBudget> budgets;
  for (std::size_t level = 0; level < fabric.fred.levels.size(); ++level) {
    for (const FredLink& link : links_into(fabric, level)) {
      LinkBudget each;
      each.link = link.name;
      each.buffers = fmt::format("fabric.levels[{}].buffer", level);
      each.rate = link.rate;
      each.round_trip = fred_round_trip(link.rate, link.latency_cycles, packet, link.stages);
      each.vcs = 1;
      each.buffer_flits = static_cast<std::uint64_t>(fabric.fred.levels[level].buffer_flits);
      each.packet_flits = packet;
      const auto needed = checked_multiply(each.rate, Rational{each.round_trip, 1});
      WEFT_CHECK(needed.has_value(), "rate x round trip of a link does not fit 64 bits");
      each.needed_flits = *needed;
      budgets.push_back(std::move(each));
    }
  }
  return budgets;
}

std::vector<LinkBudget> router_budgets(const Config& config) {
  const FabricSpec& fabric = config.fabric;
  const RouterSpec& router = fabric.router;
  std::vector<LinkBudget> budgets;
  // Message classes share out the VCs, and then the routing function's sets: the smallest share counts.
  const int class_vcs = std::max(1, router.vcs / config.npu.message_classes);
  const int link_vcs = std::max(1, class_vcs / vc_sets(fabric).split);
  const LinkSpec& along_y = fabric.link_along_y();
  const bool y_differs =
      along_y.flits_per_cycle != fabric.link.flits_per_cycle || along_y.latency_cycles != fabric.link.latency_cycles;
  if (fabric.size_x > 1 || (fabric.size_y > 1 && !y_differs))
    budgets.push_back(budget("fabric.link", fabric.link, router, link_vcs, credit_round_trip(router, fabric.link)));
  if (fabric.size_y > 1 && y_differs)
    budgets.push_back(budget("fabric.link_y", along_y, router, link_vcs, credit_round_trip(router, along_y)));
  budgets.push_back(budget("fabric.local", fabric.local, router, class_vcs, ejection_round_trip(router, fabric.local)));
  add_colour_budgets(config, budgets);
  return budgets;
}

}  // namespace weft
