// SPDX-License-Identifier: Apache-2.0
// What parts of a system ask of their fabric, whatever kind it is.
#pragma once

#include <cstdint>

#include "config/config.h"

namespace weft {

/// Flits of the longest packet.
inline constexpr std::uint64_t kMostPacketFlits = 65535;

/// Network interfaces lead into planes of switches, whose traffic classes are the classes of messages; otherwise into
/// routers.
inline bool has_planes(const FabricSpec& fabric) { return has_planes(fabric.kind); }
/// The border of a grid, where I/O controllers can sit.
inline bool has_border(const FabricSpec& fabric) { return is_grid(fabric.kind) && !wraps_around(fabric.kind); }
/// Switches reduce and copy on the way.
inline bool switches_reduce(const FabricSpec& fabric) { return has_planes(fabric) && fabric.fred.in_switch; }

/// A packet for many is copied on its way: by routers, and by switches that are set up for it.
inline bool copies_in_flight(const FabricSpec& fabric) { return !has_planes(fabric) || fabric.fred.in_switch; }

/// Where network interfaces send.
enum class Entry : std::uint8_t {
  kRouter,   ///< into one router, whose VCs the classes of messages share
  kSwitches  ///< into a switch in each plane, whose traffic classes are the classes of messages
};

/// How network interfaces are joined to a fabric.
struct InterfaceFacts {
  Entry entry = Entry::kRouter;
  std::uint32_t first_link = 0;  ///< the link out of port p of node n has number first_link + n * link_step + p
  std::uint32_t link_step = 1;
  int npus_per_switch = 0;  ///< NPUs whose messages to each other pass one switch only; 0 = there are no such switches
};
InterfaceFacts interface_facts(const FabricSpec& fabric);

/// I/O controllers are nodes behind the NPUs; otherwise each shares the port of an NPU.
inline bool io_controllers_are_nodes(const FabricSpec& fabric) { return has_planes(fabric); }
inline int io_controllers(const FabricSpec& fabric) {
  return has_planes(fabric) ? fabric.fred.io_controllers : fabric.border_io.controllers;
}
/// Flits per cycle of a controller, over all planes.
inline double io_rate(const FabricSpec& fabric) {
  return has_planes(fabric) ? fabric.fred.io_rate.value() * fabric.fred.planes : fabric.border_io.rate.value();
}

}  // namespace weft
