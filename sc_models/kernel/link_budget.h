// SPDX-License-Identifier: Apache-2.0
// Can the buffers keep a link busy? A sender may have as many flits under way as the receiver has buffers; a buffer
// comes back after one credit round trip.
#pragma once

#include <string>
#include <vector>

#include "kernel/config.h"
#include "kernel/rational.h"

namespace weft {

/// One class of links against the buffers behind it.
struct LinkBudget {
  std::string link;      ///< key of the link: "fabric.link" or "fabric.local"
  Rational rate;         ///< flits per cycle the link could carry
  Cycle round_trip = 0;  ///< cycles from taking a credit to using it again, for streaming flits
  int vcs = 0;  ///< that one packet may use: message classes and the sets of the routing function share them out
  std::uint64_t buffer_flits = 0;  ///< of these VCs together
  Rational needed_flits;           ///< rate x round_trip

  bool is_starved() const { return Rational{buffer_flits, 1} < needed_flits; }
  /// Flits per cycle that `flits` of buffer can keep moving.
  double carried_by(std::uint64_t flits) const;
};

/// Cycles between a switch allocation that takes a credit and the first one that may use it again, for flits that find
/// their VC active. The flit is allocated in S and received in S + traversal_delay + 1 + latency, where it is allocated
/// at once; its credit is received 1 + latency cycles later and may be used credit_delay cycles after that.
Cycle credit_round_trip(const RouterSpec& router, Cycle latency_cycles);
/// The same for a network interface that feeds a router: it has no switch and uses a credit when it comes.
Cycle injection_round_trip(const RouterSpec& router, Cycle latency_cycles);

/// Links between routers (where there are any) and links from NPUs to routers.
std::vector<LinkBudget> link_budgets(const Config& config);

}  // namespace weft
