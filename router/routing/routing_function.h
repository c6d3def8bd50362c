// SPDX-License-Identifier: Apache-2.0
// The interface of routing functions and their registry. One file per function; adding one is a file and a line in
// registry.cpp.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/packet.h"
#include "base/policy.h"
#include "config/policies.h"
#include "router/grid_names.h"

namespace weft::router {

/// Where a head flit goes next.
struct RouteChoice {
  PortId port{};
  std::uint8_t vc_class = 0;  ///< which of the function's VC sets it may use; kAnyVcClass = all of them
};

/// The packet may use every VC of its message class: at its destination.
inline constexpr std::uint8_t kAnyVcClass = 0xff;

/// Free buffer slots behind each output, in flits over all VCs: what adaptive functions look at.
using OutputSpace = std::array<std::uint32_t, kMeshPorts>;

/// A routing function for one grid. Stateless: all choices are in the packet.
class RoutingFunction {
 public:
  RoutingFunction(const Grid& grid, VcSets sets) : grid_(grid), sets_(sets) {}
  virtual ~RoutingFunction() = default;

  /// Disjoint sets that the VCs of a message class are split into.
  int vc_classes() const { return sets_.split; }
  /// How many of them it needs on this grid to be free of deadlock; with fewer VCs all sets are the same.
  int needed_vc_classes() const { return sets_.needed; }
  /// Whether route() reads the OutputSpace.
  virtual bool adaptive() const { return false; }
  /// Makes the packet's choices at its source, from `random` where chance decides: 64 bits that belong to this packet
  /// alone. The destination's coordinates are set already. Returns whether chance has decided; false promises that
  /// another `random` would have left the packet the same.
  virtual bool start(Packet& packet, Coordinates source, std::uint64_t random) const;
  /// The next hop of a head flit at `here` that came in by `in`. Never asked for a packet that is at its destination.
  virtual RouteChoice route(Coordinates here, PortId in, Packet& packet, const OutputSpace& space) const = 0;

 protected:
  const Grid& grid() const { return grid_; }

 private:
  Grid grid_;
  VcSets sets_;
};

/// A routing function as the registry lists it: a constant of its file.
struct RoutingPolicy : RoutingFacts {
  std::unique_ptr<RoutingFunction> (*make)(const Grid& grid, VcSets sets) = nullptr;
};
/// The `make` of a RoutingPolicy whose function is of class `Function`.
template <typename Function>
std::unique_ptr<RoutingFunction> make_function(const Grid& grid, VcSets sets) {
  return std::make_unique<Function>(grid, sets);
}

/// All routing functions.
const PolicyList<RoutingPolicy>& routing_policies();

/// The function called `name`; throws InputError with the known names if there is none for this kind of grid.
std::unique_ptr<RoutingFunction> make_routing(const std::string& name, const Grid& grid);

/// Throws InputError with the reason if `spec` has too few VCs for its routing function and message classes, so that
/// packets could wait for each other in a circle.
void require_deadlock_freedom(const FabricSpec& spec, int message_classes);

namespace detail {
/// Next hop of dimension-order routing on a mesh towards (to_x, to_y); kLocal when there.
PortId mesh_step(Coordinates here, int to_x, int to_y, bool x_first);
}  // namespace detail

}  // namespace weft::router
