// SPDX-License-Identifier: Apache-2.0
// Which uses of FRED switches with wormhole flow control are free of deadlock. The proof is in docs/decisions.md.
#pragma once

#include <cstdint>
#include <string>

#include "config/config.h"

namespace weft {

/// What a workload sends through the switches.
struct WormholeLoad {
  bool unicasts = false;
  bool unicasts_cross = false;          ///< between NPUs below different lowest switches
  std::uint64_t settings = 0;           ///< stored settings of flows
  std::uint64_t crossing_settings = 0;  ///< stored settings with flows that join several lowest switches
};

/// A flow between switches in a trace: unicasts announce its collectives.
inline constexpr WormholeLoad kFlowOfTrace{true, true, 1, 1};

/// Whether packets start flit by flit and can wait in one switch for room in another one. Without several lowest
/// switches what leaves a switch goes to a node, which always takes it.
bool wormhole_between_switches(const FabricSpec& fabric);

/// Why such packets can wait for each other in a circle; "" where they provably cannot.
std::string wormhole_deadlock(const FabricSpec& fabric, const WormholeLoad& load);

}  // namespace weft
