// SPDX-License-Identifier: Apache-2.0
// O1TURN on a mesh: each packet goes XY or YX by a coin; the two kinds use separate VCs (Seo et al., ISCA 2005).
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

class O1Turn final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  bool start(Packet& packet, Coordinates, std::uint64_t random) const override {
    packet.route_bits = static_cast<std::uint8_t>(random & 1);
    return true;
  }
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    const bool x_first = packet.route_bits == 0;
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, x_first),
            static_cast<std::uint8_t>(vc_classes() == 2 ? packet.route_bits : 0)};
  }
};

// On a line every packet goes straight.
VcSets vc_sets_of_orders(int size_x, int size_y) {
  const int sets = size_x > 1 && size_y > 1 ? 2 : 1;
  return {sets, sets};
}

}  // namespace

extern const RoutingPolicy kO1Turn;
const RoutingPolicy kO1Turn{{{"o1turn", "x or y first by a coin for each packet"},
                             "mesh",
                             vc_sets_of_orders,
                             "packets that go x first and packets that go y first need VCs of their own",
                             true},
                            make_function<O1Turn>};

}  // namespace weft::router
