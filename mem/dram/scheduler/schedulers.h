// SPDX-License-Identifier: Apache-2.0
// The schedulers.
#pragma once

#include "mem/dram/scheduler/scheduler.h"

namespace weft::mem {

/// One burst after the other, in the order of arrival.
class Fifo final : public Scheduler {
 public:
  Choice choose(const ChannelState& state, Cycle from) const override;
};

/// First ready, first come first served (Rixner et al., ISCA 2000): the command that can be sent first; at one cycle RD
/// and WR before the others, then the oldest. A row stays open while bursts for it wait. A burst older than the age
/// limit goes before everything else.
class FrFcfs final : public Scheduler {
 public:
  explicit FrFcfs(Cycle age_limit) : age_limit_(age_limit) {}
  Choice choose(const ChannelState& state, Cycle from) const override;

 private:
  Cycle age_limit_;
};

}  // namespace weft::mem
