// SPDX-License-Identifier: Apache-2.0
// All routing functions by name.
#include <fmt/format.h>

#include "base/error.h"
#include "router/routing/functions.h"
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

struct Entry {
  const char* name;
  FabricKind kind;
  std::unique_ptr<RoutingFunction> (*make)(const Grid&);
};

constexpr Entry kEntries[] = {
    {"xy", FabricKind::kMesh, make_xy},           {"yx", FabricKind::kMesh, make_yx},
    {"o1turn", FabricKind::kMesh, make_o1turn},   {"odd_even", FabricKind::kMesh, make_odd_even},
    {"valiant", FabricKind::kMesh, make_valiant}, {"dimension_order", FabricKind::kTorus, make_dimension_order},
};

}  // namespace

void RoutingFunction::start(Packet&, Coordinates, std::uint64_t) const {}

std::vector<std::string> routing_names(FabricKind kind) {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    if (entry.kind == kind) names.emplace_back(entry.name);
  }
  return names;
}

std::unique_ptr<RoutingFunction> make_routing(const std::string& name, const Grid& grid) {
  for (const Entry& entry : kEntries) {
    if (entry.kind == grid.kind() && name == entry.name) return entry.make(grid);
  }
  throw InputError(fmt::format("fabric.routing: no routing function '{}' for a {}; known: {}", name,
                               grid.kind() == FabricKind::kMesh ? "mesh" : "torus",
                               fmt::join(routing_names(grid.kind()), ", ")));
}

void require_deadlock_freedom(const FabricSpec& spec, int message_classes) {
  const auto routing = make_routing(spec.routing, Grid(spec));
  const int needed = routing->needed_vc_classes() * message_classes;
  if (spec.router.vcs >= needed) return;
  throw InputError(fmt::format(
      "fabric.router.vcs: {} VCs can deadlock with fabric.routing '{}' on a {} of {} x {}: it needs at least {} per "
      "message class ({} message class{}), because {}; set fabric.router.vcs to {} or more",
      spec.router.vcs, spec.routing, spec.kind == FabricKind::kMesh ? "mesh" : "torus", spec.size_x, spec.size_y,
      routing->needed_vc_classes(), message_classes, message_classes == 1 ? "" : "es", routing->reason(), needed));
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
