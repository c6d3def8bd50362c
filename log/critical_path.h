// SPDX-License-Identifier: Apache-2.0
// The chain of events that made a run as long as it was.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "log/log_names.h"
#include "log/run_log.h"

namespace weft::log {

/// A part of the path. Steps follow each other without gap or overlap.
struct PathStep {
  Cycle from = 0;
  Cycle to = 0;
  PathKind kind = PathKind::kOther;
  NodeId node{};             ///< node of the step; for what is in the network its sender
  NodeId towards = kNoPeer;  ///< receiver of what is in the network
  std::uint64_t tag = 0;     ///< tag of what is sent
  std::string what;          ///< name of the compute node; "" = see `tag`
};

struct CriticalPath {
  std::vector<PathStep> steps;              ///< in order of time, from 0 to `cycles`
  Cycle cycles = 0;                         ///< the end of the last rank
  NodeId last{};                            ///< which rank that is
  std::array<Cycle, kPathKinds> of_kind{};  ///< sums to `cycles`
};

/// Goes from the end of the rank that ended last (the lowest node among equals) backwards to cycle 0: what a node did
/// began in an event, and that event was a timer, a message that had left, or a packet. A packet that switches summed
/// goes back to the operand that entered the fabric last. How long a packet takes at no load is the shortest time of
/// any packet of this run with as many flits and hops; what a packet took beyond it, it waited in routers or switches.
/// Empty without a finished rank. Throws ViolationError if the steps do not add up.
CriticalPath critical_path(const RunLog& log, const LogNames& names);

}  // namespace weft::log
