// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mem/dram/scheduler/schedulers.h"

namespace weft::mem {
namespace {

bool is_column(CommandKind kind) { return kind == CommandKind::kRead || kind == CommandKind::kWrite; }

}  // namespace

Choice FrFcfs::choose(const ChannelState& state, Cycle from) const {
  Choice best;
  for (std::size_t age = 0; age < state.size(); ++age) {
    const QueueEntry& entry = state.entry(age);
    if (entry.blocked > 0) continue;
    const NextCommand next = state.next_command(entry);
    if (next.kind == CommandKind::kPrecharge && state.bank(entry.bank).hits > 0) continue;
    const Cycle at = std::max(from, next.at);
    if (at < best.at || (at == best.at && is_column(next.kind) && !is_column(best.kind))) best = {at, next.kind, age};
  }
  const QueueEntry& oldest = state.entry(0);
  if (best.at - oldest.entered <= age_limit_) return best;
  const NextCommand next = state.next_command(oldest);
  return {std::max(from, next.at), next.kind, 0};
}

}  // namespace weft::mem
