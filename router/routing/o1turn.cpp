// SPDX-License-Identifier: Apache-2.0
// O1TURN on a mesh: each packet goes XY or YX by a coin; the two kinds use separate VCs (Seo et al., ISCA 2005).
#include "router/routing/functions.h"

namespace weft::router {
namespace {

class O1Turn final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  int vc_classes() const override { return grid().size_x() > 1 && grid().size_y() > 1 ? 2 : 1; }
  std::string reason() const override {
    return "XY and YX packets in one VC set turn both ways and so can wait in a circle";
  }
  void start(Packet& packet, Coordinates, std::uint64_t random) const override {
    packet.route_bits = static_cast<std::uint8_t>(random & 1);
  }
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    const bool x_first = packet.route_bits == 0;
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, x_first),
            static_cast<std::uint8_t>(vc_classes() == 2 ? packet.route_bits : 0)};
  }
};

}  // namespace

std::unique_ptr<RoutingFunction> make_o1turn(const Grid& grid) { return std::make_unique<O1Turn>(grid); }

}  // namespace weft::router
