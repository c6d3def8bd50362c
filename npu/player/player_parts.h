// SPDX-License-Identifier: Apache-2.0
// The parts of a graph player that not every workload needs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "npu/player/announced_order.h"
#include "npu/player/graph_player.h"
#include "npu/player/receive_matcher.h"
#include "npu/player/serial_unit.h"

namespace weft::npu {

/// The units that work on one node at a time.
struct GraphPlayer::Units {
  std::array<SerialUnit, kUnits> units;
  std::array<Cycle, kUnits> started{};   ///< when a unit began what it runs
  std::array<int, kUnits> open_parts{};  ///< unfinished parts of what a unit runs: its time, and what it moves
};

/// Sends and receives of the trace.
struct GraphPlayer::Transfers {
  struct OpenSend {
    std::uint64_t node = 0;
    RankId dst{};
    std::uint64_t tag = 0;
    std::uint64_t bytes = 0;
  };

  ReadyNodes ready;
  std::map<std::uint32_t, OpenSend> open_sends;  ///< by message id
  ReceiveMatcher receives;
};

/// Loads and stores that PlayerRank::memory carries out.
struct GraphPlayer::Accesses {
  std::map<std::uint64_t, TraceNode> open;  ///< by node id = handle
  std::set<std::uint64_t> exchanges;        ///< those accesses whose parts members exchange as a collective
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t>
      issued;                       ///< how many, by group (none = ~0) and whether they are stores
  std::set<std::uint32_t> storing;  ///< groups with stores that are summed in switches
  std::set<std::uint32_t> adding;   ///< groups with collectives that are summed in switches
};

/// The order of collectives whose operands meet in switches.
struct GraphPlayer::Order {
  AnnouncedOrder announced;
  std::map<std::pair<std::uint32_t, CollectiveKind>, bool> needed;  ///< by group: what goes_in_order has said
};

}  // namespace weft::npu
