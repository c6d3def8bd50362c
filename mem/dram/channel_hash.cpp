// SPDX-License-Identifier: Apache-2.0
// The hash of a channel's state.
#include "base/state_hash.h"
#include "mem/dram/channel.h"

namespace weft::mem {

std::uint64_t Channel::segment_hash(const Segment& segment, Cycle now) const {
  const Request& request = *segment.request;
  StateHash hash;
  hash.add(request.initiator).add(request.command == Command::kRead ? 1 : 2).add(request.physical).add(request.bytes);
  hash.add(segment.arrival - now);  // may lie on either side of now: the difference wraps
  hash.add(segment.passes_left).add(segment.round).add(segment.burst).add(segment.burst_end);
  return hash.add(segment.in_queue).add(segment.all_queued ? 1 : 0).value();
}

std::uint64_t Channel::state_hash(Cycle now) const {
  StateHash hash;
  hash.add(bank_hash(now)).add(refresh_due_ - now).add(size());
  for (std::uint8_t slot = size() > 0 ? oldest() : kNoSlot; slot != kNoSlot; slot = younger(slot)) {
    const QueueEntry& burst = entry(slot);
    hash.add(burst.bank).add(burst.row).add(burst.column).add(burst.is_write ? 1 : 0).add(now - burst.entered);
    hash.add(segment_hash(segments_[burst.segment], now));
  }
  hash.add(waiting_.size());
  for (const std::uint32_t initiator : waiting_) {
    hash.add(initiator);
    for (std::uint32_t number = streams_[initiator].first; number != kNone; number = segments_[number].next)
      hash.add(segment_hash(segments_[number], now));
  }
  hash.add(incoming_.size());
  for (const Incoming& incoming : incoming_)
    hash.add(incoming.at - now).add(segment_hash(segments_[incoming.segment], now));
  return hash.value();
}

}  // namespace weft::mem
