// SPDX-License-Identifier: Apache-2.0
// Refresh of all banks at every multiple of tREFI: due ones are made up for when the channel is looked at.
#include "mem/dram/channel.h"

namespace weft::mem {

// From the cycle in which a refresh is due nothing else is sent until it has been. Its own commands depend on nothing
// that arrives later, so they may lie behind the present cycle.
void Channel::refresh_up_to(Cycle limit) {
  is_chosen_ = false;
  const auto [close, at] = refresh(refresh_due_);
  if (close != kNever) observe(close, CommandKind::kPrechargeAll);
  observe(at, CommandKind::kRefresh);
  ++figures_.refreshes;
  refresh_due_ += timing().t_refi;
  if (observer_ != nullptr || refresh_due_ > limit) return;
  // With all banks closed the others followed at their own times; of them only the last one matters.
  const std::uint64_t more = (limit - refresh_due_) / timing().t_refi;
  figures_.refreshes += more;
  refresh_due_ += more * timing().t_refi;
}

}  // namespace weft::mem
