// SPDX-License-Identifier: Apache-2.0
// A ring of routers, links in both directions.
#include "network/kinds/graph_kinds.h"
#include "network/names.h"

namespace weft::network {
namespace {

// Ports of each router; its NPU has the last one, as on a grid.
constexpr std::uint32_t kUp = 0;
constexpr std::uint32_t kDown = 1;

// Packet::route_bits.
constexpr std::uint8_t kCoin = 1;
constexpr std::uint8_t kUpperSet = 4;

class ShortestRoute final : public GraphRouting {
 public:
  explicit ShortestRoute(int size) : size_(size) {}
  int vc_classes() const override { return 2; }
  // Only the NPU opposite is as far in one direction as in the other.
  bool start(Packet& packet, std::uint64_t random) const override {
    const bool is_opposite = 2 * hops_up(static_cast<int>(index(packet.src)), packet) == size_;
    packet.route_bits = is_opposite ? static_cast<std::uint8_t>(random & kCoin) : std::uint8_t{0};
    return is_opposite;
  }
  Hop next(std::uint32_t router, std::uint32_t port, Packet& packet) const override {
    if (port == kUp || port == kDown) return {port == kUp ? kDown : kUp, vc_class(packet)};
    const int from = static_cast<int>(router);
    const int ahead = hops_up(from, packet);
    const bool up = 2 * ahead < size_ || (2 * ahead == size_ && (packet.route_bits & kCoin) != 0);
    // Going up, packets that wrap take the upper set; going down, those that do not.
    if (static_cast<int>(index(packet.dst)) < from) packet.route_bits |= kUpperSet;
    return {up ? kUp : kDown, vc_class(packet)};
  }

 private:
  int hops_up(int from, const Packet& packet) const {
    return (static_cast<int>(index(packet.dst)) - from + size_) % size_;
  }
  static std::uint8_t vc_class(const Packet& packet) {
    return static_cast<std::uint8_t>((packet.route_bits & kUpperSet) != 0);
  }
  int size_;
};

/// Routers 0 .. n - 1 in a circle, an NPU at each. Port `up` leads to the next one, `down` to the one before.
RouterGraph build_ring(const FabricSpec& fabric) {
  RouterGraph graph;
  const auto size = static_cast<std::uint32_t>(fabric.nodes());
  for (std::uint32_t i = 0; i < size; ++i) {
    graph.add_router(router_name(i), i, 0);
    if (size > 1) {
      graph.add_port(i, "up", fabric.link);
      graph.add_port(i, "down", fabric.link);
    }
    graph.attach_npu(i, "local", fabric.local);
  }
  for (std::uint32_t i = 0; size > 1 && i < size; ++i) graph.join({i, kUp}, {(i + 1) % size, kDown});
  return graph;
}

/// In a ring of up to three routers no packet makes two hops, so that nothing can wait in a circle.
VcSets vc_sets_of_ring(int size_x, int size_y) { return {2, size_x > 3 || size_y > 3 ? 2 : 1}; }

int ring_ports(int npus) { return npus > 1 ? 3 : 1; }

std::unique_ptr<GraphRouting> make_shortest_route(const FabricSpec& fabric) {
  return std::make_unique<ShortestRoute>(fabric.nodes());
}

}  // namespace

extern const GraphKind kRing;
const GraphKind kRing{{{"ring", "routers in a ring"},
                       "ring of routers",
                       "shortest_way",
                       vc_sets_of_ring,
                       "packets that wrap around a ring of four or more routers need VCs of their own",
                       true,
                       ring_ports},
                      build_ring,
                      make_shortest_route};

}  // namespace weft::network
