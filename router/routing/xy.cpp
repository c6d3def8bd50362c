// SPDX-License-Identifier: Apache-2.0
// Dimension-order routing on a mesh, x before y: minimal and deterministic.
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

class Xy final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, true), 0};
  }
};

}  // namespace

extern const RoutingPolicy kXy;
const RoutingPolicy kXy{{{"xy", "x before y"}, "mesh", one_vc_set, "", true}, make_function<Xy>};

}  // namespace weft::router
