// SPDX-License-Identifier: Apache-2.0
// How the logical switches of a FRED fabric are made of chiplets, and what its links carry.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace weft {

/// Legal sizes of a chiplet.
inline constexpr int kMostFredPorts = 256;
inline constexpr int kMostFredMiddles = 16;

/// One level of switches. Each plane has the same.
struct FredLevelShape {
  int children = 1;         ///< children of one logical switch: NPUs at level 1, switches of the level below elsewhere
  int links_per_child = 1;  ///< uplinks of a child; an NPU has one link
  int bundle = 1;           ///< links of a child to one chiplet: a power of two, the same order of additions on all
  int chiplets = 1;         ///< chiplets of one logical switch in one plane
  int up_ports = 0;         ///< ports of a chiplet to the level above
  int io_ports = 0;         ///< most ports of a chiplet to I/O controllers
  int used_ports() const { return children * bundle + up_ports + io_ports; }
};

/// I/O controllers at one switch of the lowest level, as even as possible: 18 over 5 are 4, 4, 4, 3, 3.
int io_controllers_at(const FabricSpec& fabric, int group);

/// Returns the ports of each chiplet of switch `group` of a level. Chiplets of the switch with the most I/O controllers
/// have `ports` ports; at the lowest level another switch has as many ports fewer as it has fewer controllers.
int chiplet_ports(const FabricSpec& fabric, std::size_t level, int group, int ports);

/// The forms in which a level can be made of chiplets, fewest ports first; empty where its uplinks cannot be spread
/// evenly over any number of chiplets. Levels below must be sound: groups that divide, uplinks of at least 1.
std::vector<FredLevelShape> level_shapes(const FabricSpec& fabric, std::size_t level);
/// The form with the most ports that `ports` of the level suffice for; 0 = the one with the fewest.
FredLevelShape level_shape(const FabricSpec& fabric, std::size_t level);

/// Cycles from sending the first flit of a packet to having room for the next one in a buffer of one packet, on a link
/// between two ports: the flit is sent and flies, enters the first stage a cycle after it came, its credit flies back
/// and counts from the next cycle on; a packet needs the credits of all its flits. A packet out of a chiplet takes them
/// before it enters the `stages` of it, not behind them; a network interface has one.
Cycle fred_round_trip(Rational rate, Cycle latency_cycles, std::uint64_t packet_flits, Cycle stages = 1);

/// Stages of Fred_m(ports) with a register, behind every `register_every`-th one and the last; a cycle each where
/// nothing is added.
Cycle fred_stages(int ports, int register_every);

/// Cycles from sending a flit to the arrival of its answer, on a link with ACKs and NACKs.
Cycle fred_answer_trip(Rational rate, Cycle latency_cycles);

/// A link that ends at an input port of a level's chiplets.
struct FredLink {
  std::string name;  ///< "fabric.local", "fabric.levels[0].uplinks", ...
  Rational rate;     ///< flits per cycle in one plane
  Cycle latency_cycles = 1;
  Cycle stages = 1;  ///< register stages of the chiplet that the link leaves
};
/// Links from below and, where there is a level above, links from there.
std::vector<FredLink> links_into(const FabricSpec& fabric, std::size_t level);

/// Flits of a buffer that keeps all links into a level busy: 1.25 x rate x round trip, in whole packets. With Go-Back-N
/// packets come as a whole, which is one more.
int roomy_buffer_flits(const FabricSpec& fabric, std::size_t level, std::uint64_t packet_flits);

}  // namespace weft
