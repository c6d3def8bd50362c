// SPDX-License-Identifier: Apache-2.0
// Dimension-order routing on a mesh, y before x: minimal and deterministic.
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

class Yx final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, false), 0};
  }
};

}  // namespace

extern const RoutingPolicy kYx;
const RoutingPolicy kYx{{{"yx", "y before x"}, "mesh", one_vc_set, "", false}, make_function<Yx>};

}  // namespace weft::router
