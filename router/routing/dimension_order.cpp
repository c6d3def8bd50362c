// SPDX-License-Identifier: Apache-2.0
// Dimension-order routing on a torus: x before y, the shorter direction round each ring, ties by a coin per packet and
// dimension. Two VC sets break each ring: going up, packets that wrap use the upper set; going down, those that do
// not.
#include "router/routing/routing_function.h"

namespace weft::router {
namespace {

// route_bits: coins for x and y, and the VC set in the current dimension.
constexpr std::uint8_t kCoinX = 1;
constexpr std::uint8_t kCoinY = 2;
constexpr std::uint8_t kUpperSet = 4;

class DimensionOrder final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  bool start(Packet& packet, Coordinates source, std::uint64_t random) const override {
    unsigned ties = is_tie(source.x, packet.dst_x, grid().size_x()) ? kCoinX : 0;
    if (is_tie(source.y, packet.dst_y, grid().size_y())) ties |= kCoinY;
    packet.route_bits = static_cast<std::uint8_t>(random & ties);
    return ties != 0;
  }
  RouteChoice route(Coordinates here, PortId in, Packet& packet, const OutputSpace&) const override {
    const bool in_x = packet.dst_x != here.x;
    const PortId up = in_x ? kEast : kNorth;
    PortId out;
    if (in != kLocal && index(in) / 2 == index(up) / 2) {
      out = opposite(in);
    } else {
      out = enter_dimension(in_x ? here.x : here.y, in_x ? packet.dst_x : packet.dst_y,
                            in_x ? grid().size_x() : grid().size_y(), up, in_x ? kCoinX : kCoinY, packet);
    }
    return {out, static_cast<std::uint8_t>((packet.route_bits & kUpperSet) != 0)};
  }

 private:
  /// Hops in the direction in which coordinates grow.
  static int hops_up(int from, int to, int size) { return (to - from + size) % size; }
  static bool is_tie(int from, int to, int size) { return 2 * hops_up(from, to, size) == size; }
  static PortId enter_dimension(int from, int to, int size, PortId up, std::uint8_t coin, Packet& packet) {
    const int ahead = hops_up(from, to, size);
    const bool go_up = 2 * ahead < size || (2 * ahead == size && (packet.route_bits & coin) != 0);
    packet.route_bits = static_cast<std::uint8_t>(packet.route_bits & ~kUpperSet);
    if (to < from) packet.route_bits |= kUpperSet;
    return go_up ? up : opposite(up);
  }
};

// In a ring of up to three routers no packet makes two hops in one dimension, so no circle can close.
VcSets vc_sets_of_rings(int size_x, int size_y) { return {2, size_x > 3 || size_y > 3 ? 2 : 1}; }

}  // namespace

extern const RoutingPolicy kDimensionOrder;
const RoutingPolicy kDimensionOrder{{{"dimension_order", "x before y, the shorter way round"},
                                     "torus",
                                     vc_sets_of_rings,
                                     "packets that wrap around a ring of four or more routers need VCs of their own",
                                     true},
                                    make_function<DimensionOrder>};

}  // namespace weft::router
