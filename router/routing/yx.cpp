// SPDX-License-Identifier: Apache-2.0
// Dimension-order routing on a mesh, y before x: minimal and deterministic.
#include "router/routing/functions.h"

namespace weft::router {
namespace {

class Yx final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  int vc_classes() const override { return 1; }
  std::string reason() const override { return "a packet needs some VC"; }
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, false), 0};
  }
};

}  // namespace

std::unique_ptr<RoutingFunction> make_yx(const Grid& grid) { return std::make_unique<Yx>(grid); }

}  // namespace weft::router
