// SPDX-License-Identifier: Apache-2.0
// Can the buffers keep a link busy? A sender may have as many flits under way as the receiver has buffers; a buffer
// comes back after one credit round trip.
#pragma once

#include <string>
#include <vector>

#include "base/rational.h"
#include "config/config.h"

namespace weft {

/// One class of links against the buffers behind it.
struct LinkBudget {
  std::string link;      ///< key of the link: "fabric.link", "fabric.levels[0].uplinks", ...
  std::string buffers;   ///< key of the buffers, where a fabric has several sorts
  bool set_up = false;   ///< budget of a colour on this link: set-up routes have buffers of their own
  Rational rate;         ///< flits per cycle the link could carry
  Cycle round_trip = 0;  ///< cycles from taking a credit to using it again, for streaming flits
  int vcs = 0;  ///< that one packet may use: message classes and the sets of the routing function share them out
  std::uint64_t buffer_flits = 0;  ///< flits that the buffers of these VCs hold together
  std::uint64_t packet_flits = 1;  ///< that are sent only when there is room for all; the round trip is theirs
  Rational needed_flits;           ///< rate x round_trip

  bool is_starved() const { return Rational{buffer_flits, 1} < needed_flits; }
  /// Flits per cycle that `flits` of buffer can keep moving.
  double carried_by(std::uint64_t flits) const;
};

/// Cycles from sending a flit to having it at the far end of the link.
Cycle crossing_cycles(const LinkSpec& link);

/// Cycles between a switch allocation that takes a credit and the first one that may use it again, between routers, for
/// flits that find their VC active. A flit allocated in S is received after allocation, traversal_delay, its time on
/// the wire, latency and hop_cycles; there it is allocated at once, and its credit travels back for 1 + latency cycles
/// more than the allocation and may be used credit_delay cycles later. At the reference router: 5 + credit_delay.
Cycle credit_round_trip(const RouterSpec& router, const LinkSpec& link);
/// The same for the link from a router to its NPU, which takes a flit in the cycle of its arrival. The other direction
/// is never longer: a network interface has no switch and no credit_delay.
Cycle ejection_round_trip(const RouterSpec& router, const LinkSpec& link);

/// The same for a colour, whose flits and credits take the latency of the wire and the cycles of hop and turn.
Cycle colour_round_trip(const RouterSpec& router, const LinkSpec& link, bool turns);

/// Links between routers (where there are any), those along y where they differ, and links between NPUs and routers;
/// with colours the same links for them, where the workload is a single collective. With FRED switches each link
/// into each level, in one plane.
std::vector<LinkBudget> link_budgets(const Config& config);
// The two ways to find them.
std::vector<LinkBudget> router_budgets(const Config& config);
std::vector<LinkBudget> switch_budgets(const Config& config);

}  // namespace weft
