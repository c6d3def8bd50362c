// SPDX-License-Identifier: Apache-2.0
// Fetches the state of routers into the caches before the colours of a large region visit them.
#include "base/prefetch.h"
#include "router/alloc/round_robin.h"
#include "router/colour/colour_plane.h"
#include "router/router_state.h"

namespace weft::router {

// The flits that may leave a router next; those of merges come from several inputs and are left out.
template <typename Use>
void ColourPlane::for_each_next(std::uint32_t router, Use use) const {
  const RouterEntry& entry = routers_[router];
  for (std::uint32_t i = 0; i < entry.stops; ++i) {
    const Stop& stop = stops_[entry.first + i];
    const auto input = static_cast<std::uint8_t>(lowest_bit(std::uint32_t{current(stop).inputs}));
    if (stop.queues[input].flits > 0) use(front(stop, input));
  }
}

// Fetches what visits of routers that come soon will touch: the stops, the counters of the ports, the flits that are
// next in the queues, and their packets.
void ColourPlane::fetch_router(std::size_t position) const {
  if (position + kFetchAhead < visiting_.size()) {
    const std::uint32_t router = visiting_[position + kFetchAhead];
    const RouterEntry& entry = routers_[router];
    fetch_lines(&stops_[entry.first], entry.stops * sizeof(Stop));
    if (around_.statistics != nullptr) {
      fetch_lines(&around_.statistics[std::size_t{router} * kMeshPorts], kMeshPorts * sizeof(PortStatistics));
    }
  }
  if (position + kFetchThird < visiting_.size()) {
    for_each_next(visiting_[position + kFetchThird], [](const Flit& next) { fetch_line(&next); });
  }
  if (position + kFetchFourth < visiting_.size()) {
    for_each_next(visiting_[position + kFetchFourth], [this](const Flit& next) { fetch_packet(next); });
  }
}

void ColourPlane::fetch_packet(Flit flit) const { fetch_lines(&(*around_.pool)[flit.packet()], sizeof(Packet)); }

}  // namespace weft::router
