// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mem/dram/scheduler/schedulers.h"

namespace weft::mem {

Choice Fifo::choose(const ChannelState& state, Cycle from) const {
  const NextCommand next = state.next_command(state.entry(state.oldest()));
  return {std::max(from, next.at), next.kind, state.oldest()};
}

}  // namespace weft::mem
