// SPDX-License-Identifier: Apache-2.0
// Schedulers: which burst of a channel's queue is brought on next. One file per policy, chosen by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/policy.h"
#include "mem/dram/channel_state.h"

namespace weft::mem {

/// The command to send next, its cycle, and the burst that it is sent for.
struct Choice {
  Cycle at = kNever;
  CommandKind kind = CommandKind::kActivate;
  std::uint8_t slot = 0;
};

/// The interface. A choice depends on the state alone, so it holds until the state changes.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// The next command from cycle `from` on; the queue is not empty.
  virtual Choice choose(const ChannelState& state, Cycle from) const = 0;
};

/// A scheduler as the registry lists it: a constant of its file. `age_limit` is in cycles.
struct SchedulerPolicy : Policy {
  std::unique_ptr<Scheduler> (*make)(Cycle age_limit) = nullptr;
};

/// All schedulers, the default first.
const PolicyList<SchedulerPolicy>& scheduler_policies();
/// The scheduler called `name`; `age_limit` in cycles where it has one. Throws InputError with the known names and the
/// nearest one.
std::unique_ptr<Scheduler> make_scheduler(const std::string& name, Cycle age_limit);

}  // namespace weft::mem
