// SPDX-License-Identifier: Apache-2.0
// All routing functions by name.
#include <fmt/format.h>

#include "base/error.h"
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

std::vector<std::string_view> names_for(std::string_view kind) {
  std::vector<std::string_view> names;
  for (const RoutingPolicy* policy : routing_policies()) {
    if (policy->kind == kind) names.push_back(policy->name);
  }
  return names;
}

}  // namespace

// Each is in the file of its name.
extern const RoutingPolicy kXy, kYx, kO1Turn, kOddEven, kValiant, kDimensionOrder;

const PolicyList<RoutingPolicy>& routing_policies() {
  static const PolicyList<RoutingPolicy> list("no routing function",
                                              {&kXy, &kYx, &kO1Turn, &kOddEven, &kValiant, &kDimensionOrder});
  return list;
}

bool RoutingFunction::start(Packet&, Coordinates, std::uint64_t) const { return false; }

std::unique_ptr<RoutingFunction> make_routing(const std::string& name, const Grid& grid) {
  const RoutingPolicy* policy = routing_policies().find(name);
  if (policy != nullptr && policy->kind == grid.kind())
    return policy->make(grid, policy->vc_sets(grid.size_x(), grid.size_y()));
  throw InputError(fmt::format("fabric.routing: no routing function '{}' for a {}; known: {}", name, grid.kind(),
                               fmt::join(names_for(grid.kind()), ", ")));
}

void require_deadlock_freedom(const FabricSpec& spec, int message_classes) {
  const auto routing = make_routing(spec.routing, Grid(spec));
  const std::string_view reason = routing_policies().at(spec.routing).reason;
  const int needed = routing->needed_vc_classes() * message_classes;
  if (spec.router.vcs >= needed) return;
  throw InputError(fmt::format(
      "fabric.router.vcs: {} VCs can deadlock with fabric.routing '{}' on a {} of {} x {}: it needs at least {} per "
      "message class ({} message class{}){}{}; set fabric.router.vcs to {} or more",
      spec.router.vcs, spec.routing, Grid(spec).kind(), spec.size_x, spec.size_y, routing->needed_vc_classes(),
      message_classes, message_classes == 1 ? "" : "es", reason.empty() ? "" : ", because ", reason, needed));
}

namespace detail {

PortId mesh_step(Coordinates here, int to_x, int to_y, bool x_first) {
  const PortId in_x = to_x > here.x ? kEast : kWest;
  const PortId in_y = to_y > here.y ? kNorth : kSouth;
  if (x_first) return to_x != here.x ? in_x : to_y != here.y ? in_y : kLocal;
  return to_y != here.y ? in_y : to_x != here.x ? in_x : kLocal;
}

}  // namespace detail
}  // namespace weft::router
