// SPDX-License-Identifier: Apache-2.0
// Channel dependency graph of a routing function (Dally and Seitz, IEEE TC 36(5), 1987), built by following every
// packet that the function allows. Knows nothing of the router.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "router/routing/routing_function.h"

namespace weft::router::test {

/// A channel: the link out of `port` at a router, in one VC set.
using Channel = std::tuple<int, int, int, int>;  // x, y, port, VC set

/// One route of one packet: the channels that it uses, in order.
using Route = std::vector<Channel>;

/// All routes that `routing` allows from `source` to `destination` with the choices of `random`; adaptive functions are
/// asked with each output in turn as the emptiest.
inline void follow(const RoutingFunction& routing, const Grid& grid, Coordinates here, PortId in, Packet packet,
                   bool merge_sets, const Route& route, std::vector<Route>* routes) {
  if (here.x == packet.dst_x && here.y == packet.dst_y) {
    routes->push_back(route);
    return;
  }
  std::set<int> taken;
  for (int favourite = 0; favourite < (routing.adaptive() ? 4 : 1); ++favourite) {
    OutputSpace space{};
    space[static_cast<std::size_t>(favourite)] = 1;
    Packet copy = packet;
    const RouteChoice choice = routing.route(here, in, copy, space);
    if (!taken.insert(index(choice.port)).second) continue;
    Coordinates there;
    if (!grid.neighbour(here, choice.port, &there)) throw std::runtime_error("the way leaves the grid");
    if (route.size() > 200) throw std::runtime_error("the way has no end");
    Route longer = route;
    longer.push_back({here.x, here.y, index(choice.port), merge_sets ? 0 : choice.vc_class});
    follow(routing, grid, there, opposite(choice.port), copy, merge_sets, longer, routes);
  }
}

/// The routes of all packets between all pairs; `choices` values of the random bits are tried for each.
inline std::vector<Route> all_routes(const RoutingFunction& routing, const Grid& grid, bool merge_sets,
                                     const std::vector<std::uint64_t>& choices) {
  std::vector<Route> routes;
  for (int from = 0; from < grid.nodes(); ++from) {
    for (int to = 0; to < grid.nodes(); ++to) {
      for (const std::uint64_t random : choices) {
        Packet packet;
        const Coordinates source = grid.coordinates(NodeId(static_cast<std::uint32_t>(from)));
        const Coordinates target = grid.coordinates(NodeId(static_cast<std::uint32_t>(to)));
        packet.dst_x = static_cast<std::uint16_t>(target.x);
        packet.dst_y = static_cast<std::uint16_t>(target.y);
        routing.start(packet, source, random);
        follow(routing, grid, source, kLocal, packet, merge_sets, {}, &routes);
      }
    }
  }
  return routes;
}

/// Whether some packets can wait for each other in a circle: a circle in the graph of channels that follow each other
/// on some route.
inline bool has_circle(const std::vector<Route>& routes) {
  std::map<Channel, std::set<Channel>> next;
  std::map<Channel, int> before;  // channels that lead here and are not removed yet
  for (const Route& route : routes) {
    for (std::size_t i = 0; i < route.size(); ++i) {
      next[route[i]];
      before[route[i]];
      if (i > 0 && next[route[i - 1]].insert(route[i]).second) ++before[route[i]];
    }
  }
  // Remove channels that nobody leads to; what is left lies on or behind a circle.
  std::vector<Channel> free;
  for (const auto& [channel, count] : before) {
    if (count == 0) free.push_back(channel);
  }
  std::size_t removed = 0;
  while (!free.empty()) {
    const Channel channel = free.back();
    free.pop_back();
    ++removed;
    for (const Channel& after : next[channel]) {
      if (--before[after] == 0) free.push_back(after);
    }
  }
  return removed != before.size();
}

}  // namespace weft::router::test
