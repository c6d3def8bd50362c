// SPDX-License-Identifier: Apache-2.0
#include "npu/player/collective_turns.h"

#include <fmt/format.h>

#include "kernel/error.h"
#include "npu/program/shape.h"

namespace weft::npu {

void CollectiveTurns::started(RankId rank, std::uint32_t group, std::uint32_t turn, CollectiveKind kind,
                              std::uint64_t bytes, const std::string& name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Listed>& list = lists_[{group, kind == CollectiveKind::kBarrier}];
  WEFT_CHECK(turn <= list.size(), "a rank starts a collective before its turn");
  if (turn == list.size()) {
    list.push_back({kind, bytes, rank, name});
    return;
  }
  const Listed& first = list[turn];
  if (first.kind == kind && first.bytes == bytes) return;
  throw InputError(fmt::format(
      "collective {} of its group is '{}' ({} of {} bytes) at rank {}, but '{}' ({} of {} bytes) at rank {}: "
      "switches reduce in the order of arrival, so the traces must list a group's collectives in one order",
      turn, first.name, kind_name(first.kind), first.bytes, index(first.rank), name, kind_name(kind), bytes,
      index(rank)));
}

}  // namespace weft::npu
