// SPDX-License-Identifier: Apache-2.0
#include "mem/io/pool_client.h"

#include <algorithm>

#include "base/error.h"

namespace weft::mem {

std::uint64_t PoolClient::load(IoTag tag, NodeId asker, std::uint64_t bytes) {
  const std::uint64_t number = next_++;
  Share& share = shares_[number];
  share.tag = tag;
  share.peer = asker;
  share.bytes = bytes;
  for (std::uint64_t offset = 0; offset < bytes; offset += packet_bytes_) {
    asks_.push_back({number << kPartBits | share.open, tag, asker, Command::kRead, offset,
                     std::min(packet_bytes_, bytes - offset)});
    ++share.open;
  }
  share.here.resize(share.open);
  return number;
}

void PoolClient::store(IoTag tag, NodeId sender, std::uint64_t offset, std::uint64_t bytes, bool last) {
  const auto [entry, fresh] = stores_.emplace(std::make_pair(pack_io_tag(tag), index(sender)), next_);
  if (fresh) ++next_;
  const std::uint64_t number = entry->second;
  Share& share = shares_[number];
  share.tag = tag;
  share.peer = sender;
  ++share.open;
  asks_.push_back({number << kPartBits, tag, sender, Command::kWrite, offset, bytes});
  if (!last) return;
  share.all_in = true;
  stores_.erase(entry);
}

PoolProgress PoolClient::apply(const PoolAnswer& answer) {
  const auto found = shares_.find(answer.id >> kPartBits);
  WEFT_CHECK(found != shares_.end() && found->second.open > 0, "the pool has answered more than it was asked for");
  Share& share = found->second;
  --share.open;
  PoolProgress progress;
  progress.share = found->first;
  progress.tag = share.tag;
  progress.peer = share.peer;
  if (answer.refused != Reason::kNone && !std::exchange(share.refused, true)) progress.refusal = &answer;
  if (share.tag.store) {
    progress.ended = share.open == 0 && share.all_in;
  } else {
    share.here[answer.id & ((std::uint64_t{1} << kPartBits) - 1)] = true;
    while (share.first_gone < share.here.size() && share.here[share.first_gone]) ++share.first_gone;
    progress.ready = std::min(share.bytes, share.first_gone * packet_bytes_);
    progress.ended = share.open == 0;
  }
  if (progress.ended) shares_.erase(found);
  return progress;
}

}  // namespace weft::mem
