// SPDX-License-Identifier: Apache-2.0
// What parts of a system ask of their fabric, whatever kind it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.h"

namespace weft {

/// Flits of the longest packet.
inline constexpr std::uint64_t kMostPacketFlits = 65535;

/// A fabric in a sentence, behind "a", from the name of its kind: "mesh", "ring of routers". A name that nobody has is
/// followed by "fabric".
std::string fabric_words(std::string_view kind);
/// Whether links lead round, so that the last router of a row is beside the first.
bool wraps_around(const FabricSpec& fabric);
/// Switches reduce and copy packets in flight.
bool switches_reduce(const FabricSpec& fabric);

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
bool io_controllers_are_nodes(const FabricSpec& fabric);
/// Flits per cycle of a controller, over all planes.
inline double io_rate(const FabricSpec& fabric) { return fabric.io.rate.value() * fabric.fred.planes; }

}  // namespace weft
