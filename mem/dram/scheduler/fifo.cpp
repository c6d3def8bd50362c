// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mem/dram/scheduler/scheduler.h"

namespace weft::mem {
namespace {

/// One burst after the other, in the order of arrival.
class Fifo final : public Scheduler {
 public:
  Choice choose(const ChannelState& state, Cycle from) const override {
    const NextCommand next = state.next_command(state.entry(state.oldest()));
    return {std::max(from, next.at), next.kind, state.oldest()};
  }
};

}  // namespace

extern const SchedulerPolicy kFifo;
const SchedulerPolicy kFifo{{"fifo", "as they came"},
                            [](Cycle) -> std::unique_ptr<Scheduler> { return std::make_unique<Fifo>(); }};

}  // namespace weft::mem
