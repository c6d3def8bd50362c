// SPDX-License-Identifier: Apache-2.0
// Minimal adaptive routing with the odd-even turn model (Chiu, IEEE TPDS 11(7), 2000): no east-to-north or
// east-to-south turn in an even column, no north-to-west or south-to-west turn in an odd column.
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

class OddEven final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  bool adaptive() const override { return true; }
  bool start(Packet& packet, Coordinates source, std::uint64_t) const override {
    packet.via_x = static_cast<std::uint16_t>(source.x);
    return false;
  }
  RouteChoice route(Coordinates here, PortId, Packet& packet, const OutputSpace& space) const override {
    const int dx = packet.dst_x - here.x;
    const int dy = packet.dst_y - here.y;
    const PortId vertical = dy > 0 ? kNorth : kSouth;
    bool in_y = false;
    bool in_x = false;
    if (dx == 0) {
      in_y = true;
    } else if (dx > 0) {
      // Eastbound: it may leave the row in odd columns and in its source column, and must not have to turn in an
      // even destination column.
      in_y = dy != 0 && (here.x % 2 == 1 || here.x == packet.via_x);
      in_x = dy == 0 || packet.dst_x % 2 == 1 || dx != 1;
    } else {
      // Westbound: it may leave the row in even columns only, because it must turn west again.
      in_x = true;
      in_y = dy != 0 && here.x % 2 == 0;
    }
    const PortId horizontal = dx > 0 ? kEast : kWest;
    if (in_x && in_y) return {space[index(vertical)] > space[index(horizontal)] ? vertical : horizontal, 0};
    return {in_x ? horizontal : vertical, 0};
  }
};

}  // namespace

extern const RoutingPolicy kOddEven;
const RoutingPolicy kOddEven{{{"odd_even", "adaptive by the odd-even turn model"}, "mesh", one_vc_set, "", false},
                             make_function<OddEven>};

}  // namespace weft::router
