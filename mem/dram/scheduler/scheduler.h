// SPDX-License-Identifier: Apache-2.0
// Schedulers: which burst of a channel's queue is brought on next. One file per policy, chosen by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

/// Names of all schedulers, the default first.
std::vector<std::string> scheduler_names();
/// The scheduler called `name`; `age_limit` in cycles where it has one. Throws InputError with the known names and the
/// nearest one.
std::unique_ptr<Scheduler> make_scheduler(const std::string& name, Cycle age_limit);

}  // namespace weft::mem
