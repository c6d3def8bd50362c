// SPDX-License-Identifier: Apache-2.0
// Routing functions: where they lead, and that they can deadlock exactly where they are refused.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "tests/router/support/dependency_graph.h"

namespace weft::router::test {
namespace {

using testing::HasSubstr;

struct Case {
  const char* name;
  bool wraps;
  int size_x;
  int size_y;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name << " " << c.size_x << "x" << c.size_y; }

std::string name_of(const Case& c) {
  return std::string(c.name) + "_" + std::to_string(c.size_x) + "x" + std::to_string(c.size_y);
}

// Coins for the deterministic functions, and enough intermediate routers for Valiant to meet all of a small grid.
std::vector<std::uint64_t> choices_for(const Case& c) {
  std::vector<std::uint64_t> choices{0, 1, 2, 3};
  if (std::string(c.name) == "valiant") {
    const auto nodes = static_cast<std::uint64_t>(c.size_x * c.size_y);
    choices.clear();
    for (std::uint64_t via = 0; via < nodes; ++via) choices.push_back(((via << 32) / nodes + 1) << 32);
  }
  return choices;
}

int ring_distance(int from, int to, int size, bool wraps) {
  const int straight = std::abs(to - from);
  return wraps ? std::min(straight, size - straight) : straight;
}

class Routing : public testing::TestWithParam<Case> {
 protected:
  Grid grid_{GetParam().wraps, GetParam().size_x, GetParam().size_y};
  std::unique_ptr<RoutingFunction> routing_ = make_routing(GetParam().name, grid_);
};

// follow() throws when a route leaves the grid or does not end. Valiant alone may take detours.
TEST_P(Routing, leads_every_packet_to_its_destination_by_a_shortest_route) {
  for (int from = 0; from < grid_.nodes(); ++from) {
    for (int to = 0; to < grid_.nodes(); ++to) {
      const Coordinates source = grid_.coordinates(NodeId(static_cast<std::uint32_t>(from)));
      const Coordinates target = grid_.coordinates(NodeId(static_cast<std::uint32_t>(to)));
      const auto shortest =
          static_cast<std::size_t>(ring_distance(source.x, target.x, grid_.size_x(), GetParam().wraps) +
                                   ring_distance(source.y, target.y, grid_.size_y(), GetParam().wraps));
      for (const std::uint64_t random : choices_for(GetParam())) {
        Packet packet;
        packet.dst_x = static_cast<std::uint16_t>(target.x);
        packet.dst_y = static_cast<std::uint16_t>(target.y);
        routing_->start(packet, source, random);
        std::vector<Route> routes;
        follow(*routing_, grid_, source, kLocal, packet, false, {}, &routes);
        ASSERT_FALSE(routes.empty());
        for (const Route& route : routes) {
          if (std::string(GetParam().name) == "valiant") {
            ASSERT_GE(route.size(), shortest);
          } else {
            ASSERT_EQ(route.size(), shortest) << from << " to " << to;
          }
        }
      }
    }
  }
}

// What a packet has chosen is in the packet alone.
TEST_P(Routing, says_where_chance_decides) {
  for (int from = 0; from < grid_.nodes(); ++from) {
    for (int to = 0; to < grid_.nodes(); ++to) {
      const Coordinates target = grid_.coordinates(NodeId(static_cast<std::uint32_t>(to)));
      std::set<std::vector<int>> chosen;
      bool by_chance = false;
      for (const std::uint64_t random : choices_for(GetParam())) {
        Packet packet;
        packet.dst_x = static_cast<std::uint16_t>(target.x);
        packet.dst_y = static_cast<std::uint16_t>(target.y);
        const Coordinates source = grid_.coordinates(NodeId(static_cast<std::uint32_t>(from)));
        by_chance = routing_->start(packet, source, random);
        chosen.insert({packet.via_x, packet.via_y, packet.route_bits});
      }
      EXPECT_TRUE(by_chance || chosen.size() == 1) << from << " to " << to;
    }
  }
}

TEST_P(Routing, cannot_deadlock_with_its_vc_sets) {
  EXPECT_FALSE(has_circle(all_routes(*routing_, grid_, false, choices_for(GetParam()))));
}

// The number of sets is the smallest one: with all VCs in one set there is a circle, unless one set is all it needs.
TEST_P(Routing, needs_no_more_vc_sets_than_it_says) {
  EXPECT_EQ(has_circle(all_routes(*routing_, grid_, true, choices_for(GetParam()))), routing_->needed_vc_classes() > 1);
}

TEST_P(Routing, is_refused_with_too_few_vcs_and_only_then) {
  FabricSpec fabric;
  fabric.kind = GetParam().wraps ? FabricKind::kTorus : FabricKind::kMesh;
  fabric.size_x = GetParam().size_x;
  fabric.size_y = GetParam().size_y;
  fabric.routing = GetParam().name;
  for (int classes = 1; classes <= 2; ++classes) {
    fabric.router.vcs = routing_->needed_vc_classes() * classes;
    EXPECT_NO_THROW(require_deadlock_freedom(fabric, classes));
    if (--fabric.router.vcs == 0) continue;
    EXPECT_THROW(require_deadlock_freedom(fabric, classes), InputError);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Routing,
                         testing::Values(Case{"xy", false, 4, 4}, Case{"xy", false, 5, 1}, Case{"yx", false, 4, 3},
                                         Case{"o1turn", false, 4, 4}, Case{"o1turn", false, 6, 1},
                                         Case{"odd_even", false, 5, 4}, Case{"odd_even", false, 4, 5},
                                         Case{"valiant", false, 3, 3}, Case{"valiant", false, 4, 3},
                                         Case{"dimension_order", true, 4, 4}, Case{"dimension_order", true, 5, 3},
                                         Case{"dimension_order", true, 8, 1}, Case{"dimension_order", true, 3, 3},
                                         Case{"dimension_order", true, 2, 6}),
                         [](const auto& tested) { return name_of(tested.param); });

TEST(RoutingRefusal, says_why_and_what_would_do_bad) {
  FabricSpec fabric;
  fabric.kind = FabricKind::kTorus;
  fabric.size_x = fabric.size_y = 8;
  fabric.routing = "dimension_order";
  fabric.router.vcs = 1;
  try {
    require_deadlock_freedom(fabric, 1);
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("fabric.router.vcs: 1 VCs can deadlock with fabric.routing 'dimension_order' on "
                          "a torus of 8 x 8"));
    EXPECT_THAT(error.what(), HasSubstr("wrap around a ring of four or more routers"));
    EXPECT_THAT(error.what(), HasSubstr("set fabric.router.vcs to 2 or more"));
  }
}

// Both ways round are as long at distance k/2: the coins of (0,0) to (4,4) on 8x8 choose each dimension on its own.
TEST(DimensionOrder, breaks_ties_by_one_coin_per_dimension) {
  const Grid grid(true, 8, 8);
  const auto routing = make_routing("dimension_order", grid);
  int east = 0;
  int north = 0;
  constexpr int kPackets = 4000;
  for (int i = 0; i < kPackets; ++i) {
    Packet packet;
    packet.dst_x = packet.dst_y = 4;
    routing->start(packet, {0, 0}, random_bits(1, 2, static_cast<std::uint64_t>(i)));
    Packet copy = packet;
    east += routing->route({0, 0}, kLocal, copy, {}).port == kEast;
    north += routing->route({4, 0}, kWest, copy, {}).port == kNorth;
  }
  // Five standard deviations of a fair coin.
  EXPECT_NEAR(east, kPackets / 2.0, 5 * std::sqrt(kPackets / 4.0));
  EXPECT_NEAR(north, kPackets / 2.0, 5 * std::sqrt(kPackets / 4.0));
}

// Chiu's rules: no east-north or east-south turn in an even column, no north-west or south-west turn in an odd one.
TEST(OddEven, takes_no_forbidden_turn) {
  const Grid grid(false, 6, 6);
  const auto routing = make_routing("odd_even", grid);
  for (const Route& route : all_routes(*routing, grid, false, {0})) {
    for (std::size_t i = 1; i < route.size(); ++i) {
      const auto [x, y, port, set] = route[i];
      const PortId before{static_cast<std::uint8_t>(std::get<2>(route[i - 1]))};
      const PortId after{static_cast<std::uint8_t>(port)};
      const bool vertical = after == kNorth || after == kSouth;
      if (before == kEast && vertical) {
        EXPECT_EQ(x % 2, 1) << "east turn at (" << x << "," << y << ")";
      }
      if ((before == kNorth || before == kSouth) && after == kWest) {
        EXPECT_EQ(x % 2, 0) << "west turn at (" << x << "," << y << ")";
      }
    }
  }
}

}  // namespace
}  // namespace weft::router::test
