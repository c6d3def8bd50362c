// SPDX-License-Identifier: Apache-2.0
// Dimension-order routing on a mesh, x before y: minimal and deterministic.
#include "router/routing/functions.h"

namespace weft::router {
namespace {

class Xy final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  int vc_classes() const override { return 1; }
  std::string reason() const override { return "a packet needs some VC"; }
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, true), 0};
  }
};

}  // namespace

std::unique_ptr<RoutingFunction> make_xy(const Grid& grid) { return std::make_unique<Xy>(grid); }

}  // namespace weft::router
