// SPDX-License-Identifier: Apache-2.0
// Why outputs of a router carry nothing although something on a set-up route waits for them.
#include "router/colour/colour_plane.h"
#include "router/router_state.h"

namespace weft::router {

// Flits at inputs that a later position serves wait for what the current one still has to pass.
void ColourPlane::note_lost_positions(const Stop& stop, Visit& visit) const {
  for (int port = 0; port < kMeshPorts; ++port) {
    if (stop.queues[port].flits == 0 || (current(stop).inputs >> port & 1) != 0) continue;
    for (unsigned ahead = 1; ahead < stop.positions; ++ahead) {
      const ColourPosition& later = positions_[stop.first_position + (stop.position + ahead) % stop.positions];
      if ((later.inputs >> port & 1) == 0) continue;
      visit.lost |= later.outputs;
      break;
    }
  }
}

// Why a position that merges gives nothing: another colour has the adder, or an operand is missing. What is in its
// pipeline is on its way.
void ColourPlane::note_merge(const Stop& stop, Visit& visit, Cycle now) const {
  const ColourPosition& position = current(stop);
  if (!position.merge) return;
  const Merger& merger = mergers_[stop.merger];
  bool waits = false;
  for (std::size_t stage = last_stage(position) + 1; stage-- > 0;) {
    if (!merger.stages[stage].empty()) {
      if (stage == last_stage(position) || merger.stages[stage].front().at > now) return;
    }
    const bool first = stage > 0
                           ? !merger.stages[stage - 1].empty()
                           : stop.queues[merge_input(position, 0)].ready > 0 && merger.messages_in < stop.messages_left;
    const bool second = stop.queues[merge_input(position, stage + 1)].ready > 0;
    if (first && second && (stage == 0 || merger.stages[stage - 1].front().at <= now)) {
      visit.lost |= position.outputs;
      return;
    }
    waits = waits || first || second;
  }
  if (waits) visit.merging |= position.outputs;
}

void ColourPlane::note_waits(std::uint32_t router, const Visit& visit, Cycle now) {
  RouterEntry& entry = routers_[router];
  const unsigned changed = (visit.lost ^ entry.lost) | (visit.merging ^ entry.merging) | (visit.held ^ entry.held);
  if (changed == 0) return;
  entry.lost = static_cast<std::uint8_t>(visit.lost);
  entry.merging = static_cast<std::uint8_t>(visit.merging);
  entry.held = static_cast<std::uint8_t>(visit.held);
  if (around_.statistics == nullptr) return;
  for_each_bit(std::uint32_t{changed},
               [&](int port) { meter(router, port).set_waits(now, kColourWaits, waits(router, port)); });
}

std::uint8_t ColourPlane::waits(std::uint32_t router, int port) const {
  const RouterEntry& entry = routers_[router];
  const auto bit = [port](std::uint8_t outputs, PortWaits wait) { return (outputs >> port & 1) != 0 ? wait : 0; };
  return static_cast<std::uint8_t>(bit(entry.lost, kColoursLost) | bit(entry.merging, kColoursMerging) |
                                   bit(entry.held, kColoursHeld));
}

}  // namespace weft::router
