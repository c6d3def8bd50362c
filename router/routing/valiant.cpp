// SPDX-License-Identifier: Apache-2.0
// Valiant routing on a mesh: XY to a random router, then XY to the destination, each phase in VCs of its own
// (Valiant and Brebner, STOC 1981).
#include "router/routing/functions.h"

namespace weft::router {
namespace {

class Valiant final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  int vc_classes() const override { return grid().nodes() > 1 ? 2 : 1; }
  std::string reason() const override {
    return "the second phase may turn where XY routing must not, so each phase needs VCs of its own";
  }
  void start(Packet& packet, Coordinates, std::uint64_t random) const override {
    const auto nodes = static_cast<std::uint32_t>(grid().nodes());
    const auto via = NodeId(static_cast<std::uint32_t>((random >> 32) * nodes >> 32));
    packet.via_x = static_cast<std::uint16_t>(grid().coordinates(via).x);
    packet.via_y = static_cast<std::uint16_t>(grid().coordinates(via).y);
    packet.route_bits = 0;
  }
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace&) const override {
    if (packet.route_bits == 0 && here.x == packet.via_x && here.y == packet.via_y) packet.route_bits = 1;
    if (packet.route_bits == 0) return {detail::mesh_step(here, packet.via_x, packet.via_y, true), 0};
    return {detail::mesh_step(here, packet.dst_x, packet.dst_y, true), 1};
  }
};

}  // namespace

std::unique_ptr<RoutingFunction> make_valiant(const Grid& grid) { return std::make_unique<Valiant>(grid); }

}  // namespace weft::router
