// SPDX-License-Identifier: Apache-2.0
// Valiant routing on a mesh: XY to a random router, then XY to the destination, each phase in VCs of its own
// (Valiant and Brebner, STOC 1981).
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

class Valiant final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  bool start(Packet& packet, Coordinates, std::uint64_t random) const override {
    const auto nodes = static_cast<std::uint32_t>(grid().nodes());
    const auto via = NodeId(static_cast<std::uint32_t>((random >> 32) * nodes >> 32));
    packet.via_x = static_cast<std::uint16_t>(grid().coordinates(via).x);
    packet.via_y = static_cast<std::uint16_t>(grid().coordinates(via).y);
    packet.route_bits = 0;
    return true;
  }
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    if (packet.route_bits == 0 && here.x == packet.via_x && here.y == packet.via_y) packet.route_bits = 1;
    if (packet.route_bits == 0) return {detail::mesh_step(here, packet.via_x, packet.via_y, true), 0};
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, true), 1};
  }
};

VcSets vc_sets_of_phases(int size_x, int size_y) {
  const int sets = size_x * size_y > 1 ? 2 : 1;
  return {sets, sets};
}

}  // namespace

extern const RoutingPolicy kValiant;
const RoutingPolicy kValiant{{{"valiant", "over a random router for each packet, x before y"},
                              "mesh",
                              vc_sets_of_phases,
                              "the way to the intermediate node and the way from it need VCs of their own",
                              true},
                             make_function<Valiant>};

}  // namespace weft::router
